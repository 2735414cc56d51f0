"""What every command does that plans, or is asked for one job."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import typer

from pdors.cli.screen import say
from pdors.errors import ModelError
from pdors.files import read_instance
from pdors.model.job import Instance, Job
from pdors.planner.rounding import FavourResources, FavourWork
from pdors.policies.pdors import PAPER_DRAWS, PaperSolver
from pdors.readiness import when_compiling_starts

_FORMULAS: dict[str, type[FavourResources] | type[FavourWork]] = {
    "favour-resources": FavourResources,
    "favour-work": FavourWork,
}


def history_jobs(path: Path | None, instance: Instance) -> tuple[Job, ...]:
    """The jobs that calibrate the default prices; none without a history."""
    if path is None:
        return ()
    history = read_instance(path)
    if history.cluster.resources != instance.cluster.resources:
        raise ModelError(
            f"{path}: resources: got {list(history.cluster.resources)}, "
            f"expected those of the instance, {list(instance.cluster.resources)}"
        )
    return history.jobs


def find_job(instance: Instance, job_id: str) -> Job:
    by_id = {job.id: job for job in instance.jobs}
    if job_id not in by_id:
        near = get_close_matches(job_id, by_id, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise typer.BadParameter(f"the instance has no job {job_id!r}{hint}", param_hint="--job")
    return by_id[job_id]


def chosen_solver(
    solver: Literal["fast", "paper"], gain: str | None, delta: float | None, draws: int | None
) -> Literal["fast"] | PaperSolver:
    given = {"--gain": gain, "--delta": delta, "--draws": draws}
    if solver == "fast":
        for option, value in given.items():
            if value is not None:
                raise typer.BadParameter("it is a setting of --solver paper", param_hint=option)
        return solver
    return PaperSolver(_chosen_gain(gain, delta), PAPER_DRAWS if draws is None else draws)


def _chosen_gain(gain: str | None, delta: float | None) -> float | FavourResources | FavourWork:
    if gain is not None and gain in _FORMULAS:
        if delta is None:
            raise typer.BadParameter(f"{gain} needs --delta, as in --delta 0.1", param_hint="--gain")
        return _FORMULAS[gain](delta)
    if delta is not None:
        raise typer.BadParameter(f"it is a setting of --gain {' and --gain '.join(_FORMULAS)}", param_hint="--delta")
    try:
        return 1.0 if gain is None else float(gain)
    except ValueError:
        raise typer.BadParameter(
            f"got {gain!r}, expected a number, {' or '.join(_FORMULAS)}", param_hint="--gain"
        ) from None


@contextmanager
def ready_to_compile() -> Iterator[None]:
    """When the planner has to be compiled, say so, and have a second process compile its share."""
    helpers: list[subprocess.Popen[bytes]] = []

    def begin() -> None:
        say("compiling the planner for this machine (first run only, some seconds) ...")
        helpers.append(
            subprocess.Popen(
                [sys.executable, "-m", "pdors.planner.rehearsal"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )

    try:
        with when_compiling_starts(begin):
            yield
    finally:
        for helper in helpers:
            helper.terminate()
            helper.wait()
