import numpy as np
import pytest

from pdors.planner.filling import apart_curve, together_curve
from tests.support.slot_problems import slot_case

CASES = [slot_case(seed) for seed in range(60)]


def placed_apart(problem, servers, upto, slower_together=None):
    machines = len(problem.free)
    w, s = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
    cost, free = np.empty(len(servers)), problem.free.copy()
    if slower_together is None:
        slower_together = np.zeros(len(servers), dtype=np.bool_)
    reached = apart_curve(problem.worker_price, problem.server_price, free, problem.worker, problem.server, servers,
                          upto, slower_together, cost, w, s)  # fmt: skip
    return reached, cost, w, s, free


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.job.id)
def test_the_costs_are_those_of_placements_within_capacity(case):
    problem, servers = case.problem, case.shape.servers
    reached, cost, *_ = placed_apart(problem, servers, case.shape.max_workers)
    assert (np.isfinite(cost) == np.isin(np.arange(len(cost)), np.arange(1, reached + 1))).all()
    for workers in {1, reached // 2, reached} & set(range(1, reached + 1)):
        _, _, w, s, free = placed_apart(problem, servers, workers)
        assert (w.sum(), s.sum()) == (workers, servers[workers])
        assert (w >= 0).all()
        assert (s >= 0).all()
        assert (free == problem.free - np.outer(w, problem.worker) - np.outer(s, problem.server)).all()
        assert (free >= 0).all()
        assert problem.cost(w, s) == pytest.approx(cost[workers])


@pytest.mark.parametrize("case", CASES[:20], ids=lambda case: case.job.id)
def test_together_is_the_cheapest_machine_that_holds_everything(case):
    problem, shape = case.problem, case.shape
    cost, where = np.empty(len(shape.servers)), np.empty(len(shape.servers), dtype=np.int64)
    together_curve(problem.worker_price, problem.server_price, problem.free, problem.worker, problem.server,
                   shape.servers, shape.together, cost, where)  # fmt: skip
    for workers in np.flatnonzero(shape.together > 0):
        needed = workers * problem.worker + shape.servers[workers] * problem.server
        fits = (needed <= problem.free).all(axis=1)
        price = workers * problem.worker_price + shape.servers[workers] * problem.server_price
        assert cost[workers] == pytest.approx(price[fits].min(initial=np.inf))
        if fits.any():
            assert fits[where[workers]]
            assert price[where[workers]] == cost[workers]


def test_a_worker_pushes_a_server_off_where_that_is_cheaper():
    """One slot each: the server goes to the cheap machine first, and makes way for the worker that saves more there."""
    worker_price, server_price = np.array([1.0, 9.0]), np.array([1.0, 2.0])
    one = np.array([1.0])
    w, s, cost = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64), np.empty(2)
    apart_curve(worker_price, server_price, np.array([[1.0], [1.0]]), one, one, np.array([0, 1]), 1,
                np.zeros(2, dtype=np.bool_), cost, w, s)  # fmt: skip
    assert (w.tolist(), s.tolist(), cost[1]) == ([1, 0], [0, 1], 3.0)
