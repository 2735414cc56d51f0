"""One count of workers and servers placed almost exactly: servers get a price of their own, machines answer exactly.

With a multiplier m for every server placed, the problem falls apart into machines: with w workers, machine i adds as
many servers as still fit if they cost less than m there,

    c_i(w) = p_w[i] * w - max(0, m - p_s[i]) * fit_i(w)

and min { sum_i c_i(w_i) : sum_i w_i = W } is a small dynamic program, exact in integers. Its value + m * S is a lower
bound of the true cost, and m is searched for the smallest that places S servers. An infinite m places as many servers
as can be beside W workers: that proves whether a placement exists at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.exchange import improve
from pdors.planner.room import fitting

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CLOSE_ENOUGH = 2e-3
"""Relative gap to the lower bound at which the search ends."""
_MOST_STEPS = 24


@compiled
def lower_bound(worker_price: Floats, server_price: Floats, room: Floats, worker: Floats, server: Floats,
                workers: int, servers: int, worker_worth: float, server_worth: float) -> float:  # fmt: skip
    """The Lagrangian bound with a multiplier for workers and one for servers; `room`: what machines have left empty."""
    bound = workers * worker_worth + servers * server_worth
    left = np.empty(len(worker))
    for index in range(len(worker_price)):
        gain_w, gain_s = worker_worth - worker_price[index], server_worth - server_price[index]
        if gain_w <= 0.0 and gain_s <= 0.0:
            continue
        most = fitting(room[index], worker, workers) if gain_w > 0.0 else 0
        best = 0.0
        left[:] = room[index]
        for count in range(most + 1):
            gain = count * gain_w
            if gain_s > 0.0:
                gain += gain_s * fitting(left, server, servers)
            best = max(best, gain)
            left -= worker
        bound -= best
    return bound


@compiled
def place_exactly(worker_price: Floats, server_price: Floats, room: Floats, worker: Floats, server: Floats,
                  workers: int, servers: int, best_cost: float, w: Integers, s: Integers) -> float:  # fmt: skip
    """Place the counts for less than `best_cost` if that can be: the new cost with w and s, else `best_cost`."""
    machines = len(worker_price)
    most = np.empty(machines, dtype=np.int64)
    reach = 0
    for index in range(machines):
        most[index] = fitting(room[index], worker, workers)
        reach = max(reach, most[index])
    fit = np.zeros((machines, reach + 1), dtype=np.int64)
    left = np.empty(len(worker))
    for index in range(machines):
        left[:] = room[index]
        for count in range(most[index] + 1):
            fit[index, count] = fitting(left, server, servers)
            left -= worker
    choice = np.empty((machines, workers + 1), dtype=np.int64)
    trial_w, trial_s = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
    free = np.empty_like(room)

    endless = 1e3 * (1.0 + workers) * (worker_price.max() + server_price.max())
    value, placed = _answer(worker_price, server_price, most, fit, workers, endless, choice, trial_w, trial_s)
    if value == np.inf or placed < servers:
        return best_cost
    low, high = 0.0, endless
    bound = -np.inf
    for step in range(_MOST_STEPS):
        if step == 0:
            worth = endless
        elif step == 1:
            worth = 0.0
        elif step == 2:
            worth = server_price.max() * 1.0000001
            if worth >= high or worth <= low:
                continue
        else:
            worth = np.sqrt(low * high) if low > 0.0 else high / 64.0
            if high <= low * 1.0005:
                break
        value, placed = _answer(worker_price, server_price, most, fit, workers, worth, choice, trial_w, trial_s)
        bound = max(bound, value + worth * servers) if step != 0 else bound
        if placed >= servers:
            high = worth
        else:
            low = worth
        if not _mend(worker_price, server_price, room, worker, server, servers, trial_w, trial_s, free):
            continue
        cost = (trial_w * worker_price).sum() + (trial_s * server_price).sum()
        if cost < best_cost * 1.5:
            improve(worker_price, server_price, free, worker, server, trial_w, trial_s)
            cost = (trial_w * worker_price).sum() + (trial_s * server_price).sum()
        if cost < best_cost:
            best_cost = cost
            w[:] = trial_w
            s[:] = trial_s
        if best_cost - bound <= CLOSE_ENOUGH * best_cost:
            break
    return best_cost


@compiled
def _answer(worker_price: Floats, server_price: Floats, most: Integers, fit: Integers, workers: int, worth: float,
            choice: Integers, w: Integers, s: Integers) -> tuple[float, int]:  # fmt: skip
    """The dynamic program over machines for one multiplier: its value, and the servers placed."""
    machines = len(worker_price)
    value = np.full(workers + 1, np.inf)
    value[0] = 0.0
    following = np.empty(workers + 1)
    reach = 0
    for index in range(machines):
        gain = max(0.0, worth - server_price[index])
        following[:] = np.inf
        chosen = choice[index]
        for count in range(most[index] + 1):
            cost = count * worker_price[index] - gain * fit[index, count]
            for total in range(count, min(workers, reach + count) + 1):
                candidate = value[total - count] + cost
                if candidate < following[total]:
                    following[total] = candidate
                    chosen[total] = count
        reach = min(workers, reach + most[index])
        value, following = following, value
    if value[workers] == np.inf:
        return np.inf, 0
    left, placed = workers, 0
    for index in range(machines - 1, -1, -1):
        w[index] = choice[index, left]
        s[index] = fit[index, w[index]] if worth > server_price[index] else 0
        placed += s[index]
        left -= w[index]
    return value[workers], placed


@compiled
def _mend(worker_price: Floats, server_price: Floats, room: Floats, worker: Floats, server: Floats, servers: int,
          w: Integers, s: Integers, free: Floats) -> bool:  # fmt: skip
    """Drop the dearest servers too many, or add the cheapest missing; `free` is what is left then."""
    machines = len(worker_price)
    surplus = s.sum() - servers
    order = np.argsort(server_price)
    for position in range(machines):
        if surplus <= 0:
            break
        index = order[machines - 1 - position]
        dropped = min(surplus, s[index])
        s[index] -= dropped
        surplus -= dropped
    for index in range(machines):
        for resource in range(len(worker)):
            free[index, resource] = room[index, resource] - w[index] * worker[resource] - s[index] * server[resource]
    for index in order:
        if surplus >= 0:
            break
        added = fitting(free[index], server, -surplus)
        s[index] += added
        surplus += added
        for resource in range(len(worker)):
            free[index, resource] -= added * server[resource]
    return bool(surplus >= 0)
