"""Many segments taken together as few: against the dense array of what is committed, and in whole decisions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pdors.engine import simulate
from pdors.model.blocks import BLOCK
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Reason
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.ledger import Ledger, Segments
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed
from pdors.model.units import Units
from pdors.model.utility import SigmoidUtility
from pdors.planner.calibration import FixedPrices
from pdors.planner.coarse import Coarse
from pdors.planner.offers import NoProposal, Proposal, Question, price_every_completion, propose
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot_fast import FastSlotSolver
from pdors.policies.pdors import PdOrs
from pdors.policies.policy import Setting, View
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from pdors.workloads.ranges import Integers, Reals

MACHINES = 70  # two blocks, the second one partly filled
SLOTS = 900
CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (8, 16), MACHINES),))
PRICES = PriceBounds((-4.0, -4.0), (2.0, 1.0))


def job_of(arrival: int = 0, epochs: float = 100, priority: float = 1e4, target: float = 300) -> Job:
    speed = AllReduceSpeed(sample_seconds=1, gradient_mb=10, internal_mb_s=1000, external_mb_s=100)
    return Job("job", arrival, epochs, 10, 12, speed, (1, 2), (0, 0), SigmoidUtility(priority, 0.05, target))


@cache
def busy_ledger(seed: int, reservations: int = 250) -> Ledger:
    """Tasks of others come and go on machines and in slots at random, so that the cluster changes in most slots."""
    rng, ledger = np.random.default_rng(seed), Ledger(CLUSTER)
    for _ in range(reservations):
        start = int(rng.integers(0, SLOTS - 1))
        stop = min(SLOTS, start + 1 + int(rng.integers(0, 120)))
        machines = rng.choice(MACHINES, size=int(rng.integers(1, 5)), replace=False)
        free = CLUSTER.capacity[0, 0] - max(
            ledger.used(slot)[machines, 0].max() / ledger.units.demand((1, 0))[0] for slot in range(start, stop)
        )
        if free >= 2:
            placement = Placement.of((int(machine), int(rng.integers(1, 3)), 0) for machine in machines)
            ledger.reserve(job_of(), Schedule((Run(start, stop, placement),)))
    return ledger


def used_of(segments: Segments, index: int) -> np.ndarray:
    """(machines, resources) of one segment."""
    rows, used = segments.rows[index], segments.used
    dense = np.concatenate([np.zeros((2, BLOCK)) if number < 0 else used[number] for number in rows], axis=1)
    return np.asarray(dense.T[:MACHINES])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("arrival", [0, 37, 640])
def test_every_machine_is_as_full_as_in_its_fullest_slot(seed: int, arrival: int) -> None:
    ledger = busy_ledger(seed)
    fine = ledger.segments(arrival, SLOTS)
    coarse = Coarse.of(fine)
    dense = np.stack([ledger.used(slot) for slot in range(SLOTS)])
    assert coarse.starts[0] == arrival
    assert coarse.lengths.sum() == SLOTS - arrival
    assert (coarse.lengths > 0).all()
    assert len(coarse) < len(fine)
    for first in range(0, len(coarse), 7):
        part = coarse.part(first, min(len(coarse), first + 7))
        for index, (start, length) in enumerate(zip(part.starts, part.lengths, strict=True)):
            expected = dense[start : start + length].max(axis=0)
            np.testing.assert_array_equal(used_of(part, index), expected)
            for block, number in enumerate(part.rows[index]):
                if number >= 0:
                    share = expected[block * BLOCK : (block + 1) * BLOCK] / ledger.units.capacity[0]
                    np.testing.assert_array_equal(part.level[number][:, : len(share)].T, (share * 4095).astype(int))
                    np.testing.assert_array_equal(part.lowest[number], part.level[number].min(axis=1))


@pytest.mark.parametrize("arrival", [0, 37, 640])
def test_cells_grow_with_the_distance_and_begin_at_multiples_of_their_length(arrival: int) -> None:
    """A cell is an eighth of the time until it begins, at most; near slots stay as they are."""
    fine = busy_ledger(1).segments(arrival, SLOTS)
    coarse = Coarse.of(fine)
    merged = np.flatnonzero(coarse.first < coarse.last)
    assert len(merged) > 3
    for start, length in zip(coarse.starts[merged].tolist(), coarse.lengths[merged].tolist(), strict=True):
        assert length & (length - 1) == 0
        assert start % length == 0
        assert 8 * length <= start - arrival
    near = fine.starts[fine.starts < arrival + 16].tolist()
    assert coarse.starts[: len(near)].tolist() == near


def test_a_cell_in_which_nothing_changes_is_not_cut() -> None:
    """By hand: with cells of 8 slots around slot 100, a change in slot 101 makes one cell, 96 .. 103;
    around slot 300 cells have 32."""
    ledger = Ledger(CLUSTER)
    ledger.reserve(
        job_of(),
        Schedule((Run(0, 101, Placement.of([(0, 3, 0)])), Run(101, 300, Placement.of([(0, 1, 0), (1, 2, 0)])))),
    )
    coarse = Coarse.of(ledger.segments(0, SLOTS))
    assert coarse.starts.tolist() == [0, 96, 104, 288, 320]
    gpus = [used_of(coarse.part(0, 5), index)[:2, 0] / ledger.units.demand((1, 0))[0] for index in range(5)]
    np.testing.assert_array_equal(gpus, [[3, 0], [3, 2], [1, 2], [1, 2], [0, 0]])


def question_of(ledger: Ledger, job: Job, *, coarsely: bool) -> Question:
    units = Units(CLUSTER)
    return Question(JobShape.of(job, units, 60), PRICES, ledger, SLOTS, 60, FastSlotSolver(units), coarsely=coarsely)


@pytest.mark.parametrize("seed", range(12))
def test_a_coarse_plan_fits_trains_enough_and_pays_no_less_than_its_slots_cost(seed: int) -> None:
    ledger = busy_ledger(seed % 6)
    job = job_of(arrival=20 * seed, epochs=300 + 400 * (seed % 4), target=60 * (1 + seed % 7))
    found = propose(question_of(ledger, job, coarsely=True))
    assert isinstance(found, Proposal)
    assert found.schedule.samples(job, 60) >= job.work * (1 - WORK_TOLERANCE)
    price = 0.0
    for slot, placement in found.schedule.by_slot():
        fraction = ledger.used(slot) / ledger.units.capacity
        for share in placement.shares:
            price += share.workers * float(PRICES.price(fraction[share.machine]) @ np.array(job.worker))
    assert price <= found.price * (1 + 1e-9)
    ledger.reserve(job, found.schedule)  # overbooking would raise
    ledger.release(job, found.schedule)


def test_far_plans_change_the_ledger_at_fewer_slots() -> None:
    runs = {}
    for coarsely in (True, False):
        found = propose(question_of(busy_ledger(2), job_of(epochs=1500, target=700), coarsely=coarsely))
        assert isinstance(found, Proposal)
        runs[coarsely] = len(found.schedule.runs)
    assert runs[True] < runs[False]


def test_a_job_is_called_full_only_if_no_slot_is_left_out() -> None:
    """One GPU is free in every slot, on another machine each time: no machine has room in a whole cell."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (1,), 3),))
    ledger = Ledger(cluster)
    speed = AllReduceSpeed(sample_seconds=1, gradient_mb=0, internal_mb_s=1, external_mb_s=1)
    job = Job("job", 0, 1, 280, 1, speed, (1,), (0,), SigmoidUtility(1000, 0.0, 0))
    for slot in range(300):
        taken = Placement.of((machine, 1, 0) for machine in range(3) if machine != slot % 3)
        ledger.reserve(job, Schedule((Run(slot, slot + 1, taken),)))
    units = Units(cluster)
    question = Question(
        JobShape.of(job, units, 1), PriceBounds((-9.0,), (-8.0,)), ledger, 300, 1, FastSlotSolver(units)
    )
    found = propose(question)
    assert isinstance(found, Proposal)
    assert found.completion >= 279
    assert np.isfinite(price_every_completion(question).price).any()
    longer = Job("job", 0, 1, 301, 1, speed, (1,), (0,), SigmoidUtility(1000, 0.0, 0))
    too_long = Question(JobShape.of(longer, units, 1), question.prices, ledger, 300, 1, FastSlotSolver(units))
    assert isinstance(propose(too_long), NoProposal)


