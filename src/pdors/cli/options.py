"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

_PAPER = "With --solver paper"
RUNS = "How it is run"


def _file_in_a_folder(path: Path | None) -> Path | None:
    """Found out before the work is done, and not after it."""
    if path is None:
        return None
    if str(path) == "-" or path.is_dir():
        raise typer.BadParameter(f"got {path}, expected the name of a file")
    if not path.parent.is_dir():
        raise typer.BadParameter(f"got {path}, and there is no folder {path.parent}")
    return path


def output_option(
    metavar: str, what: str, *names: str, kind: str = "JSON, or YAML if the name ends in .yaml"
) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        *(names or ("--output", "-o")),
        metavar=metavar,
        help=f"Where to write {what}: {kind}.",
        show_default=False,
        callback=_file_in_a_folder,
    )
    return option


InstancePath = Annotated[
    Path,
    typer.Argument(metavar="INSTANCE", help="The instance, JSON or YAML; - is standard input.", show_default=False),
]
DecisionsPath = Annotated[
    Path, typer.Argument(metavar="DECISIONS", help="The decisions on that instance.", show_default=False)
]
JobId = Annotated[str, typer.Option("--job", metavar="ID", help="The id of the job.", show_default=False)]
SolverName = Annotated[
    Literal["fast", "paper"],
    typer.Option("--solver", help="How a slot is placed: directly in whole tasks, or by LP and randomised rounding."),
]
Gain = Annotated[
    str | None,
    typer.Option(
        "--gain",
        metavar="G",
        help="What the solution of the LP is scaled by before it is rounded: a number (default 1), or "
        "favour-resources or favour-work, the formulas of Theorems 3 and 4.",
        show_default=False,
        rich_help_panel=_PAPER,
    ),
]
Delta = Annotated[
    float | None,
    typer.Option(
        "--delta",
        metavar="D",
        help="For those formulas: the probability with which their promises may fail.",
        show_default=False,
        rich_help_panel=_PAPER,
    ),
]
Draws = Annotated[
    int | None,
    typer.Option(
        "--draws",
        metavar="S",
        help="How many roundings are tried (default 50).",
        show_default=False,
        rich_help_panel=_PAPER,
    ),
]
PricesName = Annotated[
    Literal["default", "paper"],
    typer.Option("--prices", help="Prices calibrated by the jobs seen so far, or the paper's constants as printed."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of everything random.")]
HistoryPath = Annotated[
    Path | None,
    typer.Option(
        "--history", metavar="FILE", help="An instance whose jobs calibrate the default prices.", show_default=False
    ),
]
On = Annotated[
    Literal["processes", "ray"],
    typer.Option(
        "--on",
        help="Where runs are computed: in processes of this machine, or on a Ray cluster (docs/clusters.md).",
        rich_help_panel=RUNS,
    ),
]
ProcessCount = Annotated[
    int | None,
    typer.Option(
        "--processes",
        min=1,
        metavar="N",
        help="With --on processes: how many at once (default: one per core).",
        show_default=False,
        rich_help_panel=RUNS,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="With --on ray: of the head of the cluster (default: the cluster that this machine is part of).",
        show_default=False,
        rich_help_panel=RUNS,
    ),
]
KeptRuns = Annotated[
    Path | None,
    typer.Option(
        "--keep",
        metavar="FOLDER",
        help="Where finished runs are kept (default: the cache of the user).",
        show_default=False,
        rich_help_panel=RUNS,
    ),
]
Fresh = Annotated[
    bool,
    typer.Option("--fresh/--resume", help="Run again what is kept, or go on from there.", rich_help_panel=RUNS),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of tables.")]
