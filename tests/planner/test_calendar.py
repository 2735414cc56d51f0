"""Algorithm 3 against enumeration, and its bounds against what they bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.planner.calendar import Calendar, WorkPlan
from tests.support.slot_curves import CalendarCase, Curve, as_curves, calendars, cheapest


def calendar_of(segments: list[Curve], lengths: list[int], work: float) -> Calendar:
    calendar = Calendar(work, np.array(lengths))
    calendar.extend(as_curves(segments))
    return calendar


def check_plan(plan: WorkPlan, segments: list[Curve], lengths: list[int], work: float) -> None:
    """A plan does the work for what it says, each slot once, with points of the slot's own segment."""
    points = as_curves(segments)
    starts = np.cumsum([0, *lengths])
    samples = cost = 0.0
    last = 0
    for stretch in plan.stretches:
        assert stretch.start >= last
        last = stretch.stop
        assert starts[stretch.segment] <= stretch.start < stretch.stop <= starts[stretch.segment + 1]
        assert points.offsets[stretch.segment] <= stretch.point < points.offsets[stretch.segment + 1]
        slots = stretch.stop - stretch.start
        samples += slots * points.samples[stretch.point]
        cost += slots * points.cost[stretch.point]
    assert samples >= work * (1 - 1e-9)
    assert cost == pytest.approx(plan.price)


@given(calendars())
def test_bound_and_price_enclose_the_cheapest_plan(case: CalendarCase) -> None:
    segments, lengths, work = case
    calendar = calendar_of(*case)
    for slot, exact in enumerate(cheapest(*case)):
        if exact == np.inf:
            assert calendar.price[slot] == calendar.bound[slot] == np.inf
            continue
        assert calendar.bound[slot] <= exact * (1 + 1e-9)
        assert calendar.price[slot] >= exact * (1 - 1e-9)
        plan = calendar.plan(slot)
        assert plan is not None
        assert exact * (1 - 1e-9) <= plan.price <= calendar.price[slot] * (1 + 1e-9)
        assert plan.completion <= slot
        check_plan(plan, segments, lengths, work)


@given(calendars(), st.lists(st.integers(0, 30), min_size=8, max_size=8))
def test_the_grid_finds_the_best_payoff(case: CalendarCase, falls: list[int]) -> None:
    segments, lengths, work = case
    calendar = calendar_of(*case)
    utility = np.cumsum(falls[::-1])[::-1][: calendar.slots].astype(np.float64)
    exact = max(float(u) - price for u, price in zip(utility, cheapest(*case), strict=True))
    if exact == -np.inf:
        return
    # Samples and work are whole and the grid has more cells than there are samples, so nothing is merged wrongly.
    plan = calendar.plan_on_grid(utility, exact - 1.0)
    assert plan is not None
    assert utility[plan.completion] - plan.price >= exact - 1e-9
    check_plan(plan, segments, lengths, work)
    assert calendar.plan_on_grid(utility, exact + 1e-9) is None


@given(calendars(), st.integers(1, 3))
def test_portions_give_the_same_as_one(case: CalendarCase, cut: int) -> None:
    segments, lengths, work = case
    whole = calendar_of(*case)
    parts = Calendar(work, np.array(lengths))
    parts.extend(as_curves(segments[:cut]))
    if segments[cut:]:
        parts.extend(as_curves(segments[cut:]))
    np.testing.assert_array_equal(whole.bound, parts.bound)
    np.testing.assert_array_equal(whole.price, parts.price)


@given(calendars())
def test_slots_above_the_marginal_price_change_nothing(case: CalendarCase) -> None:
    segments, lengths, _ = case
    whole = calendar_of(*case)
    for cut in range(1, len(segments)):
        marginal = calendar_of(segments[:cut], lengths[:cut], case[2]).marginal
        segments = segments[:cut] + [
            [] if all(cost >= marginal * samples for samples, cost in curve) else curve for curve in segments[cut:]
        ]
    np.testing.assert_allclose(calendar_of(segments, lengths, case[2]).bound, whole.bound)


def test_by_hand() -> None:
    # Two slots: 10 samples for 1 or 20 for 4; then 10 for 2. 30 samples: 20 + 10 = 6; 25 samples: the same.
    calendar = calendar_of([[(10, 1), (20, 4)], [(10, 2)]], [1, 1], 25.0)
    assert calendar.price.tolist() == [np.inf, 6.0]
    # 10 for 1, 10 for 2, then 5 of the 10 that cost 3.
    assert calendar.bound.tolist() == [np.inf, pytest.approx(4.5)]
    assert calendar.most_samples() == 30.0


def test_a_long_stretch_is_one_segment() -> None:
    calendar = Calendar(1000.0, np.array([20_000]))
    calendar.extend(as_curves([[(10, 1), (20, 4)]]))
    assert calendar.price[98] < np.inf
    plan = calendar.plan(calendar.slots - 1)
    assert plan is not None
    assert plan.price == 100.0
    assert [(stretch.start, stretch.stop) for stretch in plan.stretches] == [(0, 100)]


@given(calendars(), st.integers(-30, 30))
def test_scale_does_not_matter(case: CalendarCase, power: int) -> None:
    factor = 2.0**power  # exact, so that no tie is broken in another way
    segments, lengths, work = case
    scaled = [[(samples * factor, cost / factor) for samples, cost in curve] for curve in segments]
    np.testing.assert_array_equal(calendar_of(scaled, lengths, work * factor).price * factor, calendar_of(*case).price)


