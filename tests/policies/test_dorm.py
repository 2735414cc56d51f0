"""Dorm: the cluster is used, and what is handed out keeps the fairness and the adjustment row, or stays as it was."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.check import check
from pdors.engine.simulation import simulate
from pdors.errors import ModelError
from pdors.files import decisions_document, instance_document
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.policies.dorm import Dorm
from pdors.policies.policy import Setting
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.fair_shares import claim_of, deal
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
from tests.support.small_plans import SLOT_SECONDS, all_placements

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def dorm(**options: float) -> type[Dorm]:
    class Set(Dorm):
        name = "dorm"

        def __init__(self, setting: Setting) -> None:
            super().__init__(setting, **options)

    return Set


def first_slot(instance: Instance, policy: type[Dorm] = Dorm) -> dict[str, Placed]:
    allotment = rounds_of(instance, policy)[0].allotment
    return {job_id: placed(placement) for job_id, placement in allotment.placements.items()}


def workers_of(held: Mapping[str, Placed]) -> dict[str, int]:
    return {job_id: sum(w for w, _ in tasks.values()) for job_id, tasks in held.items()}


# By hand


def test_a_job_alone_gets_all_it_asks_for() -> None:
    cluster = cluster_of(("gpu",), (4,), (5,))
    assert first_slot(Instance(100, 1, cluster, (plain_job("a", (1,), 100),))) == {"a": {0: (4, 0), 1: (5, 0)}}
    few = plain_job("a", (1,), 100, batch=5)
    assert first_slot(Instance(100, 1, cluster, (few,))) == {"a": {1: (5, 0)}}
    fits_exactly = plain_job("a", (1,), 100, batch=4)
    assert first_slot(Instance(100, 1, cluster, (fits_exactly,))) == {"a": {0: (4, 0)}}


def test_shares_become_equal_where_fairness_leaves_no_choice() -> None:
    """One resource, theta1 = 0.1: the two shares lose 0.2 at most, one GPU of eight more or less would lose 0.25."""
    cluster = cluster_of(("gpu",), (8,))
    jobs = (plain_job("a", (1,), 100), plain_job("b", (1,), 40, arrival=2))
    assert schedules(Instance(100, 1, cluster, jobs), Dorm) == {
        "a": [(range(2), {0: (8, 0)}), (range(2, 12), {0: (4, 0)}), (range(12, 18), {0: (8, 0)})],
        "b": [(range(2, 12), {0: (4, 0)})],
    }


def test_nobody_who_runs_is_changed_where_none_may_be() -> None:
    """b waits until a is done: keeping all as it is breaks no row, as b does not run yet."""
    cluster = cluster_of(("gpu",), (8,))
    jobs = (plain_job("a", (1,), 80), plain_job("b", (1,), 16, arrival=2))
    assert schedules(Instance(100, 1, cluster, jobs), dorm(theta2=0)) == {
        "a": [(range(10), {0: (8, 0)})],
        "b": [(range(10, 12), {0: (8, 0)})],
    }


def test_the_last_allocation_is_kept_where_the_rows_allow_no_other() -> None:
    """No fairness may be lost: four and four. Once b is done a's share would be all eight, and it may not change."""
    cluster = cluster_of(("gpu",), (8,))
    jobs = (plain_job("a", (1,), 40), plain_job("b", (1,), 12))
    instance, policy = Instance(100, 1, cluster, jobs), dorm(theta1=0, theta2=0)
    assert schedules(instance, policy) == {
        "a": [(range(10), {0: (4, 0)})],
        "b": [(range(3), {0: (4, 0)})],
    }
    assert simulate(instance, policy).decisions.options["allocations_kept"] == 1


