"""`pdors paper`: the evaluation of the paper, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pdors.cli.options import Json
from pdors.cli.screen import number, progress, say, show, show_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdors.studies.paper.declaration import Figure
    from pdors.studies.paper.runner import Studied

_RUNS = "How it is run"
_SILENT = "Where the paper is silent"
SOME_CLAIM_FAILED = 1


def paper(
    what: Annotated[
        str, typer.Argument(metavar="list|all|FIGURE", help="What to run: one figure, all of them, or list what there is.",
                            show_default=False)
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where pictures, data, claims and the page are written.")
    ] = Path("paper"),
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=2, metavar="N", help="How many seeds, from 0 on (default 10, with --quick 3).",
                                 show_default=False)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few seeds and few points: minutes.")] = False,
    google: Annotated[
        list[Path] | None,
        typer.Option("--google", metavar="PATH",
                     help="Parts of the Google trace of 2011, or a folder of them, for the two figures that follow it "
                     "(without it synthetic jobs stand in). May be given several times.", show_default=False),
    ] = None,
    json: Json = False,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, metavar="N", help="How many at once (default: one per core).",
                     show_default=False, rich_help_panel=_RUNS),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FOLDER", help="Where finished cells are kept (default: the cache of the user).",
                     show_default=False, rich_help_panel=_RUNS),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh/--resume", help="Run again what is kept, or go on from there.", rich_help_panel=_RUNS)
    ] = False,
) -> None:  # fmt: skip
    """Run the paper's figures again, and say of each of its claims whether it holds.

    Exit code 1: some claim does not hold. Finished cells are kept, and cells that figures share are run once: after an
    interruption the same command goes on where it stopped.
    """
    from pdors.studies.paper.figures import FIGURES

    if what == "list":
        _list(FIGURES, json=json)
        return
    figures = FIGURES if what == "all" else (_named(what, FIGURES),)
    studied = _study(figures, out, seeds, quick, google, processes, keep, fresh)
    _tell(studied, out, json=json)
    if not all(verdict.judgement.holds for one in studied for verdict in one.verdicts):
        raise typer.Exit(SOME_CLAIM_FAILED)