@st.composite
def long_calendars(draw: st.DrawFn) -> CalendarCase:
    """Few segments of several slots each, so that a point is used in some slots of a segment and not in others."""
    steps = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=3)
    segments = [
        [(float(x), float(y)) for x, y in np.cumsum(draw(steps), axis=0)] for _ in range(draw(st.integers(1, 2)))
    ]
    lengths = [draw(st.integers(1, 4)) for _ in segments]
    return segments, lengths, float(draw(st.integers(1, 60)))


@given(long_calendars())
def test_slots_of_a_segment_may_differ(case: CalendarCase) -> None:
    calendar = calendar_of(*case)
    for slot, exact in enumerate(cheapest(*case)):
        assert (calendar.price[slot] < np.inf) == (exact < np.inf)
        if exact < np.inf:
            assert calendar.bound[slot] <= exact * (1 + 1e-9)
            plan = calendar.plan(slot)
            assert plan is not None
            assert exact * (1 - 1e-9) <= plan.price <= calendar.price[slot] * (1 + 1e-9)
            check_plan(plan, *case)


@given(
    st.lists(st.lists(st.floats(1, 1e5), min_size=1, max_size=4), min_size=1, max_size=4),
    st.lists(st.integers(1, 40), min_size=4, max_size=4),
)
def test_all_that_can_be_trained_can_be_asked_for(steps: list[list[float]], lengths: list[int]) -> None:
    # However the samples of the slots are added up, rounding must not put the whole of them out of reach.
    segments = [[(float(x), float(x * x)) for x in np.cumsum(row)] for row in steps]
    lengths = lengths[: len(segments)]
    work = sum(curve[-1][0] * length for curve, length in zip(segments, lengths, strict=True))
    calendar = calendar_of(segments, lengths, work)
    assert np.isinf(calendar.price[:-1]).all()
    assert calendar.price[-1] == pytest.approx(
        sum(curve[-1][1] * length for curve, length in zip(segments, lengths, strict=True))
    )
    plan = calendar.plan(calendar.slots - 1)
    assert plan is not None
    assert plan.completion == calendar.slots - 1


def test_one_slot_that_just_does_the_work_is_enough() -> None:
    # Added up step by step, the samples of some of these slots come to a little less than those of their last point.
    for seed in range(200):
        first, last = np.random.default_rng(seed).uniform([10, 5000], [4000, 9000]).tolist()
        assert calendar_of([[(first, 1.0), (last, 1000.0)]], [1], last).price.tolist() == [1000.0]


def test_the_dearest_step_is_replaced_by_a_cheaper_change() -> None:
    # 12 samples: the hulls give 10 for 10 and 20 for 24; instead of the latter the first slot can do 13 for 15.
    calendar = calendar_of([[(10, 10), (13, 15)], [(20, 24)]], [1, 1], 12.0)
    assert calendar.price.tolist() == [15.0, 34.0]
    plan = calendar.plan(1)
    assert plan is not None
    assert plan.price == 15.0


@given(calendars(), st.lists(st.integers(0, 30), min_size=8, max_size=8), st.integers(-10, 60))
def test_the_grid_is_silent_where_nothing_is_better(case: CalendarCase, falls: list[int], payoff: int) -> None:
    calendar = calendar_of(*case)
    utility = np.cumsum(falls[::-1])[::-1][: calendar.slots].astype(np.float64)
    best = max(float(u) - price for u, price in zip(utility, cheapest(*case), strict=True))
    plan = calendar.plan_on_grid(utility, float(payoff))
    assert (plan is not None) == (best > payoff)
    if plan is not None:
        assert utility[plan.completion] - plan.price == pytest.approx(best)


@given(calendars())
def test_a_plan_ends_before_the_slots_it_does_not_need(case: CalendarCase) -> None:
    calendar = calendar_of(*case)
    for slot in np.flatnonzero(np.isfinite(calendar.price)).tolist():
        plan = calendar.plan(slot)
        assert plan is not None
        starts = [stretch.start for stretch in plan.stretches]
        assert starts == sorted(starts)
        assert plan.completion == max(stretch.stop for stretch in plan.stretches) - 1 <= slot


@given(calendars())
def test_what_all_slots_train_at_most(case: CalendarCase) -> None:
    segments, lengths, work = case
    capped = [min(work, curve[-1][0]) if curve else 0.0 for curve in segments]
    assert calendar_of(*case).most_samples() == pytest.approx(float(np.dot(capped, lengths)))


def test_prices_of_very_unlike_slots() -> None:
    # A dear first slot is given up for slots that cost next to nothing, again and again.
    segments: list[Curve] = [[(10.0, 10.0 ** (4 - 2 * index))] for index in range(8)]
    calendar = calendar_of(segments, [1] * 8, 10.0)
    np.testing.assert_allclose(calendar.price, [10.0 ** (4 - 2 * index) for index in range(8)], atol=1e-11)


@given(calendars())
def test_prices_on_the_grid_are_exact_where_it_is_fine(case: CalendarCase) -> None:
    np.testing.assert_allclose(calendar_of(*case).prices_on_grid(), cheapest(*case))


def test_prices_on_the_grid_are_those_of_the_hulls_where_it_would_be_coarse() -> None:
    # So many points of the hulls that fewer than fifty cells are left for them.
    calendar = calendar_of([[(float(x), float(x * x)) for x in range(1, 300)]] * 400, [1] * 400, 2000.5)
    np.testing.assert_array_equal(calendar.prices_on_grid(), calendar.price)
