"""What `pdors bound` and `pdors optimum` share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from pdors.cli.screen import number


def _finite(seconds: float) -> float:
    if not math.isfinite(seconds):
        raise typer.BadParameter(f"got {seconds}, expected a number of seconds")
    return seconds


TimeLimit = Annotated[
    float,
    typer.Option("--time-limit", min=0, metavar="S", help="Seconds after which it ends with what it has.",
                 callback=_finite),
]  # fmt: skip


@contextmanager
def closing_in(reached: str, limit: str) -> Iterator[Callable[[float, float], None]]:
    """A line on stderr, where that is a terminal, with the two figures that what it yields was told last."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _reached, _limit: None
        return
    with console.status("searching ...") as status:
        yield lambda low, high: status.update(f"{reached} {number(low)}, {limit} {number(high)}")
