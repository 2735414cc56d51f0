"""Algorithm 1: who is admitted, why the others are not, and what that leaves behind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Schedule
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, TableUtility
from pdors.planner.calibration import FixedPrices
from pdors.planner.market import MarketPrices
from pdors.planner.offers import Proposal, propose
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import FavourResources
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver
from tests.support.desk import Desk
from tests.support.instances import jobs
from tests.support.small_plans import SLOT_SECONDS, SmallPlan, best_payoff, cheapest_of, small_plan

SMALL = Cluster(("gpu", "cpu"), (MachineGroup("m", (3, 8), 2), MachineGroup("big", (5, 10))))
SLOTS = 6
BOUNDS = PriceBounds((-3.0, -4.0), (2.0, 1.0))


def planner_of(solver: SlotSolver | None = None, cluster: Cluster = SMALL, bounds: PriceBounds = BOUNDS) -> Desk:
    solver = solver or FastSlotSolver(Units(cluster))
    return Desk(cluster, SLOTS, SLOT_SECONDS, prices=FixedPrices(bounds), solver=solver)


def planner_for(case: SmallPlan) -> Desk:
    """A planner that finds the loads of the case."""
    solver = FastSlotSolver(case.ledger.units)
    planner = Desk(case.ledger.cluster, case.slots, SLOT_SECONDS, prices=FixedPrices(case.prices), solver=solver)
    planner.ledger = case.ledger
    return planner


def used(ledger: Ledger, slots: int = SLOTS) -> np.ndarray:
    return np.stack([ledger.used(slot) for slot in range(slots + 1)])


def distinct(drawn: list[Job]) -> list[Job]:
    return [replace(job, id=f"job-{index}") for index, job in enumerate(drawn)]


job_lists = st.lists(jobs(("gpu", "cpu"), slots=SLOTS), min_size=1, max_size=5).map(distinct)


# Whatever the jobs


@settings(max_examples=60)
@given(job_lists)
def test_the_ledger_holds_just_the_schedules_that_were_admitted(drawn: list[Job]) -> None:
    planner, expected = planner_of(), Ledger(SMALL)
    for job in drawn:
        decision = planner.admit(job)
        if isinstance(decision, Admitted):
            expected.reserve(job, decision.schedule)
        np.testing.assert_array_equal(used(planner.ledger), used(expected))


@settings(max_examples=60)
@given(job_lists)
def test_admitted_is_what_has_a_payoff_above_zero(drawn: list[Job]) -> None:
    planner = planner_of()
    for job in drawn:
        question = planner.question(job)
        found = propose(question) if planner.could_finish_alone(question) else None
        decision = planner.admit(job)
        assert isinstance(decision, Admitted) == (isinstance(found, Proposal) and found.payoff > 0)
        if isinstance(decision, Admitted):
            assert isinstance(found, Proposal)
            assert decision.schedule == found.schedule
            assert decision.completion == found.schedule.completion
            assert decision.utility == job.utility.value(decision.completion - job.arrival)
            assert (decision.payoff, decision.price) == (found.payoff, found.price)
        elif decision.reason == Reason.PRICE:
            assert decision.payoff is not None
            assert decision.payoff <= 0
        else:
            assert decision.payoff is None


@settings(max_examples=30)
@given(job_lists, st.integers(0, 5), st.sampled_from(["fast", "paper"]))
def test_the_same_seed_gives_the_same_decisions(drawn: list[Job], seed: int, solver: str) -> None:
    def decisions() -> list[Decision]:
        units = Units(SMALL)
        slot_solver = FastSlotSolver(units) if solver == "fast" else PaperSlotSolver(units, draws=5, seed=seed)
        planner = planner_of(slot_solver)
        return [planner.admit(job) for job in drawn]

    assert decisions() == decisions()


@settings(max_examples=30)
@given(job_lists)
def test_what_was_admitted_stays_whatever_comes(drawn: list[Job]) -> None:
    whole, part = planner_of(), planner_of()
    decisions = [whole.admit(job) for job in drawn]
    assert [part.admit(job) for job in drawn[:-1]] == decisions[:-1]


@settings(max_examples=30)
@given(job_lists)
def test_asking_commits_to_nothing(drawn: list[Job]) -> None:
    planner, untouched = planner_of(), planner_of()
    for job in drawn:
        before = used(planner.ledger)
        planner.answer(planner.question(job))
        np.testing.assert_array_equal(used(planner.ledger), before)
        assert planner.admit(job) == untouched.admit(job)


@pytest.mark.parametrize("seed", range(0, 400, 3))
def test_decisions_are_those_of_trying_every_schedule(seed: int) -> None:
    case = small_plan(seed)
    best = best_payoff(case.job.utility, cheapest_of(seed))
    decision = planner_for(case).admit(case.job)
    scale = case.job.utility.value(0)
    if best == -np.inf:
        assert isinstance(decision, Rejected)
        assert decision.reason in {Reason.FULL, Reason.INFEASIBLE}
    elif best > 0.01 * scale:
        assert isinstance(decision, Admitted)
    elif best < -1e-9 * scale:
        assert isinstance(decision, Rejected)
        assert decision.reason == Reason.PRICE


@pytest.mark.parametrize("seed", range(0, 400, 3))
def test_infeasible_is_what_the_empty_cluster_cannot_do(seed: int) -> None:
    case = small_plan(seed)
    empty = replace(case, used=np.zeros_like(case.used), ledger=Ledger(case.ledger.cluster))
    decision = planner_for(case).admit(case.job)
    could = np.isfinite(empty.cheapest()).any()
    assert (isinstance(decision, Rejected) and decision.reason == Reason.INFEASIBLE) == (not could)


# Every reason by hand: a machine of two GPUs for three hours; a worker trains 10 samples an hour

TWO_GPUS = Cluster(("gpu",), (MachineGroup("m", (2,)),))
PRICES = PriceBounds((0.0,), (2.0,))
"""A GPU costs 1 while both are free, e while one is in use."""


def hourly(samples: float, worth: float, *, arrival: int = 0, job_id: str = "job") -> Job:
    speed = TableSpeed((1, 2), (10 / SLOT_SECONDS, 20 / SLOT_SECONDS))
    return Job(job_id, arrival, 1, samples, 2, speed, (1,), (0,), DeadlineUtility(worth, 10))


def three_hours(solver: SlotSolver | None = None) -> Desk:
    solver = solver or FastSlotSolver(Units(TWO_GPUS))
    return Desk(TWO_GPUS, 3, SLOT_SECONDS, prices=FixedPrices(PRICES), solver=solver)


@pytest.mark.parametrize(("worth", "admitted"), [(3.001, True), (3.0, False), (2.999, False)])
def test_price_by_hand(worth: float, admitted: bool) -> None:  # noqa: FBT001 - a parameter of the test
    # 30 samples take three worker-hours at 1 each.
    decision = three_hours().admit(hourly(30, worth))
    if admitted:
        assert isinstance(decision, Admitted)
        assert decision.price == pytest.approx(3)
        assert decision.payoff == pytest.approx(worth - 3)
    else:
        assert isinstance(decision, Rejected)
        assert decision.reason == Reason.PRICE
        assert decision.payoff == pytest.approx(worth - 3)


def test_the_second_job_pays_for_the_first_by_hand() -> None:
    planner = three_hours()
    speed = TableSpeed((1,), (10 / SLOT_SECONDS,))
    prices = [planner.admit(replace(hourly(30, 100, job_id=name), speed=speed)) for name in "ab"]
    assert [decision.price for decision in prices if isinstance(decision, Admitted)] == pytest.approx([3, 3 * np.e])


def test_full_by_hand() -> None:
    planner = three_hours()
    assert isinstance(planner.admit(hourly(50, 100, job_id="first")), Admitted)
    assert planner.admit(hourly(20, 1e9)) == Rejected("job", Reason.FULL)
    assert isinstance(planner.admit(hourly(10, 1e9)), Admitted)


def test_infeasible_by_hand() -> None:
    assert three_hours().admit(hourly(60.001, 1e9)) == Rejected("job", Reason.INFEASIBLE)
    assert isinstance(three_hours().admit(hourly(60, 1e9)), Admitted)
    assert three_hours().admit(hourly(41, 1e9, arrival=1)) == Rejected("job", Reason.INFEASIBLE)
    # A full cluster does not make a job full that would be infeasible anyhow.
    planner = three_hours()
    assert isinstance(planner.admit(hourly(60, 1e9, job_id="first")), Admitted)
    assert planner.admit(hourly(60.001, 1e9)) == Rejected("job", Reason.INFEASIBLE)


@pytest.mark.parametrize(
    "job",
    [
        replace(hourly(10, 1e9), worker=(3,)),
        replace(hourly(10, 1e9), arrival=3),
        replace(hourly(10, 1e9), arrival=1000),
        replace(hourly(10, 1e9), speed=TableSpeed((4,), (1.0,))),
        replace(hourly(10, 1e9), speed=TableSpeed((1, 2), (None, None))),
    ],
    ids=["fits nowhere", "at the horizon", "after the horizon", "more workers than a batch", "no speed"],
)
@pytest.mark.parametrize("solver", [FastSlotSolver, PaperSlotSolver])
def test_jobs_without_any_way_are_infeasible(job: Job, solver: type[FastSlotSolver] | type[PaperSlotSolver]) -> None:
    assert three_hours(solver(Units(TWO_GPUS))).admit(job) == Rejected("job", Reason.INFEASIBLE)


def apart_only() -> tuple[Cluster, Job]:
    """Eight machines for a worker each; the job needs all of them for an hour."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (2,), 8),))
    job = Job("job", 0, 1, 8 * SLOT_SECONDS, 8, AllReduceSpeed(1, 0, 10, 10), (2,), (0,), DeadlineUtility(1e9, 10))
    return cluster, job


