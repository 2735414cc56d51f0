"""`pdors plan`: decide every job of an instance, in order of arrival."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pdors.cli.options import (
    Delta,
    Draws,
    Gain,
    HistoryPath,
    InstancePath,
    Json,
    PricesName,
    Seed,
    SolverName,
    output_option,
)
from pdors.cli.screen import progress, show, show_json


def plan(
    instance: InstancePath,
    *,
    solver: SolverName = "fast",
    gain: Gain = None,
    delta: Delta = None,
    draws: Draws = None,
    prices: PricesName = "default",
    seed: Seed = 0,
    history: HistoryPath = None,
    output: Annotated[Path | None, output_option("DECISIONS", "the decisions")] = None,
    json: Json = False,
) -> None:
    """Decide every job as it arrives: admitted with a promise, or rejected with the reason.

    The table has one line per job; utility, price and payoff are in the unit of the jobs' utilities.
    """
    from pdors import planning
    from pdors.cli.planning import chosen_solver, history_jobs, ready_to_compile
    from pdors.cli.views import decisions_summary, decisions_table
    from pdors.files import decisions_document, read_instance, write_decisions

    chosen = chosen_solver(solver, gain, delta, draws)
    posed = read_instance(instance)
    past = history_jobs(history, posed)
    with ready_to_compile(), progress("planning", len(posed.jobs)) as advance:
        decisions = planning.plan(
            posed, solver=chosen, prices=prices, seed=seed, history=past, on_decision=lambda _job, _decision: advance()
        )
    if output is not None:
        write_decisions(decisions, posed, output)
    if json:
        show_json(decisions_document(decisions, posed))
    else:
        show(decisions_table(posed, decisions), "", *decisions_summary(decisions))
