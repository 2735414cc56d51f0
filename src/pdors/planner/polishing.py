"""One chosen count of workers and servers put on machines as cheaply as can be, and shown to be.

The greedy pass (`filling`) is improved by exchanges (`exchange`) and held against a lower bound; if it is not close,
the exact search (`lagrangian`) takes over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.planner.exchange import improve
from pdors.planner.filling import apart_curve, spread
from pdors.planner.lagrangian import CLOSE_ENOUGH, lower_bound, place_exactly
from pdors.planner.slot import SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Counts = tuple[Integers, Integers]
"""Workers and servers per machine."""


def place_together(problem: SlotProblem, workers: int, servers: int) -> Counts | None:
    """Everything on the cheapest machine that holds it."""
    fits = (workers * problem.worker + servers * problem.server <= problem.free).all(axis=1)
    if not fits.any():
        return None
    price = workers * problem.worker_price + servers * problem.server_price
    w, s = np.zeros(len(price), dtype=np.int64), np.zeros(len(price), dtype=np.int64)
    best = int(np.argmin(np.where(fits, price, np.inf)))
    w[best], s[best] = workers, servers
    return w, s


def place_apart(problem: SlotProblem, servers: Integers, workers: int, *, spread_out: bool) -> Counts | None:
    """Wherever it is cheapest; `servers[W]` go with W workers. `spread_out`: on two machines at least."""
    prices = problem.worker_price, problem.server_price
    demands = problem.worker, problem.server
    machines = len(problem.free)
    w, s = np.zeros(machines, dtype=np.int64), np.zeros(machines, dtype=np.int64)
    free = problem.free.copy()
    any_way = np.zeros(workers + 1, dtype=np.bool_)
    reached = apart_curve(*prices, free, *demands, servers, workers, any_way, np.empty(workers + 1), w, s)
    cost = np.inf
    if reached == workers:
        improve(*prices, free, *demands, w, s)
        cost = problem.cost(w, s)
    if cost == np.inf or cost - _bound(problem, w, s) > CLOSE_ENOUGH * cost:
        cost = place_exactly(*prices, problem.free, *demands, workers, int(servers[workers]), cost, w, s)
        if cost == np.inf:
            return None
    if spread_out:
        free = problem.free - np.outer(w, problem.worker) - np.outer(s, problem.server)
        if not spread(*prices, free, *demands, w, s):
            return None
    return w, s


def _bound(problem: SlotProblem, w: Integers, s: Integers) -> float:
    """A lower bound of the cost of so many tasks: the dearest of each kind tell what one more is worth."""
    worker_worth = float(problem.worker_price[w > 0].max(initial=0.0))
    server_worth = float(problem.server_price[s > 0].max(initial=0.0))
    return lower_bound(problem.worker_price, problem.server_price, problem.free, problem.worker, problem.server,
                       int(w.sum()), int(s.sum()), worker_worth, server_worth)  # fmt: skip
