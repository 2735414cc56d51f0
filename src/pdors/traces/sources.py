"""Which of the given files is which: by what stands in them, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pdors.errors import DocumentError
from pdors.traces.report import Tally
from pdors.traces.row import RowError, shown
from pdors.traces.table import Table, numbered_lines, split, unusable

_PATTERNS = ("*.csv", "*.csv.gz")
_LINES_LOOKED_AT = 100
_MOST_SHOWN = 12


@dataclass(frozen=True)
class Format:
    """A kind of file. With a header `columns` are the ones it needs, each as the names that it goes by (`a|b`), and
    `optional` those it may have; without one they are all there are, in their order."""

    name: str
    columns: tuple[str, ...]
    has_header: bool = True
    optional: tuple[str, ...] = ()

    def match(self, path: Path, head: Sequence[list[str]]) -> Table | None:
        """The file as a table of this kind, if that is what it is."""
        if self.has_header:
            return self._by_header(path, [name.strip() for name in head[0]])
        if any(len(fields) == len(self.columns) and fields[0].strip().isdigit() for fields in head):
            places = {name: index for index, name in enumerate(self.columns)}
            return Table(path, places, len(self.columns), has_header=False)
        return None

    def _by_header(self, path: Path, header: list[str]) -> Table | None:
        places = {}
        for column in (*self.columns, *self.optional):
            names = column.split("|")
            found = next((name for name in names if name in header), None)
            if found is not None:
                if header.count(found) > 1:
                    raise unusable(path, "header", f"the column {found} more than once", "each column once")
                places[names[0]] = header.index(found)
            elif column in self.columns:
                return None
        places |= {name: index for index, name in enumerate(header) if name not in places}
        return Table(path, places, len(header), has_header=True)

    def __str__(self) -> str:
        if self.has_header:
            return f"{self.name} (a header with {', '.join(column.replace('|', ' or ') for column in self.columns)})"
        return f"{self.name} ({len(self.columns)} columns, no header)"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was named, or stands in a folder that was."""

    path: Path
    named: bool


def find(paths: Iterable[Path]) -> list[Found]:
    """The files, each once; a folder stands for the .csv and .csv.gz files in it and below, by name."""
    found: dict[Path, Found] = {}
    for path in paths:
        if not path.is_dir():
            found.setdefault(_resolved(path), Found(path, named=True))
            continue
        inside = sorted(file for pattern in _PATTERNS for file in path.rglob(pattern) if file.is_file())
        if not inside:
            raise unusable(path, "folder", "no such file", f"files called {' or '.join(_PATTERNS)}")
        for file in inside:
            found.setdefault(_resolved(file), Found(file, named=False))
    return list(found.values())


def tables(paths: Iterable[Path], formats: Sequence[Format], tally: Tally) -> dict[Format, list[Table]]:
    """The files by their format. One that was named must have one of these; in a folder there may be others."""
    sorted_out: dict[Format, list[Table]] = {kind: [] for kind in formats}
    given = find(paths)
    for file in given:
        try:
            kind, table = _recognised(file.path, formats)
        except DocumentError as error:
            if file.named or len(given) == 1:
                raise
            tally.files_not_read[str(file.path)] = str(error.problems[0])
        else:
            sorted_out[kind].append(table)
    if not any(sorted_out.values()):
        names = ", ".join(map(str, paths))
        raise unusable(names, "folder", f"{len(given)} files of other kinds", " or ".join(map(str, formats)))
    return sorted_out


def _recognised(path: Path, formats: Sequence[Format]) -> tuple[Format, Table]:
    head = []
    for _, line in islice(numbered_lines(path), _LINES_LOOKED_AT):
        try:
            head.append(split(line, ","))
        except RowError:
            head.append([line])
    expected = " or ".join(map(str, formats))
    if not head:
        raise unusable(path, "file", "nothing in it", expected)
    for kind in formats:
        table = kind.match(path, head)
        if table is not None:
            return kind, table
    fields = ", ".join(map(shown, head[0][:_MOST_SHOWN])) + (", ..." if len(head[0]) > _MOST_SHOWN else "")
    raise unusable(path, "first row", fields, expected)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError):  # too long a name, or one with a null character: opening it will say so
        return path
