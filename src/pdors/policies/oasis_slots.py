"""One slot of OASiS: workers on the cheapest worker machines, servers on the cheapest server machines, one by one.

Tasks of one kind are alike and compete with none of the other, so filling the cheapest machines first is exact. Jobs
without servers have the worker machines alone, together on one of them or apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot
from pdors.policies.oasis_curves import UNSEEN, Points, Tasks, look, write_curves
from pdors.policies.oasis_pools import Pools
from pdors.policies.oasis_prices import PoolBounds

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class PoolSlotSolver:
    """`SlotSolver` for a cluster in two pools; given one pair of bounds, it takes them for both."""

    def __init__(self, units: Units, pools: Pools) -> None:
        self._worker_machines, self._server_machines = pools.worker_machines, pools.server_machines
        self._capacity = units.capacity

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,  # noqa: ARG002 - its curves miss no number
    ) -> Curves:
        workers, servers = self._pools(shape, prices)
        points = _points(shape)
        offsets = np.zeros(len(segments) + 1, dtype=np.int64)
        room = max(1, len(segments) * len(points.workers))
        chosen, cost = np.empty(room, dtype=np.int64), np.empty(room)
        slower_together = shape.apart > shape.together
        count = write_curves(segments.rows, segments.used, workers, servers, slower_together, points, most_per_sample,
                        offsets, chosen, cost)  # fmt: skip
        index = chosen[:count]
        return Curves(offsets, points.workers[index], points.together[index], points.samples[index], cost[:count])

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        of_workers, of_servers = self._pools(shape, prices)
        for tasks in (of_workers, of_servers):
            look(segments.rows[segment], segments.used, tasks)
        servers = int(shape.servers[workers])
        w = _on_one(of_workers, workers) if together else _on_cheapest(of_workers, workers)
        s = _on_cheapest(of_servers, servers)
        if w is None or s is None:
            return None
        faster_apart = not together and not servers and shape.apart[workers] > shape.together[workers]
        if faster_apart and not _spread(of_workers, w):
            return None
        shares = [(machine, count, 0) for machine, count in _held(of_workers, w)]
        shares += [(machine, 0, count) for machine, count in _held(of_servers, s)]
        return PlacedSlot(Placement.of(shares), float(w @ of_workers.price + s @ of_servers.price))

    def _pools(self, shape: JobShape, prices: PriceBounds) -> tuple[Tasks, Tasks]:
        of_workers, of_servers = prices, prices
        if isinstance(prices, PoolBounds):
            of_workers, of_servers = prices.of_workers, prices.of_servers
        job, counts = shape.job, np.arange(shape.max_workers + 1)
        return (
            self._tasks(self._worker_machines, of_workers, job.worker, shape.worker, counts),
            self._tasks(self._server_machines, of_servers, job.server, shape.server, shape.servers),
        )

    def _tasks(
        self, machines: Integers, prices: PriceBounds, amount: tuple[float, ...], demand: Floats, wanted: Integers
    ) -> Tasks:
        return Tasks(
            machines,
            self._capacity[machines],
            np.array(amount, dtype=np.float64),
            demand,
            wanted,
            int(wanted.max()),
            prices.base,
            prices.slope,
            np.full(len(machines), UNSEEN),
            np.empty(len(machines)),
            np.empty(len(machines), dtype=np.int64),
            np.empty(len(machines), dtype=np.int64),
        )


def _points(shape: JobShape) -> Points:
    counts = np.arange(shape.max_workers + 1)
    workers = np.concatenate([counts, counts])
    together = np.repeat([True, False], len(counts))
    samples = np.concatenate([np.where(shape.servers > 0, 0.0, shape.together), shape.apart])
    order = np.lexsort((workers, samples))
    order = order[samples[order] > 0]
    return Points(workers[order], together[order], samples[order])


def _on_cheapest(tasks: Tasks, count: int) -> Integers | None:
    """So many tasks on the cheapest machines, counted per machine; None if they do not fit."""
    order = np.argsort(tasks.price, kind="stable")
    room = tasks.room[order]
    held = np.zeros_like(tasks.room)
    held[order] = np.clip(count - (np.cumsum(room) - room), 0, room)
    return held if held.sum() == count else None


def _on_one(tasks: Tasks, count: int) -> Integers | None:
    """All of them on the cheapest machine that has room for them; None if there is none."""
    fits = tasks.room >= count
    if not fits.any():
        return None
    held = np.zeros_like(tasks.room)
    held[np.argmin(np.where(fits, tasks.price, np.inf))] = count
    return held


def _held(tasks: Tasks, held: Integers) -> Iterator[tuple[int, int]]:
    """(machine, tasks) where there are any."""
    used = np.flatnonzero(held)
    return zip(tasks.machine[used].tolist(), held[used].tolist(), strict=True)


def _spread(tasks: Tasks, held: Integers) -> bool:
    """Move a task to the cheapest other machine if all are on one; False where none can be."""
    used = np.flatnonzero(held)
    if len(used) > 1:
        return True
    others = np.flatnonzero((tasks.room > 0) & (held == 0))
    if held.sum() < 2 or not len(others):
        return False
    held[used] -= 1
    held[others[np.argmin(tasks.price[others])]] = 1
    return True
