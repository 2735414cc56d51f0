"""The dynamic program on a grid: exact where the grid is fine, never more credited than trained, and its error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.planner.grid_pass import height_above_hull, run_grid
from pdors.planner.hull_pass import hull_steps
from tests.support.slot_curves import CalendarCase, Curve, as_curves, below, calendars, cheapest, curves

Floats = NDArray[np.float64]


class Grid:
    """`run_grid` over all slots and all points of a case."""

    def __init__(self, case: CalendarCase, cells: int, most_cost: float = np.inf) -> None:
        segments, lengths, self.work = case
        self.cells = cells
        self.points = as_curves(segments)
        self.segment_of = np.repeat(np.arange(len(segments)), lengths)
        slots = len(self.segment_of)
        self.price = np.empty(slots)
        self.came_from, self.came_by = (np.empty((slots, cells + 1), dtype=np.int32) for _ in range(2))
        run_grid(
            self.segment_of, self.points.offsets, np.arange(len(self.points.samples)), self.points.samples,
            self.points.cost, self.work, cells, most_cost, self.price, self.came_from, self.came_by,
        )  # fmt: skip

    def plan(self, slot: int) -> list[int]:
        """The way back from the finished work: the point of each slot, -1 for none."""
        points, cell = [], self.cells
        for index in range(slot, -1, -1):
            points.append(int(self.came_by[index, cell]))
            cell = int(self.came_from[index, cell])
        assert cell == 0
        return points[::-1]


@given(calendars())
def test_a_grid_as_fine_as_the_samples_is_exact(case: CalendarCase) -> None:
    assert Grid(case, cells=int(case[2])).price.tolist() == cheapest(*case)


@given(calendars(), st.integers(1, 20))
def test_a_coarse_grid_is_dearer_by_less_than_a_cell_of_work_per_slot(case: CalendarCase, cells: int) -> None:
    segments, lengths, work = case
    price = Grid(case, cells).price
    for slot, exact in enumerate(cheapest(*case)):
        assert price[slot] >= exact
        more = work * (1 + (slot + 1) / cells)
        assert price[slot] <= cheapest(segments, lengths, more)[slot]


@given(calendars(), st.integers(1, 20))
def test_what_a_coarse_grid_credits_is_trained(case: CalendarCase, cells: int) -> None:
    grid = Grid(case, cells)
    for slot in np.flatnonzero(np.isfinite(grid.price)).tolist():
        plan = grid.plan(slot)
        used = [point for point in plan if point >= 0]
        assert grid.points.samples[used].sum() >= grid.work
        assert grid.points.cost[used].sum() == pytest.approx(grid.price[slot])
        for index, point in enumerate(plan):
            segment = grid.segment_of[index]
            assert point == -1 or grid.points.offsets[segment] <= point < grid.points.offsets[segment + 1]


@given(calendars(), st.integers(0, 100))
def test_plans_that_cost_too_much_are_not_found(case: CalendarCase, most_cost: int) -> None:
    exact = np.array(cheapest(*case))
    price = Grid(case, int(case[2]), float(most_cost)).price
    np.testing.assert_array_equal(price, np.where(exact < most_cost, exact, np.inf))


@given(calendars(), st.integers(1, 40), st.integers(-30, 30))
def test_the_scale_of_the_work_does_not_matter(case: CalendarCase, cells: int, power: int) -> None:
    segments, lengths, work = case
    factor = 2.0**power
    scaled = [[(samples * factor, cost) for samples, cost in curve] for curve in segments]
    np.testing.assert_array_equal(Grid(case, cells).price, Grid((scaled, lengths, work * factor), cells).price)


def test_only_the_listed_points_are_tried() -> None:
    points = as_curves([[(5, 1), (10, 2)], [(10, 7)]])
    price, came = np.empty(2), np.empty((2, 11), dtype=np.int32)
    run_grid(
        np.array([0, 1]), np.array([0, 1, 2]), np.array([0, 2]), points.samples, points.cost, 10.0, 10, np.inf, price,
        came, came.copy(),
    )  # fmt: skip
    assert price.tolist() == [np.inf, 7.0]


def test_merging_by_hand() -> None:
    # In cells of five samples the 1 and 4 of the first slot do not leave the cell in which doing nothing is cheapest.
    case: CalendarCase = ([[(1, 1), (4, 2)], [(6, 3)], [(9, 9)]], [1, 1, 1], 10.0)
    assert Grid(case, cells=10).price.tolist() == [np.inf, 5.0, 5.0]
    assert Grid(case, cells=2).price.tolist() == [np.inf, np.inf, 12.0]


def heights(curve: Curve, limit: float) -> Floats:
    points = as_curves([curve])
    step_point, step_offsets = np.empty(len(curve), dtype=np.int64), np.zeros(2, dtype=np.int64)
    hull_steps(points.offsets, points.samples, points.cost, limit, step_point, step_offsets)
    height = np.full(len(curve), np.nan)
    height_above_hull(points.offsets, points.samples, points.cost, step_point, step_offsets, height)
    return height


@given(curves(), st.floats(1, 150))
def test_heights_are_those_above_the_lower_hull(curve: Curve, limit: float) -> None:
    kept = [index for index, _ in enumerate(curve) if index == 0 or curve[index - 1][0] < limit]
    height = heights(curve, limit)
    for index, (samples, cost) in enumerate(curve):
        expected = cost - below(curve[: len(kept)], samples) if index in kept else np.inf
        assert height[index] == pytest.approx(expected, abs=1e-9)


@given(calendars())
def test_a_plan_loses_at_least_the_height_of_each_point(case: CalendarCase) -> None:
    # So points that lie higher than a plan may lose can be left out: here all above the height of the cheapest plan.
    segments, lengths, work = case
    bound = Grid(([[(x, below(curve, x)) for x, _ in curve] for curve in segments], lengths, work), int(work)).price[-1]
    exact = cheapest(*case)[-1]
    if exact == np.inf:
        return
    low = [
        [point for point, height in zip(curve, heights(curve, np.inf), strict=True) if height <= exact - bound + 1e-9]
        for curve in segments
    ]
    # A linear plan on the hulls may be cheaper still; whole points of the hull are never cheaper than it.
    assert cheapest(low, lengths, work)[-1] == exact or bound > exact - 1e-9


def test_heights_by_hand() -> None:
    assert heights([(2, 4), (4, 6), (5, 9), (6, 12), (7, 20)], 6).tolist() == [1.0, 0.0, 0.0, 0.0, np.inf]
