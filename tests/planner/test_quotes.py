"""Quotes against every schedule there is, and each way in asked for again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Job
from pdors.model.ledger import Segments
from pdors.model.speed import TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from pdors.planner.calibration import FixedPrices
from pdors.planner.market import MarketPrices
from pdors.planner.offers import PAYOFF_TOLERANCE, Proposal
from pdors.planner.prices import PriceBounds
from pdors.planner.quotes import FACTOR_PRECISION, Offer, Quote, WouldAdmit
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotSolver
from pdors.planner.slot_fast import FastSlotSolver
from tests.support.desk import Desk
from tests.support.small_plans import (
    SLOT_SECONDS,
    ExactSlotSolver,
    SmallPlan,
    best_payoff,
    cheapest_of,
    plan_of,
    small_plan,
)

SEEDS = range(500)
NOISE = 1e-9


def planner_for(case: SmallPlan, solver: SlotSolver | None = None) -> Desk:
    """A planner that finds the loads of the case; unless told otherwise it tries every placement of a slot."""
    solver = solver or ExactSlotSolver(case.ledger.units)
    planner = Desk(case.ledger.cluster, case.slots, SLOT_SECONDS, prices=FixedPrices(case.prices), solver=solver)
    planner.ledger = case.ledger
    return planner


@cache
def quoted(seed: int) -> Quote:
    case = small_plan(seed)
    return planner_for(case).quote(case.job)


def answer_to(planner: Desk, job: Job, **changes: object) -> Proposal | Rejected:
    """What the changed job would be answered at the prices of the job as it is."""
    question = planner.question(job)
    changed = replace(job, **changes)  # type: ignore[arg-type]
    return planner.answer(replace(question, shape=replace(question.shape, job=changed)))


def with_reason(*reasons: Reason) -> list[int]:
    return [seed for seed in SEEDS if quoted(seed).reason in reasons]


# Options


@pytest.mark.parametrize("seed", range(0, 500, 2))
def test_options_are_the_cheapest_prices_of_every_completion_slot(seed: int) -> None:
    case, quote = small_plan(seed), quoted(seed)
    exact = cheapest_of(seed)
    told = np.full(len(exact), np.inf)
    for option in quote.options:
        told[option.completion - case.job.arrival] = option.price
    np.testing.assert_allclose(np.minimum.accumulate(told), exact)
    for option in quote.options:
        assert option.utility == case.job.utility.value(option.completion - case.job.arrival)
        assert option.payoff == option.utility - option.price


def test_an_option_is_a_slot_in_which_finishing_gets_cheaper() -> None:
    for seed in SEEDS:
        prices = [option.price for option in quoted(seed).options]
        slots = [option.completion for option in quoted(seed).options]
        assert slots == sorted(set(slots))
        if not quoted(seed).admitted:
            assert all(later < earlier for earlier, later in pairwise(prices))


def test_a_quote_is_the_decision_that_would_be_made() -> None:
    for seed in SEEDS:
        case, quote = small_plan(seed), quoted(seed)
        decision = planner_for(case).admit(case.job)
        assert quote.job_id == case.job.id
        assert quote.admitted == isinstance(decision, Admitted)
        if isinstance(decision, Admitted):
            assert decision.price is not None
            assert decision.payoff is not None
            assert quote.best == Offer(decision.completion or 0, decision.price, decision.utility, decision.payoff)
            assert quote.reason is quote.would_admit is None
        else:
            assert quote.reason == decision.reason
            assert quote.would_admit is not None


def test_the_best_option_is_one_of_them_and_none_is_better() -> None:
    for seed in SEEDS:
        quote, worth = quoted(seed), small_plan(seed).job.utility.value(0)
        assert (quote.best is None) == (not quote.options)
        if quote.best is not None:
            assert quote.best in quote.options
            assert quote.best.payoff >= max(option.payoff for option in quote.options) - PAYOFF_TOLERANCE * worth


def test_a_quote_commits_to_nothing() -> None:
    for seed in range(0, 500, 10):
        case = small_plan(seed)
        planner = planner_for(case)
        before = np.stack([case.ledger.used(slot) for slot in range(case.slots)])
        assert planner.quote(case.job) == planner.quote(case.job) == quoted(seed)
        after = np.stack([case.ledger.used(slot) for slot in range(case.slots)])
        np.testing.assert_array_equal(before, after)
        assert planner.admit(case.job) == planner_for(small_plan(seed)).admit(case.job)


def test_a_quote_does_not_move_the_default_prices() -> None:
    cluster = Cluster(("gpu",), (MachineGroup("m", (2,)),))
    policy = MarketPrices(cluster, 3)
    planner = Desk(cluster, 3, SLOT_SECONDS, prices=policy, solver=FastSlotSolver(Units(cluster)))
    planner.admit(hourly(10, DeadlineUtility(7, 3)))
    before = planner.question(hourly(10, DeadlineUtility(7, 3))).prices
    planner.quote(hourly(10, DeadlineUtility(7000, 3)))
    assert planner.question(hourly(10, DeadlineUtility(7, 3))).prices == before


# Ways in, each asked for again


def test_the_factor_admits_and_a_little_less_does_not() -> None:
    asked = 0
    for seed in with_reason(Reason.PRICE):
        case, quote = small_plan(seed), quoted(seed)
        ways = quote.would_admit
        assert ways is not None
        utility, planner = case.job.utility, planner_for(case)
        if ways.priority_factor is None:
            # No factor helps a job that is worth nothing by the time it can be done.
            assert not any(option.utility > 0 for option in quote.options)
            assert ways.priority is ways.priority_completion is None
            continue
        asked += 1
        assert ways.priority_factor > 1
        assert ways.priority == pytest.approx(ways.priority_factor * utility.height)
        answer = answer_to(planner, case.job, utility=utility.scaled(ways.priority_factor))
        assert isinstance(answer, Proposal)
        assert answer.completion == ways.priority_completion
        less = utility.scaled(ways.priority_factor / (1 + 2 * FACTOR_PRECISION))
        assert isinstance(answer_to(planner, case.job, utility=less), Rejected)
        # It is the least price per utility of all completion slots.
        worth = utility.values(np.arange(case.slots - case.job.arrival))
        exact = min(price / u for price, u in zip(cheapest_of(seed), worth, strict=True) if u > 0)
        assert ways.priority_factor == pytest.approx(exact, rel=2 * FACTOR_PRECISION)
    assert asked > 50


def test_the_extra_slots_are_the_fewest_that_admit() -> None:
    asked = 0
    for seed in with_reason(Reason.PRICE):
        case, ways = small_plan(seed), quoted(seed).would_admit
        assert ways is not None
        pays = [best_payoff(case.job.utility.delayed(delay), cheapest_of(seed)) for delay in range(case.slots + 1)]
        fewest = next((delay for delay, payoff in enumerate(pays) if payoff > 0), None)
        assert ways.extra_slots == fewest
        assert (ways.latest_completion is None) == (fewest is None)
        if fewest is not None:
            asked += 1
            answer = answer_to(planner_for(case), case.job, utility=case.job.utility.delayed(fewest))
            assert isinstance(answer, Proposal)
            assert answer.completion == ways.latest_completion
    assert asked > 30


class Rough:
    """Its curves ask more than its placements cost."""

    def __init__(self, inner: SlotSolver) -> None:
        self._inner = inner

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,
    ) -> Curves:
        curves = self._inner.curves(shape, prices, segments, most_per_sample, thorough=thorough)
        return replace(curves, cost=1.2 * curves.cost)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        return self._inner.place(shape, prices, segments, segment, workers, together=together)


def test_ways_in_go_by_whole_decisions_where_curves_are_rough() -> None:
    factors, delays = 0, 0
    for seed in with_reason(Reason.PRICE):
        case = small_plan(seed)
        planner = planner_for(case, Rough(ExactSlotSolver(case.ledger.units)))
        ways, utility = planner.quote(case.job).would_admit, case.job.utility
        assert ways is not None
        if ways.priority_factor is not None:
            factors += 1
            less = utility.scaled(ways.priority_factor / (1 + 2 * FACTOR_PRECISION))
            assert isinstance(answer_to(planner, case.job, utility=less), Rejected)
        if ways.extra_slots is not None:
            delays += ways.extra_slots > 1
            less = utility.delayed(ways.extra_slots - 1)
            assert isinstance(answer_to(planner, case.job, utility=less), Rejected)
    assert factors > 50
    assert delays > 10


def test_the_epochs_are_the_most_that_fit() -> None:
    asked = 0
    for seed in with_reason(Reason.FULL, Reason.INFEASIBLE):
        case = small_plan(seed)
        # As they are drawn the jobs have a single epoch, which does not fit.
        assert quoted(seed).would_admit == WouldAdmit()
        for parts in (3, 10):
            job = replace(case.job, epochs=parts, samples=case.job.work / parts)
            planner = planner_for(case)
            ways = planner.quote(job).would_admit
            assert ways is not None
            most = case.most_samples() / job.samples
            assert (ways.epochs or 0) == int(most * (1 + NOISE))
            if ways.epochs is not None:
                asked += 1
                fewer, more = (answer_to(planner, job, epochs=float(ways.epochs + extra)) for extra in (0, 1))
                assert isinstance(fewer, Proposal) or fewer.reason == Reason.PRICE
                assert isinstance(more, Rejected)
                assert more.reason in {Reason.FULL, Reason.INFEASIBLE}
    assert asked > 50


@pytest.mark.parametrize("reason", [Reason.FULL, Reason.INFEASIBLE])
def test_without_options_no_utility_helps(reason: Reason) -> None:
    seeds = with_reason(reason)
    assert len(seeds) > 10
    for seed in seeds:
        assert quoted(seed).options == ()
        assert quoted(seed).best is None


# By hand: two GPUs, of which each costs 1 while both are free and e while one is in use; a worker trains 10 samples

TWO_GPUS = Cluster(("gpu",), (MachineGroup("m", (2,)),))
PRICES = PriceBounds((0.0,), (2.0,))


def hourly(samples: float, utility: Utility, *, epochs: float = 1, arrival: int = 0) -> Job:
    """15 samples for two workers: early is dear."""
    speed = TableSpeed((1, 2), (10 / SLOT_SECONDS, 15 / SLOT_SECONDS))
    return Job("job", arrival, epochs, samples, 2, speed, (1,), (0,), utility)


def quote(job: Job, *used: float) -> Quote:
    case = plan_of(TWO_GPUS, job, PRICES, np.array(used, dtype=np.float64)[:, None, None])
    solver = FastSlotSolver(case.ledger.units)
    planner = Desk(TWO_GPUS, case.slots, SLOT_SECONDS, prices=FixedPrices(PRICES), solver=solver)
    planner.ledger = case.ledger
    return planner.quote(job)


def offers(*rows: tuple[int, float, float]) -> tuple[Offer, ...]:
    return tuple(
        Offer(slot, pytest.approx(price), worth, pytest.approx(worth - price)) for slot, price, worth in rows
    )  # fmt: skip


def test_options_by_hand() -> None:
    # 30 samples: 15 + 15 in two slots for 4; 10 + 10 + 10 in three for 3; a fourth slot makes it no cheaper.
    found = quote(hourly(30, TableUtility((0, 2, 3), (9, 7, 2))), 0, 0, 0, 0)
    assert found.options == offers((1, 4, 9), (2, 3, 7))
    assert found.admitted
    assert found.best == found.options[0]
    assert found.reason is found.would_admit is None


def test_options_count_from_the_arrival() -> None:
    found = quote(hourly(30, TableUtility((0, 2, 3), (9, 7, 2)), arrival=3), 0, 0, 0, 0, 0, 0, 0)
    assert found.options == offers((4, 4, 9), (5, 3, 7))


def test_a_full_slot_is_no_option_and_a_dear_one_only_until_it_is_not_needed() -> None:
    # Slot 0 is full, in slot 1 a GPU costs e: 10 samples for e by slot 1, and for 1 by slot 2.
    found = quote(hourly(10, DeadlineUtility(5, 10)), 2, 1, 0, 0)
    assert found.options == offers((1, np.e, 5), (2, 1, 5))
    assert found.best == found.options[1]


def test_the_priority_factor_by_hand() -> None:
    # 4 for 1.6 by slot 1, 3 for 1.5 by slot 2: a factor of 2 makes the second just pay.
    found = quote(hourly(30, TableUtility((0, 2, 3), (1.6, 1.5, 0))), 0, 0, 0)
    assert (found.admitted, found.reason) == (False, Reason.PRICE)
    assert found.best == Offer(2, pytest.approx(3), 1.5, pytest.approx(-1.5))
    ways = found.would_admit
    assert ways is not None
    assert ways.priority_factor == pytest.approx(2, rel=FACTOR_PRECISION)
    assert ways.priority_factor > 2
    assert ways.priority == pytest.approx(3.2, rel=FACTOR_PRECISION)
    assert ways.priority_completion == 2
    # No delay helps: it is never worth more than 1.6.
    assert ways.extra_slots is ways.latest_completion is ways.epochs is None


@pytest.mark.parametrize(("deadline", "extra_slots"), [(1, 1), (0, 2), (-1, 3)])
def test_the_extra_slots_by_hand(deadline: float, extra_slots: int) -> None:
    # Worth 3.5 up to the deadline: by slot 1 it costs 4, by slot 2 it costs 3.
    found = quote(hourly(30, DeadlineUtility(3.5, deadline, 0.7)), 0, 0, 0, 0)
    ways = found.would_admit
    assert ways is not None
    assert (ways.extra_slots, ways.latest_completion) == (extra_slots, 2)
    # By slot 1 a factor of 4 / 3.5 would do, after the deadline only 3 / 0.7.
    assert ways.priority_factor == pytest.approx(4 / 3.5 if deadline == 1 else 3 / 0.7, rel=FACTOR_PRECISION)
    assert ways.priority_completion == (1 if deadline == 1 else 2)


@pytest.mark.parametrize(
    ("used", "epochs", "reason"),
    [((0, 0, 0), 6, Reason.INFEASIBLE), ((0, 2, 1), 3, Reason.FULL), ((2, 2, 1), 1, Reason.FULL)],
)
def test_the_epochs_by_hand(used: tuple[float, ...], epochs: int, reason: Reason) -> None:
    # 7 samples an epoch, and 45, 25 or 10 that can be trained.
    needed = 7 if reason == Reason.INFEASIBLE else 6
    found = quote(hourly(7, DeadlineUtility(100, 10), epochs=needed), *used)
    assert (found.options, found.best, found.admitted, found.reason) == ((), None, False, reason)
    assert found.would_admit == WouldAdmit(epochs=epochs)


def test_not_one_epoch_fits() -> None:
    assert quote(hourly(30, DeadlineUtility(100, 10)), 2, 2, 0).would_admit == WouldAdmit()


@pytest.mark.parametrize("arrival", [3, 4, 1000])
def test_at_the_horizon_there_is_nothing_to_offer(arrival: int) -> None:
    found = quote(hourly(10, DeadlineUtility(100, 10), arrival=arrival), 0, 0, 0)
    assert found == Quote("job", (), None, admitted=False, reason=Reason.INFEASIBLE, would_admit=WouldAdmit())


def test_a_job_worth_nothing_has_no_way_in() -> None:
    found = quote(hourly(10, SigmoidUtility(0, 1, 1)), 0, 0, 0)
    assert found.reason == Reason.PRICE
    assert found.would_admit == WouldAdmit()