def test_the_most_of_the_cluster_is_used() -> None:
    """A worker of b uses a GPU and a CPU, one of a only a GPU: b gets all but the one that a needs to run."""
    cluster = cluster_of(("gpu", "cpu"), (8, 8))
    jobs = (plain_job("a", (1, 0), 100), plain_job("b", (1, 1), 100))
    instance = Instance(1000, 1, cluster, jobs)
    assert first_slot(instance, dorm(theta1=1)) == {"a": {0: (1, 0)}, "b": {0: (7, 0)}}
    assert first_slot(instance, dorm(theta1=0)) == {"a": {0: (4, 0)}, "b": {0: (4, 0)}}
    # 2 * 2 * 0.1 = 0.4 of the shares may be lost: 2/8 with five and three, 4/8 with six and two.
    assert first_slot(instance) == {"a": {0: (3, 0)}, "b": {0: (5, 0)}}


def test_who_came_first_runs_where_not_all_can() -> None:
    cluster = cluster_of(("gpu",), (1,), (1,))
    jobs = tuple(plain_job(name, (1,), samples) for name, samples in (("a", 30), ("b", 10), ("c", 10), ("d", 5)))
    held = schedules(Instance(100, 1, cluster, jobs), Dorm)
    assert {job_id: [slots for slots, _ in runs] for job_id, runs in held.items()} == {
        "a": [range(25), range(25, 28)], "b": [range(10)], "c": [range(10, 20)], "d": [range(20, 25)],
    }  # fmt: skip


def test_servers_come_with_the_workers() -> None:
    """gamma = 2: five workers and three servers of a CPU each fill eight CPUs; a sixth would need none, but no room."""
    job = small_job(worker=(1, 1), server=(0, 1), batch=50, samples=1e6)
    held = first_slot(Instance(10**5, 3600, cluster_of(("gpu", "cpu"), (9, 8)), (job,)))
    assert held == {"job-0": {0: (5, 3)}}


def test_a_table_knows_its_numbers() -> None:
    speed = TableSpeed((1, 4, 7), (1, 3, 5))
    jobs = (table_job("a", (1,), 1000, speed), table_job("b", (1,), 1000, speed))
    held = workers_of(first_slot(Instance(2000, 1, cluster_of(("gpu",), (5,), (5,)), jobs)))
    assert held == {"a": 4, "b": 4}


def test_what_cannot_train_apart_lies_together_and_the_other_way_round() -> None:
    cluster = cluster_of(("gpu",), (3,), (4,))
    near, far = TableSpeed((4,), (4,), (None,)), TableSpeed((4,), (None,), (4,))
    assert first_slot(Instance(1000, 1, cluster, (table_job("a", (1,), 100, near),))) == {"a": {1: (4, 0)}}
    apart = first_slot(Instance(1000, 1, cluster, (table_job("a", (1,), 100, far),)))["a"]
    assert len(apart) == 2
    assert sum(w for w, _ in apart.values()) == 4


