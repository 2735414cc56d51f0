import numpy as np
import pytest

from pdors.planner.lagrangian import CLOSE_ENOUGH, lower_bound, may_fit, place_exactly, place_somehow
from tests.support.slot_milp import exact_cost
from tests.support.slot_problems import slot_case

SEEDS = range(40)


def counts_of(case):
    """Some counts of workers with their servers, feasible or not."""
    rng = np.random.default_rng(len(case.problem.free))
    return [(workers, int(case.shape.servers[workers])) for workers in rng.integers(1, case.shape.max_workers + 1, 3)]


def assert_holds(problem, counts, workers, servers):
    w, s = counts
    assert (w.sum(), s.sum()) == (workers, servers)
    assert (np.outer(w, problem.worker) + np.outer(s, problem.server) <= problem.free).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_finds_the_exact_cost_and_only_what_exists(seed):
    case = slot_case(seed)
    for workers, servers in counts_of(case):
        exact = exact_cost(case.problem, workers, servers)
        found = place_exactly(case.problem, workers, servers, None)
        somehow = place_somehow(case.problem, workers, servers)
        assert (found is None) == (somehow is None) == (exact is None)
        if found is None or somehow is None:
            continue
        assert_holds(case.problem, found, workers, servers)
        assert_holds(case.problem, somehow, workers, servers)
        # The search ends on its own bound or when it gives up: one percent over the tolerance is the second case.
        assert exact <= case.problem.cost(*found) * (1 + 1e-6)
        assert case.problem.cost(*found) <= exact * (1 + CLOSE_ENOUGH + 0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_proven_not_to_fit_does_not(seed):
    case = slot_case(seed)
    problem = case.problem
    for workers in range(1, case.shape.max_workers + 1):
        servers = int(case.shape.servers[workers])
        if not may_fit(problem.free, problem.worker, problem.server, workers, servers):
            assert exact_cost(problem, workers, servers) is None
            return


def test_the_proof_is_found_where_each_kind_alone_would_fit():
    """Two machines of 3: four workers fit, or six servers; three of each need 9."""
    free, worker, server = np.array([[3.0], [3.0]]), np.array([2.0]), np.array([1.0])
    assert may_fit(free, worker, server, 2, 2)
    assert not may_fit(free, worker, server, 2, 3)
    assert not may_fit(free, worker, server, 3, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lower_bound_is_one_for_any_worth(seed):
    case = slot_case(seed)
    problem, rng = case.problem, np.random.default_rng(seed)
    for workers, servers in counts_of(case):
        exact = exact_cost(problem, workers, servers)
        if exact is None:
            continue
        for _ in range(5):
            worths = rng.uniform(0, 2, 2) * (problem.worker_price.max(), problem.server_price.max())
            bound = lower_bound(problem.worker_price, problem.server_price, problem.free, problem.worker,
                                problem.server, workers, servers, *worths)  # fmt: skip
            assert bound <= exact * (1 + 1e-9)