def one_hour(solver: SlotSolver, cluster: Cluster) -> Desk:
    return Desk(cluster, 1, SLOT_SECONDS, prices=FixedPrices(PriceBounds((0.0,), (1.0,))), solver=solver)


def test_no_rounding_by_hand() -> None:
    cluster, job = apart_only()
    # The fractional solution is whole, so at G = 1 nothing is left to chance; at G = 0.28 eight ones must be drawn.
    assert isinstance(one_hour(PaperSlotSolver(Units(cluster)), cluster).admit(job), Admitted)
    hopeless = PaperSlotSolver(Units(cluster), gain=0.28, draws=50)
    assert one_hour(hopeless, cluster).admit(job) == Rejected("job", Reason.NO_ROUNDING)


def test_what_is_infeasible_does_not_depend_on_the_solver() -> None:
    cluster, job = apart_only()
    longer = replace(job, samples=8.001 * SLOT_SECONDS)
    for solver in (
        FastSlotSolver(Units(cluster)),
        PaperSlotSolver(Units(cluster)),
        PaperSlotSolver(Units(cluster), gain=FavourResources(0.1), draws=5),
    ):
        assert one_hour(solver, cluster).admit(longer) == Rejected("job", Reason.INFEASIBLE)


def test_equal_jobs_may_complete_later_one_by_one() -> None:
    # Two servers and four workers fit at once; a job that has to wait is worth less, until it is not worth its price.
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (2, 6), 1),))
    speed = ParameterServerSpeed(0.5, 50, 2, 100, 10)
    samples = 3600 * 2 / (0.5 + 2 * 50 / 100 * 2 / 8)
    job = Job("job", 0, 1, samples, 8, speed, (1, 2), (0, 1), TableUtility((0, 1, 2, 3), (40, 30, 20, 5)))
    planner = Desk(cluster, 8, SLOT_SECONDS, prices=FixedPrices(PriceBounds((0, 0), (3, 3))),
                      solver=FastSlotSolver(Units(cluster)))  # fmt: skip
    decisions = [planner.admit(replace(job, id=f"{index}")) for index in range(4)]
    # 2 GPUs and 5 CPUs at 1 each.
    assert [d.completion if isinstance(d, Admitted) else d.reason for d in decisions] == [0, 1, 2, Reason.PRICE]
    assert [d.payoff for d in decisions] == pytest.approx([33, 23, 13, -2])


