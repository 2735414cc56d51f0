"""The exact price of a number of workers and servers in one slot, by integer programming."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from pdors.planner.slot import SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_GAP = 1e-6
_USUAL_COST = 100.0
"""Costs are scaled to about this, so that the solver's absolute tolerances are far below the relative gap."""


def exact_cost(problem: SlotProblem, workers: int, servers: int, *, spread: bool = False) -> float | None:
    """The least price of just so many tasks, None if they do not fit; `spread`: on two machines at least.

    More servers than asked for never make it cheaper, nor do more workers.
    """
    counts = exact_counts(problem, workers, servers, spread=spread)
    if counts is None:
        return None
    w, s = counts
    return float(w @ problem.worker_price + s @ problem.server_price)


def exact_counts(
    problem: SlotProblem, workers: int, servers: int, *, spread: bool = False
) -> tuple[Integers, Integers] | None:
    """Workers and servers per machine of a cheapest placement."""
    most_w, most_s = (
        whole_tasks(problem.free, problem.worker, workers),
        whole_tasks(problem.free, problem.server, servers),
    )
    least = _least_cost(most_w, problem.worker_price, workers) + _least_cost(most_s, problem.server_price, servers)
    if not np.isfinite(least):
        return None
    machines = np.flatnonzero(most_w + most_s)
    scale = _USUAL_COST / least if least > 0 else 1.0
    price = scale * np.concatenate([problem.worker_price[machines], problem.server_price[machines]])
    counts = _solve(
        price,
        problem.free[machines],
        problem.worker,
        problem.server,
        most_w[machines],
        most_s[machines],
        workers,
        servers,
        spread=spread,
    )
    if counts is None:
        return None
    w, s = np.zeros(len(problem.free), dtype=np.int64), np.zeros(len(problem.free), dtype=np.int64)
    w[machines], s[machines] = np.split(counts, 2)
    assert (w.sum(), s.sum()) == (workers, servers)
    assert (np.outer(w, problem.worker) + np.outer(s, problem.server) <= problem.free).all()
    return w, s


def whole_tasks(free: Floats, demand: Floats, most: int) -> Integers:
    """How many tasks each machine could hold beside nothing else, at most `most`."""
    used = demand > 0
    return np.floor((free[:, used] / demand[used]).min(axis=1, initial=most)).astype(np.int64)


def _least_cost(most: Integers, price: Floats, wanted: int) -> float:
    """What the tasks would cost if they had the machines for themselves."""
    order = np.argsort(price)
    taken = np.diff(np.minimum(most[order].cumsum(), wanted), prepend=0)
    return float(taken @ price[order]) if taken.sum() == wanted else np.inf


def _solve(
    price: Floats, free: Floats, worker: Floats, server: Floats, most_w: Integers, most_s: Integers, workers: int,
    servers: int, *, spread: bool,
) -> Integers | None:  # fmt: skip
    machines = len(free)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)  # noqa: FBT003 - the signature of HiGHS
    highs.setOptionValue("mip_rel_gap", _GAP)
    highs.setOptionValue("mip_feasibility_tolerance", 1e-9)
    highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
    for most, cost in zip([*most_w, *most_s], price, strict=True):
        highs.addIntegral(0, int(most), cost)
    columns = np.arange(2 * machines, dtype=np.int32)
    ones = np.ones(machines)
    highs.addRow(workers, workers, machines, columns[:machines], ones)
    highs.addRow(servers, servers, machines, columns[machines:], ones)
    divisor = [np.gcd(int(a), int(b)) for a, b in zip(worker, server, strict=True)]
    for machine in range(machines):
        pair = columns[[machine, machines + machine]]
        for resource, common in enumerate(divisor):
            if most_w[machine] * worker[resource] + most_s[machine] * server[resource] > free[machine, resource]:
                amounts = np.array([worker[resource], server[resource]]) / common
                highs.addRow(-highspy.kHighsInf, free[machine, resource] // common, 2, pair, amounts)
        if spread and most_w[machine] >= workers and most_s[machine] >= servers:
            highs.addRow(-highspy.kHighsInf, workers + servers - 1, 2, pair, np.ones(2))
    highs.run()
    status = highs.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    assert status == highspy.HighsModelStatus.kOptimal, highs.modelStatusToString(status)
    return np.rint(highs.getSolution().col_value).astype(np.int64)
