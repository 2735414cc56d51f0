"""What every command does that plans."""

from __future__ import annotations

from pathlib import Path

from pdors.cli.screen import say
from pdors.compiled import needs_compiling
from pdors.errors import ModelError
from pdors.files import read_instance
from pdors.model.job import Instance, Job


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


def announce_compilation() -> None:
    if needs_compiling():
        say("compiling the planner for this machine (first run only, some seconds) ...")