def test_a_worker_is_not_added_where_it_slows_its_job_down() -> None:
    """Four workers on one machine train 4, five on two machines half a sample."""
    speed = TableSpeed((1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (None, 0.2, 0.3, 0.4, 0.5))
    held = first_slot(Instance(1000, 1, cluster_of(("gpu",), (4,), (4,)), (table_job("a", (1,), 100, speed),)))
    assert list(held["a"].values()) == [(4, 0)]


def test_zero_demands_take_all_workers_they_ask_for() -> None:
    jobs = (plain_job("a", (0.0,), 1e5, batch=7), plain_job("b", (1.0,), 1e3))
    held = workers_of(first_slot(Instance(10**5, 1, cluster_of(("gpu",), (1,), (1,)), jobs)))
    assert held == {"a": 7, "b": 2}


def test_what_cannot_finish_alone_is_rejected_and_changes_nothing() -> None:
    cluster = cluster_of(("gpu",), (2,))
    jobs = (plain_job("fits", (1,), 20), plain_job("large", (3,), 1, arrival=1), plain_job("long", (1,), 17, arrival=2))
    decisions = simulate(Instance(10, 1, cluster, jobs), Dorm).decisions
    assert decisions["large"] == Rejected("large", Reason.INFEASIBLE)
    assert decisions["long"] == Rejected("long", Reason.INFEASIBLE)
    fits = decisions["fits"]
    assert isinstance(fits, Admitted)
    assert [(run.start, run.stop) for run in fits.schedule.runs] == [(0, 10)]
    assert decisions.options["programs"] == 1


# Options


def test_options_tell_how_it_is_set_up_and_what_it_met() -> None:
    jobs = (plain_job("a", (1,), 100), plain_job("b", (1,), 40, arrival=2))
    instance = Instance(100, 1, cluster_of(("gpu",), (8,)), jobs)
    options = simulate(instance, dorm(theta1=0.2, theta2=0.3)).decisions.options
    assert options == {
        "theta1": 0.2,
        "theta2": 0.3,
        "time_limit": 10.0,
        "programs": 3,
        "programs_out_of_time": 0,
        "allocations_kept": 0,
    }


def test_a_time_limit_that_is_met_is_counted_and_leaves_a_sound_run() -> None:
    instance = generate(PaperWorkload(jobs=12, machines=4, slots=200, slot_seconds=3600), np.random.default_rng(3))
    decisions = simulate(instance, dorm(time_limit=1e-9)).decisions
    out_of_time = decisions.options["programs_out_of_time"]
    assert isinstance(out_of_time, int)
    assert out_of_time > 0
    assert not check(instance_document(instance), decisions_document(decisions, instance)).violations


@pytest.mark.parametrize(
    "options", [{"theta1": -0.1}, {"theta1": 1.1}, {"theta2": math.nan}, {"time_limit": 0.0}, {"time_limit": math.nan}]
)
def test_impossible_options(options: dict[str, float]) -> None:
    with pytest.raises(ModelError):
        Dorm(Setting(cluster_of(("gpu",), (1,)), 1, 1), **options)


# The rows, on many runs

THETAS = ({}, {"theta1": 0.02, "theta2": 0.3}, {"theta1": 0.3, "theta2": 0.0})


@pytest.mark.parametrize("seed", range(60))
def test_the_rows_hold_or_all_stays_as_it_was(seed: int) -> None:
    instance, options = busy_instance(seed, most_jobs=8), THETAS[seed % len(THETAS)]
    last: Mapping[str, Placement] = {}
    for asked in rounds_of(instance, dorm(**options)):
        present = {queued.job.id for queued in asked.queue}
        before = {job_id: placement for job_id, placement in last.items() if job_id in present}
        last = asked.allotment.placements
        if dict(last) != before:
            assert not list(broken_rows(instance, asked, before, **options))


def broken_rows(
    instance: Instance, asked: Round, before: Mapping[str, Placement], theta1: float = 0.1, theta2: float = 0.1
) -> Iterator[str]:
    held = asked.allotment.placements
    if before.keys() - held.keys():
        yield "somebody who ran holds nothing"
    changed = [job_id for job_id, placement in before.items() if held.get(job_id) != placement]
    if len(changed) > math.ceil(theta2 * len(before) - 1e-9):
        yield f"{len(changed)} of {len(before)} were changed"
    waiting = [queued.job.id in held for queued in asked.queue if queued.job.id not in before]
    if waiting != sorted(waiting, reverse=True):
        yield "somebody who waits was passed over"
    members = [queued.job for queued in asked.queue if queued.job.id in held]
    shares, total = shares_held(instance, members, held), len(instance.cluster.resources)
    loss = np.abs(shares - fair_shares(instance, members)).sum()
    if loss > 2 * total * theta1 + 1e-9:
        yield f"the shares lose {loss}"


def shares_held(instance: Instance, jobs: list[Job], held: Mapping[str, Placement]) -> Floats:
    units = Units(instance.cluster)
    total = units.capacity.sum(axis=0)
    taken = np.array([
        held[job.id].workers * units.demand(job.worker) + held[job.id].servers * units.demand(job.server)
        for job in jobs
    ])  # fmt: skip
    return np.divide(taken, total, out=np.zeros_like(taken), where=total > 0).max(axis=1)


def fair_shares(instance: Instance, jobs: list[Job]) -> Floats:
    claims = [claim_of(job, instance.cluster, instance.slot_seconds) for job in jobs]
    deal(claims, instance.cluster)
    total = Units(instance.cluster).capacity.sum(axis=0)
    return np.array([claim.share(total) for claim in claims])


@pytest.mark.parametrize("seed", range(100))
def test_decisions_are_sound_and_the_same_however_often_it_is_asked(seed: int) -> None:
    assert not list(broken_rules(busy_instance(seed, most_jobs=6), Dorm))


# Against every allocation there is


@pytest.mark.parametrize("seed", range(40))
def test_no_allocation_of_two_jobs_uses_much_more(seed: int) -> None:
    """Within the gap of the program: a hundredth, and as much for numbers of workers in between."""
    instance = two_jobs(seed)
    rounds = rounds_of(instance, Dorm)
    if not rounds or len(rounds[0].allotment.placements) < 2:
        return
    held, jobs = rounds[0].allotment.placements, list(instance.jobs)
    units = Units(instance.cluster)
    fair, total = fair_shares(instance, jobs), units.capacity.sum(axis=0)
    demands = [np.array([units.demand(job.worker), units.demand(job.server)]) for job in jobs]
    best = 0.0
    for first in all_placements(units.capacity, *demands[0], jobs[0]):
        left = units.capacity - first @ demands[0]
        others = all_placements(left, *demands[1], jobs[1])
        if len(others):
            mine = (first.sum(axis=0) @ demands[0]) / total
            theirs = (others.sum(axis=1) @ demands[1]) / total
            loss = abs(mine.max() - fair[0]) + np.abs(theirs.max(axis=1) - fair[1])
            best = max(best, float((mine.sum() + theirs.sum(axis=1))[loss <= 0.2 * len(total)].max(initial=0.0)))
    used = sum(
        ((held[job.id].workers * demand[0] + held[job.id].servers * demand[1]) / total).sum()
        for job, demand in zip(jobs, demands, strict=True)
    )
    assert used <= best * (1 + 1e-9)
    assert used >= best * 0.98


def two_jobs(seed: int) -> Instance:
    rng = np.random.default_rng(seed)
    machines = [tuple(rng.integers(3, 7, size=2).astype(float).tolist()) for _ in range(rng.integers(1, 4))]
    jobs = tuple(
        small_job(
            id=name,
            samples=1e5,
            batch=int(rng.integers(2, 7)),
            speed=ParameterServerSpeed(0.5, 50, float(rng.choice([0.7, 1, 2.5])), 100, 10),
            worker=tuple(rng.integers(0, 3, size=2).astype(float).tolist()),
            server=tuple(rng.integers(1, 3, size=2).astype(float).tolist()),
        )
        for name in "ab"
    )
    return Instance(10**5, SLOT_SECONDS, cluster_of(("gpu", "cpu"), *machines), jobs)


def test_a_large_cluster_is_used_almost_as_well_as_if_it_were_one_machine() -> None:
    instance = generate(PaperWorkload(jobs=60, machines=40, slots=400), np.random.default_rng(1))
    at_once = replace(instance, jobs=tuple(replace(job, arrival=0) for job in instance.jobs[:40]))
    held = rounds_of(at_once, Dorm)[0].allotment.placements
    units = Units(instance.cluster)
    taken = sum(
        placement.workers * units.demand(instance.job(job_id).worker)
        + placement.servers * units.demand(instance.job(job_id).server)
        for job_id, placement in held.items()
    )
    assert (taken / units.capacity.sum(axis=0)).mean() > 0.93
