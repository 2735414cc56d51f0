"""Where the runs of a study are computed, from the options for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import typer

if TYPE_CHECKING:
    from pdors.studies.runs import Backend


def chosen_backend(on: Literal["processes", "ray"], processes: int | None, address: str | None) -> Backend:
    """Each setting belongs to one place alone."""
    if on == "ray":
        if processes is not None:
            raise typer.BadParameter("it is a setting of --on processes", param_hint="--processes")
        from pdors.studies.on_ray import OnRay

        return OnRay() if address is None else OnRay(address)
    if address is not None:
        raise typer.BadParameter("it is a setting of --on ray", param_hint="--address")
    from pdors.studies.processes import Processes

    return Processes(processes)
