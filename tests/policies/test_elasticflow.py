"""ElasticFlow: deadlines from utilities, shares by progressive filling, and promises that are kept whatever happens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.check import check
from pdors.engine.simulation import simulate
from pdors.errors import PolicyError
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from pdors.planner.shape import JobShape
from pdors.policies.elasticflow import ElasticFlow, Plans, deadline_of
from pdors.policies.elasticflow_fit import Scaling, place_apart, place_together
from pdors.policies.elasticflow_leftover import Crowd, Held, give_out
from pdors.policies.elasticflow_plan import Plan, Timeline
from pdors.policies.policy import Allotment, Policy, Setting, View
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.random_instances import random_instance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SLOT_SECONDS = 3600.0
LINEAR = TableSpeed(tuple(range(1, 9)), tuple(float(count) for count in range(1, 9)))
"""One worker trains one sample a second, wherever it is."""
SLOTS = 12
NEVER = DeadlineUtility(1, 100)


def hourly(name: str, hours: float, utility: Utility | int, **changes: object) -> Job:
    """`hours` of one worker; a worker takes one GPU. A number as utility is a deadline."""
    worth = DeadlineUtility(1, utility) if isinstance(utility, int) else utility
    job = Job(name, 0, 1, SLOT_SECONDS * hours, 8, LINEAR, (1,), (0,), worth)
    return replace(job, **changes)  # type: ignore[arg-type]


def gpus(capacity: float, count: int = 1) -> Cluster:
    return Cluster(("gpu",), (MachineGroup("m", (capacity,), count),))


def run(cluster: Cluster, *jobs: Job) -> list[Decision]:
    return list(simulate(Instance(SLOTS, SLOT_SECONDS, cluster, jobs), ElasticFlow).decisions.decisions)


def workers(decision: Decision) -> dict[int, int]:
    assert isinstance(decision, Admitted)
    return {slot: placement.workers for slot, placement in decision.schedule.by_slot()}


# Deadlines


@pytest.mark.parametrize(
    ("utility", "duration"),
    [
        (DeadlineUtility(5, 4), 4),
        (DeadlineUtility(5, 4.9), 4),
        (DeadlineUtility(5, 0), 0),
        (DeadlineUtility(5, 4, 4.5), 4),
        (DeadlineUtility(5, 4, 5), None),
        (DeadlineUtility(5, 11), None),
        (DeadlineUtility(5, -1), None),
        # u(0) is 9.93; 4.97 is below u(5) = 5 and above u(6) = 2.69.
        (SigmoidUtility(10, 1, 5), 5),
        # u(0) is 0.62 and u(1) only 0.38, but 0.31 is reached between 1.3 and 2.
        (SigmoidUtility(1, 1, 0.5), 1),
        (SigmoidUtility(10, 0, 5), None),
        (SigmoidUtility(10, 0.01, 5), None),
        (SigmoidUtility(0, 5, 3), None),
        (TableUtility((0, 3, 6), (10, 5, 4)), 5),
        (TableUtility((0, 3, 6), (10, 4, 4)), 2),
        (TableUtility((0, 3, 6), (10, 6, 5)), None),
    ],
)
def test_the_deadline_is_the_last_slot_with_half_of_the_best_utility(utility: Utility, duration: int | None) -> None:
    job = hourly("job", 1, utility, arrival=2)
    assert deadline_of(job, 12, 0.5) == (None if duration is None else 2 + duration)


def test_a_deadline_can_keep_more_or_less() -> None:
    job = hourly("job", 1, TableUtility((0, 3, 6), (10, 5, 4)))
    assert [deadline_of(job, 12, worth) for worth in (1, 0.5, 0.45, 0.4)] == [2, 5, 5, None]
    setting = Setting(gpus(1), 12, SLOT_SECONDS)
    assert ElasticFlow(setting).options() == {"deadline_worth": 0.5}
    with pytest.raises(PolicyError, match="deadline_worth must be above 0 and at most 1, got 0"):
        ElasticFlow(setting, deadline_worth=0)


# Progressive filling


def scaling_of(job: Job, cluster: Cluster) -> Scaling:
    return Scaling.of(JobShape.of(job, Units(cluster), SLOT_SECONDS))


def timeline_of(cluster: Cluster) -> Timeline:
    capacity = Units(cluster).capacity
    return Timeline(0, capacity, 1 / np.maximum(capacity.sum(axis=0), 1))


def runs_of(plan: Plan | None) -> list[tuple[int, int, int]]:
    assert plan is not None
    counts = np.add.reduceat(plan.workers, plan.offsets[:-1])
    return list(zip(plan.starts.tolist(), plan.stops.tolist(), counts.tolist(), strict=True))


def filled(cluster: Cluster, *wanted: tuple[Job, int]) -> list[list[tuple[int, int, int]] | None]:
    timeline = timeline_of(cluster)
    plans = [timeline.fill(scaling_of(job, cluster), job.work, deadline) for job, deadline in wanted]
    return [None if plan is None else runs_of(plan) for plan in plans]


def test_the_smallest_share_that_is_in_time() -> None:
    job = hourly("a", 8, NEVER)
    assert filled(gpus(4), (job, 7)) == [[(0, 8, 1)]]
    assert filled(gpus(4), (job, 6)) == [[(0, 4, 2)]]
    assert filled(gpus(4), (job, 3)) == [[(0, 4, 2)]]
    assert filled(gpus(4), (job, 2)) == [[(0, 2, 3), (2, 3, 2)]]
    assert filled(gpus(4), (job, 1)) == [[(0, 2, 4)]]
    assert filled(gpus(4), (job, 0)) == [None]


def test_what_earlier_ones_leave_is_what_a_share_can_be() -> None:
    # a holds three of four until the end of slot 1: b gets one there and makes up for it with three in slot 2.
    jobs = (hourly("a", 6, NEVER), 1), (hourly("b", 5, NEVER), 2), (hourly("c", 2, NEVER), 2)
    assert filled(gpus(4), *jobs) == [[(0, 2, 3)], [(0, 2, 1), (2, 3, 3)], None]
    later = hourly("c", 2, NEVER), 3
    assert filled(gpus(4), *jobs[:2], later)[2] == [(2, 3, 1), (3, 4, 1)]


def test_slots_in_which_nothing_is_left_are_passed_over() -> None:
    jobs = (hourly("a", 8, NEVER), 1), (hourly("b", 2, NEVER), 3)
    assert filled(gpus(4), *jobs) == [[(0, 2, 4)], [(2, 4, 1)]]


def test_on_one_machine_or_apart_whatever_trains_more_with_no_more_workers() -> None:
    # Together a worker trains 1, apart a half: three on one machine train more than four or five on two.
    half = TableSpeed(tuple(range(1, 9)), tuple(map(float, range(1, 9))), tuple(count / 2 for count in range(1, 9)))
    job = hourly("a", 3, NEVER, speed=half)
    assert filled(gpus(3, 4), (job, 0)) == [[(0, 1, 3)]]
    more = hourly("a", 3.5, NEVER, speed=half)
    assert filled(gpus(3, 4), (more, 0)) == [[(0, 1, 7)]]
    assert filled(gpus(3, 2), (more, 0)) == [None]


def test_a_share_comes_with_its_servers() -> None:
    # A second: W / (0.5 + (2 * 8 / (S * 16)) * W / 8), together and apart alike.
    speed = ParameterServerSpeed(0.5, 8, 2, 16, 16)
    job = hourly("ps", 1, NEVER, speed=speed, server=(1.0,), samples=3600.0 * 4)
    cluster = gpus(6)
    plan = timeline_of(cluster).fill(scaling_of(job, cluster), job.work, 0)
    assert plan is not None
    assert (plan.workers.tolist(), plan.servers.tolist()) == ([3], [2])
    assert plan.samples[0] == pytest.approx(3600 * 3 / (0.5 + 0.5 * 3 / 8))


def test_a_plan_knows_its_present_and_its_next_change() -> None:
    none, counts = np.zeros(0, dtype=np.int64), np.ones(2)
    plan = Plan(np.array([2, 5]), np.array([4, 6]), counts, 2 * counts, none, none, none, none)
    assert [plan.current(slot) for slot in range(1, 7)] == [-1, 0, 0, -1, 1, -1]
    assert [plan.next_change(slot) for slot in range(6)] == [2, 2, 4, 4, 5, 6]
    assert plan.cost_per_sample(3) == 2.0


def random_crowd(seed: int) -> tuple[Cluster, list[Job]]:
    instance = random_instance(seed)
    return instance.cluster, list(instance.jobs)


@pytest.mark.parametrize("seed", range(150))
def test_plans_fit_side_by_side_and_do_their_work_in_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster, jobs = random_crowd(seed)
    units, timeline, used = Units(cluster), timeline_of(cluster), np.zeros((40, *Units(cluster).capacity.shape))
    for job in jobs * 2:
        shape, deadline = JobShape.of(job, units, SLOT_SECONDS), int(rng.integers(0, 40))
        plan = timeline.fill(Scaling.of(shape), job.work, deadline)
        if plan is None:
            continue
        trained, largest = 0.0, 0
        for run, (start, stop) in enumerate(zip(plan.starts.tolist(), plan.stops.tolist(), strict=True)):
            entries = slice(plan.offsets[run], plan.offsets[run + 1])
            w, s = plan.workers[entries], plan.servers[entries]
            placement = Placement.of(zip(plan.machines[entries].tolist(), w.tolist(), s.tolist(), strict=True))
            assert placement.servers == shape.servers[placement.workers]
            assert plan.samples[run] == placement.samples(job, SLOT_SECONDS) > 0
            trained += (stop - start) * plan.samples[run]
            largest = max(largest, placement.workers)
            used[start:stop, plan.machines[entries]] += (
                w[:, np.newaxis] * shape.worker + s[:, np.newaxis] * shape.server
            )
        assert (used <= units.capacity).all()
        assert trained >= job.work * (1 - 1e-11)
        assert plan.stops[-1] <= deadline + 1
        assert (plan.starts[1:] >= plan.stops[:-1]).all()


@pytest.mark.parametrize("seed", range(60))
def test_no_smaller_share_is_in_time(seed: int) -> None:
    """On one machine, where what fits is a matter of counting."""
    rng = np.random.default_rng(seed)
    cluster, timeline, left = gpus(8), timeline_of(gpus(8)), np.full(30, 8)
    for index in range(8):
        rates = np.cumsum(rng.integers(0, 3, 8) + rng.random())
        speed = TableSpeed(tuple(range(1, 9)), tuple(rates.tolist()))
        job, deadline = hourly(str(index), float(rng.integers(1, 40)), NEVER, speed=speed), int(rng.integers(0, 30))
        plan = timeline.fill(scaling_of(job, cluster), job.work, deadline)
        samples = np.concatenate([[0], rates * SLOT_SECONDS])
        done = [samples[np.minimum(cap, left[: deadline + 1])].sum() >= job.work for cap in range(1, 9)]
        assert (plan is not None) == any(done)
        if plan is not None:
            shares = runs_of(plan)
            best = [int(np.argmax(samples[: count + 1])) for count in np.minimum(done.index(True) + 1, left)]
            assert all(count == best[slot] for start, stop, count in shares[:-1] for slot in range(start, stop))
            assert max(count for *_, count in shares) <= done.index(True) + 1
            for start, stop, count in shares:
                left[start:stop] -= count


# Where tasks go


def test_the_fullest_machine_that_holds_all_or_else_the_emptiest_ones() -> None:
    cluster = Cluster(("gpu",), (MachineGroup("a", (3,)), MachineGroup("b", (9,)), MachineGroup("c", (5,))))
    scaling = scaling_of(hourly("job", 1, NEVER), cluster)
    free, weight = Units(cluster).capacity, np.ones(1)
    assert [place_together(free, weight, scaling, count) for count in (3, 4, 6)] == [0, 2, 1]
    w, s = np.zeros((2, 3), dtype=np.int64)
    assert place_apart(free, weight, scaling, 8, w, s) == 8
    # At least one worker lies elsewhere: apart is apart.
    assert w.tolist() == [0, 7, 1]
    assert place_apart(free[:1], weight, scaling, 2, w[:1], s[:1]) == 1


@pytest.mark.parametrize("seed", range(150))
def test_apart_is_on_two_machines_at_least_and_begins_as_fewer_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster, jobs = random_crowd(seed)
    capacity = Units(cluster).capacity
    free, weight = np.floor(capacity * rng.random(capacity.shape)), 1 / np.maximum(capacity.sum(axis=0), 1)
    for job in jobs:
        scaling = Scaling.of(JobShape.of(job, Units(cluster), SLOT_SECONDS))
        w, s, before = *np.zeros((2, len(free)), dtype=np.int64), np.zeros(len(free), dtype=np.int64)
        most = int(scaling.best_apart[-1])
        reached = place_apart(free, weight, scaling, most, w, s)
        for count in (number for number in np.unique(scaling.best_apart) if 0 < number <= reached):
            assert place_apart(free, weight, scaling, int(count), w, s) == count
            assert (w.sum(), s.sum()) == (count, scaling.servers[count])
            assert np.count_nonzero(w + s) > 1
            assert (w[:, np.newaxis] * scaling.worker + s[:, np.newaxis] * scaling.server <= free).all()
            assert (w >= before).all()
            before = w.copy()


# What is left over


def given(cluster: Cluster, *jobs: tuple[Job, bool]) -> list[int]:
    """The workers that jobs with or without a deadline get of an empty cluster."""
    capacity = Units(cluster).capacity.copy()
    held = Held.nothing(len(jobs), len(capacity))
    scalings = [scaling_of(job, cluster) for job, _ in jobs]
    crowd = Crowd.of(
        scalings, [job.work for job, _ in jobs], [1.0 / SLOT_SECONDS] * len(jobs), [has for _, has in jobs]
    )
    give_out(capacity, 1 / capacity.sum(axis=0), crowd, held)
    assert (capacity >= 0).all()
    return held.workers.tolist()


def test_what_is_left_goes_where_it_is_used_best() -> None:
    falling = TableSpeed((1, 2, 3, 4), (1, 1.5, 1.75, 1.8))
    steep, flat = (hourly("steep", 100, NEVER), True), (hourly("flat", 100, NEVER, speed=falling), True)
    assert given(gpus(4), flat, steep) == [1, 3]
    assert given(gpus(10), flat, steep) == [2, 8]
    assert given(gpus(20), flat, steep) == [4, 8]


def test_a_deadline_goes_first_and_nobody_gets_more_than_ends_the_job() -> None:
    first, second = hourly("best effort", 3, NEVER), hourly("deadline", 5, NEVER)
    assert given(gpus(6), (first, False), (second, True)) == [1, 5]
    assert given(gpus(12), (first, False), (second, True)) == [3, 5]


def test_a_job_outgrows_its_machine_only_by_what_makes_it_faster() -> None:
    speed = TableSpeed(tuple(range(1, 9)), tuple(map(float, range(1, 9))), (1, 1.2, 1.4, 1.6, 1.8, 2, 5, 6))
    job = hourly("job", 100, NEVER, speed=speed), True
    assert given(gpus(4, 2), job) == [8]
    assert given(gpus(3, 2), job) == [3]


# Whole runs by hand


def test_more_than_the_share_is_given_while_nobody_else_needs_it() -> None:
    (decision,) = run(gpus(4), hourly("a", 8, 7))
    assert workers(decision) == {0: 4, 1: 4}


def test_a_newcomer_gets_in_if_all_shares_still_fit() -> None:
    full, refused, later = run(gpus(4), hourly("a", 8, 1), hourly("b", 4, 1), hourly("c", 4, 2))
    assert workers(full) == {0: 4, 1: 4}
    assert refused == Rejected("b", Reason.FULL)
    assert workers(later) == {2: 4}


def test_an_earlier_deadline_makes_others_wait() -> None:
    patient, urgent = run(gpus(4), hourly("a", 8, 3), hourly("b", 4, 0, arrival=1))
    assert workers(patient) == {0: 4, 2: 4}
    assert workers(urgent) == {1: 4}


def test_a_job_that_is_ahead_makes_room() -> None:
    # a was promised two of four GPUs up to slot 4, which would leave b six hours of its eight. But a had all four.
    ahead, newcomer = run(gpus(4), hourly("a", 10, 5), hourly("b", 8, 2, arrival=2))
    assert sum(workers(ahead).values()) == 10
    assert isinstance(newcomer, Admitted)
    assert (getattr(ahead, "completion", None), newcomer.completion) == (3, 4)


def test_why_a_job_is_refused() -> None:
    hopeless, late, lost = run(gpus(4), hourly("a", 49, 11), hourly("b", 12, 1), hourly("c", 40, 9))
    assert hopeless == Rejected("a", Reason.INFEASIBLE)
    assert late == Rejected("b", Reason.FULL)
    assert isinstance(lost, Admitted)


def test_jobs_without_a_deadline_take_what_is_left() -> None:
    best_effort, promised = run(gpus(4), hourly("a", 16, NEVER), hourly("b", 12, 2))
    assert workers(promised) == {0: 4, 1: 4, 2: 4}
    assert workers(best_effort) == {3: 4, 4: 4, 5: 4, 6: 4}


def test_in_the_last_slot_others_get_what_a_job_does_not_need() -> None:
    first, second = run(gpus(4), hourly("a", 9, 3), hourly("b", 7, NEVER))
    assert workers(first) == {0: 4, 1: 4, 2: 1}
    assert workers(second) == {2: 3, 3: 4}


def test_without_a_deadline_too_a_job_holds_no_more_than_it_needs() -> None:
    # Of the 2.5 hours that are left in slot 1 a third worker would train half an hour: b uses it better.
    first, second = run(gpus(4), hourly("a", 6.5, NEVER), hourly("b", 7, NEVER))
    assert (workers(first)[0], workers(first)[1], workers(second)[1]) == (4, 2, 2)


# Promises, whatever happens


class SlotBySlot(ElasticFlow):
    name = "elasticflow"

    def allot(self, view: View) -> Allotment:
        return replace(super().allot(view), until=None)


class NeverReplans(ElasticFlow):
    """What would happen if filling anew always failed: the plans that were promised have to do."""

    def _fill(self, needs: Sequence[object], slot: int) -> Plans | None:
        return None if needs else {}


class SeldomReplans(ElasticFlow):
    def _fill(self, needs: Sequence[object], slot: int) -> Plans | None:
        return super()._fill(needs, slot) if slot % 3 == 0 else None  # type: ignore[arg-type]


def instance_of(seed: int) -> Instance:
    if seed % 2:
        return random_instance(seed)
    rng = np.random.default_rng(seed)
    workload = PaperWorkload(
        jobs=int(rng.integers(10, 40)), machines=int(rng.integers(2, 15)), slots=int(rng.integers(8, 40)),
        capacity_factor=float(rng.choice([10, 18, 40])), slot_seconds=float(rng.choice([3600, 14400])),
    )  # fmt: skip
    return generate(workload, rng)


def kept_promises(instance: Instance, policy: type[ElasticFlow]) -> int:
    kept = 0
    decisions = simulate(instance, policy).decisions
    for job in instance.jobs:
        decision = decisions[job.id]
        deadline = deadline_of(job, instance.slots, 0.5)
        if isinstance(decision, Admitted) and deadline is not None:
            assert decision.completion is not None
            assert decision.completion <= deadline
            kept += 1
    return kept


@pytest.mark.parametrize("policy", [ElasticFlow, NeverReplans, SeldomReplans])
def test_every_job_that_gets_in_keeps_its_deadline(policy: type[ElasticFlow]) -> None:
    assert sum(kept_promises(instance_of(seed), policy) for seed in range(150)) > 200


def document_of(instance: Instance, policy: type[Policy]) -> str:
    document = decisions_document(simulate(instance, policy).decisions, instance)
    assert check(instance_document(instance), document).ok
    return json.dumps({key: value for key, value in document.items() if key != "seconds"})


@pytest.mark.parametrize("seed", range(100))
def test_every_rule_is_kept_and_asking_more_often_changes_nothing(seed: int) -> None:
    instance = instance_of(seed)
    document = document_of(instance, ElasticFlow)
    assert document == document_of(instance, ElasticFlow)
    assert document == document_of(instance, SlotBySlot)


def test_idle_time_is_passed_over() -> None:
    asked: list[int] = []

    class Noted(ElasticFlow):
        def allot(self, view: View) -> Allotment:
            asked.append(view.slot)
            return super().allot(view)

    slow = TableSpeed((1,), (1.0,))
    jobs = hourly("a", 9000.5, 9500, speed=slow), hourly("b", 1, 9100, speed=slow, arrival=5000)
    simulate(Instance(10_000, SLOT_SECONDS, gpus(1), jobs), Noted)
    assert len(asked) < 10
