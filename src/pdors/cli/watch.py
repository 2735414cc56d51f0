"""The cluster drawn in the terminal, slot by slot, while a policy runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pdors.cli.screen import number
from pdors.engine import Simulation
from pdors.model.decision import Admitted
from pdors.model.job import Instance

Floats = NDArray[np.float64]

_SECONDS_IN_ALL = 20.0
_MOST_SECONDS_PER_SLOT = 0.15
_FEWEST_SECONDS_PER_FRAME = 0.03
_BLOCKS = " ▁▂▃▄▅▆▇█"


@contextmanager
def watching(instance: Instance, *, on: bool) -> Iterator[Callable[[Simulation, int], None] | None]:
    """What to call at each round; None where nothing is to be drawn. The whole run takes about 20 seconds."""
    if not on:
        yield None
        return
    console = Console(stderr=True)
    pace = min(_MOST_SECONDS_PER_SLOT, _SECONDS_IN_ALL / instance.slots)
    step = max(1, round(_FEWEST_SECONDS_PER_FRAME / pace))
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def draw(simulation: Simulation, stop: int) -> None:
            for slot in range(simulation.slot, stop):
                if slot % step == 0 or slot == stop - 1:
                    live.update(_frame(simulation, slot, console.width, console.height), refresh=True)
                    time.sleep(pace * step)

        yield draw


def _frame(simulation: Simulation, slot: int, width: int, height: int) -> RenderableType:
    instance, units = simulation.instance, simulation.ledger.units
    share = simulation.ledger.used(slot) / np.maximum(units.capacity, 1)
    machines = _bars(share, width, max(1, height - len(instance.cluster.resources) - 4))
    totals = Table(box=None, pad_edge=False)
    totals.add_column("resource")
    totals.add_column("held", justify="right")
    totals.add_column("")
    held, total = simulation.ledger.used(slot).sum(axis=0), np.maximum(units.capacity.sum(axis=0), 1)
    for name, part in zip(instance.cluster.resources, (held / total).tolist(), strict=True):
        totals.add_row(name, f"{100 * part:.0f}%", "█" * round(30 * part))
    done = [
        decision
        for decision in simulation.decisions.values()
        if isinstance(decision, Admitted) and decision.completion is not None and decision.completion <= slot
    ]
    utility = sum(decision.utility for decision in done)
    title = (
        f"{simulation.policy.name}: slot {slot} of {instance.slots}, {len(simulation.queue)} in the queue, "
        f"{len(done)} done, utility {number(utility)}"
    )
    return Group(Text(title, style="bold", no_wrap=True), totals, machines)


def _bars(share: Floats, width: int, lines: int) -> Text:
    """A character per machine: how much is held of what it has least left of; of many machines the mean of a few."""
    fullest = share.max(axis=1)
    per_cell = -(-len(fullest) // (lines * width))
    cells = [float(fullest[at : at + per_cell].mean()) for at in range(0, len(fullest), per_cell)]
    text = "".join(_BLOCKS[min(len(_BLOCKS) - 1, int(np.ceil(cell * (len(_BLOCKS) - 1))))] for cell in cells)
    label = "machine by machine" if per_cell == 1 else f"each {per_cell} machines"
    rows = [text[at : at + width - 2] for at in range(0, len(text), width - 2)]
    return Text("\n".join([f"{label}, of what is scarcest:", *(f"|{row}|" for row in rows)]))
