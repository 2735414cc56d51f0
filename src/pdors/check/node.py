"""Values of the instance by their path, each read as what it should be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pdors.check.numeric import LARGEST_INTEGER, is_finite_number, whole
from pdors.check.report import brief, label
from pdors.errors import DocumentError, Problem


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the document and the path to it; what does not read as it should is a `DocumentError`."""

    path: str
    value: object

    def error(self, expected: str) -> DocumentError:
        return _problem(self.path, brief(self.value), expected)

    def only(self, *keys: str) -> None:
        """Whether any of `keys` may be missing is for those who read them; others are an error here."""
        for key, value in self._mapping().items():
            if key not in keys:
                raise Node(self._path_of(key), value).error(f"no such key; the keys here are {', '.join(keys)}")

    def get(self, key: str) -> Node | None:
        mapping = self._mapping()
        return Node(self._path_of(key), mapping[key]) if key in mapping else None

    def __getitem__(self, key: str) -> Node:
        child = self.get(key)
        if child is None:
            raise _problem(self._path_of(key), "nothing", "a value")
        return child

    def __iter__(self) -> Iterator[Node]:
        if not isinstance(self.value, list | tuple):
            raise self.error("a list")
        return iter([Node(f"{self.path}[{index}]", value) for index, value in enumerate(self.value)])

    def _mapping(self) -> dict[object, object]:
        if not isinstance(self.value, dict):
            raise self.error("a mapping")
        return self.value

    def _path_of(self, key: object) -> str:
        return f"{self.path}.{label(key)}" if self.path else label(key)

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            raise self.error("a text that is not empty")
        return self.value

    def integer(self, low: int, high: int = LARGEST_INTEGER) -> int:
        number = whole(self.value)
        if number is None or not low <= number <= high:
            raise self.error(f"an integer from {low} to {high}")
        return number

    def real(self) -> float:
        if not is_finite_number(self.value):
            raise self.error("a finite number")
        return float(self.value)

    def amount(self) -> float:
        value = self.real()
        if value < 0:
            raise self.error("a number of at least 0")
        return value

    def positive(self) -> float:
        value = self.real()
        if value <= 0:
            raise self.error("a number above 0")
        return value

    def amounts(self, names: tuple[str, ...]) -> tuple[float, ...]:
        """One amount per name; a missing one is 0."""
        self.only(*names)
        return tuple(0.0 if (child := self.get(name)) is None else child.amount() for name in names)


def _problem(path: str, value: str, expected: str) -> DocumentError:
    return DocumentError("instance", (Problem(path or "document", value, expected),))
