"""One chosen count of workers and servers put on machines as cheaply as can be, and shown to be.

The greedy pass (`filling`) is improved by exchanges (`exchange`) and held against a lower bound; if it is not close,
the exact search (`lagrangian`) takes over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.planner.exchange import improve
from pdors.planner.filling import apart_curve
from pdors.planner.lagrangian import CLOSE_ENOUGH, lower_bound, place_exactly
from pdors.planner.slot import Counts, SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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


def place_apart(problem: SlotProblem, servers: Integers, workers: int, *, on_several: bool) -> Counts | None:
    """Wherever it is cheapest; `servers[W]` go with W workers. `on_several`: on two machines at least."""
    prices = problem.worker_price, problem.server_price
    demands = problem.worker, problem.server
    machines = len(problem.free)
    w, s = np.zeros(machines, dtype=np.int64), np.zeros(machines, dtype=np.int64)
    free = problem.free.copy()
    any_way = np.zeros(workers + 1, dtype=np.bool_)
    reached = apart_curve(*prices, free, *demands, servers, workers, any_way, np.empty(workers + 1), w, s)
    found = None
    if reached == workers:
        improve(*prices, free, *demands, w, s)
        found = w, s
    if found is None or _gap(problem, w, s) > CLOSE_ENOUGH:
        found = place_exactly(problem, workers, int(servers[workers]), found)
        if found is None:
            return None
        w, s = found
    return None if on_several and not spread_out(problem, w, s) else (w, s)


def spread_out(problem: SlotProblem, w: Integers, s: Integers) -> bool:
    """Move the task that costs least to move to another machine if everything is on one; False where none can be."""
    used = np.flatnonzero(w + s)
    if len(used) != 1:
        return len(used) > 1
    only = used[0]
    if w[only] + s[only] < 2:
        return False
    others = np.arange(len(w)) != only
    best, moved, target = np.inf, w, only
    for tasks, demand, price in ((w, problem.worker, problem.worker_price), (s, problem.server, problem.server_price)):
        extra = np.where(others & (problem.free >= demand).all(axis=1) & (tasks[only] > 0), price - price[only], np.inf)
        if extra.min() < best:
            best, moved, target = extra.min(), tasks, np.argmin(extra)
    if best == np.inf:
        return False
    moved[only] -= 1
    moved[target] += 1
    return True


def _gap(problem: SlotProblem, w: Integers, s: Integers) -> float:
    """How far the cost may lie above the least for so many tasks, as a share of it.

    The lower bound takes one more worker, and one more server, to be worth what the dearest ones cost.
    """
    worker_worth = float(problem.worker_price[w > 0].max(initial=0.0))
    server_worth = float(problem.server_price[s > 0].max(initial=0.0))
    bound = lower_bound(problem.worker_price, problem.server_price, problem.free, problem.worker, problem.server,
                        int(w.sum()), int(s.sum()), worker_worth, server_worth)  # fmt: skip
    cost = problem.cost(w, s)
    return (cost - bound) / cost if cost > 0 else 0.0
