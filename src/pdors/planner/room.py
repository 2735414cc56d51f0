"""Arithmetic of the inner loops: what fits into what a machine has left, what tasks cost, which machine is cheapest.

Spelled out as loops: the array expressions of numpy that say the same take ten times as long to compile.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled, compiled_step

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled_step
def fits(free: Floats, demand: Floats) -> bool:
    for resource in range(len(demand)):
        if free[resource] < demand[resource]:
            return False
    return True


@compiled_step
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
            count = max(count, math.ceil(lack / leaving[resource]))
    return count if count <= held else 0


@compiled_step
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


@compiled
def fitting_beside(free: Floats, demand: Floats, most: int, other: Floats, count: int) -> int:
    """As `fitting`, once `count` tasks of demand `other` have come (below 0: have gone)."""
    held = most
    for resource in range(len(demand)):
        if demand[resource] > 0.0:
            left = free[resource] - count * other[resource]
            if left < demand[resource]:
                return 0
            here = left / demand[resource]
            if here < held:
                held = int(here)
    return held


@compiled
def fill(values: Integers, value: int) -> None:
    for index in range(len(values)):
        values[index] = value


@compiled
def fill_floats(values: Floats, value: float) -> None:
    for index in range(len(values)):
        values[index] = value


@compiled
def copy(source: Integers, target: Integers) -> None:
    for index in range(len(target)):
        target[index] = source[index]


@compiled
def total(counts: Integers) -> int:
    result = 0
    for count in counts:
        result += count
    return result


@compiled
def cost_of(w: Integers, worker_price: Floats, s: Integers, server_price: Floats) -> float:
    """Price of w[i] workers and s[i] servers on every machine i."""
    cost = 0.0
    for index in range(len(w)):
        cost += w[index] * worker_price[index] + s[index] * server_price[index]
    return cost


@compiled
def by_price(price: Floats, order: Integers) -> None:
    """Write the machines 0 .. len(price) - 1 to `order`, the cheapest first, of equal ones the earlier (Shell sort)."""
    for index in range(len(price)):
        order[index] = index
    gap = 1
    while gap < len(price) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(gap, len(price)):
            moving, at = order[index], index
            while at >= gap:
                before = order[at - gap]
                if price[before] < price[moving] or (price[before] == price[moving] and before < moving):
                    break
                order[at] = before
                at -= gap
            order[at] = moving
        gap //= 3
