"""Right: the fast slot solver against an integer program and against the paper's solver, on random slots.

Two to forty machines alike or not, loads from none to almost full, every kind of job and shape of demand
(`tests/support/slot_problems.py`). Of each slot the most workers that fit at all and three random counts below are
placed; the integer program (HiGHS, relative gap 1e-6) tells what they cost at least. The paper's solver rounds 50
times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.results import Result
from pdors.planner.polishing import place_apart
from pdors.planner.slot import SlotProblem
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import ExternalProgram, draw_placements
from tests.support.slot_milp import exact_cost
from tests.support.slot_problems import SlotCase, slot_case

PROBLEMS, QUICK_PROBLEMS = 500, 25
COUNTS_PER_PROBLEM = 3
DRAWS = 50


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    problems = QUICK_PROBLEMS if quick else PROBLEMS
    over_exact, over_curve, missed, dearer, placed, no_draw = [], [], 0, 0, 0, 0
    for seed in range(problems):
        if seed % 25 == 0:
            tell(f"slot {seed} of {problems}")
        case = slot_case(seed)
        problem, shape = case.problem, case.shape
        counts = [workers for workers in range(1, shape.max_workers + 1) if shape.apart[workers] > 0]
        reach = _most_that_fit(case, counts)
        curve = _curve_apart(case)
        missed += _is_cut_short(case, counts[:reach])
        rng = np.random.default_rng(seed)
        program = ExternalProgram(problem)
        for workers in sorted({*counts[max(0, reach - 1) : reach], *_some(counts[:reach], rng)}):
            servers = int(shape.servers[workers])
            exact = exact_cost(problem, workers, servers)
            found = place_apart(problem, shape.servers, workers, on_several=False)
            placed += 1
            if exact is None or found is None:
                missed += found is None
                continue
            cost = problem.cost(*found)
            if exact > 0:
                over_exact.append(cost / exact - 1)
                if workers in curve:
                    over_curve.append(curve[workers] / exact - 1)
            best = _best_draw(program, problem, workers, servers, rng)
            no_draw += best is None
            dearer += best is not None and cost > best * (1 + 1e-9)
    return [
        Result("slots", problems),
        Result("counts of workers placed", placed),
        Result("cost over the integer program's, mean", 100 * float(np.mean(over_exact)), "%", 0.5),
        Result("cost over the integer program's, worst", 100 * float(np.max(over_exact)), "%", 3),
        Result("called impossible although it fits", missed, "", 0),
        Result(f"dearer than the best of {DRAWS} roundings", dearer, "", 0),
        Result(f"none of {DRAWS} roundings feasible (paper's solver)", 100 * no_draw / placed, "%"),
        Result("cost before polishing over the integer program's, mean", 100 * float(np.mean(over_curve)), "%"),
        Result("cost before polishing over the integer program's, worst", 100 * float(np.max(over_curve)), "%"),
    ]


def _most_that_fit(case: SlotCase, counts: list[int]) -> int:
    """How many of the counts fit: a smaller one always does where a larger one does."""
    low, high = 0, len(counts)
    while low < high:
        middle = (low + high + 1) // 2
        workers = counts[middle - 1]
        if exact_cost(case.problem, workers, int(case.shape.servers[workers])) is None:
            high = middle - 1
        else:
            low = middle
    return low


def _curve_apart(case: SlotCase) -> dict[int, float]:
    curve = FastSlotSolver(case.ledger.units).curves(case.shape, case.prices, case.segments)
    apart = ~curve.together
    return dict(zip(curve.workers[apart].tolist(), curve.cost[apart].tolist(), strict=True))


def _is_cut_short(case: SlotCase, counts: list[int]) -> bool:
    """Whether the curve trains less than some count that fits."""
    curve = FastSlotSolver(case.ledger.units).curves(case.shape, case.prices, case.segments)
    reached = curve.samples.max(initial=0.0)
    shape = case.shape
    return any(
        shape.apart[workers] > reached
        and exact_cost(
            case.problem,
            workers,
            int(shape.servers[workers]),
            spread=bool(shape.apart[workers] > shape.together[workers]),
        )
        is not None
        for workers in counts
    )


def _some(counts: list[int], rng: np.random.Generator) -> list[int]:
    return rng.choice(counts, COUNTS_PER_PROBLEM).tolist() if counts else []


def _best_draw(
    program: ExternalProgram, problem: SlotProblem, workers: int, servers: int, rng: np.random.Generator
) -> float | None:
    relaxation = program.relax(workers, servers)
    if relaxation is None:
        return None
    draws = draw_placements(problem, relaxation, workers, servers, 1.0, DRAWS, rng)
    return float(draws.cost.min()) if len(draws.cost) else None
