"""The fast slot solver: integer placements by construction, the whole cost curve of a slot in one pass.

Curves come from one greedy pass over the candidate machines (`candidates`, `filling`); only the points that a schedule
uses are polished (`polishing`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK, LEVELS
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.candidates import (
    FEW_STEPS,
    LIMITS,
    SMALL_CLUSTER,
    Demand,
    Fleet,
    Load,
    Sites,
    Tariff,
    all_machines,
    cheapest_machines,
    lowest_prices,
    machine_sizes,
    open_limits,
    sites_for,
    tariff_for,
)
from pdors.planner.filling import apart_curve, together_curve
from pdors.planner.lagrangian import may_fit, place_somehow
from pdors.planner.polishing import place_apart, place_together, spread_out
from pdors.planner.prices import PriceBounds
from pdors.planner.room import take
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_HEADROOM, _MORE_HEADROOM, _MOST_HEADROOM = 1.15, 1.5, 16.0
"""Prices that mattered in one segment are guessed to lie at most this far below those of the next: tried in turn."""


class _Points(NamedTuple):
    """All points a curve of this job may have, by rising samples: together or apart, with so many workers."""

    workers: Integers
    together: Flags
    samples: Floats


def _points(shape: JobShape) -> _Points:
    counts = np.arange(shape.max_workers + 1)
    workers = np.concatenate([counts, counts])
    together = np.repeat([True, False], len(counts))
    samples = np.concatenate([shape.together, shape.apart])
    order = np.lexsort((workers, samples))
    order = order[samples[order] > 0]
    return _Points(workers[order], together[order], samples[order])


@dataclass(frozen=True, eq=False)
class _Posed:
    """One job at given prices, made ready for the compiled code, with room to work in.

    `limits` are carried from segment to segment: they make the next search for candidates shorter, not different.
    """

    shape: JobShape
    prices: PriceBounds
    fleet: Fleet
    tariff: Tariff
    demand: Demand
    sizes: Integers | None
    points: _Points
    sites: Sites
    limits: Floats

    @staticmethod
    def of(shape: JobShape, prices: PriceBounds, fleet: Fleet) -> _Posed:
        worker, server = (np.array(amounts, dtype=np.float64) for amounts in (shape.job.worker, shape.job.server))
        sizes, limits, steps = None, np.full(LIMITS, np.inf), FEW_STEPS
        if fleet.machines > SMALL_CLUSTER:
            steps = LEVELS
            sizes = machine_sizes(fleet, shape.worker, shape.max_workers)
            open_limits(sizes, shape.servers, limits)
        demand = Demand(worker, server, shape.worker, shape.server, shape.servers)
        return _Posed(
            shape,
            prices,
            fleet,
            tariff_for(prices.base, prices.slope, demand, fleet.capacity.max(axis=(0, 2)), steps=steps),
            demand,
            sizes,
            _points(shape),
            sites_for(fleet, shape.servers),
            limits,
        )

    def problem(self, segments: Segments, segment: int) -> tuple[Integers, SlotProblem]:
        """The candidate machines of one segment, and the problem on them; valid until the next question."""
        sites, shape = self.sites, self.shape
        count = _select(
            _load(segments), self.fleet, self.tariff, self.demand, self.sizes, segment, self.limits, sites
        )  # fmt: skip
        problem = SlotProblem(
            sites.worker_price[:count], sites.server_price[:count], sites.free[:count], shape.worker, shape.server
        )
        return sites.machine[:count], problem


class FastSlotSolver:
    """`SlotSolver` for one cluster."""

    def __init__(self, units: Units) -> None:
        machines, resources = units.capacity.shape
        blocks = -(-machines // BLOCK)
        padded = np.zeros((blocks * BLOCK, resources))
        padded[:machines] = units.capacity
        capacity = np.ascontiguousarray(padded.reshape(blocks, BLOCK, resources).transpose(0, 2, 1))
        self._fleet = Fleet(capacity, machines)
        self._last: _Posed | None = None

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,
    ) -> Curves:
        posed = self._posed(shape, prices)
        points = posed.points
        offsets = np.zeros(len(segments) + 1, dtype=np.int64)
        room = max(1, len(segments) * len(points.workers))
        index, cost = np.empty(room, dtype=np.int64), np.empty(room)
        reached = np.empty(len(segments), dtype=np.int64)
        count = _curves(
            _load(segments), posed.fleet, posed.tariff, posed.demand, posed.sizes, points, shape.together,
            shape.apart > shape.together, most_per_sample, posed.limits, posed.sites, offsets, index, cost, reached,
        )  # fmt: skip
        greedy_stopped: list[int] = np.flatnonzero(reached < shape.max_workers).tolist() if thorough else []
        more = {segment: _beyond(posed, segments, segment, int(reached[segment])) for segment in greedy_stopped}
        offsets, index, cost = _joined(points, more, offsets, index[:count], cost[:count])
        return Curves(offsets, points.workers[index], points.together[index], points.samples[index], cost)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        posed = self._posed(shape, prices)
        machines, problem = posed.problem(segments, segment)
        if together:
            counts = place_together(problem, workers, int(shape.servers[workers]))
        else:
            counts = place_apart(problem, shape.servers, workers, on_several=_needs_spreading(shape, workers))
        if counts is None:
            return None
        w, s = counts
        used = np.flatnonzero(w + s)
        shares = zip(machines[used].tolist(), w[used].tolist(), s[used].tolist(), strict=True)
        return PlacedSlot(Placement.of(shares), problem.cost(w, s))

    def _posed(self, shape: JobShape, prices: PriceBounds) -> _Posed:
        if self._last is None or self._last.shape is not shape or self._last.prices != prices:
            self._last = _Posed.of(shape, prices, self._fleet)
        return self._last


def _needs_spreading(shape: JobShape, workers: int) -> bool:
    """Whether what is meant to lie apart would train less if it came to lie together."""
    return bool(shape.apart[workers] > shape.together[workers])


def _beyond(posed: _Posed, segments: Segments, segment: int, reached: int) -> dict[int, float]:
    """The cost of the counts above `reached`, which the greedy pass did not place although they may fit."""
    _, problem = posed.problem(segments, segment)
    shape, more = posed.shape, {}
    for workers in range(reached + 1, shape.max_workers + 1):
        counts = place_somehow(problem, workers, int(shape.servers[workers]))
        if counts is None:
            break
        if _needs_spreading(shape, workers) and not spread_out(problem, *counts):
            continue
        more[workers] = problem.cost(*counts)
    return more


def _joined(
    points: _Points, more: dict[int, dict[int, float]], offsets: Integers, index: Integers, cost: Floats
) -> tuple[Integers, Integers, Floats]:
    """The curves with more points, of workers apart; of each segment again those cheaper than all that train more."""
    if not any(more.values()):
        return offsets, index.copy(), cost.copy()
    apart = np.full(int(points.workers.max()) + 1, -1)
    apart[points.workers[~points.together]] = np.flatnonzero(~points.together)
    parts_index, parts_cost, lengths = [], [], []
    for segment in range(len(offsets) - 1):
        part = slice(int(offsets[segment]), int(offsets[segment + 1]))
        candidates, prices = index[part], cost[part]
        added = more.get(segment)
        if added:
            places = apart[list(added)]
            candidates = np.concatenate([candidates, places[places >= 0]])
            prices = np.concatenate([prices, np.array(list(added.values()))[places >= 0]])
            order = np.lexsort((prices, -points.samples[candidates]))
            cheapest_before = np.minimum.accumulate(np.concatenate([[np.inf], prices[order][:-1]]))
            different = np.diff(points.samples[candidates[order]], prepend=np.inf) < 0
            kept = order[different & (prices[order] < cheapest_before)][::-1]
            candidates, prices = candidates[kept], prices[kept]
        parts_index.append(candidates)
        parts_cost.append(prices)
        lengths.append(len(candidates))
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(parts_index), np.concatenate(parts_cost)


def _load(segments: Segments) -> Load:
    return Load(segments.rows, segments.used, segments.level, segments.lowest)


@compiled
def _select(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, sizes: Integers | None, segment: int,
            limits: Floats, sites: Sites) -> int:  # fmt: skip
    if sizes is None:  # known when compiling: what follows is left out for small clusters
        return all_machines(load, fleet, tariff, demand, segment, sites)
    count = -1
    for attempt in range(4):
        if attempt == 3:
            open_limits(sizes, demand.servers, limits)
        for kind in range(LIMITS):
            limits[kind] *= _HEADROOM if attempt == 0 else _MORE_HEADROOM if attempt == 1 else _MOST_HEADROOM
        count = cheapest_machines(load, fleet, tariff, demand, sizes, segment, limits, sites)
        if count >= 0:
            break
    return count


@compiled
def _curves(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, sizes: Integers | None, points: _Points,
            together: Floats, slower_together: Flags, most_per_sample: float, limits: Floats, sites: Sites,
            offsets: Integers, chosen: Integers, cost: Floats, reached: Integers) -> int:  # fmt: skip
    """Write of each segment the points that train more than every cheaper one, and their cost; how many they are.

    `reached` is the most workers that were placed, or all of them where more are proven not to fit.
    """
    servers = demand.servers
    most = len(servers) - 1
    counts = np.empty((3, max(len(sites.machine), most + 1)), dtype=np.int64)
    costs = np.empty((2, most + 1))
    near, far, where = costs[0], costs[1], counts[2, : most + 1]
    at = 0
    for segment in range(len(load.rows)):
        offsets[segment + 1] = at
        reached[segment] = most
        if most_per_sample < np.inf and _is_hopeless(load, tariff, demand, segment, points, most_per_sample):
            continue
        count = _select(load, fleet, tariff, demand, sizes, segment, limits, sites)
        worker_price, server_price, free = sites.worker_price[:count], sites.server_price[:count], sites.free[:count]
        together_curve(worker_price, server_price, free, demand.worker, demand.server, servers, together, near, where)
        w, s = counts[0, :count], counts[1, :count]
        placed = apart_curve(worker_price, server_price, free, demand.worker, demand.server, servers, most,
                             slower_together, far, w, s)  # fmt: skip
        if placed < most and servers[placed + 1] > 0:
            for site in range(count):
                take(free[site], demand.worker, -w[site])
                take(free[site], demand.server, -s[site])
            if may_fit(free, demand.worker, demand.server, placed + 1, servers[placed + 1]):
                reached[segment] = placed
        # From the most samples down, a point stays if it is cheaper than all that train more; then turned round.
        begin = at
        cheapest = np.inf
        for point in range(len(points.workers) - 1, -1, -1):
            workers = points.workers[point]
            price = near[workers] if points.together[point] else far[workers]
            if price < cheapest:
                cheapest = price
                if at > begin and points.samples[chosen[at - 1]] == points.samples[point]:
                    at -= 1
                chosen[at], cost[at] = point, price
                at += 1
        for step in range((at - begin) // 2):
            left, right = begin + step, at - 1 - step
            chosen[left], chosen[right] = chosen[right], chosen[left]
            cost[left], cost[right] = cost[right], cost[left]
        offsets[segment + 1] = at
    return at


@compiled
def _is_hopeless(load: Load, tariff: Tariff, demand: Demand, segment: int, points: _Points,
                 most_per_sample: float) -> bool:  # fmt: skip
    """Whether no point of this segment can cost less than `most_per_sample`."""
    least_worker, least_server = lowest_prices(load, tariff, segment)
    for point in range(len(points.workers)):
        workers = points.workers[point]
        least = workers * least_worker + demand.servers[workers] * least_server
        if least < most_per_sample * points.samples[point]:
            return False
    return True