def test_on_a_long_horizon_promises_are_kept_and_reasons_are_true() -> None:
    """Small jobs that find machines cheap, in slots of a minute over a day and a half: half of them look coarsely."""
    workload = PaperWorkload(
        jobs=400, machines=30, slots=2000, slot_seconds=60, epochs=Integers(1, 3),
        target_slots=Reals(60, 900), sensitive_urgency=Reals(0.001, 0.02), critical_urgency=Reals(0.05, 0.1),
    )  # fmt: skip
    instance = generate(workload, np.random.default_rng(5))
    segments: list[int] = []

    cheap = FixedPrices(PriceBounds((-14.0,) * 4, (-2.0,) * 4))

    class Watched(PdOrs):
        def __init__(self, setting: Setting) -> None:
            super().__init__(setting, prices=cheap)

        def decide(self, job: Job, view: View) -> Decision:
            segments.append(len(view.ledger.segments(job.arrival, self.setting.slots)))
            return super().decide(job, view)

    outcome = simulate(instance, Watched)
    assert np.mean(np.array(segments) > 100) > 0.4
    reasons = set()
    for job, decision in outcome.answered():
        if isinstance(decision, Admitted):
            assert decision.completion is not None
            assert decision.schedule.completion == decision.completion
            assert decision.schedule.samples(job, 60) >= job.work * (1 - WORK_TOLERANCE)
        else:
            reasons.add(decision.reason)
    assert {Reason.PRICE, Reason.FULL} <= reasons
