"""`pdors plan`: decide every job of an instance, in order of arrival."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pdors.cli.options import HistoryPath, InstancePath, Json, PricesName, Seed, SolverName
from pdors.cli.screen import progress, show, show_json


def plan(
    instance: InstancePath,
    *,
    solver: SolverName = "fast",
    prices: PricesName = "default",
    seed: Seed = 0,
    history: HistoryPath = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DECISIONS", help="Where to write the decisions.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Decide every job as it arrives: admitted with a promise, or rejected with the reason."""
    from pdors import planning
    from pdors.cli.planning import announce_compilation, history_jobs
    from pdors.cli.views import decisions_summary, decisions_table
    from pdors.files import decisions_document, read_instance, write_decisions

    posed = read_instance(instance)
    past = history_jobs(history, posed)
    announce_compilation()
    with progress("planning", len(posed.jobs)) as advance:
        decisions = planning.plan(
            posed, solver=solver, prices=prices, seed=seed, history=past, on_decision=lambda _job, _decision: advance()
        )
    if output is not None:
        write_decisions(decisions, posed, output)
    if json:
        show_json(decisions_document(decisions, posed))
    else:
        show(decisions_table(posed, decisions), "", *decisions_summary(decisions))
