"""Delimited text, plain or gzip, to rows: a line is a row, and a row that is broken costs nothing but itself."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar, cast

from pdors.errors import DocumentError, ModelError, Problem
from pdors.traces.report import BrokenRow, Tally
from pdors.traces.row import Row, RowError, Skip, shown

T = TypeVar("T")

_GZIP = b"\x1f\x8b"
_UNDECODED = "\ufffd"


@dataclass(frozen=True, slots=True)
class Table:
    """A file whose columns are known: `columns` gives the place of each in its lines, which have `width` fields."""

    path: Path
    columns: Mapping[str, int]
    width: int
    has_header: bool
    delimiter: str = ","

    @property
    def stem(self) -> str:
        """The name of the file without what says how it is written."""
        return self.path.name.removesuffix(".gz").removesuffix(".csv")

    def read(self, parse: Callable[[Row], T | Skip], tally: Tally) -> Iterator[T]:
        """What `parse` makes of each row; one that it, or the model, refuses is noted as broken.

        A file in which there are no other rows than such ones is an error.
        """
        tally.files.append(str(self.path))
        rows, broken_before = 0, len(tally.broken)
        for line, text in islice(numbered_lines(self.path), 1 if self.has_header else 0, None):
            rows += 1
            tally.rows_read += 1
            try:
                result = parse(Row(self._fields(text), self.columns))
            except (RowError, ModelError) as error:
                tally.broken.append(BrokenRow(str(self.path), line, str(error)))
                continue
            if isinstance(result, Skip):
                tally.passed_over[result.why] += 1
            else:
                tally.rows_used += 1
                yield result
        self._require_a_row_of_use(rows, tally.broken[broken_before:])

    def _fields(self, text: str) -> list[str]:
        if _UNDECODED in text:
            raise RowError("text: got bytes that are no UTF-8")
        fields = split(text, self.delimiter)
        if len(fields) != self.width:
            raise RowError(f"columns: got {len(fields)}, expected {self.width}")
        return fields

    def _require_a_row_of_use(self, rows: int, broken: list[BrokenRow]) -> None:
        if rows == 0:
            raise unusable(self.path, "rows", "none", "at least one")
        if len(broken) == rows:
            got = f"{rows}, none of which can be used (line {broken[0].line}: {broken[0].why})"
            raise unusable(self.path, "rows", got, "at least one that can be used")


def split(text: str, delimiter: str) -> list[str]:
    """The fields of one line; quotes hold a field together, but not over the end of the line."""
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise RowError(f"quotes: got some that do not fit ({error})") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers; the whole file must be readable."""
    number = 0
    try:
        with _opened(path) as text:
            for number, line in enumerate(text, start=1):
                stripped = line.rstrip("\n")
                if stripped and not stripped.isspace():
                    yield number, stripped
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise unusable(path, f"line {number + 1}", f"broken gzip ({error})", "a file that is whole") from None
    except FileNotFoundError:
        raise unusable(path, "file", "nothing at this path", "a file or a folder") from None
    except OSError as error:
        raise unusable(path, "file", error.strerror or str(error), "a file that can be read") from None
    except ValueError:
        raise unusable(shown(str(path)), "file", "a path with a null character", "a path") from None


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    with path.open("rb") as raw:
        is_gzip = raw.peek(len(_GZIP)).startswith(_GZIP)
        content = cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if is_gzip else raw
        with io.TextIOWrapper(content, encoding="utf-8-sig", errors="replace") as text:
            yield text


def unusable(path: Path | str, place: str, got: str, expected: str) -> DocumentError:
    return DocumentError(str(path), (Problem(place, got, expected),))
