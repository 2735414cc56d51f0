"""The pricing step: what all of a job's work costs at least by every slot, at given prices.

As the hull pass of the planner: every slot offers the lower convex hull of its points, and work is bought where it is
cheapest. What that costs is a lower bound on every schedule's price, and is reached by a mixture of points.

    samples[k]   what point k trains, rising  -> samples
    cost[t, k]   its price in slot t          -> cost
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NOISE = 1e-13


@compiled
def _hull(samples: Floats, cost: Floats, hull: Integers) -> int:
    """The points of the lower convex hull from (0, 0) on, written to `hull`; how many."""
    size = 0
    for point in range(len(samples)):
        x, y = samples[point], cost[point]
        while size > 0:
            top = hull[size - 1]
            if samples[top] == x and cost[top] <= y:
                break
            x0 = y0 = 0.0
            if size > 1:
                x0, y0 = samples[hull[size - 2]], cost[hull[size - 2]]
            if (cost[top] - y0) * (x - x0) < (y - y0) * (samples[top] - x0):
                break
            size -= 1
        if size == 0 or samples[hull[size - 1]] < x:
            hull[size] = point
            size += 1
    return size


@compiled
def _swap(prices: Floats, lengths: Floats, origin: Integers, one: int, other: int) -> None:
    price, length = prices[one], lengths[one]
    prices[one], lengths[one] = prices[other], lengths[other]
    prices[other], lengths[other] = price, length
    for column in range(3):
        kept = origin[one, column]
        origin[one, column] = origin[other, column]
        origin[other, column] = kept


@compiled
def _push(prices: Floats, lengths: Floats, origin: Integers, size: int) -> None:
    """Let the last of the heap rise to its place; the dearest is on top."""
    at = size - 1
    while at > 0 and prices[(at - 1) // 2] < prices[at]:
        _swap(prices, lengths, origin, at, (at - 1) // 2)
        at = (at - 1) // 2


@compiled
def _pop(prices: Floats, lengths: Floats, origin: Integers, size: int) -> None:
    """Move the top behind the heap, which is one shorter then."""
    _swap(prices, lengths, origin, 0, size - 1)
    at = 0
    while 2 * at + 1 < size - 1:
        child = 2 * at + 1
        if child + 1 < size - 1 and prices[child + 1] > prices[child]:
            child += 1
        if prices[at] >= prices[child]:
            return
        _swap(prices, lengths, origin, at, child)
        at = child


@compiled
def buy_work(samples: Floats, cost: Floats, work: float, slots: int, spent: Floats, prices: Floats, lengths: Floats,
             origin: Integers) -> int:  # fmt: skip
    """Write what the work costs at least by each of the first `slots` slots to `spent`, infinite where it cannot be.

    What is bought by the last of them is left in `prices` (per sample), `lengths` (samples; the first entry is bought
    as far as it takes) and `origin`: the slot, the point that the mixture goes away from (-1: nothing) and the point
    that it goes to. Returned is how many there are; they need room for the points of one slot more than the work takes.
    """
    hull = np.empty(len(samples), dtype=np.int64)
    size, bought, paid, moved = 0, 0.0, 0.0, 0.0
    for slot in range(slots):
        steps = _hull(samples, cost[slot], hull)
        before = -1
        x0 = y0 = 0.0
        for step in range(steps):
            point = hull[step]
            length, rise = samples[point] - x0, cost[slot, point] - y0
            price = rise / length
            if bought >= work and price >= prices[0]:
                break
            prices[size], lengths[size] = price, length
            origin[size, 0], origin[size, 1], origin[size, 2] = slot, before, point
            size += 1
            _push(prices, lengths, origin, size)
            bought += length
            paid += rise
            moved += rise
            before, x0, y0 = point, samples[point], cost[slot, point]
            while size > 1 and bought - lengths[0] >= work:
                bought -= lengths[0]
                paid -= prices[0] * lengths[0]
                _pop(prices, lengths, origin, size)
                size -= 1
        # Sums of what comes and goes are off by less than this share of all that has come.
        noise = _NOISE * (moved + work * prices[0]) if size > 0 else 0.0
        spent[slot] = max(0.0, paid - (bought - work) * prices[0] - noise) if bought >= work else np.inf
    return size
