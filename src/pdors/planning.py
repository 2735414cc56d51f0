"""A whole instance planned, and one of its jobs quoted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal

from pdors.model.decision import Decision, Decisions
from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.planner.admission import Planner
from pdors.planner.calibration import FixedPrices, PricePolicy, SeenJobs, paper_bounds
from pdors.planner.prices import PriceBounds
from pdors.planner.quotes import Quote
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver

SolverName = Literal["fast", "paper"]
PricesName = Literal["default", "paper"]


def planner_for(
    instance: Instance,
    *,
    solver: SolverName = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
) -> Planner:
    """A planner on the empty cluster of the instance; `prices` may be the bounds themselves."""
    units = Units(instance.cluster)
    return Planner(
        instance.cluster,
        instance.slots,
        instance.slot_seconds,
        prices=_price_policy(instance, units, prices, history),
        solver=_slot_solver(units, solver, seed),
    )


def plan(
    instance: Instance,
    *,
    solver: SolverName = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
    on_decision: Callable[[Job, Decision], None] | None = None,
) -> Decisions:
    """Decide every job of the instance as it arrives."""
    started = time.perf_counter()
    planner = planner_for(instance, solver=solver, prices=prices, seed=seed, history=history)
    answers: dict[str, Decision] = {}
    for job in instance.in_arrival_order():
        answers[job.id] = planner.admit(job)
        if on_decision is not None:
            on_decision(job, answers[job.id])
    return Decisions(
        policy="pdors",
        decisions=tuple(answers[job.id] for job in instance.jobs),
        seconds=time.perf_counter() - started,
        seed=seed,
        options={"solver": solver, "prices": prices if isinstance(prices, str) else "given"},
    )


def quote(
    instance: Instance,
    job_id: str,
    *,
    solver: SolverName = "fast",
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


def _price_policy(
    instance: Instance, units: Units, prices: PricesName | PriceBounds, history: Iterable[Job]
) -> PricePolicy:
    if isinstance(prices, PriceBounds):
        return FixedPrices(prices)
    if prices == "paper":
        return FixedPrices(paper_bounds(instance))
    shapes = (JobShape.of(job, units, instance.slot_seconds) for job in history)
    return SeenJobs(instance.cluster, instance.slots, shapes)


def _slot_solver(units: Units, solver: SolverName, seed: int) -> SlotSolver:
    return FastSlotSolver(units) if solver == "fast" else PaperSlotSolver(units, seed=seed)
