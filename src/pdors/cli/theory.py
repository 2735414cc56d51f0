"""`pdors theory`: what the paper's analysis claims for an instance, beside what a run achieved."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pdors.cli.offline import TimeLimit, closing_in
from pdors.cli.options import Gain, HistoryPath, InstancePath, Json, PricesName, Seed
from pdors.cli.screen import progress, show, show_json

if TYPE_CHECKING:
    from pdors.policies.pdors import PaperSolver


_SMALLEST = 1e-100
"""Beyond, 3r / delta leaves the range of floats."""


def _probability(delta: float) -> float:
    if not _SMALLEST <= delta <= 1:
        raise typer.BadParameter(f"got {delta}, expected a probability above 0 and up to 1")
    return delta


def theory(
    instance: InstancePath,
    *,
    delta: Annotated[
        float,
        typer.Option("--delta", metavar="D", callback=_probability,
                     help="The probability with which the promises of the theorems may fail."),
    ] = 0.1,
    draws: Annotated[
        int, typer.Option("--draws", min=1, metavar="S", help="Roundings of one question, also of --solver paper.")
    ] = 50,
    prices: PricesName = "default",
    solver: Annotated[
        Literal["fast", "paper"],
        typer.Option("--solver",
                     help="Run the fast solver alone, or the paper's beside it, with its roundings counted."),
    ] = "fast",
    gain: Gain = None,
    seed: Seed = 0,
    history: HistoryPath = None,
    time_limit: TimeLimit = 60.0,
    optimum: Annotated[
        bool | None,
        typer.Option("--optimum/--no-optimum", show_default=False,
                     help="Seek the exact optimum as well (default: up to 10 jobs and 20 slots)."),
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Say what the paper's theorems claim for this instance, where a claim is void, and what PD-ORS achieved on it.

    Constants of the prices, G and delta of one slot, the competitive ratio of all, and the measured ratio beside it.
    """
    from pdors.cli.planning import chosen_solver, history_jobs, ready_to_compile
    from pdors.cli.theory_view import theory_page
    from pdors.files import read_instance
    from pdors.offline.bound import bound as find_bound
    from pdors.offline.optimum import optimum as find_optimum
    from pdors.studies.theory import Theory, achieve, is_small
    from pdors.studies.theory_document import theory_document

    by_theorem = gain is not None and gain.startswith("favour-")
    chosen = chosen_solver(solver, gain, delta if by_theorem else None, draws if solver == "paper" else None)
    posed = read_instance(instance)
    past = history_jobs(history, posed)
    solvers: list[Literal["fast"] | PaperSolver] = ["fast"] if chosen == "fast" else ["fast", chosen]
    runs = []
    with ready_to_compile():
        for each in solvers:
            name = "fast" if each == "fast" else "paper"
            with progress(f"planning, {name} solver", len(posed.jobs)) as advance:
                runs.append(
                    achieve(posed, solver=each, prices=prices, seed=seed, history=past, on_decision=_ignoring(advance))
                )
        found = None
        if is_small(posed) if optimum is None else optimum:
            with closing_in("optimum: best", "not above") as tell:
                found = find_optimum(posed, time_limit=time_limit, on_progress=tell)
            upper = found.upper
        else:
            with closing_in("bound", "not below") as tell:
                upper = find_bound(posed, time_limit=time_limit, on_progress=tell)
    told = Theory(posed, delta, draws, prices, tuple(runs), upper, found)
    if json:
        show_json(theory_document(told))
    else:
        show(*theory_page(told))


def _ignoring(advance: Callable[[], None]) -> Callable[[object, object], None]:
    return lambda _job, _answer: advance()
