"""Algorithm 3: which slot does how much of the work, at the least price, for every completion slot at once.

    Theta(d, V) = min over v of theta(d, v) + Theta(d - 1, V - v),   Theta(d, 0) = 0,   Theta(a - 1, v > 0) = infinity

Two passes answer it. The first (`hull_pass`) takes the lower convex hull of every slot's curve and buys work where it
is cheapest: for every completion slot a lower bound and a plan at most one step of one curve dearer. Where that gap
could hide a better payoff, the second (`grid_pass`) runs the dynamic program on a grid of the work, over the points
that the gap does not rule out. Neither ever credits a sample that is not trained.

    V      work to do                                   -> work       samples
    d      completion slot, counted from the first slot -> slot
    theta  samples and cost of a slot                   -> Curves
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import WORK_TOLERANCE
from pdors.planner.grid_pass import height_above_hull, run_grid
from pdors.planner.hull_pass import buy, hull_steps
from pdors.planner.settling import settle
from pdors.planner.slot import Curves

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SWAPS = 64
"""Single slots that `settle` may change after the passes."""
_GRID_BUDGET = 4_000_000
_MOST_CELLS = 2000
_FEWEST_CELLS = 50
"""The grid pass takes as many cells as the budget of label updates allows, and is left out below the fewest."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The slots `start` .. `stop - 1`, counted from the first, use one point of the curve of their segment."""

    start: int
    stop: int
    segment: int
    point: int


@dataclass(frozen=True)
class WorkPlan:
    """A way to do the work: stretches in order of time, and what the curves ask for it."""

    stretches: tuple[Stretch, ...]
    price: float

    @property
    def completion(self) -> int:
        """The last slot used, counted from the first."""
        return self.stretches[-1].stop - 1


@dataclass(frozen=True, eq=False)
class _Grid:
    """The answer of `run_grid`: of each slot tried its segment, its number and the price of ending by it."""

    segment_of: Integers
    slot_of: Integers
    price: Floats
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]

    def classes(self, last: int) -> list[tuple[int, int, int]]:
        """(segment, point, count) of the cheapest plan that ends by the slot of index `last`."""
        chosen: Counter[tuple[int, int]] = Counter()
        cell = self.came_from.shape[1] - 1
        for index in range(last, -1, -1):
            chosen[int(self.segment_of[index]), int(self.came_by[index, cell])] += 1
            cell = int(self.came_from[index, cell])
        return [(segment, point, count) for (segment, point), count in chosen.items()]


