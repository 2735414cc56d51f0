"""DRF: whoever has least gets the next worker, and nobody is passed over who could have had one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdors.engine.simulation import simulate
from pdors.model.decision import Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.policies.drf import Drf
from pdors.policies.policy import QueuedJob
from tests.support.fair_shares import Claim, claim_of, deal, has_room_for_a_step
from tests.support.instances import small_job
from tests.support.queue_runs import (
    Placed,
    broken_rules,
    busy_instance,
    cluster_of,
    placed,
    plain_job,
    rounds_of,
    schedules,
    table_job,
)

HOUR = 3600


def first_slot(instance: Instance) -> dict[str, Placed]:
    allotment = rounds_of(instance, Drf)[0].allotment
    return {job_id: placed(placement) for job_id, placement in allotment.placements.items()}


# By hand


def test_the_example_of_its_paper() -> None:
    """Nine CPUs and 18 GB: A's tasks take (1, 4), B's (3, 1). A gets three, B two: 2/3 of the memory, of the CPUs."""
    cluster = cluster_of(("cpu", "memory_gb"), (9, 18))
    jobs = (plain_job("a", (1, 4), 1e6), plain_job("b", (3, 1), 1e6))
    assert first_slot(Instance(100, HOUR, cluster, jobs)) == {"a": {0: (3, 0)}, "b": {0: (2, 0)}}


def test_tasks_go_round_the_machines() -> None:
    """Shares in eighths: a takes machine 0, b 1, c 2; then a 0, b 1, c 2 again, a 0 and b 1 the last two of them."""
    cluster = cluster_of(("gpu",), (3,), (3,), (2,))
    jobs = tuple(plain_job(name, (1,), 1e6) for name in "abc")
    assert first_slot(Instance(100, HOUR, cluster, jobs)) == {"a": {0: (3, 0)}, "b": {1: (3, 0)}, "c": {2: (2, 0)}}


def test_a_server_comes_with_every_second_worker() -> None:
    """gamma = 2: worker on 0, server on 1; worker on 2; worker on 0, server on 1; a worker on 2 and no more CPUs for
    the third server: 0 and 1 have 4 - 2 = 2 of 4, machine 2 has none."""
    job = small_job(worker=(1, 2), server=(0, 2), samples=1e6)
    cluster = cluster_of(("gpu", "cpu"), (9, 4), (9, 4), (9, 4))
    instance = Instance(10**6, HOUR, cluster, (job,))
    assert first_slot(instance) == {"job-0": {0: (2, 0), 1: (0, 2), 2: (2, 0)}}


def test_the_worker_leaves_the_only_room_for_its_server() -> None:
    """The server fits on machine 0 alone, and not beside the worker."""
    job = small_job(worker=(1, 2), server=(0, 3), samples=1e6)
    instance = Instance(10**4, HOUR, cluster_of(("gpu", "cpu"), (4, 4), (4, 2)), (job,))
    assert first_slot(instance) == {"job-0": {0: (0, 1), 1: (1, 0)}}


def test_no_more_workers_than_finish_what_is_left() -> None:
    """Slots of three seconds, eight GPUs. Turn by turn both have four; a is then done with 12 of 10 samples, and b's
    fifth finds no room. In the next slot b has its batch, five; 39 - 12 - 15 = 12 samples need four."""
    cluster = cluster_of(("gpu",), (8,))
    jobs = (plain_job("a", (1,), 10), plain_job("b", (1,), 39, batch=5))
    held = schedules(Instance(9, 3, cluster, jobs), Drf)
    assert held["a"] == [(range(1), {0: (4, 0)})]
    assert held["b"] == [(range(1), {0: (4, 0)}), (range(1, 2), {0: (5, 0)}), (range(2, 3), {0: (4, 0)})]


def test_the_last_slot_takes_what_it_needs_and_leaves_the_rest() -> None:
    """33 samples, 12 a slot with four workers: 12 + 12 + 9, and 9 need three workers; the fourth is b's from then."""
    cluster = cluster_of(("gpu",), (8,))
    jobs = (plain_job("a", (1,), 33), plain_job("b", (1,), 200))
    held = schedules(Instance(20, 3, cluster, jobs), Drf)
    assert held["a"] == [(range(2), {0: (4, 0)}), (range(2, 3), {0: (3, 0)})]
    assert held["b"][:3] == [(range(2), {0: (4, 0)}), (range(2, 3), {0: (5, 0)}), (range(3, 9), {0: (8, 0)})]


def test_a_table_is_climbed_from_entry_to_entry() -> None:
    """Six GPUs: a has 1, b 1; a 2, b 2; a needs two more for 4 and gets them; nothing is left for b."""
    speed = TableSpeed((1, 2, 4), (1, 2, 4))
    jobs = tuple(table_job(name, (1,), 1e5, speed) for name in "ab")
    instance = Instance(1000, HOUR, cluster_of(("gpu",), (3,), (3,)), jobs)
    assert first_slot(instance) == {"a": {0: (3, 0), 1: (1, 0)}, "b": {1: (2, 0)}}


def test_an_entry_that_cannot_be_had_is_passed_over() -> None:
    """One worker has no speed at all, three train less than two: the steps are 2 and 5."""
    speed = TableSpeed((1, 2, 3, 5), (None, 2, 1.5, 3))
    jobs = (table_job("a", (1,), 1e5, speed),)
    assert first_slot(Instance(1000, HOUR, cluster_of(("gpu",), (4,)), jobs)) == {"a": {0: (2, 0)}}
    assert first_slot(Instance(1000, HOUR, cluster_of(("gpu",), (5,)), jobs)) == {"a": {0: (5, 0)}}


