"""One row of a table, read column by column: what cannot be is a `RowError`, in words that need no look at the code."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LARGEST_COUNT = 2**31 - 1
"""What documents take for a count."""
_LARGEST = 1e18
"""Nothing that a trace tells is larger: microseconds since 1970 are 2e15."""
_LONGEST = 40


class RowError(Exception):
    """Why a row cannot be used. Readers note it and go on with the next row."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A row that is as it should be, and tells nothing that is asked for."""

    why: str


class Row:
    """The fields of one line; columns go by name."""

    __slots__ = ("_columns", "_fields")

    def __init__(self, fields: Sequence[str], columns: Mapping[str, int]) -> None:
        self._fields = fields
        self._columns = columns

    def text(self, column: str) -> str:
        text = self.optional_text(column)
        if not text:
            raise RowError(f"{column}: got nothing")
        return text

    def optional_text(self, column: str) -> str:
        """Empty where nothing stands there."""
        return self._fields[self._columns[column]].strip()

    def number(
        self, column: str, *, above: float = -math.inf, least: float = -_LARGEST, most: float = _LARGEST
    ) -> float:
        text = self.text(column)
        number = as_number(text)
        if not (number > above and least <= number <= most):
            raise RowError(f"{column}: got {shown(text)}, expected {_range('a number', above, least, most)}")
        return number

    def optional_number(self, column: str, *, least: float) -> float | None:
        return self.number(column, least=least) if self.optional_text(column) else None

    def integer(self, column: str, *, least: int, most: int = LARGEST_COUNT) -> int:
        """A whole number; `4.0` is one, as some programs write it."""
        text = self.text(column)
        integer = _as_integer(text)
        if integer is None or not least <= integer <= most:
            raise RowError(f"{column}: got {shown(text)}, expected a whole number from {least} to {most}")
        return integer


def as_number(text: str) -> float:
    """The number that the text is; not a number where it is none."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def as_count(text: str) -> int | None:
    """The count that a name says; None where it is none."""
    count = _as_integer(text)
    return count if count is not None and 1 <= count <= LARGEST_COUNT else None


def shown(text: str) -> str:
    return json.dumps(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def _as_integer(text: str) -> int | None:
    try:
        return None if "_" in text else int(text)
    except ValueError:
        number = as_number(text)
        return int(number) if math.isfinite(number) and number == int(number) else None


def _range(what: str, above: float, least: float, most: float) -> str:
    bounds = [f"above {above:g}"] if above > -math.inf else []
    bounds += [f"of at least {least:g}"] if least > -_LARGEST else []
    bounds += [f"of at most {most:g}"] if most < _LARGEST else []
    return " ".join([what, " and ".join(bounds)]).rstrip()