class Calendar:
    """The curves of the slots from a job's arrival on, as far as they have been asked for."""

    def __init__(self, work: float, lengths: Integers) -> None:
        # What suffices lies below what a point may count for, so that sums do not fall short of it by rounding.
        self._cap = work
        self._work = work * (1 - WORK_TOLERANCE / 2)
        self._lengths = lengths
        self._starts = np.concatenate([[0], np.cumsum(lengths)])
        self._curves = Curves.empty()
        self._step_point = np.empty(0, dtype=np.int64)
        self._step_offsets = np.zeros(1, dtype=np.int64)
        self.bound: Floats = np.empty(0)
        self.price: Floats = np.empty(0)
        self.marginal = np.inf

    @property
    def slots(self) -> int:
        """Slots that are known so far."""
        return len(self.bound)

    @property
    def failures(self) -> int:
        return self._curves.failures

    def extend(self, curves: Curves) -> None:
        """Take in the curves of the next segments and find `bound[d]` and `price[d]` for every slot known then.

        `marginal` is the price of the last sample bought: slots that ask more for every sample would not be used.
        """
        self._curves = self._curves.followed_by(curves.capped(self._cap))
        known = len(self._curves.offsets) - 1
        points = len(self._curves.samples)
        self._step_point = np.empty(points, dtype=np.int64)
        self._step_offsets = np.zeros(known + 1, dtype=np.int64)
        hull_steps(self._curves.offsets, self._curves.samples, self._curves.cost, self._work, self._step_point,
                   self._step_offsets)  # fmt: skip
        slots = int(self._starts[known])
        self.bound, self.price = np.full(slots, np.inf), np.full(slots, np.inf)
        self.marginal = self._buy(slots, self.bound, self.price)[0]

    def most_samples(self) -> float:
        """What all slots known so far train at most, as far as it does not exceed the work in any of them."""
        ends = self._curves.offsets[1:]
        filled = np.diff(self._curves.offsets) > 0
        lengths = self._lengths[: len(ends)]
        return float((lengths[filled] * self._curves.samples[ends[filled] - 1]).sum())

    def plan(self, slot: int) -> WorkPlan | None:
        """The plan of the hull pass that ends by `slot`, settled."""
        slots = slot + 1
        _, taken = self._buy(slots, np.empty(slots), np.empty(slots))
        return self._settled(self._classes_of_steps(taken, slots))

    def plan_on_grid(self, utility: Floats, payoff: float) -> WorkPlan | None:
        """The plan of the dynamic program with the best payoff, if it is above `payoff`."""
        hope = utility - self.bound
        promising = np.flatnonzero(hope > payoff)
        if not len(promising):
            return None
        most_cost = float(utility[promising].max()) - payoff
        grid = self._run_grid(int(promising[-1]) + 1, float(hope.max()) - payoff, most_cost)
        if grid is None:
            return None
        gained = utility[grid.slot_of] - grid.price
        best = int(np.argmax(gained))
        return self._settled(grid.classes(best)) if gained[best] > payoff else None

    def prices_on_grid(self) -> Floats:
        """`price`, lower where the dynamic program knows a cheaper plan that ends by that slot."""
        possible = np.isfinite(self.price)
        if not possible.any():
            return self.price
        most_lost = float((self.price[possible] - self.bound[possible]).max())
        grid = self._run_grid(self.slots, most_lost, float(self.price[possible].max()))
        prices = self.price.copy()
        if grid is not None:
            prices[grid.slot_of] = np.minimum(prices[grid.slot_of], grid.price)
        return np.minimum.accumulate(prices)

    def point(self, index: int) -> tuple[int, bool]:
        """Workers of a point, and whether they sit together."""
        return int(self._curves.workers[index]), bool(self._curves.together[index])

    def cost(self, index: int) -> float:
        """What a slot of this point costs by its curve."""
        return float(self._curves.cost[index])

    def _buy(self, slots: int, bound: Floats, price: Floats) -> tuple[float, Integers]:
        taken = np.zeros(len(self._step_point), dtype=np.int64)
        known = len(self._curves.offsets) - 1
        marginal = buy(self._lengths[:known], self._curves.samples, self._curves.cost,
                       self._work, self._step_point, self._step_offsets, slots, taken, bound, price)  # fmt: skip
        return marginal, taken

    def _classes_of_steps(self, taken: Integers, slots: int) -> list[tuple[int, int, int]]:
        """(segment, point, count) of the slots after the hull pass, with one slot of the dearest step given back."""
        classes = []
        dearest, dearest_price = -1, -np.inf
        samples, cost = self._curves.samples, self._curves.cost
        counts = taken.copy()
        for segment in range(len(self._curves.offsets) - 1):
            x0 = y0 = 0.0
            for step in range(self._step_offsets[segment], self._step_offsets[segment + 1]):
                if counts[step] == 0:
                    break
                point = self._step_point[step]
                step_price = (cost[point] - y0) / (samples[point] - x0)
                if step_price > dearest_price:
                    dearest, dearest_price = step, step_price
                x0, y0 = samples[point], cost[point]
        if dearest >= 0:
            counts[dearest] -= 1
        for segment in range(len(self._curves.offsets) - 1):
            left = min(int(self._lengths[segment]), slots - int(self._starts[segment]))
            if left <= 0:
                break
            first, last = self._step_offsets[segment], self._step_offsets[segment + 1]
            for step in range(last - 1, first - 1, -1):
                deeper = counts[step + 1] if step + 1 < last else 0
                if counts[step] > deeper:
                    classes.append((segment, int(self._step_point[step]), int(counts[step] - deeper)))
            used = int(counts[first]) if last > first else 0
            if left > used:
                classes.append((segment, -1, left - used))
        return classes

    def _settled(self, classes: list[tuple[int, int, int]]) -> WorkPlan | None:
        size = len(classes) + 2 * _SWAPS
        segment, point, count = (np.zeros(size, dtype=np.int64) for _ in range(3))
        for index, (s, p, c) in enumerate(classes):
            segment[index], point[index], count[index] = s, p, c
        curves = self._curves
        number = settle(segment, point, count, len(classes), curves.offsets, curves.samples, curves.cost, self._work)
        if number < 0:
            return None
        used = [
            (int(segment[index]), int(point[index]), int(count[index]))
            for index in range(number)
            if count[index] > 0 and point[index] >= 0
        ]
        used.sort(key=lambda entry: (entry[0], -entry[1]))
        stretches, at, current = [], 0, -1
        for owner, chosen, slots_used in used:
            if owner != current:
                at, current = int(self._starts[owner]), owner
            stretches.append(Stretch(at, at + slots_used, owner, chosen))
            at += slots_used
        price = sum(curves.cost[entry.point] * (entry.stop - entry.start) for entry in stretches)
        return WorkPlan(tuple(stretches), float(price))

    def _run_grid(self, slots: int, most_lost: float, most_cost: float) -> _Grid | None:
        """The dynamic program over the first `slots` slots, None if it takes too many updates."""
        segment_of, slot_of = self._slots_worth_trying(slots)
        offsets, points = self._points_worth_trying(most_lost)
        updates = int(np.diff(offsets)[segment_of].sum())
        cells = min(_MOST_CELLS, _GRID_BUDGET // max(1, updates))
        if cells < _FEWEST_CELLS:
            return None
        price = np.empty(len(segment_of))
        came_from = np.empty((len(segment_of), cells + 1), dtype=np.int32)
        came_by = np.empty((len(segment_of), cells + 1), dtype=np.int32)
        run_grid(segment_of, offsets, points, self._curves.samples, self._curves.cost, self._work, cells, most_cost,
                 price, came_from, came_by)  # fmt: skip
        return _Grid(segment_of, slot_of, price, came_from, came_by)

    def _slots_worth_trying(self, slots: int) -> tuple[Integers, Integers]:
        """(segment, slot) of the slots for the grid: of a long segment as many as the work can use."""
        segments, chosen = [], []
        for segment in range(len(self._curves.offsets) - 1):
            start = int(self._starts[segment])
            if start >= slots:
                break
            if self._step_offsets[segment] == self._step_offsets[segment + 1]:
                continue
            cheapest = self._curves.samples[self._step_point[self._step_offsets[segment]]]
            useful = int(self._work / cheapest) + 2
            length = min(int(self._lengths[segment]), slots - start, useful)
            segments.append(np.full(length, segment))
            chosen.append(np.arange(start, start + length))
        return np.concatenate(segments), np.concatenate(chosen)

    def _points_worth_trying(self, most_lost: float) -> tuple[Integers, Integers]:
        """Per segment the points that lie at most `most_lost` above the hull."""
        curves = self._curves
        height = np.empty(len(curves.samples))
        height_above_hull(curves.offsets, curves.samples, curves.cost, self._step_point, self._step_offsets, height)
        near = height <= most_lost
        offsets = np.concatenate([[0], np.cumsum(near)])[curves.offsets]
        return offsets, np.flatnonzero(near)
