"""FIFO: in order of arrival, a fixed number of workers each, held to the end; the first who does not fit blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.engine.simulation import simulate
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance
from pdors.model.schedule import Placement
from pdors.model.speed import TableSpeed
from pdors.model.units import Units
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotProblem
from pdors.planner.streams import stream_of
from pdors.policies.fifo import MOST_WORKERS, Fifo
from tests.support.instances import small_job
from tests.support.queue_runs import (
    Placed,
    Round,
    broken_rules,
    busy_instance,
    cluster_of,
    placed,
    plain_job,
    rounds_of,
    schedules,
    table_job,
)
from tests.support.slot_milp import exact_cost

Floats = NDArray[np.float64]


def first_slot(instance: Instance) -> dict[str, Placed]:
    allotment = rounds_of(instance, Fifo)[0].allotment
    return {job_id: placed(placement) for job_id, placement in allotment.placements.items()}


# By hand


def test_the_first_who_does_not_fit_makes_all_others_wait() -> None:
    """Four GPUs. a holds three for two slots, b wants two, c one and would fit beside a."""
    cluster = cluster_of(("gpu",), (4,))
    jobs = (
        table_job("a", (1,), 6, TableSpeed((3,), (3,))),
        table_job("b", (1,), 2, TableSpeed((2,), (2,))),
        table_job("c", (1,), 1, TableSpeed((1,), (1,))),
    )
    assert schedules(Instance(10, 1, cluster, jobs), Fifo) == {
        "a": [(range(2), {0: (3, 0)})],
        "b": [(range(2, 3), {0: (2, 0)})],
        "c": [(range(2, 3), {0: (1, 0)})],
    }


def test_tasks_go_round_the_machines_from_job_to_job() -> None:
    cluster = cluster_of(("gpu",), (4,), (4,), (4,))
    jobs = tuple(table_job(name, (1,), 100, TableSpeed((2,), (2,))) for name in "abc")
    assert first_slot(Instance(100, 1, cluster, jobs)) == {
        "a": {0: (1, 0), 1: (1, 0)},
        "b": {0: (1, 0), 2: (1, 0)},
        "c": {1: (1, 0), 2: (1, 0)},
    }


def test_servers_are_dealt_after_the_workers() -> None:
    """Three workers on 0, 1, 2; two servers on 0 and 1, as gamma = 2."""
    job = small_job(batch=3, samples=1e3, worker=(1, 1), server=(0, 1))
    seed = next(seed for seed in range(100) if stream_of(seed, "job-0").integers(1, MOST_WORKERS, endpoint=True) >= 3)
    instance = Instance(100, 3600, cluster_of(("gpu", "cpu"), (4, 4), (4, 4), (4, 4)), (job,))
    decision = simulate(instance, Fifo, seed=seed).decisions["job-0"]
    assert isinstance(decision, Admitted)
    assert placed(decision.schedule.runs[0].placement) == {0: (1, 1), 1: (1, 1), 2: (1, 0)}


def test_workers_are_drawn_between_one_and_thirty_whatever_came_before() -> None:
    jobs = tuple(plain_job(f"job-{index}", (1,), 1e5) for index in range(600))
    instance = Instance(10**6, 1, cluster_of(("gpu",), (10**5,)), jobs)
    held = first_slot(instance)
    counts = np.array([held[job.id][0][0] for job in jobs])
    assert (np.bincount(counts, minlength=MOST_WORKERS + 1)[1:] >= 6).all()
    assert counts.max() == MOST_WORKERS
    backwards = first_slot(replace(instance, jobs=jobs[::-1]))
    assert backwards == held
    others = simulate(instance, Fifo, seed=1).decisions["job-0"], simulate(instance, Fifo, seed=2).decisions["job-0"]
    assert others[0] != others[1]


@pytest.mark.parametrize(
    ("workers", "together", "apart", "gpus", "expected"),
    [
        ((40, 50), (1, 2), None, (100,), {0: (40, 0)}),  # as few as its speed is known for
        ((1, 40), (1, 2), None, (100,), {0: (1, 0)}),
        ((1, 2), (1, 2), None, (1,), {0: (1, 0)}),  # as many as there is room for
        ((2,), (2,), (None,), (1, 2), {1: (2, 0)}),  # apart it does not train
        ((2,), (None,), (2,), (2, 1), {0: (1, 0), 1: (1, 0)}),  # together it does not
        ((1, 2), (None, 2), (5, None), (1, 2), {1: (2, 0)}),  # a worker on its own is never apart
    ],
)
def test_a_number_of_workers_that_can_be_had(
    workers: tuple[int, ...], together: tuple[float | None, ...], apart: tuple[float | None, ...] | None,
    gpus: Sequence[float], expected: Placed,
) -> None:  # fmt: skip
    jobs = (table_job("a", (1,), 100, TableSpeed(workers, together, apart)),)
    instance = Instance(1000, 1, cluster_of(("gpu",), *((amount,) for amount in gpus)), jobs)
    seeds = [seed for seed in range(50) if stream_of(seed, "a").integers(1, MOST_WORKERS, endpoint=True) >= 2]
    decision = simulate(instance, Fifo, seed=seeds[0]).decisions["a"]
    assert isinstance(decision, Admitted)
    assert placed(decision.schedule.runs[0].placement) == expected


def test_where_dealing_fails_the_tasks_go_where_there_is_room() -> None:
    """Round-robin puts the worker on machine 0, which is the only one for the server."""
    job = small_job(worker=(1, 2), server=(0, 3), batch=1, samples=1e3)
    instance = Instance(1000, 3600, cluster_of(("gpu", "cpu"), (4, 4), (4, 2)), (job,))
    assert first_slot(instance) == {"job-0": {0: (0, 1), 1: (1, 0)}}


def test_what_cannot_finish_alone_is_rejected() -> None:
    cluster = cluster_of(("gpu",), (2,))
    jobs = (plain_job("large", (3,), 1), plain_job("long", (1,), 21), plain_job("fits", (1,), 10))
    decisions = simulate(Instance(10, 1, cluster, jobs), Fifo).decisions
    assert decisions["large"] == Rejected("large", Reason.INFEASIBLE)
    assert decisions["long"] == Rejected("long", Reason.INFEASIBLE)
    assert isinstance(decisions["fits"], Admitted)


# On many runs


def can_be_placed(free: Floats, shape: JobShape, workers: int) -> bool:
    """By an integer program, so that it trains."""
    servers = int(shape.servers[workers])
    if shape.together[workers] > 0 and (workers * shape.worker + servers * shape.server <= free).all(axis=1).any():
        return True
    prices = np.zeros(len(free))
    problem = SlotProblem(prices, prices, free, shape.worker, shape.server)
    spread = shape.together[workers] == 0
    return bool(shape.apart[workers] > 0 and exact_cost(problem, workers, servers, spread=spread) is not None)


def expected_workers(instance: Instance, shape: JobShape) -> int:
    """The largest number up to the one drawn, else the smallest, that the empty cluster has room for."""
    capacity = Units(instance.cluster).capacity
    most = int(stream_of(0, shape.job.id).integers(1, MOST_WORKERS, endpoint=True))
    counts = [count for count in range(1, shape.max_workers + 1) if shape.together[count] or shape.apart[count]]
    in_turn = sorted(counts, key=lambda count: (count > most, abs(count - most)))
    return next(count for count in in_turn if can_be_placed(capacity, shape, count))


def left_free(instance: Instance, asked: Round) -> Floats:
    free = Units(instance.cluster).capacity.copy()
    for queued in asked.queue:
        placement = asked.allotment.placements.get(queued.job.id)
        for share in placement.shares if placement else ():
            free[share.machine] -= share.workers * queued.shape.worker + share.servers * queued.shape.server
    return free


@pytest.mark.parametrize("seed", range(60))
def test_who_came_first_holds_as_drawn_to_the_end_and_who_is_next_does_not_fit(seed: int) -> None:
    instance = busy_instance(seed)
    kept: dict[str, Placement] = {}
    workers: dict[str, int] = {}
    for asked in rounds_of(instance, Fifo):
        held = asked.allotment.placements
        has = [queued.job.id in held for queued in asked.queue]
        assert has == sorted(has, reverse=True)
        for queued in asked.queue[: sum(has) + 1]:
            if queued.job.id not in workers:
                workers[queued.job.id] = expected_workers(instance, queued.shape)
        for job_id, placement in held.items():
            assert kept.setdefault(job_id, placement) == placement
            assert placement.workers == workers[job_id]
        if not all(has):
            blocked = asked.queue[sum(has)]
            assert not can_be_placed(left_free(instance, asked), blocked.shape, workers[blocked.job.id])


@pytest.mark.parametrize("seed", range(100))
def test_only_what_can_never_finish_is_rejected(seed: int) -> None:
    instance = busy_instance(seed)
    alone, units = Alone(instance.cluster, instance.slots), Units(instance.cluster)
    for decision in simulate(instance, Fifo).decisions.decisions:
        shape = JobShape.of(instance.job(decision.job_id), units, instance.slot_seconds)
        assert isinstance(decision, Rejected) != alone.could_finish(shape)


@pytest.mark.parametrize("seed", range(100))
def test_decisions_are_sound_and_the_same_however_often_it_is_asked(seed: int) -> None:
    assert not list(broken_rules(busy_instance(seed), Fifo, seed))


def test_idle_time_costs_no_rounds() -> None:
    jobs = tuple(plain_job(f"job-{index}", (1,), 1e5, arrival=10_000 * index, batch=16) for index in range(20))
    assert len(rounds_of(Instance(10**6, 1, cluster_of(("gpu",), (1000,)), jobs), Fifo)) <= 40
