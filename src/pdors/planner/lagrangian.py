"""One count of workers and servers placed almost exactly: servers get a price of their own, machines answer exactly.

With a multiplier m for every server placed, the problem falls apart into machines: with w workers, machine i adds as
many servers as still fit if they cost less than m there,

    c_i(w) = p_w[i] * w - max(0, m - p_s[i]) * fit_i(w)

and min { sum_i c_i(w_i) : sum_i w_i = W } is a small dynamic program, exact in integers. Its value + m * S is a lower
bound of the true cost, and m is searched for the smallest that places S servers. An infinite m places as many servers
as can be beside W workers: that proves whether a placement exists at all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.exchange import improve
from pdors.planner.room import by_price, fill_floats, fitting, fitting_beside, total
from pdors.planner.slot import Counts, SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CLOSE_ENOUGH = 1e-4
"""Relative gap to the lower bound at which the search ends."""
_MOST_STEPS = 24
_DEAREST_SERVER, _PROOF_STEPS = 1000.0, 16
"""`may_fit` looks for its proof at a server's worth of up to so many workers, and one over it."""
_SAME_WORTH = 1.0005
_WORTH_IMPROVING = 1.5
"""A trial this many times dearer than the best is not improved."""


@compiled
def lower_bound(worker_price: Floats, server_price: Floats, room: Floats, worker: Floats, server: Floats,
                workers: int, servers: int, worker_worth: float, server_worth: float) -> float:  # fmt: skip
    """The Lagrangian bound with a multiplier for workers and one for servers; `room`: what machines have left empty."""
    bound = workers * worker_worth + servers * server_worth
    for index in range(len(worker_price)):
        gain_w, gain_s = worker_worth - worker_price[index], server_worth - server_price[index]
        if gain_w <= 0.0 and gain_s <= 0.0:
            continue
        most = fitting(room[index], worker, workers) if gain_w > 0.0 else 0
        best = 0.0
        for count in range(most + 1):
            gain = count * gain_w
            if gain_s > 0.0:
                gain += gain_s * fitting_beside(room[index], server, servers, worker, count)
            best = max(best, gain)
        bound -= best
    return bound


@compiled
def may_fit(room: Floats, worker: Floats, server: Floats, workers: int, servers: int) -> bool:
    """False: so many tasks fit nowhere, whatever they cost.

    If a server is worth m workers, no machine holds more than max over w of { w + m * fit_i(w) }; where these do not
    add up to W + m * S for some m, it is proven. That m is searched by halving.
    """
    low, high = 1.0 / _DEAREST_SERVER, _DEAREST_SERVER
    for _ in range(_PROOF_STEPS):
        worth = math.sqrt(low * high)
        most_worth = 0.0
        placed = 0
        for index in range(len(room)):
            best, best_servers = 0.0, 0
            for count in range(fitting(room[index], worker, workers) + 1):
                beside = fitting_beside(room[index], server, servers, worker, count)
                if count + worth * beside > best:
                    best, best_servers = count + worth * beside, beside
            most_worth += best
            placed += best_servers
        if most_worth < (workers + worth * servers) * (1.0 - 1e-12):
            return False
        if placed > servers:
            high = worth
        else:
            low = worth
    return True


def place_somehow(problem: SlotProblem, workers: int, servers: int) -> Counts | None:
    """A placement if there is any, made cheaper by exchanges alone."""
    search = _Search(problem, workers, servers)
    if not search.answer_with_most_servers() or not search.mend():
        return None
    search.improve()
    return search.w, search.s


def place_exactly(problem: SlotProblem, workers: int, servers: int, found: Counts | None) -> Counts | None:
    """The cheapest placement, to the tolerance; `found` if that is as cheap, None if there is none."""
    search = _Search(problem, workers, servers)
    if not search.answer_with_most_servers():
        return found
    cheapest = np.inf if found is None else problem.cost(*found)
    bound, low, high = -np.inf, 0.0, search.endless
    for step in range(_MOST_STEPS):
        if search.mend():
            if search.cost < cheapest * _WORTH_IMPROVING:
                search.improve()
            if search.cost < cheapest:
                found, cheapest = (search.w.copy(), search.s.copy()), search.cost
            if cheapest - bound <= CLOSE_ENOUGH * cheapest:
                break
        worth = _next_worth(step, low, high, float(problem.server_price.max()))
        least, placed = search.answer(worth)
        bound = max(bound, least)
        if placed >= servers:
            high = worth
        else:
            low = worth
        if high <= low * _SAME_WORTH:
            break
    return found


