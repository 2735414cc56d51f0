"""Algorithm 3 against enumeration, and its bounds against what they bound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.planner.calendar import Calendar, WorkPlan
from pdors.planner.slot import Curves

Curve = list[tuple[float, float]]
"""(samples, cost) of a slot's points, both rising."""


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    steps = draw(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), max_size=4))
    return [(float(x), float(y)) for x, y in np.cumsum(np.array(steps).reshape(-1, 2), axis=0)]


@st.composite
def calendars(draw: st.DrawFn) -> tuple[list[Curve], list[int], float]:
    segments = draw(st.lists(curves(), min_size=1, max_size=4))
    lengths = [draw(st.integers(1, 2)) for _ in segments]
    return segments, lengths, float(draw(st.integers(1, 120)))


def as_curves(segments: list[Curve]) -> Curves:
    points = [point for curve in segments for point in curve]
    return Curves(
        offsets=np.cumsum([0, *(len(curve) for curve in segments)]),
        workers=np.arange(1, len(points) + 1),
        together=np.zeros(len(points), dtype=np.bool_),
        samples=np.array([samples for samples, _ in points], dtype=np.float64),
        cost=np.array([cost for _, cost in points], dtype=np.float64),
    )


def calendar_of(segments: list[Curve], lengths: list[int], work: float) -> Calendar:
    calendar = Calendar(work, np.array(lengths))
    calendar.extend(as_curves(segments))
    return calendar


def cheapest(segments: list[Curve], lengths: list[int], work: float) -> list[float]:
    """Theta(d, V) for every d, by trying everything."""
    slots = [curve for curve, length in zip(segments, lengths, strict=True) for _ in range(length)]
    prices = []
    for count in range(1, len(slots) + 1):
        plans = product(*([(0.0, 0.0), *curve] for curve in slots[:count]))
        costs = (sum(cost for _, cost in plan) for plan in plans if sum(samples for samples, _ in plan) >= work)
        prices.append(min(costs, default=np.inf))
    return prices


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
def test_bound_and_price_enclose_the_cheapest_plan(case: tuple[list[Curve], list[int], float]) -> None:
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
def test_the_grid_finds_the_best_payoff(case: tuple[list[Curve], list[int], float], falls: list[int]) -> None:
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
def test_portions_give_the_same_as_one(case: tuple[list[Curve], list[int], float], cut: int) -> None:
    segments, lengths, work = case
    whole = calendar_of(*case)
    parts = Calendar(work, np.array(lengths))
    parts.extend(as_curves(segments[:cut]))
    if segments[cut:]:
        parts.extend(as_curves(segments[cut:]))
    np.testing.assert_array_equal(whole.bound, parts.bound)
    np.testing.assert_array_equal(whole.price, parts.price)


@given(calendars())
def test_slots_above_the_marginal_price_change_nothing(case: tuple[list[Curve], list[int], float]) -> None:
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
def test_scale_does_not_matter(case: tuple[list[Curve], list[int], float], power: int) -> None:
    factor = 2.0**power  # exact, so that no tie is broken in another way
    segments, lengths, work = case
    scaled = [[(samples * factor, cost / factor) for samples, cost in curve] for curve in segments]
    np.testing.assert_array_equal(calendar_of(scaled, lengths, work * factor).price * factor, calendar_of(*case).price)
