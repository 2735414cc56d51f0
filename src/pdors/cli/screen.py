"""What a command shows: tables and JSON on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

MOST_ROWS = 50
PIPED_COLUMNS = 120
"""The width where no terminal tells one: tables in a file or a pipe should not be folded to 80."""


def show(*parts: RenderableType) -> None:
    """Print on stdout; lines are not folded, and nothing in them is taken for markup."""
    fixed = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED_COLUMNS
    console = Console(width=fixed, markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def show_json(document: object) -> None:
    sys.stdout.write(json.dumps(document, allow_nan=False) + "\n")


def say(message: str) -> None:
    """A message for the person, never part of the result."""
    sys.stderr.write(message + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Collection[str] = ()) -> Table:
    """A table of at most `MOST_ROWS` rows; a caption counts the ones left out."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", caption_justify="left")
    for column in columns:
        drawn.add_column(column, justify="right" if column in numeric else "left", overflow="fold")
    left_out = 0
    for row in rows:
        if drawn.row_count < MOST_ROWS:
            drawn.add_row(*row)
        else:
            left_out += 1
    if left_out:
        drawn.caption = f"... and {left_out} more"
    return drawn


def number(value: float | None) -> str:
    """Four significant digits; nothing where there is no number."""
    return "" if value is None else f"{value:.4g}"


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


@contextmanager
def progress(doing: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr with the time left, where stderr is a terminal; call what it yields after each step."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task(doing, total=total)
        yield lambda: bars.advance(task)
