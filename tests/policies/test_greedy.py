"""Greedy: nobody who can finish is refused, nobody could have finished earlier, and nobody takes more than needed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.check import check
from pdors.engine.simulation import simulate
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.speed import TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.policies.greedy import Greedy
from pdors.policies.policy import QueuedJob, Setting
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.packing import most_samples
from tests.support.random_instances import random_instance
from tests.support.small_plans import SLOT_SECONDS, SmallPlan, cheapest_of, small_plan

Floats = NDArray[np.float64]


@dataclass
class Present:
    """What a policy sees without an engine."""

    ledger: Ledger
    slot: int = 0
    queue: Sequence[QueuedJob] = ()


# Every schedule tried

SEEDS = range(300)


def decided(case: SmallPlan) -> Admitted | Rejected:
    setting = Setting(case.ledger.cluster, case.slots, SLOT_SECONDS)
    return Greedy(setting).decide(case.job, Present(case.ledger, case.job.arrival))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_schedule_ends_earlier_and_none_that_ends_then_takes_less(seed: int) -> None:
    case = small_plan(seed)
    decision = decided(case)
    possible = np.flatnonzero(np.isfinite(cheapest_of(seed)))
    if isinstance(decision, Rejected):
        assert decision.reason in {Reason.INFEASIBLE, Reason.FULL}
        assert not len(possible)
        return
    job = case.job
    assert decision.completion == job.arrival + possible[0]
    assert decision.utility == job.utility.value(int(possible[0]))
    assert decision.payoff is decision.price is None
    shares = tuple((-np.log(case.ledger.cluster.total)).tolist())
    flat = replace(case, prices=PriceBounds(shares, shares))
    least = flat.cheapest()[possible[0]]
    assert least * (1 - 1e-9) <= flat.price_of(decision.schedule) <= least * (1 + 2e-3)


@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_infeasible_is_what_the_empty_cluster_cannot_do(seed: int) -> None:
    case = small_plan(seed)
    decision = decided(case)
    if isinstance(decision, Rejected):
        empty = replace(case, used=np.zeros_like(case.used))
        assert (decision.reason == Reason.FULL) == bool(np.isfinite(empty.cheapest()).any())


def test_the_cases_are_of_every_kind() -> None:
    told = [getattr(decided(small_plan(seed)), "reason", None) for seed in SEEDS]
    assert min(told.count(reason) for reason in (None, Reason.INFEASIBLE, Reason.FULL)) >= 10


# By hand: one worker trains 10 samples an hour, two train 15.

TWO_GPUS = Cluster(("gpu",), (MachineGroup("m", (2,)),))


def hourly(name: str, samples: float, worth: float = 1.0, **changes: object) -> Job:
    speed = TableSpeed((1, 2), (10 / SLOT_SECONDS, 15 / SLOT_SECONDS))
    job = Job(name, 0, 1, samples, 2, speed, (1,), (0,), DeadlineUtility(worth, 100))
    return replace(job, **changes)  # type: ignore[arg-type]


def run(cluster: Cluster, slots: int, *jobs: Job) -> list[Decision]:
    return list(simulate(Instance(slots, SLOT_SECONDS, cluster, jobs), Greedy).decisions.decisions)


def workers(decision: Decision) -> list[tuple[int, int]]:
    assert isinstance(decision, Admitted)
    return [(slot, placement.workers) for slot, placement in decision.schedule.by_slot()]


def test_as_early_as_can_be_and_then_with_as_few_workers_as_can_be() -> None:
    # 25 samples take two slots, in one of which one worker is enough; 20 take one worker in both, not two in one.
    for samples, expected in ((30, [2, 2]), (25, [1, 2]), (20, [1, 1]), (15, [2]), (10, [1]), (31, [1, 1, 2])):
        (decision,) = run(TWO_GPUS, 5, hourly("job", samples))
        told = workers(decision)
        assert [slot for slot, _ in told] == list(range(len(expected)))
        assert sorted(count for _, count in told) == sorted(expected)


def test_who_comes_later_takes_what_is_left() -> None:
    first, second, third = run(TWO_GPUS, 4, hourly("a", 20), hourly("b", 30), hourly("c", 15))
    assert workers(first) == [(0, 1), (1, 1)]
    assert workers(second) == [(0, 1), (1, 1), (2, 1)]
    assert workers(third) == [(2, 1), (3, 1)]


def test_nobody_is_refused_for_price() -> None:
    # The poor job comes first and gets all, the rich one is left with nothing; what is worth nothing gets in as well.
    poor, rich, hopeless = run(TWO_GPUS, 2, hourly("a", 30, 1e-300), hourly("b", 1, 1e300), hourly("c", 31))
    assert workers(poor) == [(0, 2), (1, 2)]
    assert rich == Rejected("b", Reason.FULL)
    assert hopeless == Rejected("c", Reason.INFEASIBLE)
    (late,) = run(TWO_GPUS, 2, hourly("late", 30, utility=DeadlineUtility(5, 0)))
    assert isinstance(late, Admitted)
    assert (late.completion, late.utility) == (1, 0)


def test_the_least_share_of_the_cluster_decides_not_the_fewest_tasks() -> None:
    # Both counts end in the first slot; on a cluster where memory is scarce it is the same job with other numbers.
    for gpus, speed in ((8, (10, 25)), (8, (25, 25))):
        cluster = Cluster(("gpu", "memory"), (MachineGroup("m", (gpus, 4)),))
        rates = TableSpeed((1, 2), tuple(rate / SLOT_SECONDS for rate in speed))
        job = hourly("job", 25, speed=rates, worker=(1.0, 2.0), server=(0.0, 0.0))
        (decision,) = run(cluster, 3, job)
        assert workers(decision) == [(0, 2 if speed[0] < 25 else 1)]


def test_jobs_that_take_nothing() -> None:
    decisions = run(TWO_GPUS, 3, hourly("full", 45), *(hourly(name, 45, worker=(0.0,)) for name in "ab"))
    assert [getattr(decision, "completion", None) for decision in decisions] == [2, 2, 2]


def test_resources_that_the_cluster_lacks() -> None:
    cluster = Cluster(("gpu", "tpu"), (MachineGroup("m", (2, 0)),))
    kept, refused = run(
        cluster, 3, hourly("a", 10, worker=(1.0, 0.0), server=(0.0, 0.0)),
        hourly("b", 10, worker=(1.0, 1.0), server=(0.0, 0.0)),
    )  # fmt: skip
    assert workers(kept) == [(0, 1)]
    assert refused == Rejected("b", Reason.INFEASIBLE)


# Whole runs


def left(cluster: Cluster, units: Units, used: Floats) -> Cluster:
    """The cluster of what is not in use."""
    amounts = (units.capacity - used) / units.per_one
    groups = (MachineGroup(name, tuple(row)) for name, row in zip(cluster.machine_names, amounts.tolist(), strict=True))
    return Cluster(cluster.resources, tuple(groups))


def most_by_slot(instance: Instance, ledger: Ledger, job: Job) -> Floats:
    """What each slot from the arrival on trains at most in what is left, by packing."""
    used = [ledger.used(slot) for slot in range(job.arrival, instance.slots)]
    most: list[float] = []
    for _, alike in groupby(used, key=lambda of_slot: of_slot.tobytes()):
        slots = list(alike)
        rest = replace(instance, cluster=left(instance.cluster, ledger.units, slots[0]))
        most += [most_samples(job, rest)] * len(slots)
    return np.cumsum(most)


@pytest.mark.parametrize("seed", [seed for seed in range(120) if seed % 3])
def test_nobody_could_have_finished_earlier(seed: int) -> None:
    instance = random_instance(seed)
    decisions = simulate(instance, Greedy).decisions
    ledger = Ledger(instance.cluster)
    for job in instance.in_arrival_order():
        decision = decisions[job.id]
        shape = JobShape.of(job, ledger.units, instance.slot_seconds)
        if not (shape.apart > shape.together).any():  # the packing knows no spreading
            done = most_by_slot(instance, ledger, job)
            possible = np.flatnonzero(done >= job.work * (1 - WORK_TOLERANCE / 2))
            earliest = job.arrival + int(possible[0]) if len(possible) else None
            assert getattr(decision, "completion", None) == earliest, job.id
        if isinstance(decision, Admitted):
            ledger.reserve(job, decision.schedule)


def document_of(instance: Instance) -> str:
    outcome = simulate(instance, Greedy)
    document = decisions_document(outcome.decisions, instance)
    report = check(instance_document(instance), document)
    assert report.violations == ()
    assert report.total_utility == pytest.approx(outcome.total_utility)
    assert {moment.prices for moment in outcome.moments} <= {None}
    for decision in outcome.decisions.decisions:
        if isinstance(decision, Rejected):
            assert decision.reason in {Reason.INFEASIBLE, Reason.FULL}
        assert decision.payoff is None
    del document["seconds"]
    return json.dumps(document)


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_runs_of_every_kind_keep_every_rule(first: int) -> None:
    for seed in range(first, first + 20):
        instance = random_instance(seed)
        assert document_of(instance) == document_of(instance)


def test_a_run_of_the_paper() -> None:
    instance = generate(PaperWorkload(jobs=60, machines=20, slots=40), np.random.default_rng(4))
    document = json.loads(document_of(instance))
    assert (document["policy"], document["options"]) == ("greedy", {})
    assert {job["reason"] for job in document["jobs"]} == {None, "infeasible", "full"}
    assert math.isclose(document["total_utility"], sum(job["utility"] for job in document["jobs"]))
