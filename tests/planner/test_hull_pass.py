"""The first pass of Algorithm 3 against the linear optimum, found by filling sorted steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.planner.hull_pass import buy, hull_steps
from tests.support.slot_curves import CalendarCase, Curve, as_curves, below, calendars, cheapest, curves

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def steps_of(segments: list[Curve], limit: float) -> tuple[Integers, Integers]:
    points = as_curves(segments)
    step_point = np.full(len(points.samples), -1, dtype=np.int64)
    step_offsets = np.zeros(len(segments) + 1, dtype=np.int64)
    hull_steps(points.offsets, points.samples, points.cost, limit, step_point, step_offsets)
    return step_point[: step_offsets[-1]], step_offsets


def capped(segments: list[Curve], work: float) -> list[Curve]:
    return [[(min(samples, work), cost) for samples, cost in curve] for curve in segments]


class Bought:
    """What `buy` answers after the first `slots` slots."""

    def __init__(self, case: CalendarCase, slots: int | None = None) -> None:
        segments, lengths, self.work = case
        slots = sum(lengths) if slots is None else slots
        points = as_curves(capped(segments, self.work))
        self.step_point, self.step_offsets = steps_of(capped(segments, self.work), self.work)
        self.taken = np.full(len(self.step_point), -1, dtype=np.int64)
        self.bound, self.price = np.full(slots, np.inf), np.full(slots, np.inf)
        self.marginal = buy(
            np.array(lengths), points.samples, points.cost, self.work, self.step_point, self.step_offsets, slots,
            self.taken, self.bound, self.price,
        )  # fmt: skip
        self.samples, self.cost = np.empty(len(self.step_point)), np.empty(len(self.step_point))
        for first, last in pairwise(self.step_offsets):
            at = self.step_point[first:last]
            self.samples[first:last] = np.diff(points.samples[at], prepend=0.0)
            self.cost[first:last] = np.diff(points.cost[at], prepend=0.0)


def linear_optimum(case: CalendarCase, slots: int) -> tuple[float, float]:
    """(cost, price of the last sample) when steps may be bought in part: the cheapest first."""
    segments, lengths, work = case
    steps: list[tuple[float, float]] = []
    for curve, length in zip(capped(segments, work), lengths, strict=True):
        used = min(length, slots)
        slots -= used
        grid = sorted({0.0, *(samples for samples, _ in curve)})
        values = [below(curve, samples) for samples in grid]
        steps += list(zip(np.diff(grid), np.diff(values), strict=True)) * used
    cost, left = 0.0, work
    for samples, price in sorted(steps, key=lambda step: step[1] / step[0]):
        part = min(1.0, left / samples)
        cost += part * price
        left -= part * samples
        if left <= 1e-9:
            return cost, price / samples
    return np.inf, np.inf


@given(curves(), st.floats(1, 150))
def test_steps_are_the_corners_of_the_lower_hull(curve: Curve, limit: float) -> None:
    step_point, step_offsets = steps_of([curve], limit)
    assert step_offsets.tolist() == [0, len(step_point)]
    corners = [(0.0, 0.0), *(curve[point] for point in step_point)]
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(corners)]
    assert slopes == sorted(set(slopes))
    # As far as the first point at or beyond the limit.
    kept = [index for index, _ in enumerate(curve) if index == 0 or curve[index - 1][0] < limit]
    assert (step_point <= (kept[-1] if kept else -1)).all()
    if curve:
        assert step_point[-1] == kept[-1]
    for samples, _ in curve[: len(kept)]:
        found = np.interp(samples, [x for x, _ in corners], [y for _, y in corners])
        assert found == pytest.approx(below(curve[: len(kept)], samples))


@given(st.lists(curves(), max_size=4))
def test_every_segment_has_its_own_steps(segments: list[Curve]) -> None:
    step_point, step_offsets = steps_of(segments, 1e9)
    first = 0
    for index, curve in enumerate(segments):
        alone, _ = steps_of([curve], 1e9)
        assert step_point[step_offsets[index] : step_offsets[index + 1]].tolist() == (alone + first).tolist()
        first += len(curve)


def test_steps_by_hand() -> None:
    # (2, 4) is above the line from the origin to (4, 6), (5, 9) on the line from there to (6, 12).
    curve: Curve = [(2, 4), (4, 6), (5, 9), (6, 12), (7, 20)]
    assert steps_of([curve], 100)[0].tolist() == [1, 3, 4]
    assert steps_of([curve], 6)[0].tolist() == [1, 3]
    assert steps_of([curve], 5)[0].tolist() == [1, 2]
    assert steps_of([curve], 1)[0].tolist() == [0]


@given(calendars())
def test_the_bound_is_the_linear_optimum(case: CalendarCase) -> None:
    bought = Bought(case)
    for slot in range(len(bought.bound)):
        assert bought.bound[slot] == pytest.approx(linear_optimum(case, slot + 1)[0])


@given(calendars())
def test_the_cheapest_plan_lies_between_bound_and_price(case: CalendarCase) -> None:
    bought = Bought(case)
    for slot, exact in enumerate(cheapest(*case)):
        assert bought.bound[slot] <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= bought.price[slot]
        if exact == np.inf:
            assert bought.price[slot] == bought.bound[slot] == np.inf


@given(calendars())
def test_the_plan_in_hand_is_the_linear_one_with_its_last_step_whole(case: CalendarCase) -> None:
    for slots in range(1, sum(case[1]) + 1):
        bought = Bought(case, slots)
        if bought.price[-1] == np.inf:
            assert bought.marginal == np.inf
            continue
        used = bought.taken > 0
        trained = float(bought.taken @ bought.samples)
        assert trained >= bought.work * (1 - 1e-12)
        assert bought.taken @ bought.cost == pytest.approx(bought.price[-1])
        prices = bought.cost / bought.samples
        assert bought.marginal == prices[used].max() == pytest.approx(linear_optimum(case, slots)[1])
        # Without one slot of a dearest step in use the work is not done.
        dearest = used & (prices == bought.marginal)
        assert trained - bought.samples[dearest].max() < bought.work
        assert bought.price[-1] - bought.bound[-1] <= bought.cost[dearest].max() * (1 + 1e-9)


@given(calendars())
def test_no_slot_takes_a_step_without_those_before_it(case: CalendarCase) -> None:
    segments, lengths, _ = case
    bought = Bought(case)
    if bought.marginal == np.inf:
        return
    for segment in range(len(segments)):
        taken = bought.taken[bought.step_offsets[segment] : bought.step_offsets[segment + 1]]
        assert (np.diff(taken, prepend=lengths[segment]) <= 0).all()
        assert (taken >= 0).all()


@given(calendars())
def test_fewer_slots_are_answered_the_same(case: CalendarCase) -> None:
    whole = Bought(case)
    for slots in range(1, sum(case[1]) + 1):
        part = Bought(case, slots)
        np.testing.assert_array_equal(part.bound, whole.bound[:slots])
        np.testing.assert_array_equal(part.price, whole.price[:slots])


@given(calendars())
def test_neither_bound_nor_price_rises_with_more_slots(case: CalendarCase) -> None:
    bought = Bought(case)
    finite = np.isfinite(bought.bound)
    assert (np.diff(bought.bound[finite]) <= 1e-9).all()
    assert (np.diff(finite.astype(int)) >= 0).all()


def test_by_hand() -> None:
    # 10 samples for 1, 10 more for 3 in each of two slots; then a slot with 20 for 3. Work: 25.
    case: CalendarCase = ([[(10, 1), (20, 4)], [(20, 3)]], [2, 1], 25.0)
    bought = Bought(case)
    # Slot 0: 20 at most. Slot 1: 10 + 10 for 2 and half of 10 for 3. Slot 2: 20 for 2 and a quarter of 20 for 3.
    assert bought.bound.tolist() == [np.inf, pytest.approx(3.5), pytest.approx(2.75)]
    # Their last steps whole: 2 + 3 and 2 + 3.
    assert bought.price.tolist() == [np.inf, 5.0, 5.0]
    assert bought.taken.tolist() == [2, 0, 1]
    assert bought.marginal == pytest.approx(3 / 20)


def test_without_points_nothing_can_be_bought() -> None:
    bought = Bought(([[], []], [2, 1], 5.0))
    assert bought.bound.tolist() == bought.price.tolist() == [np.inf] * 3
    assert bought.marginal == np.inf
