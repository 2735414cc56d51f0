"""The fast slot solver: integer placements by construction, the whole cost curve of a slot in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner import candidates, filling
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Points:
    """All points a curve of this job may have, by rising samples: together or apart, with so many workers."""

    workers: Integers
    together: NDArray[np.bool_]
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
        self._units = units
        machines, resources = units.capacity.shape
        blocks = -(-machines // candidates.BLOCK)
        padded = np.zeros((blocks * candidates.BLOCK, resources))
        padded[:machines] = units.capacity
        self._capacity = np.ascontiguousarray(
            padded.reshape(blocks, candidates.BLOCK, resources).transpose(0, 2, 1)
        )
        self._machines = machines

    def curves(self, shape: JobShape, prices: PriceBounds, segments: Segments) -> Curves:
        points = _Points.of(shape)
        offsets, index, cost = _curves(
            segments.rows, segments.used, segments.level, segments.lowest, self._capacity, self._machines,
            prices.base, prices.slope, *_amounts(shape), shape.worker, shape.server,
            shape.servers, shape.together, shape.apart, points.workers, points.together, points.samples,
        )  # fmt: skip
        return Curves(offsets, points.workers[index], points.together[index], points.samples[index], cost)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        count, machines, w, s, cost = _place(
            segments.rows[segment], segments.used, segments.level, segments.lowest, self._capacity, self._machines,
            prices.base, prices.slope, *_amounts(shape), shape.worker, shape.server,
            shape.servers, shape.together, shape.apart, workers, together,
        )  # fmt: skip
        if count == 0:
            return None
        shares = zip(machines.tolist(), w.tolist(), s.tolist(), strict=True)
        return PlacedSlot(Placement.of(shares), float(cost))


def _amounts(shape: JobShape) -> tuple[Floats, Floats]:
    return np.array(shape.job.worker, dtype=np.float64), np.array(shape.job.server, dtype=np.float64)


@compiled
def _select(row, used, level, lowest, capacity, machines, base, slope, level_prices, worker_amount, server_amount,
            worker, server, most_workers, most_servers, limits, machine, worker_price, server_price, free):
    return candidates.all_machines(row, machines, used, capacity, base, slope, worker_amount, server_amount,
             worker, server, most_servers, machine, worker_price, server_price, free)


@compiled
def _curves(rows, used, level, lowest, capacity, machines, base, slope, worker_amount, server_amount, worker, server, servers, together, apart, point_workers, point_together, point_samples):
    most = len(servers) - 1
    segments = len(rows)
    size = machines
    machine = np.empty(size, dtype=np.int64)
    worker_price, server_price = np.empty(size), np.empty(size)
    free = np.empty((size+1, len(worker)))
    w, s = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    near, far = np.empty(most + 1), np.empty(most + 1)
    where = np.empty(most + 1, dtype=np.int64)
    slower = np.empty(most + 1, dtype=np.bool_)
    for k in range(most + 1):
        slower[k] = apart[k] > together[k]
    limits = np.array([np.inf, np.inf])
    points = len(point_workers)
    offsets = np.zeros(segments + 1, dtype=np.int64)
    out_index = np.empty(max(1, segments * points), dtype=np.int64)
    out_cost = np.empty(max(1, segments * points))
    at = 0
    for k in range(segments):
        count = _select(rows[k], used, level, lowest, capacity, machines, base, slope, worker, worker_amount, server_amount, worker, server, most, servers[most], limits, machine, worker_price, server_price, free)
        filling.together_curve(worker_price[:count], server_price[:count], free[:count], worker, server, servers, together, near, where)
        filling.apart_curve(worker_price[:count], server_price[:count], free[:count], worker, server, servers, most, slower, far, w[:count], s[:count])
        begin = at
        lowest_cost = np.inf
        for p in range(points - 1, -1, -1):
            c = near[point_workers[p]] if point_together[p] else far[point_workers[p]]
            if c < lowest_cost:
                lowest_cost = c
                out_index[at] = p
                out_cost[at] = c
                at += 1
        out_index[begin:at] = out_index[begin:at][::-1].copy()
        out_cost[begin:at] = out_cost[begin:at][::-1].copy()
        offsets[k + 1] = at
    return offsets, out_index[:at].copy(), out_cost[:at].copy()


@compiled
def _place(row, used, level, lowest, capacity, machines, base, slope, worker_amount, server_amount, worker, server, servers, together, apart, workers, on_one):
    size = machines
    machine = np.empty(size, dtype=np.int64)
    worker_price, server_price = np.empty(size), np.empty(size)
    free = np.empty((size+1, len(worker)))
    limits = np.array([np.inf, np.inf])
    w, s = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    most = len(servers)-1
    count = _select(row, used, level, lowest, capacity, machines, base, slope, worker, worker_amount, server_amount, worker, server, most, servers[most], limits, machine, worker_price, server_price, free)
    cost = np.empty(most + 1)
    if on_one:
        where = np.empty(most + 1, dtype=np.int64)
        filling.together_curve(worker_price[:count], server_price[:count], free[:count], worker, server, servers, together, cost, where)
        if where[workers] < 0:
            return 0, machine[:0], w[:0], s[:0], np.inf
        w[0] = workers
        s[0] = servers[workers]
        return 1, machine[where[workers]:where[workers] + 1].copy(), w[:1], s[:1], cost[workers]
    slower = np.zeros(most + 1, dtype=np.bool_)
    wp, sp, fr = worker_price[:count], server_price[:count], free[:count]
    w, s = w[:count], s[:count]
    if filling.apart_curve(wp, sp, fr, worker, server, servers, workers, slower, cost, w, s) < workers:
        return 0, machine[:0], w[:0], s[:0], np.inf
    filling.improve(wp, sp, fr, worker, server, w, s)
    if apart[workers] > together[workers] and not filling.spread(wp, sp, fr, worker, server, w, s):
        return 0, machine[:0], w[:0], s[:0], np.inf
    total = 0.0
    for i in range(count):
        total += w[i] * wp[i] + s[i] * sp[i]
    return count, machine[:count], w, s, total
