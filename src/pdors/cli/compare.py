"""`pdors compare`: every policy on the same jobs."""

from __future__ import annotations

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pdors.cli.backend import chosen_backend
from pdors.cli.options import (
    RUNS,
    Fresh,
    Json,
    KeptRuns,
    On,
    PricesName,
    ProcessCount,
    RayAddress,
    Seed,
    output_option,
)  # fmt: skip
from pdors.cli.screen import progress, say, show, show_json

if TYPE_CHECKING:
    from pdors.studies.sources import Source

_JOBS = "Without an INSTANCE: the paper's synthetic jobs, other ones for each seed"


def compare(
    instance: Annotated[
        Path | None,
        typer.Argument(metavar="[INSTANCE]", help="JSON or YAML; - is standard input.", show_default=False),
    ] = None,
    *,
    policies: Annotated[
        str,
        typer.Option(
            "--policies", metavar="A,B,...", help="all, or some of them, with commas between; also FILE.py:CLASS."
        ),
    ] = "all",
    seeds: Annotated[int, typer.Option("--seeds", min=1, metavar="N", help="How many seeds, from --seed on.")] = 10,
    seed: Seed = 0,
    prices: PricesName = "default",
    jobs: Annotated[int, typer.Option("--jobs", min=1, metavar="I", help="Jobs.", rich_help_panel=_JOBS)] = 100,
    machines: Annotated[
        int, typer.Option("--machines", min=1, metavar="H", help="Machines.", rich_help_panel=_JOBS)
    ] = 30,
    slots: Annotated[
        int, typer.Option("--slots", min=1, metavar="T", help="Slots of the horizon.", rich_help_panel=_JOBS)
    ] = 80,
    load: Annotated[
        float,
        typer.Option("--load", metavar="X", help="Every job has X times its epochs.", rich_help_panel=_JOBS),
    ] = 1.0,
    mix: Annotated[
        str | None,
        typer.Option(
            "--mix",
            metavar="INSENSITIVE/SENSITIVE/CRITICAL",
            help="Classes of jobs, percent (default 10/55/35).",
            show_default=False,
            rich_help_panel=_JOBS,
        ),
    ] = None,
    bound: Annotated[bool, typer.Option(help="Compute the offline bound of each seed.", rich_help_panel=RUNS)] = True,
    bound_seconds: Annotated[
        float, typer.Option("--bound-seconds", min=0.1, metavar="S", help="For each bound.", rich_help_panel=RUNS)
    ] = 60.0,
    on: On = "processes",
    processes: ProcessCount = None,
    address: RayAddress = None,
    keep: KeptRuns = None,
    fresh: Fresh = False,
    report: Annotated[
        Path | None, output_option("HTML", "a report", "--report", kind="one HTML file with every chart")
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Run policies on the same jobs, over several seeds and all cores, and say who got how much of what was to be had.

    Finished runs are kept: after an interruption the same command goes on where it stopped.
    """
    from pdors.cli.comparison_view import comparison_html, comparison_summary, comparison_table
    from pdors.files.output import write_bytes
    from pdors.policies.registry import POLICY_NAMES, find_policy
    from pdors.studies.comparison import compare, run_count
    from pdors.studies.runs import default_folder

    names = list(POLICY_NAMES) if policies == "all" else policies.split(",")
    for name in names:
        find_policy(name)
    backend = chosen_backend(on, processes, address)
    source = _source(instance, jobs, machines, slots, load, mix)
    chosen = list(range(seed, seed + seeds))
    limit = bound_seconds if bound else None
    total = run_count(names, chosen, limit)
    with progress("comparing", total) as advance:
        try:
            made = compare(
                source, names, chosen, backend=backend, folder=keep or default_folder(), prices=prices,
                bound_seconds=limit, in_detail=report is not None, fresh=fresh, on_result=advance,
            )  # fmt: skip
        except KeyboardInterrupt:
            say("finished runs are kept: the same command goes on from here")
            raise
    if report is not None:
        facts = {
            "jobs": "the same for every seed" if instance is not None else "the paper's synthetic ones",
            "seeds": f"{chosen[0]} to {chosen[-1]}; the charts of single jobs show seed {chosen[0]}",
            "prices": prices,
            "command": shlex.join(["pdors", *sys.argv[1:]]),
            "made": datetime.now().astimezone().isoformat(timespec="minutes"),
        }
        write_bytes(comparison_html(made, source.instance(chosen[0]), facts).encode(), report)
        say(f"wrote {report}")
    if json:
        show_json(made.document())
    else:
        show(comparison_table(made), "", *comparison_summary(made))


def _source(instance: Path | None, jobs: int, machines: int, slots: int, load: float, mix: str | None) -> Source:
    from pdors.files import read_instance
    from pdors.studies.sources import Generated, Given
    from pdors.workloads.paper_settings import Mix, PaperWorkload

    if instance is not None:
        return Given(read_instance(instance))
    chosen = PaperWorkload.mix if mix is None else Mix.parse(mix)
    return Generated(PaperWorkload(jobs=jobs, machines=machines, slots=slots, load=load, mix=chosen))