def _next_worth(step: int, low: float, high: float, dearest: float) -> float:
    """Nothing, then just more than any server costs, then between the ones that place too few and enough."""
    if step == 0:
        return 0.0
    if step == 1 and low < dearest < high:
        return dearest * _SAME_WORTH
    return math.sqrt(low * high) if low > 0 else high / 64


class _Search:
    """Placements of one count of workers and servers, as w and s per machine, with room to work in."""

    def __init__(self, problem: SlotProblem, workers: int, servers: int) -> None:
        machines = len(problem.free)
        self._problem = problem
        self._workers, self._servers = workers, servers
        self._most = np.empty(machines, dtype=np.int64)
        _most_workers(problem.free, problem.worker, workers, self._most)
        self._fit = np.empty((machines, int(self._most.max(initial=0)) + 1), dtype=np.int64)
        _servers_beside(problem.free, problem.worker, problem.server, servers, self._most, self._fit)
        self._choice = np.empty((machines, workers + 1), dtype=np.int64)
        self._free = np.empty_like(problem.free)
        self.w, self.s = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
        dearest = problem.worker_price.max(initial=0.0) + problem.server_price.max(initial=0.0)
        self.endless = 1e3 * (1 + workers) * float(dearest) or 1.0

    def answer(self, worth: float) -> tuple[float, int]:
        """The lower bound if a server is worth so much, and how many servers it places."""
        problem = self._problem
        value, placed = _answer(
            problem.worker_price, problem.server_price, self._most, self._fit, self._workers, worth, self._choice,
            self.w, self.s,
        )  # fmt: skip
        return value + worth * self._servers, placed

    def answer_with_most_servers(self) -> bool:
        """Place as many servers as can be; whether they are enough."""
        least, placed = self.answer(self.endless)
        return least < np.inf and placed >= self._servers

    def mend(self) -> bool:
        """Drop the servers too many, or add those that lack; whether there are just so many then."""
        problem = self._problem
        return _mend(problem.server_price, problem.free, problem.worker, problem.server, self._servers, self.w, self.s,
                     self._free)  # fmt: skip

    def improve(self) -> None:
        """By exchanges, after `mend`."""
        problem = self._problem
        improve(problem.worker_price, problem.server_price, self._free, problem.worker, problem.server, self.w, self.s)

    @property
    def cost(self) -> float:
        return self._problem.cost(self.w, self.s)


@compiled
def _most_workers(room: Floats, worker: Floats, workers: int, most: Integers) -> None:
    for index in range(len(room)):
        most[index] = fitting(room[index], worker, workers)


@compiled
def _servers_beside(room: Floats, worker: Floats, server: Floats, servers: int, most: Integers,
                    fit: NDArray[np.int64]) -> None:  # fmt: skip
    """fit[i, w]: the servers that machine i holds beside w workers."""
    for index in range(len(room)):
        for count in range(most[index] + 1):
            fit[index, count] = fitting_beside(room[index], server, servers, worker, count)


@compiled
def _answer(worker_price: Floats, server_price: Floats, most: Integers, fit: Integers, workers: int, worth: float,
            choice: Integers, w: Integers, s: Integers) -> tuple[float, int]:  # fmt: skip
    """The dynamic program over machines for one multiplier: its value, and the servers placed."""
    machines = len(worker_price)
    scratch = np.empty((2, workers + 1))
    value, following = scratch[0], scratch[1]
    fill_floats(value, np.inf)
    value[0] = 0.0
    reach = 0
    for index in range(machines):
        gain = max(0.0, worth - server_price[index])
        fill_floats(following, np.inf)
        chosen = choice[index]
        for count in range(most[index] + 1):
            cost = count * worker_price[index] - gain * fit[index, count]
            for reached in range(count, min(workers, reach + count) + 1):
                candidate = value[reached - count] + cost
                if candidate < following[reached]:
                    following[reached] = candidate
                    chosen[reached] = count
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
def _mend(server_price: Floats, room: Floats, worker: Floats, server: Floats, servers: int, w: Integers, s: Integers,
          free: Floats) -> bool:  # fmt: skip
    """Drop the dearest servers too many, or add the cheapest missing; `free` is what is left then."""
    machines = len(server_price)
    surplus = total(s) - servers
    order = np.empty(machines, dtype=np.int64)
    by_price(server_price, order)
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
    return surplus >= 0
