"""All cells of some figures through one call, so that equal ones are run once and no core waits; then the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pdors.studies.comparison import BoundRun, PolicyRun
from pdors.studies.paper.cells import OptimumRun, Timed, row_of
from pdors.studies.paper.claims import Claim, Judgement
from pdors.studies.paper.declaration import Figure
from pdors.studies.paper.measured import Cell, Measured
from pdors.studies.paper.options import PaperOptions
from pdors.studies.runs import Backend, Run, run_all

PRICES = ("default", "paper")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    figure: str
    claim: Claim
    prices: str | None
    judgement: Judgement


@dataclass(frozen=True, eq=False)
class Studied:
    """A figure with its rows, its verdicts, and the seconds of each of its cells."""

    figure: Figure
    measured: Measured
    verdicts: tuple[Verdict, ...]
    seconds: Mapping[Cell, float]


def cells_of(figures: Sequence[Figure], options: PaperOptions) -> dict[str, Run]:
    """By identity, the longest first, so that no core is left with one at the end."""
    runs = {run.identity: run for figure in figures for _, run in figure.runs(options)}
    return dict(sorted(runs.items(), key=lambda item: -_effort(item[1])))


def study(
    figures: Sequence[Figure],
    options: PaperOptions,
    *,
    by_name: Mapping[str, Figure],
    backend: Backend,
    folder: Path,
    fresh: bool = False,
    on_result: Callable[[], None] = lambda: None,
) -> list[Studied]:
    """`by_name` is where the figures are found that claims need beside their own."""
    everyone = with_others(figures, by_name)
    cells = cells_of(everyone, options)
    runs = [Timed(run) for run in cells.values()]
    results = run_all(runs, backend=backend, folder=folder, fresh=fresh, on_result=on_result)
    found = dict(zip(cells, results, strict=True))
    measured, seconds = {}, {}
    for figure in everyone:
        made = {cell: found[run.identity] for cell, run in figure.runs(options)}
        rows = {cell: row_of(result["result"]) for cell, result in made.items()}
        measured[figure.name] = Measured(figure.points_for(options), figure.seeds_for(options), rows)
        seconds[figure.name] = {cell: result["seconds"] for cell, result in made.items()}
    return [Studied(figure, measured[figure.name], judge(figure, measured), seconds[figure.name]) for figure in figures]


def with_others(figures: Sequence[Figure], by_name: Mapping[str, Figure]) -> list[Figure]:
    """And those that their claims look at."""
    return list(dict.fromkeys([*figures, *(by_name[name] for figure in figures for name in figure.others)]))


def judge(figure: Figure, measured: Mapping[str, Measured]) -> tuple[Verdict, ...]:
    """Each claim at the default prices, then, where prices play a part, at the paper's."""
    return tuple(
        Verdict(
            figure=figure.name,
            claim=claim,
            prices=prices,
            judgement=claim.judge(measured[figure.name], measured, prices or "default"),
        )
        for claim in figure.claims
        for prices in (PRICES if claim.priced else (None,))
    )


_EFFORTS = {"dorm": 40.0, "optimus": 3.0, "elasticflow": 2.0}


def _effort(run: Run) -> float:
    """Roughly, in an unknown unit: what sorts the long cells before the short ones."""
    source = getattr(run, "source", None)
    workload = getattr(source, "workload", source)
    size = 1.0
    for name in ("jobs", "machines", "slots"):
        size *= float(getattr(workload, name, 1))
    match run:
        case PolicyRun():
            return size * _EFFORTS.get(run.policy, 1.0)
        case BoundRun():
            return 20 * size
        case OptimumRun():
            return 1e4 * size
        case _:
            return 1e3 * size
