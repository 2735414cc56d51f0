"""A plan made whole: what is missing is bought in the cheapest way, what is too much is given back.

A plan is held as classes: `count` slots of a segment that all use the same point of its curve (-1: nothing yet).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def _of(values: Floats, point: int) -> float:
    return values[point] if point >= 0 else 0.0


@compiled
def _move(segment: Integers, point: Integers, count: Integers, classes: int, at: int, target: int) -> int:
    """One slot of class `at` now uses the point `target`; the number of classes is returned."""
    count[at] -= 1
    for index in range(classes):
        if segment[index] == segment[at] and point[index] == target:
            count[index] += 1
            return classes
    segment[classes], point[classes], count[classes] = segment[at], target, 1
    return classes + 1


@compiled
def settle(segment: Integers, point: Integers, count: Integers, classes: int, offsets: Integers, samples: Floats,
           cost: Floats, work: float) -> int:  # fmt: skip
    """Change the classes so that the work is done and no single slot can do with less; the number of classes, -1 if
    the work cannot be done. The arrays must have room to grow.
    """
    done = 0.0
    for index in range(classes):
        done += count[index] * _of(samples, point[index])
    while done < work:
        # The cheapest change of one slot that does the rest; if none does, the one that does most for its price.
        best, best_at, best_target, rest_done = np.inf, -1, -1, False
        for index in range(classes):
            if count[index] == 0:
                continue
            x, y = _of(samples, point[index]), _of(cost, point[index])
            for target in range(max(point[index] + 1, offsets[segment[index]]), offsets[segment[index] + 1]):
                gain, extra = samples[target] - x, cost[target] - y
                if gain <= 0.0:
                    continue
                if done + gain >= work:
                    if not rest_done or extra < best:
                        best, best_at, best_target, rest_done = extra, index, target, True
                    break
                if not rest_done and extra / gain < best:
                    best, best_at, best_target = extra / gain, index, target
        if best_at < 0:
            return -1
        done += samples[best_target] - _of(samples, point[best_at])
        classes = _move(segment, point, count, classes, best_at, best_target)
    for _ in range(len(point) - classes):
        best, best_at, best_target = 0.0, -1, -1
        for index in range(classes):
            if count[index] == 0 or point[index] < 0:
                continue
            x, y = samples[point[index]], cost[point[index]]
            for target in range(offsets[segment[index]] - 1, point[index]):
                less = target if target >= offsets[segment[index]] else -1
                if done - x + _of(samples, less) >= work:
                    saved = y - _of(cost, less)
                    if saved > best:
                        best, best_at, best_target = saved, index, less
                    break
        if best_at < 0:
            break
        done += _of(samples, best_target) - samples[point[best_at]]
        classes = _move(segment, point, count, classes, best_at, best_target)
    return classes
