"""One slot of the ledger as dense arrays over all machines: simple, and as long as the cluster is large."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.model.blocks import UNTOUCHED
from pdors.model.ledger import Segments
from pdors.model.units import Units
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotProblem

Floats = NDArray[np.float64]


def dense_problem(shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, units: Units) -> SlotProblem:
    """Prices and free capacity of every machine during `segment`.

    p_w[h] = sum_r alpha_r Q_r(rho / C), and p_s[h] with beta; a resource that a machine lacks counts as exhausted.
    """
    used = _dense_used(segments, segment, len(units.capacity))
    fraction = np.divide(used, units.capacity, out=np.ones_like(used), where=units.capacity > 0)
    price = prices.price(fraction)
    return SlotProblem(
        worker_price=price @ np.array(shape.job.worker),
        server_price=price @ np.array(shape.job.server),
        free=units.capacity - used,
        worker=shape.worker,
        server=shape.server,
    )


def _dense_used(segments: Segments, segment: int, machines: int) -> Floats:
    row = segments.rows[segment]
    resources, per_block = segments.used.shape[1:]
    table = np.zeros((len(row), resources, per_block))
    touched = row != UNTOUCHED
    table[touched] = segments.used[row[touched]]
    return np.ascontiguousarray(table.transpose(0, 2, 1).reshape(-1, resources)[:machines])
