"""A whole instance planned, and one of its jobs quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

from pdors.engine.simulation import Simulation, simulate
from pdors.model.decision import Decisions
from pdors.model.job import Instance, Job
from pdors.planner.prices import PriceBounds
from pdors.planner.pricing import PricesName, price_policy
from pdors.planner.quotes import Quote
from pdors.policies.pdors import PaperSolver, PdOrs, SolverName
from pdors.policies.policy import Answer, Policy, Setting
from pdors.policies.registry import find_policy

__all__ = ["PaperSolver", "PricesName", "SolverName", "plan", "policy_maker", "price_policy", "quote"]


def plan(
    instance: Instance,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
    on_decision: Callable[[Job, Answer], None] | None = None,
) -> Decisions:
    """Decide every job of the instance as it arrives; `seconds` is what the decisions took, without compiling."""
    make = _maker(instance, solver, prices, history)
    decisions = simulate(instance, make, seed=seed, on_decision=on_decision, record_prices=False).decisions
    return replace(decisions, options={**decisions.options, "prices": prices if isinstance(prices, str) else "given"})


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
    in_order = instance.in_arrival_order()
    before = replace(instance, jobs=in_order[: in_order.index(asked)])
    simulation = Simulation(before, _maker(instance, solver, prices, history), seed=seed, record_prices=False)
    simulation.run()
    return cast("PdOrs", simulation.policy).planner.quote(asked, simulation.ledger)


def policy_maker(
    instance: Instance, policy: str, *, prices: PricesName | PriceBounds = "default", history: Iterable[Job] = ()
) -> Callable[[Setting], Policy]:
    """A policy by name or `FILE.py:CLASS`; those with prices get the same ones."""
    found = find_policy(policy)
    return lambda setting: found.at_prices(setting, instance, prices, history)


def _maker(
    instance: Instance, solver: SolverName | PaperSolver, prices: PricesName | PriceBounds, history: Iterable[Job]
) -> Callable[[Setting], PdOrs]:
    return lambda setting: PdOrs(setting, solver=solver, prices=price_policy(instance, prices, history))
