import numpy as np
import pytest

from pdors.planner.exchange import improve
from tests.support.slot_problems import slot_case


@pytest.mark.parametrize("seed", range(60))
def test_it_gets_cheaper_and_holds_the_same_within_capacity(seed):
    case = slot_case(seed)
    problem, rng = case.problem, np.random.default_rng(seed)
    free = problem.free.copy()
    w, s = (np.zeros(len(free), dtype=np.int64) for _ in range(2))
    for tasks, demand in ((w, problem.worker), (s, problem.server)) * 30:
        machine = rng.integers(len(free))
        if demand.any() and (free[machine] >= demand).all():
            tasks[machine] += 1
            free[machine] -= demand
    before, cost = (w.sum(), s.sum()), problem.cost(w, s)
    improve(problem.worker_price, problem.server_price, free, problem.worker, problem.server, w, s)
    assert (w.sum(), s.sum()) == before
    assert (w >= 0).all()
    assert (s >= 0).all()
    assert (free == problem.free - np.outer(w, problem.worker) - np.outer(s, problem.server)).all()
    assert (free >= 0).all()
    assert problem.cost(w, s) <= cost * (1 + 1e-12)


def test_two_small_tasks_make_way_for_a_large_one():
    """Machine 0 is cheap and full of two servers; the worker saves 8 there, the servers lose 2 x 1 elsewhere."""
    worker_price, server_price = np.array([1.0, 9.0]), np.array([1.0, 2.0])
    w, s, free = np.array([0, 1]), np.array([2, 0]), np.array([[0.0], [2.0]])
    improve(worker_price, server_price, free, np.array([2.0]), np.array([1.0]), w, s)
    assert (w.tolist(), s.tolist(), free.tolist()) == ([1, 0], [0, 2], [[0.0], [2.0]])
