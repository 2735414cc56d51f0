"""What a command shows: tables and JSON on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

MOST_ROWS = 50
_NARROWEST = 11
"""A column of text is folded to this at most, however long its words are."""
_AS_WIDE_AS_IT_IS = 10_000
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


@dataclass(frozen=True)
class FittedTable:
    """At most `MOST_ROWS` rows, and on a narrow screen without as many of the `spare` columns as it takes.

    Numbers are never broken; texts fold.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: Collection[str]
    spare: Sequence[str]
    caption: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for left_out in range(len(self.spare) + 1):
            drawn = self._without(self.spare[:left_out])
            if Measurement.get(console, options.update_width(_AS_WIDE_AS_IT_IS), drawn).minimum <= options.max_width:
                break
        yield drawn

    def _without(self, left_out: Sequence[str]) -> Table:
        drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", caption_justify="left")
        kept = [index for index, column in enumerate(self.columns) if column not in left_out]
        for index in kept:
            column, cells = self.columns[index], [row[index] for row in self.rows[:MOST_ROWS]]
            if column in self.numeric:
                drawn.add_column(column, justify="right", no_wrap=True, min_width=_longest(column.splitlines() + cells))
            else:
                words = [word for cell in cells for word in cell.split()]
                drawn.add_column(column, overflow="fold", min_width=min(_NARROWEST, _longest(words)))
        for row in self.rows[:MOST_ROWS]:
            drawn.add_row(*(printable(row[index]) for index in kept))
        captions = [self.caption] if self.caption else []
        if len(self.rows) > MOST_ROWS:
            captions.append(f"... and {len(self.rows) - MOST_ROWS} more")
        if left_out:
            captions.append("too narrow for: " + ", ".join(" ".join(column.split()) for column in left_out))
        drawn.caption = "\n".join(captions)
        return drawn


def _longest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numeric: Collection[str] = (),
    spare: Sequence[str] = (),
    caption: str = "",
) -> FittedTable:
    return FittedTable(columns, tuple(rows), numeric, spare, caption)


def number(value: float | None) -> str:
    """Four significant digits; nothing where there is no number."""
    return "" if value is None else f"{value:.4g}"


def number_at_least(value: float) -> str:
    """Four significant digits that are not below the value: what is printed as enough must be enough."""
    return number(float(Context(prec=4, rounding=ROUND_CEILING).create_decimal_from_float(value)))


def printable(text: str) -> str:
    """As it is, or with escapes where a terminal would not show it but obey it."""
    return text if text.isprintable() else json.dumps(text)


def plural(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


@contextmanager
def progress(doing: str, total: int, *, hidden: bool = False) -> Iterator[Callable[[], None]]:
    """A bar on stderr with the time left, where stderr is a terminal; call what it yields after each step."""
    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal) as bars:
        task = bars.add_task(doing, total=total)
        yield lambda: bars.advance(task)
