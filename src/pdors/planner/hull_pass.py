"""The first pass of Algorithm 3: work bought where it is cheapest, on the lower convex hulls of the slots' curves.

A hull is a row of steps of rising price per sample. While a slot is added, its steps below the dearest step in use
replace what is dearer. So the plan in hand is always the linear optimum with its last step bought whole:

    bound = cost of the linear optimum   <=   Theta(d, V)   <=   cost of the plan in hand

A step of a segment may be taken in several of its slots; `taken` counts them. Within a segment the first slots take the
most, and a slot that takes a step takes all steps before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def hull_steps(offsets: Integers, samples: Floats, cost: Floats, limit: float, step_point: Integers,
               step_offsets: Integers) -> None:  # fmt: skip
    """The points on the lower convex hull of each segment's curve from (0, 0), as far as they train at most `limit`
    (and the first beyond): written to `step_point`, those of segment k at step_offsets[k] .. step_offsets[k + 1].
    """
    at = 0
    for segment in range(len(offsets) - 1):
        begin = at
        for point in range(offsets[segment], offsets[segment + 1]):
            x, y = samples[point], cost[point]
            while at > begin:
                top = step_point[at - 1]
                x0, y0 = 0.0, 0.0
                if at - 1 > begin:
                    below = step_point[at - 2]
                    x0, y0 = samples[below], cost[below]
                # The last point is not below the line from the one before it to the new one: not on the hull.
                # Compared are the very prices of the steps, which `buy` counts on to rise.
                if (cost[top] - y0) / (samples[top] - x0) >= (y - cost[top]) / (x - samples[top]):
                    at -= 1
                else:
                    break
            step_point[at] = point
            at += 1
            if x >= limit:
                break
        step_offsets[segment + 1] = at


@compiled
def _rise(heap: Integers, size: int, price: Floats) -> None:
    at = size - 1
    while at > 0:
        parent = (at - 1) // 2
        if price[heap[parent]] >= price[heap[at]]:
            return
        heap[parent], heap[at] = heap[at], heap[parent]
        at = parent


@compiled
def _sink(heap: Integers, size: int, price: Floats) -> None:
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and price[heap[child + 1]] > price[heap[child]]:
            child += 1
        if price[heap[at]] >= price[heap[child]]:
            return
        heap[child], heap[at] = heap[at], heap[child]
        at = child


@compiled
def buy(lengths: Integers, samples: Floats, cost: Floats, work: float, step_point: Integers,
        step_offsets: Integers, slots: int, taken: Integers, bound: Floats, price: Floats) -> float:  # fmt: skip
    """Add the first `slots` slots one by one: bound[d] and price[d] of the plan that ends by slot d, infinite where
    the work cannot be done by then. `taken[step]` is left as of the last slot. The price per sample of the dearest
    step in use is returned, infinite while the work cannot be done.
    """
    steps = step_offsets[len(lengths)]
    scratch = np.empty((3, steps))
    step_samples, step_cost, step_price = scratch[0], scratch[1], scratch[2]
    for segment in range(len(lengths)):
        x0 = y0 = 0.0
        for step in range(step_offsets[segment], step_offsets[segment + 1]):
            point = step_point[step]
            step_samples[step], step_cost[step] = samples[point] - x0, cost[point] - y0
            step_price[step] = step_cost[step] / step_samples[step]
            x0, y0 = samples[point], cost[point]
    for step in range(len(taken)):
        taken[step] = 0
    heap = np.empty(steps + 1, dtype=np.int64)
    size = 0
    done = spent = 0.0
    slot = 0
    for segment in range(len(lengths)):
        changed = True
        for _ in range(lengths[segment]):
            if slot == slots:
                return step_price[heap[0]] if size > 0 and done >= work else np.inf
            if changed:
                changed = False
                for step in range(step_offsets[segment], step_offsets[segment + 1]):
                    if done >= work and step_price[step] >= step_price[heap[0]]:
                        break
                    changed = True
                    done += step_samples[step]
                    spent += step_cost[step]
                    taken[step] += 1
                    if taken[step] == 1:
                        heap[size] = step
                        size += 1
                        _rise(heap, size, step_price)
                    # Give back what is dearest and no longer needed.
                    while size > 0:
                        top = heap[0]
                        count = min(taken[top], int((done - work) / step_samples[top]))
                        if count <= 0:
                            break
                        taken[top] -= count
                        done -= count * step_samples[top]
                        spent -= count * step_cost[top]
                        if taken[top] > 0:
                            break
                        size -= 1
                        heap[0] = heap[size]
                        _sink(heap, size, step_price)
            if done >= work and size > 0:
                bound[slot] = spent - (done - work) * step_price[heap[0]]
                price[slot] = spent
            slot += 1
    return step_price[heap[0]] if size > 0 and done >= work else np.inf
