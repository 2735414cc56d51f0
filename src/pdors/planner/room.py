"""How many tasks fit into what a machine has left; arithmetic of the inner loops."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def fits(free: Floats, demand: Floats) -> bool:
    for resource in range(len(demand)):
        if free[resource] < demand[resource]:
            return False
    return True


@compiled
def take(free: Floats, demand: Floats, count: int) -> None:
    for resource in range(len(demand)):
        free[resource] -= count * demand[resource]


@compiled
def needed_out(free: Floats, wanted: Floats, leaving: Floats, held: int) -> int:
    """How many of the `held` tasks of demand `leaving` must go so that one of demand `wanted` fits; 0: not by that."""
    count = 0
    for resource in range(len(wanted)):
        lack = wanted[resource] - free[resource]
        if lack > 0.0:
            if leaving[resource] <= 0.0:
                return 0
            count = max(count, int(np.ceil(lack / leaving[resource])))
    return count if count <= held else 0


@compiled
def fitting(free: Floats, demand: Floats, most: int) -> int:
    """How many tasks of one kind fit into `free`, at most `most`."""
    count = most
    for resource in range(len(demand)):
        if demand[resource] > 0.0:
            if free[resource] < demand[resource]:
                return 0
            held = free[resource] / demand[resource]
            if held < count:
                count = int(held)
    return count
