"""`pdors simulate`: one policy on the jobs of an instance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pdors.cli.options import HistoryPath, Json, PricesName, Seed, output_option
from pdors.cli.screen import progress, show, show_json

_TABLE = "CSV, or Parquet if the name ends in .parquet"


def simulate(
    *,
    instance: Annotated[
        Path, typer.Option("--instance", metavar="INSTANCE", help="The instance, JSON or YAML; - is standard input.")
    ],
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            metavar="POLICY",
            help="pdors, oasis, elasticflow, greedy, optimus, dorm, drf, fifo, or a class of your own: FILE.py:CLASS.",
        ),
    ] = "pdors",
    prices: PricesName = "default",
    seed: Seed = 0,
    history: HistoryPath = None,
    output: Annotated[Path | None, output_option("DECISIONS", "the decisions")] = None,
    per_job: Annotated[
        Path | None,
        output_option("FILE", "one row per job", "--per-job", kind=_TABLE),
    ] = None,
    per_slot: Annotated[
        Path | None,
        output_option("FILE", "one row per slot, with queue, use and prices", "--per-slot", kind=_TABLE),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Draw the cluster in the terminal as time goes by.")] = False,
    json: Json = False,
) -> None:
    """Run one policy on the jobs of an instance as they arrive, and tell what became of each.

    Utility, price and payoff are in the unit of the jobs' utilities. A policy without admission control may leave a job
    unfinished.
    """
    from pdors import engine
    from pdors.cli.planning import history_jobs, ready_to_compile
    from pdors.cli.views import decisions_summary, decisions_table
    from pdors.cli.watch import watching
    from pdors.files import decisions_document, read_instance, write_decisions
    from pdors.files.tables import write_table
    from pdors.planning import policy_maker

    posed = read_instance(instance)
    make = policy_maker(posed, policy, prices=prices, history=history_jobs(history, posed))
    with (
        ready_to_compile(),
        progress("simulating", len(posed.jobs), hidden=watch) as advance,
        watching(posed, on=watch) as draw,
    ):
        outcome = engine.simulate(posed, make, seed=seed, on_decision=lambda _job, _answer: advance(), on_round=draw)
    if output is not None:
        write_decisions(outcome.decisions, posed, output)
    if per_job is not None:
        write_table(outcome.per_job(), per_job)
    if per_slot is not None:
        write_table(outcome.per_slot(), per_slot)
    if json:
        show_json(decisions_document(outcome.decisions, posed))
    else:
        show(decisions_table(posed, outcome.decisions), "", *decisions_summary(outcome.decisions))
