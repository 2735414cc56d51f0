"""The fast slot solver: integer placements by construction, the whole cost curve of a slot in one pass.

Curves come from one greedy pass (`filling`); a point that is chosen is placed again, improved by exchanges
(`exchange`), held against a lower bound and, if it is not close, placed by the exact search (`lagrangian`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.candidates import (
    LIMITS,
    ROOM_FOR_SITES,
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
    new_sites,
)
from pdors.planner.exchange import improve
from pdors.planner.filling import apart_curve, spread, together_curve
from pdors.planner.lagrangian import CLOSE_ENOUGH, lower_bound, place_exactly
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_HEADROOM = 1.1
"""Prices that mattered in one segment are guessed to lie at most this far below those of the next."""


@dataclass(frozen=True, eq=False)
class _Points:
    """All points a curve of this job may have, by rising samples: together or apart, with so many workers."""

    workers: Integers
    together: Flags
    samples: Floats

    @staticmethod
    def of(shape: JobShape) -> _Points:
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
        points = _Points.of(shape)
        offsets, index, cost = _curves(
            _load(segments), self._fleet, self._tariff(prices), self._demand(shape), shape.together, shape.apart,
            points.workers, points.together, points.samples, most_per_sample,
        )  # fmt: skip
        return Curves(offsets, points.workers[index], points.together[index], points.samples[index], cost)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        needs_spreading = not together and bool(shape.apart[workers] > shape.together[workers])
        machines, w, s, cost = _place(
            _load(segments), self._fleet, self._tariff(prices), self._demand(shape), segment, workers, together,
            needs_spreading,
        )  # fmt: skip
        if len(machines) == 0:
            return None
        shares = zip(machines.tolist(), w.tolist(), s.tolist(), strict=True)
        return PlacedSlot(Placement.of(shares), float(cost))

    def _tariff(self, prices: PriceBounds) -> Tariff:
        if self._tariff_of is None or self._tariff_of[0] != prices:
            self._tariff_of = prices, Tariff(prices.base, prices.slope, level_prices(prices.base, prices.slope))
        return self._tariff_of[1]

    def _demand(self, shape: JobShape) -> Demand:
        is_small = self._fleet.machines <= SMALL_CLUSTER
        return Demand(
            np.array(shape.job.worker, dtype=np.float64),
            np.array(shape.job.server, dtype=np.float64),
            shape.worker,
            shape.server,
            shape.servers,
            np.empty(0, dtype=np.int64) if is_small else machine_sizes(self._fleet, shape.worker, shape.max_workers),
        )


def _load(segments: Segments) -> Load:
    return Load(segments.rows, segments.used, segments.level, segments.lowest)


@compiled
def _select(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, segment: int, limits: Floats,
            sites: Sites) -> int:  # fmt: skip
    if fleet.machines <= SMALL_CLUSTER:
        return all_machines(load, fleet, tariff, demand, segment, sites)
    limits *= _HEADROOM
    count = cheapest_machines(load, fleet, tariff, demand, segment, limits, sites)
    if count < 0:
        count = cheapest_machines(load, fleet, tariff, demand, segment, limits, sites)
    return count


@compiled
def _curves(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, together: Floats, apart: Floats,
            point_workers: Integers, point_together: Flags, point_samples: Floats,
            most_per_sample: float) -> tuple[Integers, Integers, Floats]:  # fmt: skip
    """(offsets, point, cost): of each segment the points that train more than every cheaper one."""
    servers = demand.servers
    most = len(servers) - 1
    segments, points = len(load.rows), len(point_workers)
    sites = new_sites(min(fleet.machines, max(ROOM_FOR_SITES, SMALL_CLUSTER)) + 1, len(demand.worker))
    w, s = np.empty(len(sites.machine), dtype=np.int64), np.empty(len(sites.machine), dtype=np.int64)
    near, far = np.empty(most + 1), np.empty(most + 1)
    where = np.empty(most + 1, dtype=np.int64)
    slower_together = apart > together
    limits = np.full(LIMITS, np.inf)
    offsets = np.zeros(segments + 1, dtype=np.int64)
    chosen, cost = np.empty(max(1, segments * points), dtype=np.int64), np.empty(max(1, segments * points))
    at = 0
    for segment in range(segments):
        offsets[segment + 1] = at
        if most_per_sample < np.inf:
            least_worker, least_server = lowest_prices(load, tariff, demand, segment)
            hopeless = True
            for point in range(points):
                workers = point_workers[point]
                least = workers * least_worker + servers[workers] * least_server
                if least < most_per_sample * point_samples[point]:
                    hopeless = False
                    break
            if hopeless:
                continue
        count = _select(load, fleet, tariff, demand, segment, limits, sites)
        worker_price, server_price, free = sites.worker_price[:count], sites.server_price[:count], sites.free[:count]
        together_curve(worker_price, server_price, free, demand.worker, demand.server, servers, together, near, where)
        apart_curve(worker_price, server_price, free, demand.worker, demand.server, servers, most, slower_together,
                    far, w[:count], s[:count])  # fmt: skip
        begin = at
        cheapest = np.inf
        for point in range(points - 1, -1, -1):
            workers = point_workers[point]
            price = near[workers] if point_together[point] else far[workers]
            if price < cheapest:
                cheapest = price
                chosen[at], cost[at] = point, price
                at += 1
        chosen[begin:at] = chosen[begin:at][::-1].copy()
        cost[begin:at] = cost[begin:at][::-1].copy()
        offsets[segment + 1] = at
    return offsets, chosen[:at].copy(), cost[:at].copy()


@compiled
def _place(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, segment: int, workers: int, together: bool,
           needs_spreading: bool) -> tuple[Integers, Integers, Integers, float]:  # fmt: skip
    """(machines, workers, servers on them, price); no machines: it does not fit."""
    servers = demand.servers[workers]
    sites = new_sites(min(fleet.machines, max(ROOM_FOR_SITES, SMALL_CLUSTER)) + 1, len(demand.worker))
    count = _select(load, fleet, tariff, demand, segment, np.full(LIMITS, np.inf), sites)
    machine, worker_price, server_price = sites.machine[:count], sites.worker_price[:count], sites.server_price[:count]
    free = sites.free[:count]
    w, s = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    cost = np.empty(workers + 1)
    if together:
        where = np.empty(workers + 1, dtype=np.int64)
        together_curve(worker_price, server_price, free, demand.worker, demand.server, demand.servers[: workers + 1],
                       np.ones(workers + 1), cost, where)  # fmt: skip
        found = where[workers]
        if found < 0:
            return machine[:0], w[:0], s[:0], np.inf
        w[found], s[found] = workers, servers
        return machine, w, s, cost[workers]
    room = free.copy()
    price = np.inf
    slower_together = np.zeros(workers + 1, dtype=np.bool_)
    if apart_curve(worker_price, server_price, free, demand.worker, demand.server, demand.servers[: workers + 1],
                   workers, slower_together, cost, w, s) == workers:  # fmt: skip
        improve(worker_price, server_price, free, demand.worker, demand.server, w, s)
        price = (w * worker_price).sum() + (s * server_price).sum()
        worker_worth, server_worth = 0.0, 0.0
        for index in range(count):
            if w[index] > 0:
                worker_worth = max(worker_worth, worker_price[index])
            if s[index] > 0:
                server_worth = max(server_worth, server_price[index])
        bound = lower_bound(worker_price, server_price, room, demand.worker, demand.server, workers, servers,
                            worker_worth, server_worth)  # fmt: skip
        is_close = price - bound <= CLOSE_ENOUGH * price
    else:
        is_close = False
    if not is_close:
        price = place_exactly(worker_price, server_price, room, demand.worker, demand.server, workers, servers, price,
                              w, s)  # fmt: skip
        if price == np.inf:
            return machine[:0], w[:0], s[:0], np.inf
    if needs_spreading:
        for index in range(count):
            for resource in range(room.shape[1]):
                used = w[index] * demand.worker[resource] + s[index] * demand.server[resource]
                free[index, resource] = room[index, resource] - used
        if not spread(worker_price, server_price, free, demand.worker, demand.server, w, s):
            return machine[:0], w[:0], s[:0], np.inf
        price = (w * worker_price).sum() + (s * server_price).sum()
    return machine, w, s, price
