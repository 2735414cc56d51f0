"""Which machines of a slot are worth looking at for one job: the cheapest ones for its workers and its servers.

On a small cluster that is every machine that can hold something. On a large one a few dozen of ten thousand matter,
and finding them is most of the time of a decision: blocks are passed over by a lower bound of their prices, machines
by how full they are, and only what is left is priced exactly.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK, LEVELS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = NDArray[np.int32]
Levels = NDArray[np.uint16]

SMALL_CLUSTER = 128
"""Up to so many machines every one is a candidate."""
_SLACK = 1.5
"""Candidates hold this many times the most workers and servers of the job: the two compete for room."""
_SPARE_TASKS = 16


@compiled
def level_prices(base: Floats, slope: Floats) -> Floats:
    """The price per unit at each level, (resources, LEVELS): a lower bound for every machine on that level."""
    prices = np.empty((len(base), LEVELS))
    for resource in range(len(base)):
        # A product of steps instead of LEVELS exponentials, a hair below so that rounding cannot lift it.
        price, step = math.exp(base[resource]) * (1.0 - 1e-9), math.exp(slope[resource] / (LEVELS - 1))
        for level in range(LEVELS):
            prices[resource, level] = price
            price *= step
    return prices


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


@compiled
def all_machines(row: Rows, machines: int, used: Floats, capacity: Floats, base: Floats, slope: Floats,
                 worker_amount: Floats, server_amount: Floats, worker: Floats, server: Floats, most_servers: int,
                 out_machine: Integers, out_worker_price: Floats, out_server_price: Floats,
                 out_free: Floats) -> int:  # fmt: skip
    """Every machine that can hold a task, with the prices of a worker and a server and what it has left."""
    count = 0
    for machine in range(machines):
        count += _consider(
            machine, row[machine // BLOCK], used, capacity, base, slope, worker_amount, server_amount, worker, server,
            most_servers, count, out_machine, out_worker_price, out_server_price, out_free,
        )  # fmt: skip
    return count


@compiled
def _consider(machine: int, number: int, used: Floats, capacity: Floats, base: Floats, slope: Floats,
              worker_amount: Floats, server_amount: Floats, worker: Floats, server: Floats, most_servers: int,
              at: int, out_machine: Integers, out_worker_price: Floats, out_server_price: Floats,
              out_free: Floats) -> int:  # fmt: skip
    """Write the machine to place `at` if a task fits: 1, else 0."""
    block, inside = machine // BLOCK, machine % BLOCK
    worker_fits, server_fits = True, most_servers > 0
    for resource in range(len(worker)):
        free = capacity[block, resource, inside]
        if number >= 0:
            free -= used[number, resource, inside]
        out_free[at, resource] = free
        worker_fits = worker_fits and free >= worker[resource]
        server_fits = server_fits and free >= server[resource]
    if not (worker_fits or server_fits):
        return 0
    worker_price = server_price = 0.0
    for resource in range(len(worker)):
        if worker_amount[resource] > 0.0 or server_amount[resource] > 0.0:
            exponent = base[resource]
            if number >= 0 and capacity[block, resource, inside] > 0.0:
                exponent += slope[resource] * used[number, resource, inside] / capacity[block, resource, inside]
            price = math.exp(exponent)
            worker_price += worker_amount[resource] * price
            server_price += server_amount[resource] * price
    out_machine[at] = machine
    out_worker_price[at] = worker_price
    out_server_price[at] = server_price
    return 1


@compiled
def cheapest_machines(row: Rows, machines: int, used: Floats, level: Levels, lowest: Levels, capacity: Floats,
                      base: Floats, slope: Floats, prices: Floats, worker_amount: Floats, server_amount: Floats,
                      worker: Floats, server: Floats, most_workers: int, most_servers: int,
                      worker_limit: float, server_limit: float,
                      out_machine: Integers, out_worker_price: Floats, out_server_price: Floats,
                      out_free: Floats) -> tuple[int, float, float]:  # fmt: skip
    """As `all_machines`, but only the cheapest for workers and for servers, with room for the whole job and more.

    The limits are guesses of the highest prices that matter; the true ones are returned with the count. A count of
    -1: the guesses were too low.
    """
    resources = len(worker)
    worker_need, server_need = _SLACK * most_workers + _SPARE_TASKS, _SLACK * most_servers + _SPARE_TASKS
    size = len(out_machine)
    guessed = worker_limit < np.inf or (most_servers > 0 and server_limit < np.inf)
    if most_servers == 0:
        server_limit = -1.0
    worker_room, server_room = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    keep = np.empty(size, dtype=np.bool_)
    count = 0
    for touched in range(2):
        for block in range(len(row)):
            number = row[block]
            if (number >= 0) != (touched == 1):
                continue
            worker_bound = server_bound = 0.0
            for resource in range(resources):
                price = prices[resource, 0 if number < 0 else lowest[number, resource]]
                worker_bound += worker_amount[resource] * price
                server_bound += server_amount[resource] * price
            if worker_bound >= worker_limit and server_bound >= server_limit:
                continue
            for inside in range(min(BLOCK, machines - block * BLOCK)):
                if number >= 0:
                    worker_bound = server_bound = 0.0
                    for resource in range(resources):
                        price = prices[resource, level[number, resource, inside]]
                        worker_bound += worker_amount[resource] * price
                        server_bound += server_amount[resource] * price
                if worker_bound >= worker_limit and server_bound >= server_limit:
                    continue
                if not _consider(
                    block * BLOCK + inside, number, used, capacity, base, slope, worker_amount, server_amount, worker,
                    server, most_servers, count, out_machine, out_worker_price, out_server_price, out_free,
                ):  # fmt: skip
                    continue
                worker_room[count] = fitting(out_free[count], worker, most_workers)
                server_room[count] = fitting(out_free[count], server, most_servers)
                count += 1
                if count == size:
                    keep[:] = False
                    worker_limit = min(worker_limit, _mark_cheapest(out_worker_price, worker_room, count, worker_need, keep))
                    if most_servers > 0:
                        server_limit = min(
                            server_limit, _mark_cheapest(out_server_price, server_room, count, server_need, keep)
                        )
                    count = _compress(
                        keep, count, out_machine, out_worker_price, out_server_price, out_free, worker_room, server_room
                    )
                    if count == size:
                        return -2, worker_limit, server_limit
    if guessed and (
        worker_room[:count].sum() < worker_need or (most_servers > 0 and server_room[:count].sum() < server_need)
    ):
        return -1, np.inf, np.inf
    keep[:] = False
    worker_limit = _mark_cheapest(out_worker_price, worker_room, count, worker_need, keep)
    if most_servers > 0:
        server_limit = _mark_cheapest(out_server_price, server_room, count, server_need, keep)
    count = _compress(keep, count, out_machine, out_worker_price, out_server_price, out_free, worker_room, server_room)
    return count, worker_limit, server_limit


@compiled
def _mark_cheapest(price: Floats, room: Integers, count: int, need: float, keep: NDArray[np.bool_]) -> float:
    """Mark the cheapest entries with enough room together; the price from which nothing more is needed."""
    held = 0.0
    for index in np.argsort(price[:count]):
        if room[index] > 0:
            keep[index] = True
            held += room[index]
            if held >= need:
                return float(price[index])
    return np.inf


@compiled
def _compress(keep: NDArray[np.bool_], count: int, machine: Integers, worker_price: Floats, server_price: Floats,
              free: Floats, worker_room: Integers, server_room: Integers) -> int:  # fmt: skip
    kept = 0
    for index in range(count):
        if keep[index]:
            machine[kept] = machine[index]
            worker_price[kept], server_price[kept] = worker_price[index], server_price[index]
            worker_room[kept], server_room[kept] = worker_room[index], server_room[index]
            for resource in range(free.shape[1]):
                free[kept, resource] = free[index, resource]
            kept += 1
    return kept
