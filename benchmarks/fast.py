"""Fast: decisions on large and on long clusters, half committed; whole runs; one slot against LP and rounding.

A decision is `Planner.decide` and what follows it: question, prices, schedule, placement and reservation; the paper's
jobs, all arriving in the first slot. The pass to compare with is `numpy.sum` over a dense array of what is committed
(machines x slots x resources), taken between the decisions of the same run. Commitments are coarse (tasks of a quarter
of a machine: some machines stand empty) or fine (a sixteenth: hardly any do), on machines and in slots at random. With
targets over the whole horizon no slot is too late to pay, and plans are long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.clusters import COARSE, FINE, commit_half, paper_cluster, paper_jobs
from benchmarks.results import Result
from pdors.model.job import Job
from pdors.model.ledger import Segments
from pdors.model.units import Units
from pdors.planner.market import MarketPrices
from pdors.planner.offers import Question
from pdors.planner.shape import JobShape
from pdors.planner.slot_dense import dense_problem
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import ExternalProgram, PaperSlotSolver, draw_placements
from pdors.planning import plan
from pdors.policies.pdors import PAPER_DRAWS
from tests.support.desk import Desk

DECISIONS, QUICK_DECISIONS = 60, 20
WARM_UPS = 5
SLOT_MACHINES, SLOT_JOBS, QUICK_SLOT_JOBS = 100, 20, 3
RESOURCES = 4


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    decisions = QUICK_DECISIONS if quick else DECISIONS
    results = _large(2_000 if quick else 10_000, 96 if quick else 288, decisions, tell)
    results += _long(32, 2_000 if quick else 20_000, decisions, tell)
    tell("whole runs")
    seconds = [_seconds(plan, paper_jobs(50, 100, 20, seed=seed)) for seed in range(1, 11)]
    results.append(Result("H=100, T=20, I=50: whole run, slowest of 10 seeds", max(seconds), "s", 0.5))
    tell("one slot by both solvers")
    return results + _slot_solvers(QUICK_SLOT_JOBS if quick else SLOT_JOBS)


def _large(machines: int, slots: int, decisions: int, tell: Callable[[str], None]) -> list[Result]:
    results = []
    dense = np.random.default_rng(0).random((machines, slots, RESOURCES))
    for load, lasting in ((COARSE, False), (FINE, False), (FINE, True)):
        title = f"{machines:,} machines, {slots} slots, {_load_name(load)}{', late targets' if lasting else ''}"
        tell(title)
        planner, jobs = _half_committed(machines, slots, decisions, lasting=lasting, tasks_per_machine=load)
        taken, passes = [], []
        for job in jobs:
            passes.append(_seconds(np.sum, dense))
            taken.append(_seconds(planner.admit, job))
        one_pass, median, slow = np.median(passes), np.median(taken), np.quantile(taken, 0.9)
        results += [
            Result(f"{title}: median decision", 1e3 * float(median), "ms"),
            Result(f"{title}: one pass of numpy.sum", 1e3 * float(one_pass), "ms"),
            Result(f"{title}: median decision / pass", float(median / one_pass), "", None if lasting else 2),
            Result(f"{title}: 90% of decisions / pass", float(slow / one_pass)),
        ]
    return results


def _long(machines: int, slots: int, decisions: int, tell: Callable[[str], None]) -> list[Result]:
    results = []
    for load in (COARSE, FINE):
        title = f"{machines} machines, {slots:,} slots, {_load_name(load)}"
        tell(title)
        planner, jobs = _half_committed(machines, slots, decisions, tasks_per_machine=load)
        taken = [_seconds(planner.admit, job) for job in jobs]
        results += [
            Result(f"{title}: median decision", 1e3 * float(np.median(taken)), "ms", 10),
            Result(f"{title}: 90% of decisions within", 1e3 * float(np.quantile(taken, 0.9)), "ms"),
        ]
    return results


def _load_name(tasks_per_machine: int) -> str:
    return "coarse load" if tasks_per_machine == COARSE else "fine load"


def _half_committed(
    machines: int, slots: int, decisions: int, *, lasting: bool = False, tasks_per_machine: int
) -> tuple[Desk, list[Job]]:
    """A planner that has decided a few jobs, and more that arrive in the first slot, the whole horizon before them."""
    cluster, posed = paper_cluster(machines), paper_jobs(decisions + WARM_UPS, 1, slots, seed=1, lasting=lasting)
    units = Units(cluster)
    past = (JobShape.of(job, units, posed.slot_seconds) for job in paper_jobs(100, 1, slots, seed=2).jobs)
    planner = Desk(
        cluster, slots, posed.slot_seconds, prices=MarketPrices(cluster, slots, past), solver=FastSlotSolver(units)
    )
    commit_half(planner.ledger, slots, tasks_per_machine=tasks_per_machine)
    jobs = [replace(job, arrival=0) for job in posed.jobs]
    for job in jobs[:WARM_UPS]:
        planner.admit(job)
    return planner, jobs[WARM_UPS:]


def _slot_solvers(jobs: int) -> list[Result]:
    """The whole curves of a few slots, the cost of every number of workers in each, of the paper's jobs: time per slot.

    As printed, each number of workers is a linear program of its own; `solver: paper` starts each from the one before.
    """
    desk, asked = _half_committed(SLOT_MACHINES, 10, jobs, tasks_per_machine=FINE)
    units, segments = desk.ledger.units, desk.ledger.segments(3, 7)
    taken: dict[str, list[float]] = {"fast": [], "paper": [], "printed": []}
    fast, paper = FastSlotSolver(units), PaperSlotSolver(units)
    for job in asked:
        question = desk.question(job)
        for name, solver in (("fast", fast), ("paper", paper)):
            taken[name].append(_seconds(solver.curves, question.shape, question.prices, segments) / len(segments))
        taken["printed"].append(_seconds(_curves_as_printed, question, segments, units) / len(segments))
    title = f"one slot at H={SLOT_MACHINES}"
    ratios = {name: float(np.median(np.divide(taken[name], taken["fast"]))) for name in ("paper", "printed")}
    return [
        Result(f"{title}, fast: median", 1e6 * float(np.median(taken["fast"])), "µs"),
        Result(f"{title}, LP and rounding as printed: median", 1e3 * float(np.median(taken["printed"])), "ms"),
        Result("LP and rounding as printed / fast: median ratio", ratios["printed"], "", 300, at_least=True),
        Result(f"{title}, LP and rounding with warm starts: median", 1e3 * float(np.median(taken["paper"])), "ms"),
        Result("LP and rounding with warm starts / fast: median ratio", ratios["paper"]),
    ]


def _curves_as_printed(question: Question, segments: Segments, units: Units) -> None:
    shape, rng = question.shape, np.random.default_rng(0)
    for segment in range(len(segments)):
        problem = dense_problem(shape, question.prices, segments, segment, units)
        for workers in np.flatnonzero(shape.apart > 0).tolist():
            servers = int(shape.servers[workers])
            relaxation = ExternalProgram(problem).relax(workers, servers)
            if relaxation is not None:
                draw_placements(problem, relaxation, workers, servers, 1.0, PAPER_DRAWS, rng)


def _seconds(action: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    action(*arguments)
    return time.perf_counter() - started
