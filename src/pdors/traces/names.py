"""Names of jobs and machines, each of them once."""

from __future__ import annotations

from pdors.traces.row import RowError, shown
from pdors.traces.table import Table


class Names:
    """Of two that are called alike in two files the later one gets the name of its file as well."""

    def __init__(self, what: str = "job") -> None:
        self._what = what
        self._files: dict[str, str] = {}

    def take(self, name: str, table: Table) -> str:
        """The name to use for one of this file, in which it may stand only once."""
        file = str(table.path)
        for candidate in (name, f"{table.stem}/{name}", f"{file}/{name}"):
            if candidate not in self._files:
                self._files[candidate] = file
                return candidate
            if self._files[candidate] == file:
                break
        raise RowError(f"the {self._what} {shown(name)} stands in a row before")