def test_what_cannot_train_apart_is_gathered_on_one_machine() -> None:
    """Two workers lie apart; for four there is no speed apart, so all of them move to machine 1."""
    speed = TableSpeed((1, 2, 4), (1, 2, 4), (1, 1.8, None))
    instance = Instance(1000, HOUR, cluster_of(("gpu",), (3,), (4,)), (table_job("a", (1,), 1e5, speed),))
    assert first_slot(instance) == {"a": {1: (4, 0)}}
    smaller = replace(instance, cluster=cluster_of(("gpu",), (3,), (3,)))
    assert first_slot(smaller) == {"a": {0: (1, 0), 1: (1, 0)}}


def test_what_cannot_train_together_is_spread() -> None:
    """Alone it lies on both machines. Once machine 1 is full two workers fit on 0, where they do not train."""
    speed = TableSpeed((2,), (None,), (2,))
    cluster = cluster_of(("gpu",), (4,), (1,))
    assert first_slot(Instance(1000, HOUR, cluster, (table_job("a", (1,), 1e5, speed),))) == {
        "a": {0: (1, 0), 1: (1, 0)}
    }
    first = plain_job("first", (1,), 1e5, batch=1)
    jobs = (first, replace(first, id="second"), table_job("a", (1,), 1e5, speed))
    assert first_slot(Instance(1000, HOUR, cluster, jobs)) == {"first": {0: (1, 0)}, "second": {1: (1, 0)}}


def test_all_reduce_that_only_gets_slower_apart_stays_together() -> None:
    """Apart W workers train W / (1 + 2 (W - 1)) samples a second: one alone is fastest. Together they train W."""
    speed = AllReduceSpeed(1, 4, 1e9, 1)
    job = replace(plain_job("a", (1,), 1e5, batch=4), speed=speed)
    assert first_slot(Instance(1000, HOUR, cluster_of(("gpu",), (2,), (3,)), (job,))) == {"a": {1: (3, 0)}}


def test_what_cannot_finish_alone_is_rejected() -> None:
    cluster = cluster_of(("gpu",), (2,))
    jobs = (plain_job("large", (3,), 1), plain_job("long", (1,), 21), plain_job("late", (1,), 3, arrival=9))
    decisions = simulate(Instance(10, 1, cluster, (*jobs, plain_job("fits", (1,), 20))), Drf).decisions
    for name in ("large", "long", "late"):
        assert decisions[name] == Rejected(name, Reason.INFEASIBLE)
    assert decisions["fits"].completion == 9  # type: ignore[union-attr]  # it is admitted


# On many runs


def claims_of(instance: Instance, queue: tuple[QueuedJob, ...]) -> list[Claim]:
    seconds = instance.slot_seconds
    return [claim_of(queued.job, instance.cluster, seconds, queued.samples_left) for queued in queue]


@pytest.mark.parametrize("seed", range(60))
def test_every_round_is_dealt_by_the_rule_and_leaves_no_room_for_another_step(seed: int) -> None:
    instance = busy_instance(seed)
    for asked in rounds_of(instance, Drf)[:12]:
        claims = claims_of(instance, asked.queue)
        free = deal(claims, instance.cluster)
        for queued, claim in zip(asked.queue, claims, strict=True):
            placement = asked.allotment.placements.get(queued.job.id)
            expected = {m: (w, s) for m, (w, s) in enumerate(claim.tasks) if w or s}
            assert (placed(placement) if placement else {}) == expected
            is_done = claim.rate() >= claim.left or claim.workers == claim.steps[-1]
            assert is_done or not has_room_for_a_step(claim, free)
            assert claim.rate() > 0 or not claim.workers


@pytest.mark.parametrize("seed", range(100))
def test_decisions_are_sound_and_the_same_however_often_it_is_asked(seed: int) -> None:
    assert not list(broken_rules(busy_instance(seed), Drf))


def test_idle_time_costs_no_rounds() -> None:
    """A round for the arrival, and one for the last slot, in which fewer workers do."""
    jobs = tuple(plain_job(f"job-{index}", (1,), 1e5 + 1, arrival=10_000 * index) for index in range(20))
    instance = Instance(10**6, 1, cluster_of(("gpu",), (8,), (8,)), jobs)
    assert len(rounds_of(instance, Drf)) == 40


def test_zero_demands_take_all_workers_they_ask_for() -> None:
    job = plain_job("a", (0.0,), 1e5, batch=7)
    held = first_slot(Instance(10**5, 1, cluster_of(("gpu",), (1,), (1,)), (job, plain_job("b", (1.0,), 1e3))))
    assert held["a"] == {0: (4, 0), 1: (3, 0)}
    assert held["b"] == {0: (1, 0), 1: (1, 0)}


def test_more_servers_than_workers() -> None:
    """gamma = 0.4: three servers with one worker, five with two."""
    job: Job = small_job(speed=ParameterServerSpeed(0.5, 50, 0.4, 100, 10), worker=(1, 0), server=(0, 1), samples=1e6)
    held = first_slot(Instance(10**4, HOUR, cluster_of(("gpu", "cpu"), (2, 3), (2, 3)), (job,)))
    workers, servers = np.array(list(held["job-0"].values())).sum(axis=0)
    assert (workers, servers) == (2, 5)
