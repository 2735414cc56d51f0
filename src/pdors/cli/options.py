"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

InstancePath = Annotated[
    Path, typer.Argument(metavar="INSTANCE", help="The instance, JSON or YAML.", show_default=False)
]
DecisionsPath = Annotated[
    Path, typer.Argument(metavar="DECISIONS", help="The decisions on that instance.", show_default=False)
]
JobId = Annotated[str, typer.Option("--job", metavar="ID", help="The id of the job.", show_default=False)]
SolverName = Annotated[
    Literal["fast", "paper"],
    typer.Option("--solver", help="How a slot is placed: directly in whole tasks, or by LP and rounding."),
]
PricesName = Annotated[
    Literal["default", "paper"], typer.Option("--prices", help="Calibrated prices, or the constants as printed.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of everything random.")]
HistoryPath = Annotated[
    Path | None,
    typer.Option(
        "--history", metavar="FILE", help="An instance whose jobs calibrate the default prices.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of tables.")]