def test_every_job_is_learnt_once_after_it_was_answered() -> None:
    noted: list[str] = []

    class Noting(FixedPrices):
        def bounds(self, shape: JobShape) -> PriceBounds:
            noted.append(f"asked {shape.job.id}")
            return super().bounds(shape)

        def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
            noted.append(f"learnt {shape.job.id}, {'rejected' if schedule is None else schedule.completion}")

    planner = Desk(TWO_GPUS, 3, SLOT_SECONDS, prices=Noting(PRICES), solver=FastSlotSolver(Units(TWO_GPUS)))
    for name, worth in (("rich", 9.0), ("poor", 0.1), ("endless", 9.0)):
        planner.admit(hourly(1000 if name == "endless" else 30, worth, job_id=name))
    planner.quote(hourly(10, 9, job_id="quoted"))
    assert noted == [
        "asked rich", "learnt rich, 1", "asked poor", "learnt poor, rejected", "asked endless",
        "learnt endless, rejected", "asked quoted",
    ]  # fmt: skip


def test_prices_of_the_default_policy_hold_for_the_next_job() -> None:
    policy = MarketPrices(TWO_GPUS, 3)
    planner = Desk(TWO_GPUS, 3, SLOT_SECONDS, prices=policy, solver=FastSlotSolver(Units(TWO_GPUS)))
    first = planner.question(hourly(10, 7)).prices
    assert planner.question(hourly(10, 7000)).prices != first
    planner.admit(hourly(10, 7))
    second = planner.question(hourly(10, 7000)).prices
    assert second == planner.question(hourly(10, 7)).prices
    assert second.log_ceiling == first.log_ceiling
    assert second.log_floor > first.log_floor  # less is left
