"""The second pass of Algorithm 3: the dynamic program on a grid of the work.

A state is the work done so far, in cells of V / cells; its label carries the exact work and price of the cheapest way
found to get there. Merging the ways that meet in one cell is the error of the grid: at most one cell of work per slot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def height_above_hull(offsets: Integers, samples: Floats, cost: Floats, step_point: Integers,
                      step_offsets: Integers, height: Floats) -> None:  # fmt: skip
    """How far each point lies above its segment's hull: what a plan that uses it loses at least; infinite beyond."""
    for segment in range(len(offsets) - 1):
        step, last = step_offsets[segment], step_offsets[segment + 1]
        x0 = y0 = 0.0
        for point in range(offsets[segment], offsets[segment + 1]):
            while step < last and samples[point] > samples[step_point[step]]:
                x0, y0 = samples[step_point[step]], cost[step_point[step]]
                step += 1
            if step == last:
                height[point] = np.inf
                continue
            x1, y1 = samples[step_point[step]], cost[step_point[step]]
            height[point] = cost[point] - (y0 + (y1 - y0) * (samples[point] - x0) / (x1 - x0))


@compiled
def run_grid(segment_of: Integers, point_offsets: Integers, point: Integers, samples: Floats, cost: Floats, work: float,
             cells: int, most_cost: float, price: Floats, came_from: NDArray[np.int32],
             came_by: NDArray[np.int32]) -> None:  # fmt: skip
    """Over the listed slots (`segment_of[i]`), price[i] of the cheapest plan that ends by slot i; with the way back:
    the label (slot, cell) came from cell `came_from` by point `came_by` (-1: nothing done in that slot).

    `point` lists the points to try of each segment; plans dearer than `most_cost` are of no interest.
    """
    labels = np.empty((4, cells + 1))
    label_cost, label_work, next_cost, next_work = labels[0], labels[1], labels[2], labels[3]
    for cell in range(cells + 1):
        label_cost[cell], label_work[cell] = np.inf, 0.0
    label_cost[0] = 0.0
    per_sample = cells / work
    for index in range(len(segment_of)):
        segment = segment_of[index]
        for cell in range(cells + 1):
            next_cost[cell], next_work[cell] = label_cost[cell], label_work[cell]
            came_from[index, cell] = cell
            came_by[index, cell] = -1
        for at in range(point_offsets[segment], point_offsets[segment + 1]):
            chosen = point[at]
            more_work, more_cost = samples[chosen], cost[chosen]
            for cell in range(cells):
                total_cost = label_cost[cell] + more_cost
                if total_cost >= most_cost:
                    continue
                total_work = label_work[cell] + more_work
                target = cells if total_work >= work else min(cells - 1, int(total_work * per_sample))
                if total_cost < next_cost[target] or (
                    total_cost == next_cost[target] and total_work > next_work[target]
                ):
                    next_cost[target], next_work[target] = total_cost, total_work
                    came_from[index, target] = cell
                    came_by[index, target] = chosen
        label_cost, next_cost = next_cost, label_cost
        label_work, next_work = next_work, label_work
        price[index] = label_cost[cells]
