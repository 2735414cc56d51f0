"""A placement of one segment in another one: what it would cost there, if it fits."""

from __future__ import annotations

import numpy as np

from pdors.model.blocks import BLOCK, UNTOUCHED
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape


def cost_of_keeping(
    placement: Placement, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, units: Units
) -> float | None:
    """The price of the same workers and servers on the same machines; None where one of these has no room."""
    machines = np.array([share.machine for share in placement.shares])
    tasks = np.array([(share.workers, share.servers) for share in placement.shares], dtype=np.float64)
    numbers = segments.rows[segment, machines // BLOCK]
    capacity = units.capacity[machines]
    used = np.zeros_like(capacity)
    touched = numbers != UNTOUCHED
    used[touched] = segments.used[numbers[touched], :, machines[touched] % BLOCK]
    if (used + tasks @ np.array([shape.worker, shape.server]) > capacity).any():
        return None
    fraction = np.divide(used, capacity, out=np.ones_like(used), where=capacity > 0)
    amounts = tasks @ np.array([shape.job.worker, shape.job.server])
    return float((amounts * prices.price_on(machines, fraction)).sum())
