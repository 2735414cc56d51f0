"""The curves of slots for OASiS: what every number of workers costs, with its servers, each in its own pool.

    p_w[h] = sum_r alpha_r Q1_r(rho[h] / C[h])   price of a worker on worker machine h   -> `price` of the workers
    p_s[k] = sum_r beta_r Q2_r(rho[k] / C[k])    price of a server on server machine k   -> `price` of the servers

W workers cost the sum of the W lowest prices p_w, counted as often as there is room; so do their servers with p_s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK
from pdors.planner.room import by_price, fill_floats, fitting

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

UNSEEN = -2
"""The block number of a machine that has not been looked at."""


class Tasks(NamedTuple):
    """One pool as a job sees it: machines with their capacity in units, what one task takes, and prices in log space.

    `wanted` are the tasks for each number of workers: W, or S. `price` of a task and `room` for tasks are those of the
    block `seen` on each machine; `order` is by price.
    """

    machine: Integers
    capacity: Floats
    amount: Floats
    demand: Floats
    wanted: Integers
    most: int
    base: Floats
    slope: Floats
    seen: Integers
    price: Floats
    room: Integers
    order: Integers


class Points(NamedTuple):
    """All points a curve of this job may have, by rising samples."""

    workers: Integers
    together: NDArray[np.bool_]
    samples: Floats


@compiled
def write_curves(rows: NDArray[np.int32], used: Floats, workers: Tasks, servers: Tasks,
                 slower_together: NDArray[np.bool_], points: Points, most_per_sample: float, offsets: Integers,
                 chosen: Integers, cost: Floats) -> int:  # fmt: skip
    """Write of each segment the points that train more than every cheaper one, and their cost; how many they are."""
    costs = np.empty((3, len(workers.wanted)))
    of_workers, of_servers, alone = costs[0], costs[1], costs[2]
    at = 0
    for segment in range(len(rows)):
        offsets[segment + 1] = at
        look(rows[segment], used, workers)
        look(rows[segment], used, servers)
        if _is_hopeless(workers, servers, points, most_per_sample):
            continue
        by_price(workers.price, workers.order)
        by_price(servers.price, servers.order)
        _cheapest_costs(workers, of_workers)
        _cheapest_costs(servers, of_servers)
        _costs_on_one(workers, alone)
        # From the most samples down, a point stays if it is cheaper than all that train more; then turned round.
        begin = at
        cheapest = np.inf
        for point in range(len(points.workers) - 1, -1, -1):
            count = points.workers[point]
            if points.together[point]:
                price = alone[count]
            else:
                price = of_workers[count] + of_servers[count]
                if servers.wanted[count] == 0 and slower_together[count]:
                    price += _cost_of_spreading(workers, count)
            if price < cheapest:
                cheapest = price
                if at > begin and points.samples[chosen[at - 1]] == points.samples[point]:
                    at -= 1
                chosen[at], cost[at] = point, price
                at += 1
        for step in range((at - begin) // 2):
            left, right = begin + step, at - 1 - step
            chosen[left], chosen[right] = chosen[right], chosen[left]
            cost[left], cost[right] = cost[right], cost[left]
        offsets[segment + 1] = at
    return at


@compiled
def look(row: NDArray[np.int32], used: Floats, tasks: Tasks) -> None:
    """Find price and room of the machines whose block is not the one seen last."""
    resources = len(tasks.demand)
    free = np.empty(resources)
    for at in range(len(tasks.machine)):
        block, inside = tasks.machine[at] // BLOCK, tasks.machine[at] % BLOCK
        number = row[block]
        if tasks.seen[at] == number:
            continue
        tasks.seen[at] = number
        price = 0.0
        for resource in range(resources):
            capacity = tasks.capacity[at, resource]
            held = 0.0 if number < 0 else used[number, resource, inside]
            free[resource] = capacity - held
            if tasks.amount[resource] > 0.0:
                fraction = held / capacity if capacity > 0.0 else 1.0
                price += tasks.amount[resource] * np.exp(tasks.base[resource] + tasks.slope[resource] * fraction)
        tasks.price[at] = price
        tasks.room[at] = fitting(free, tasks.demand, tasks.most)


@compiled
def _least(tasks: Tasks) -> float:
    """The lowest price of a task."""
    least = np.inf
    for at in range(len(tasks.machine)):
        if tasks.room[at] > 0 and tasks.price[at] < least:
            least = tasks.price[at]
    return least


@compiled
def _is_hopeless(workers: Tasks, servers: Tasks, points: Points, most_per_sample: float) -> bool:
    """Whether no point can cost less than `most_per_sample`, if every task costs as little as the cheapest."""
    worker_price, server_price = _least(workers), _least(servers)
    for point in range(len(points.workers)):
        count = points.workers[point]
        price = count * worker_price
        if servers.wanted[count] > 0:
            price += servers.wanted[count] * server_price
        if price < most_per_sample * points.samples[point]:
            return False
    return True


@compiled
def _cheapest_costs(tasks: Tasks, cost: Floats) -> None:
    """cost[W] of the tasks wanted with W workers, infinite where they do not fit."""
    fill_floats(cost, np.inf)
    placed, total, here, position = 0, 0.0, 0, 0
    for count in range(len(cost)):
        while placed < tasks.wanted[count]:
            if position == len(tasks.order):
                return
            at = tasks.order[position]
            more = min(tasks.room[at] - here, tasks.wanted[count] - placed)
            total += more * tasks.price[at]
            placed += more
            here += more
            if here == tasks.room[at]:
                here = 0
                position += 1
        cost[count] = total


@compiled
def _costs_on_one(tasks: Tasks, cost: Floats) -> None:
    """The same for W workers on one machine."""
    fill_floats(cost, np.inf)
    reached = 0
    for at in tasks.order:
        for count in range(reached + 1, tasks.room[at] + 1):
            cost[count] = count * tasks.price[at]
        reached = max(reached, tasks.room[at])


@compiled
def _cost_of_spreading(tasks: Tasks, count: int) -> float:
    """What it costs that so many tasks on the cheapest machines lie on two of them at least."""
    first = -1
    for at in tasks.order:
        if tasks.room[at] == 0:
            continue
        if first >= 0:
            return tasks.price[at] - tasks.price[first] if count > 1 else np.inf
        if tasks.room[at] < count:
            return 0.0
        first = at
    return np.inf
