"""A placement of one count made cheaper by exchanges of tasks between machines, until none pays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import copy, cost_of, fill, fitting, fitting_beside, needed_out, take, total

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST_ROUNDS = 40


@compiled
def _dearest(tasks: Integers, price: Floats, but: int, taken: Integers) -> int:
    best, best_price = -1, -np.inf
    for index in range(len(tasks)):
        if index != but and tasks[index] - taken[index] > 0 and price[index] > best_price:
            best, best_price = index, price[index]
    return best


@compiled
def _cheapest_room(room: Integers, price: Floats, but: int, given: Integers) -> int:
    best, best_price = -1, np.inf
    for index in range(len(room)):
        if index != but and room[index] - given[index] > 0 and price[index] < best_price:
            best, best_price = index, price[index]
    return best


@compiled
def _exchange(at: int, comers: int, leavers: int, incoming: Integers, price_in: Floats, price_out: Floats,
              room_out: Integers, sources: Integers, targets: Integers) -> float:  # fmt: skip
    """What is saved if `comers` tasks of one kind come to machine `at` from the dearest machines that hold them, and
    `leavers` of the other kind go from it to the cheapest with room; sources, targets: how many from and to where.
    """
    fill(sources, 0)
    fill(targets, 0)
    saved = 0.0
    for _ in range(comers):
        source = _dearest(incoming, price_in, at, sources)
        if source < 0:
            return -np.inf
        sources[source] += 1
        saved += price_in[source] - price_in[at]
    for _ in range(leavers):
        target = _cheapest_room(room_out, price_out, at, targets)
        if target < 0:
            return -np.inf
        targets[target] += 1
        saved -= price_out[target] - price_out[at]
    return saved


@compiled
def improve(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
            w: Integers, s: Integers) -> None:  # fmt: skip
    """Exchange tasks between machines until no exchange around one machine saves anything.

    Around a machine: workers come from the dearest ones and servers leave for the cheapest room, or the other way
    round; one of either kind against as many of the other as its room needs, or as its leaving makes room for.
    """
    machines = len(worker_price)
    scratch = np.empty((6, machines), dtype=np.int64)
    room_w, room_s, sources, targets = scratch[0], scratch[1], scratch[2], scratch[3]
    best_sources, best_targets = scratch[4], scratch[5]
    workers, servers = total(w), total(s)
    for _ in range(_MOST_ROUNDS):
        for index in range(machines):
            room_w[index] = fitting(free[index], worker, workers)
            room_s[index] = fitting(free[index], server, servers)
        best, best_at, workers_come = 1e-12 * cost_of(w, worker_price, s, server_price), -1, True
        for at in range(machines):
            for kind in range(2):
                come = kind == 0
                incoming, outgoing = (w, s) if come else (s, w)
                price_in, price_out = (worker_price, server_price) if come else (server_price, worker_price)
                demand_in, demand_out = (worker, server) if come else (server, worker)
                room_in, room_out = (room_w, room_s) if come else (room_s, room_w)
                total_in = workers if come else servers
                fill(sources, 0)
                source = _dearest(incoming, price_in, at, sources)
                if source < 0 or price_in[source] <= price_in[at]:
                    continue
                choices = 1 if room_in[at] > 0 else 3 if outgoing[at] > 0 else 0
                for choice in range(choices):
                    if room_in[at] > 0:
                        comers, leavers = min(room_in[at], incoming[source]), 0
                    elif choice == 0:
                        comers, leavers = 1, needed_out(free[at], demand_in, demand_out, outgoing[at])
                    elif choice == 1:
                        # As many as come once one has left, if that is more than none.
                        leavers = 1
                        comers = fitting_beside(free[at], demand_in, total_in, demand_out, -leavers)
                    else:
                        leavers = outgoing[at]
                        comers = fitting_beside(free[at], demand_in, total_in, demand_out, -leavers)
                    comers = min(comers, total_in - incoming[at])
                    if comers == 0 or (leavers == 0 and room_in[at] == 0):
                        continue
                    saved = _exchange(at, comers, leavers, incoming, price_in, price_out, room_out, sources, targets)
                    if saved > best and _can_swap(at, free, demand_in, demand_out, sources, targets):
                        best, best_at, workers_come = saved, at, come
                        copy(sources, best_sources)
                        copy(targets, best_targets)
        if best_at < 0:
            return
        incoming, outgoing = (w, s) if workers_come else (s, w)
        demand_in, demand_out = (worker, server) if workers_come else (server, worker)
        for index in range(machines):
            moved_in, moved_out = best_sources[index], best_targets[index]
            if moved_in > 0:
                incoming[index] -= moved_in
                incoming[best_at] += moved_in
                take(free[index], demand_in, -moved_in)
                take(free[best_at], demand_in, moved_in)
            if moved_out > 0:
                outgoing[index] += moved_out
                outgoing[best_at] -= moved_out
                take(free[index], demand_out, moved_out)
                take(free[best_at], demand_out, -moved_out)


@compiled
def _can_swap(at: int, free: Floats, demand_in: Floats, demand_out: Floats, sources: Integers,
              targets: Integers) -> bool:  # fmt: skip
    """Whether every machine keeps within what it has after the exchange."""
    come, leave = total(sources), total(targets)
    for resource in range(len(demand_in)):
        if free[at, resource] - come * demand_in[resource] + leave * demand_out[resource] < 0.0:
            return False
    return True
