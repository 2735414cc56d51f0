"""The fast slot solver: integer placements by construction, the whole cost curve of a slot in one pass.

Curves come from one greedy pass over the candidate machines (`candidates`, `filling`); only the points that a schedule
uses are polished (`polishing`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.candidates import (
    LIMITS,
    SMALL_CLUSTER,
    Demand,
    Fleet,
    Load,
    Sites,
    Tariff,
    all_machines,
    cheapest_machines,
    level_prices,
    lowest_prices,
    machine_sizes,
    sites_for,
)
from pdors.planner.filling import apart_curve, together_curve
from pdors.planner.lagrangian import may_fit
from pdors.planner.polishing import place_apart, place_together
from pdors.planner.prices import PriceBounds
from pdors.planner.room import fill_floats, take
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_HEADROOM = 1.1
"""Prices that mattered in one segment are guessed to lie at most this far below those of the next."""


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


class FastSlotSolver:
    """`SlotSolver` for one cluster."""

    def __init__(self, units: Units) -> None:
        machines, resources = units.capacity.shape
        blocks = -(-machines // BLOCK)
        padded = np.zeros((blocks * BLOCK, resources))
        padded[:machines] = units.capacity
        capacity = np.ascontiguousarray(padded.reshape(blocks, BLOCK, resources).transpose(0, 2, 1))
        self._fleet = Fleet(capacity, machines)
        self._tariff_of: tuple[PriceBounds, Tariff] | None = None

    def curves(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, most_per_sample: float = np.inf
    ) -> Curves:
        points = _points(shape)
        offsets = np.zeros(len(segments) + 1, dtype=np.int64)
        room = max(1, len(segments) * len(points.workers))
        index, cost = np.empty(room, dtype=np.int64), np.empty(room)
        reached = np.empty(len(segments), dtype=np.int64)
        count = _curves(
            _load(segments), self._fleet, self._tariff(prices), self._demand(shape), self._sizes(shape), points,
            shape.together, shape.apart > shape.together, most_per_sample, sites_for(self._fleet, shape.servers),
            offsets, index, cost, reached,
        )  # fmt: skip
        index, cost = index[:count].copy(), cost[:count].copy()
        for segment in np.flatnonzero(reached < shape.max_workers).tolist():
            more = self._beyond(shape, prices, segments, segment, int(reached[segment]))
            offsets, index, cost = _joined(points, more, segment, offsets, index, cost)
        return Curves(offsets, points.workers[index], points.together[index], points.samples[index], cost)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        machines, problem = self._problem(shape, prices, segments, segment)
        if together:
            counts = place_together(problem, workers, int(shape.servers[workers]))
        else:
            counts = place_apart(problem, shape.servers, workers, spread_out=_needs_spreading(shape, workers))
        if counts is None:
            return None
        w, s = counts
        shares = zip(machines.tolist(), w.tolist(), s.tolist(), strict=True)
        return PlacedSlot(Placement.of(shares), problem.cost(w, s))

    def _beyond(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, reached: int
    ) -> dict[int, float]:
        """The cost of the counts above `reached`, which the greedy pass did not place although they may fit."""
        _, problem = self._problem(shape, prices, segments, segment)
        more = {}
        for workers in range(reached + 1, shape.max_workers + 1):
            counts = place_apart(problem, shape.servers, workers, spread_out=_needs_spreading(shape, workers))
            if counts is None:
                break
            more[workers] = problem.cost(*counts)
        return more

    def _problem(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int
    ) -> tuple[Integers, SlotProblem]:
        """The candidate machines of one segment, and the problem on them."""
        sites = sites_for(self._fleet, shape.servers)
        limits = np.full(LIMITS, np.inf)
        count = _select(
            _load(segments),
            self._fleet,
            self._tariff(prices),
            self._demand(shape),
            self._sizes(shape),
            segment,
            limits,
            sites,
        )
        problem = SlotProblem(
            sites.worker_price[:count], sites.server_price[:count], sites.free[:count], shape.worker, shape.server
        )
        return sites.machine[:count], problem

    def _tariff(self, prices: PriceBounds) -> Tariff:
        if self._tariff_of is None or self._tariff_of[0] != prices:
            self._tariff_of = prices, Tariff(prices.base, prices.slope, level_prices(prices.base, prices.slope))
        return self._tariff_of[1]

    def _demand(self, shape: JobShape) -> Demand:
        return Demand(
            np.array(shape.job.worker, dtype=np.float64),
            np.array(shape.job.server, dtype=np.float64),
            shape.worker,
            shape.server,
            shape.servers,
        )

    def _sizes(self, shape: JobShape) -> Integers | None:
        """The size of each machine for this job, where not all machines are candidates."""
        if self._fleet.machines <= SMALL_CLUSTER:
            return None
        return machine_sizes(self._fleet, shape.worker, shape.max_workers)


def _needs_spreading(shape: JobShape, workers: int) -> bool:
    """Whether what is meant to lie apart would train less if it came to lie together."""
    return bool(shape.apart[workers] > shape.together[workers])


def _joined(
    points: _Points, more: dict[int, float], segment: int, offsets: Integers, index: Integers, cost: Floats
) -> tuple[Integers, Integers, Floats]:
    """The curves with more points, of workers apart, in one segment: again those cheaper than all that train more."""
    if not more:
        return offsets, index, cost
    first, last = int(offsets[segment]), int(offsets[segment + 1])
    added = np.flatnonzero(~points.together & np.isin(points.workers, list(more)))
    candidates = np.concatenate([index[first:last], added])
    prices = np.concatenate([cost[first:last], [more[workers] for workers in points.workers[added].tolist()]])
    order = np.argsort(-candidates)
    kept = order[prices[order] < np.minimum.accumulate(np.concatenate([[np.inf], prices[order][:-1]]))][::-1]
    joined = offsets.copy()
    joined[segment + 1 :] += len(kept) - (last - first)
    return (
        joined,
        np.concatenate([index[:first], candidates[kept], index[last:]]),
        np.concatenate([cost[:first], prices[kept], cost[last:]]),
    )


def _load(segments: Segments) -> Load:
    return Load(segments.rows, segments.used, segments.level, segments.lowest)


@compiled
def _select(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, sizes: Integers | None, segment: int,
            limits: Floats, sites: Sites) -> int:  # fmt: skip
    if sizes is None:  # known when compiling: what follows is left out for small clusters
        return all_machines(load, fleet, tariff, demand, segment, sites)
    for kind in range(LIMITS):
        limits[kind] *= _HEADROOM
    count = cheapest_machines(load, fleet, tariff, demand, sizes, segment, limits, sites)
    if count < 0:
        count = cheapest_machines(load, fleet, tariff, demand, sizes, segment, limits, sites)
    return count


@compiled
def _curves(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, sizes: Integers | None, points: _Points,
            together: Floats, slower_together: Flags, most_per_sample: float, sites: Sites, offsets: Integers,
            chosen: Integers, cost: Floats, reached: Integers) -> int:  # fmt: skip
    """Write of each segment the points that train more than every cheaper one, and their cost; how many they are.

    `reached` is the most workers that were placed, or all of them where more are proven not to fit.
    """
    servers = demand.servers
    most = len(servers) - 1
    counts = np.empty((3, max(len(sites.machine), most + 1)), dtype=np.int64)
    costs = np.empty((2, most + 1))
    near, far, where = costs[0], costs[1], counts[2, : most + 1]
    limits = np.empty(LIMITS)
    fill_floats(limits, np.inf)
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
    least_worker, least_server = lowest_prices(load, tariff, demand, segment)
    for point in range(len(points.workers)):
        workers = points.workers[point]
        least = workers * least_worker + demand.servers[workers] * least_server
        if least < most_per_sample * points.samples[point]:
            return False
    return True
