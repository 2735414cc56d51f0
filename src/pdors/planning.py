"""A whole instance planned, and one of its jobs quoted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from pdors.errors import ModelError
from pdors.model.decision import Decision, Decisions
from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.planner.admission import Planner
from pdors.planner.calibration import FixedPrices, PricePolicy, SeenJobs, paper_bounds
from pdors.planner.prices import PriceBounds
from pdors.planner.quotes import Quote
from pdors.planner.rounding import FavourResources, FavourWork
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver
from pdors.readiness import seconds_getting_ready

SolverName = Literal["fast", "paper"]
PricesName = Literal["default", "paper"]
PAPER_DRAWS = 50


@dataclass(frozen=True, slots=True)
class PaperSolver:
    """The paper's solver with its two parameters; the name `paper` stands for their defaults.

    G  scaling before rounding  -> gain   a number, or the formula of Theorem 3 or 4
    S  roundings tried          -> draws
    """

    gain: float | FavourResources | FavourWork = 1.0
    draws: int = PAPER_DRAWS

    def __post_init__(self) -> None:
        if isinstance(self.gain, FavourResources | FavourWork):
            if not 0 < self.gain.delta <= 1:
                raise ModelError(f"delta must be above 0 and at most 1, got {self.gain.delta}")
        elif not (math.isfinite(self.gain) and self.gain > 0):
            raise ModelError(f"gain must be a finite number above 0, got {self.gain}")
        if self.draws < 1:
            raise ModelError(f"draws must be at least 1, got {self.draws}")

    def document(self) -> dict[str, object]:
        """The settings as decisions carry them."""
        match self.gain:
            case FavourResources(delta):
                gain: dict[str, object] = {"gain": "favour-resources", "delta": delta}
            case FavourWork(delta):
                gain = {"gain": "favour-work", "delta": delta}
            case number:
                gain = {"gain": number}
        return gain | {"draws": self.draws}


def planner_for(
    instance: Instance,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
) -> Planner:
    """A planner on the empty cluster of the instance; `prices` may be the bounds themselves."""
    return _planner(instance, _slot_solver(instance, _settings(solver), seed), prices, history)


def plan(
    instance: Instance,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
    on_decision: Callable[[Job, Decision], None] | None = None,
) -> Decisions:
    """Decide every job of the instance as it arrives; `seconds` is what the decisions took, without compiling."""
    started = time.perf_counter() - seconds_getting_ready()
    settings = _settings(solver)
    slot_solver = _slot_solver(instance, settings, seed)
    planner = _planner(instance, slot_solver, prices, history)
    answers: dict[str, Decision] = {}
    for job in instance.in_arrival_order():
        answers[job.id] = planner.admit(job)
        if on_decision is not None:
            on_decision(job, answers[job.id])
    return Decisions(
        policy="pdors",
        decisions=tuple(answers[job.id] for job in instance.jobs),
        seconds=time.perf_counter() - seconds_getting_ready() - started,
        seed=seed,
        options=_solver_document(settings, slot_solver) | {"prices": prices if isinstance(prices, str) else "given"},
    )


def quote(
    instance: Instance,
    job_id: str,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
) -> Quote:
    """Plan the jobs that come before the job, then tell what it would be answered."""
    asked = instance.job(job_id)
    planner = planner_for(instance, solver=solver, prices=prices, seed=seed, history=history)
    for job in instance.in_arrival_order():
        if job is asked:
            break
        planner.admit(job)
    return planner.quote(asked)


def _planner(
    instance: Instance, slot_solver: SlotSolver, prices: PricesName | PriceBounds, history: Iterable[Job]
) -> Planner:
    policy = _price_policy(instance, prices, history)
    return Planner(instance.cluster, instance.slots, instance.slot_seconds, prices=policy, solver=slot_solver)


def _price_policy(instance: Instance, prices: PricesName | PriceBounds, history: Iterable[Job]) -> PricePolicy:
    if isinstance(prices, PriceBounds):
        return FixedPrices(prices)
    if prices == "paper":
        return FixedPrices(paper_bounds(instance))
    units = Units(instance.cluster)
    shapes = (JobShape.of(job, units, instance.slot_seconds) for job in history)
    return SeenJobs(instance.cluster, instance.slots, shapes)


def _settings(solver: SolverName | PaperSolver) -> PaperSolver | None:
    """None for the fast solver, which has none."""
    if isinstance(solver, PaperSolver):
        return solver
    return PaperSolver() if solver == "paper" else None


def _slot_solver(instance: Instance, settings: PaperSolver | None, seed: int) -> FastSlotSolver | PaperSlotSolver:
    units = Units(instance.cluster)
    if settings is None:
        return FastSlotSolver(units)
    return PaperSlotSolver(units, gain=settings.gain, draws=settings.draws, seed=seed)


def _solver_document(settings: PaperSolver | None, slot_solver: FastSlotSolver | PaperSlotSolver) -> dict[str, object]:
    """The solver and its settings; of the paper's also how often rounding was asked, and found nothing."""
    if settings is None or isinstance(slot_solver, FastSlotSolver):
        return {"solver": "fast"}
    counts = {"rounding_questions": slot_solver.questions, "rounding_failures": slot_solver.failures}
    return {"solver": "paper"} | settings.document() | counts
