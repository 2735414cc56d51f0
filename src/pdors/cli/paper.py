"""`pdors paper`: the evaluation of the paper, from one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pdors.cli.backend import chosen_backend
from pdors.cli.options import Fresh, Json, KeptRuns, On, ProcessCount, RayAddress
from pdors.cli.screen import MOST_ROWS, progress, say, show, show_json, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdors.studies.paper.declaration import Figure
    from pdors.studies.paper.options import PaperOptions
    from pdors.studies.paper.runner import Studied
    from pdors.studies.runs import Backend

_SILENT = "Where the paper is silent: synthetic jobs as in pdors workload paper"
SOME_CLAIM_FAILED = 1


def paper(
    what: Annotated[
        str,
        typer.Argument(metavar="list|all|FIGURE", show_default=False, help="list says what there is."),
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where pictures, data, claims and the page are written.")
    ] = Path("paper"),
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=2, metavar="N", show_default=False,
                                 help="How many seeds, from 0 on (default 10, with --quick 3).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few seeds and few points: minutes.")] = False,
    google: Annotated[
        list[Path] | None,
        typer.Option("--google", metavar="PATH",
                     help="Parts of the Google trace of 2011, or a folder of them, for the two figures that follow it "
                     "(without it synthetic jobs stand in). May be given several times.", show_default=False),
    ] = None,
    capacity: Annotated[
        str, typer.Option("--capacity", metavar="mean|maximum|GPU/CPU/MEMORY/STORAGE", rich_help_panel=_SILENT,
                          help="A machine: 18 times the mean or the maximum demand of a worker, or its amounts.")
    ] = "mean",
    external_mb_s: Annotated[
        str, typer.Option("--external-mb-s", metavar="LOW:HIGH", help="Rate b(e) between machines, MB/s.",
                          rich_help_panel=_SILENT)
    ] = "12.5:625",
    internal_factor: Annotated[
        str, typer.Option("--internal-factor", metavar="LOW:HIGH", help="Rate on one machine as a multiple of b(e).",
                          rich_help_panel=_SILENT)
    ] = "10:20",
    draws: Annotated[
        int, typer.Option("--draws", min=1, metavar="S", rich_help_panel=_SILENT,
                          help="Roundings of a slot before it is given up; with --quick 200 at most.")
    ] = 5000,
    json: Json = False,
    on: On = "processes",
    processes: ProcessCount = None,
    address: RayAddress = None,
    keep: KeptRuns = None,
    fresh: Fresh = False,
) -> None:  # fmt: skip
    """Run the paper's figures again, and say of each of its claims whether it holds.

    Exit code 1: some claim does not hold. Finished cells are kept, and cells that figures share are run once: after an
    interruption the same command goes on where it stopped.
    """
    from pdors.studies.paper.figures import FIGURES
    from pdors.studies.paper.google import GoogleTrace
    from pdors.studies.paper.options import QUICK_SEEDS, SEEDS, PaperOptions
    from pdors.studies.runs import default_folder
    from pdors.workloads.paper_settings import PaperWorkload, parse_capacity
    from pdors.workloads.ranges import Reals

    if what == "list":
        _list(FIGURES, json=json)
        return
    figures = FIGURES if what == "all" else (_named(what, FIGURES),)
    count = seeds or (QUICK_SEEDS if quick else SEEDS)
    options = PaperOptions(
        seeds=tuple(range(count)),
        quick=quick,
        google=GoogleTrace(tuple(google)) if google else None,
        base=PaperWorkload(
            jobs=1, machines=1, slots=1, capacity=parse_capacity(capacity),
            external_mb_s=Reals.parse(external_mb_s), internal_factor=Reals.parse(internal_factor),
        ),
        all_draws=draws,
    )  # fmt: skip
    backend = chosen_backend(on, processes, address)
    studied = _study(figures, options, out, backend, keep or default_folder(), fresh=fresh)
    _tell(studied, out, json=json)
    if not all(verdict.judgement.holds for one in studied for verdict in one.verdicts):
        raise typer.Exit(SOME_CLAIM_FAILED)


def _list(figures: Sequence[Figure], *, json: bool) -> None:
    if json:
        show_json([{"figure": figure.name, "setting": figure.setting.told(figure.vary), "says": figure.said}
                   for figure in figures])  # fmt: skip
        return
    rows = [(figure.name, figure.setting.told(figure.vary), figure.said) for figure in figures]
    show(table(("figure", "setting", "what the text says"), rows))


def _named(name: str, figures: Sequence[Figure]) -> Figure:
    from difflib import get_close_matches

    by_name = {figure.name: figure for figure in figures}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name, by_name, cutoff=0.5)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    raise typer.BadParameter(f"no figure {name!r}{hint}; pdors paper list names them")


def _study(
    figures: Sequence[Figure], options: PaperOptions, out: Path, backend: Backend, folder: Path, *, fresh: bool
) -> list[Studied]:
    from pdors.cli.paper_output import write_study
    from pdors.cli.planning import ready_to_compile
    from pdors.studies.paper.figures import BY_NAME
    from pdors.studies.paper.runner import cells_of, study, with_others

    out.mkdir(parents=True, exist_ok=True)
    total = len(cells_of(with_others(figures, BY_NAME), options))
    with ready_to_compile(), progress("running the paper", total) as advance:
        try:
            studied = study(
                figures, options, by_name=BY_NAME, backend=backend, folder=folder, fresh=fresh, on_result=advance,
            )  # fmt: skip
        except KeyboardInterrupt:
            say("finished cells are kept: the same command goes on from here")
            raise
    write_study(studied, options, out)
    return studied


def _tell(studied: Sequence[Studied], out: Path, *, json: bool) -> None:
    from pdors.cli.paper_output import claim_rows
    from pdors.studies.paper.account import entries

    if json:
        show_json(entries(studied))
    else:
        words = {True: "holds", False: "fails", None: ""}
        rows = [
            (row.figure, row.claim, words[row.default], row.default_number, words[row.paper])
            for one in studied for row in claim_rows(one)
        ]  # fmt: skip
        times = [(one.figure.name, str(len(one.seconds)), f"{sum(one.seconds.values()):.0f}") for one in studied]
        show(
            *(table(("figure", "claim", "verdict", "value [95%]", "paper's\nprices"), rows[first : first + MOST_ROWS])
              for first in range(0, len(rows), MOST_ROWS)),
            "",
            table(("figure", "cells", "seconds of a core"), times, numeric=("cells", "seconds of a core"),
                  caption="cells that figures share count in each of them"),
        )  # fmt: skip
    say(f"wrote {out}: index.html has everything, claims.json the verdicts")
