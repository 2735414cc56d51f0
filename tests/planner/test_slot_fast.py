import numpy as np
import pytest

from pdors.planner.polishing import place_apart
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import ExternalProgram, draw_placements
from tests.support.slot_milp import exact_cost
from tests.support.slot_problems import slot_case

SEEDS = range(60)
LARGE_CLUSTER = 200


def solver_and_curve(case, most_per_sample=np.inf):
    solver = FastSlotSolver(case.ledger.units)
    return solver, solver.curves(case.shape, case.prices, case.segments, most_per_sample)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_rises_and_its_points_can_be_placed_for_no_more(seed):
    case = slot_case(seed)
    solver, curve = solver_and_curve(case)
    assert (np.diff(curve.samples) >= 0).all()
    assert (np.diff(curve.cost) > 0).all()
    for point in {0, len(curve.cost) // 2, len(curve.cost) - 1} if len(curve.cost) else ():
        workers, together = int(curve.workers[point]), bool(curve.together[point])
        placed = solver.place(case.shape, case.prices, case.segments, 0, workers, together=together)
        counts = np.array([(share.workers, share.servers) for share in placed.placement.shares])
        assert tuple(counts.sum(axis=0)) == (workers, case.shape.servers[workers])
        assert placed.cost <= curve.cost[point] * (1 + 1e-9)
        assert placed.placement.samples(case.job, 3600.0) >= curve.samples[point] * (1 - 1e-12)
        machines = [share.machine for share in placed.placement.shares]
        amounts = counts @ np.array([case.shape.worker, case.shape.server])
        assert (amounts <= case.problem.free[machines]).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_close_to_the_integer_program_and_never_dearer_than_rounding(seed):
    case = slot_case(seed)
    rng = np.random.default_rng(seed)
    program = ExternalProgram(case.problem)
    for workers in rng.integers(1, case.shape.max_workers + 1, 3).tolist():
        servers = int(case.shape.servers[workers])
        exact = exact_cost(case.problem, workers, servers)
        found = place_apart(case.problem, case.shape.servers, workers, on_several=False)
        assert (found is None) == (exact is None)
        if found is None:
            continue
        cost = case.problem.cost(*found)
        assert exact * (1 - 1e-6) <= cost <= exact * 1.005
        draws = draw_placements(case.problem, program.relax(workers, servers), workers, servers, 1.0, 50, rng)
        assert cost <= draws.cost.min(initial=np.inf) * (1 + 1e-9)


@pytest.mark.parametrize("seed", [3, 25, 61, 87, 127, 130, 133, 165, 434, 457])
def test_the_curve_reaches_every_count_that_fits(seed):
    """Slots in which the greedy pass alone stops one to four workers short."""
    case = slot_case(seed)
    _, curve = solver_and_curve(case)
    for workers in np.flatnonzero(case.shape.apart > curve.samples.max()).tolist():
        spread = bool(case.shape.apart[workers] > case.shape.together[workers])
        assert exact_cost(case.problem, workers, int(case.shape.servers[workers]), spread=spread) is None


@pytest.mark.parametrize("seed", SEEDS[:20])
def test_only_curves_without_a_cheap_sample_are_left_out(seed):
    case = slot_case(seed)
    _, curve = solver_and_curve(case)
    if len(curve.cost):
        cheapest = (curve.cost / curve.samples).min()
        assert len(solver_and_curve(case, cheapest * 1.001)[1].cost) == len(curve.cost)
        assert len(solver_and_curve(case, cheapest * 1e-9)[1].cost) == 0


@pytest.mark.parametrize("seed", SEEDS[:30])
def test_on_a_large_cluster_the_candidates_are_as_good_as_all_machines(seed):
    case = slot_case(seed, machines=LARGE_CLUSTER)
    solver, curve = solver_and_curve(case)
    rng = np.random.default_rng(seed)
    for workers in rng.choice(np.unique(curve.workers[~curve.together]), 2) if (~curve.together).any() else ():
        spread = bool(case.shape.apart[workers] > case.shape.together[workers])
        among_all = place_apart(case.problem, case.shape.servers, int(workers), on_several=spread)
        placed = solver.place(case.shape, case.prices, case.segments, 0, int(workers), together=False)
        assert placed.cost <= case.problem.cost(*among_all) * 1.001


@pytest.mark.parametrize("machines", [20, LARGE_CLUSTER])
def test_what_was_asked_before_does_not_change_an_answer(machines):
    """The limits of one segment start the search in the next one; slots of very different load share a solver."""
    case = slot_case(5, machines=machines)
    solver = FastSlotSolver(case.ledger.units)
    segments = case.ledger.segments(0, 10)
    assert len(segments) > 1
    in_one_go = solver.curves(case.shape, case.prices, segments)
    for segment in reversed(range(len(segments))):
        alone = FastSlotSolver(case.ledger.units)
        part = segments.part(segment, segment + 1)
        points = slice(in_one_go.offsets[segment], in_one_go.offsets[segment + 1])
        for one_solver in (solver, alone):
            curve = one_solver.curves(case.shape, case.prices, part)
            assert curve.cost.tolist() == in_one_go.cost[points].tolist()
            assert curve.workers.tolist() == in_one_go.workers[points].tolist()
