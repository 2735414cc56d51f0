"""Checked reading of plain data: every wrong value is noted with its path, and the reading goes on.

What a failed reading returns is `None` dressed as the type that was asked for. It never gets out: `Fields.build` makes
nothing from a mapping in which something was wrong, and the whole reading ends in a `DocumentError`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, ParamSpec, TypeGuard, TypeVar

from pdors.errors import DocumentError, Problem
from pdors.files.text import RawDocument
from pdors.files.wording import at_index, at_key, shown

P = ParamSpec("P")
T = TypeVar("T")

LARGEST_INTEGER: Final = 2**53 - 1
"""The largest that every JSON reader holds exactly."""


class _Missing:
    pass


MISSING: Final = _Missing()
"""Stands where a document says nothing."""


@dataclass(slots=True)
class Place:
    """A value in a document, the path to it, and the problems found in the document so far."""

    value: object
    path: str
    problems: list[Problem]

    def wrong(self, expected: str) -> Any:
        got = "nothing" if self.value is MISSING else shown(self.value)
        self.problems.append(Problem(self.path or "document", got, expected))
        return _NOTHING

    def number(self, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf) -> float:
        """A finite number within these bounds; a truth value is none."""
        number = float(self.value) if _is_finite(self.value) else math.nan
        if not (number > above and least <= number <= most):
            number = self.wrong("a finite number" + _bounds(above, least, most))
        return number

    def integer(self, *, least: int, most: int = LARGEST_INTEGER) -> int:
        """An integer in any notation: `5`, `5.0` and `5e0` are one number, as in JSON Schema."""
        value = self.value
        if not _is_finite(value) or value != int(value) or value < least:
            integer: int = self.wrong(f"an integer of at least {least}")
        elif value > most:
            integer = self.wrong(f"an integer of at most {most}")
        else:
            integer = int(value)
        return integer

    def text(self) -> str:
        return self.value if isinstance(self.value, str) and self.value else self.wrong("a text that is not empty")

    def new_text(self, seen: dict[str, str]) -> str:
        """A text that stands nowhere in `seen` (text to path) yet; it is added there."""
        text = self.text()
        if text in seen:
            text = self.wrong(f"one that stands once ({seen[text]} has it)")
        elif text is not None:
            seen[text] = self.path
        return text

    def exactly(self, text: str) -> str:
        return text if self.value == text else self.wrong(text)

    def choice(self, choices: Iterable[str]) -> str:
        choices = list(choices)
        is_one = isinstance(self.value, str) and self.value in choices
        return str(self.value) if is_one else self.wrong("one of " + ", ".join(choices))

    def truth(self) -> bool:
        return self.value if isinstance(self.value, bool) else self.wrong("true or false")

    def or_null(self, read: Callable[[Place], T]) -> T | None:
        return None if self.value is None else read(self)

    def items(self, *, at_least_one: str = "") -> list[Place]:
        """The entries of a list, which may be empty unless `at_least_one` says what must stand in it."""
        if not isinstance(self.value, list) or (at_least_one and not self.value):
            self.wrong(f"a list with at least one {at_least_one}" if at_least_one else "a list")
            return []
        return [Place(item, at_index(self.path, index), self.problems) for index, item in enumerate(self.value)]

    def entries(self) -> dict[str, Place]:
        """A mapping whose keys are names."""
        if not isinstance(self.value, dict):
            self.wrong("a mapping")
            return {}
        return {key: Place(value, at_key(self.path, key), self.problems) for key, value in self.value.items()}

    def record(self, read: Callable[[Fields], T]) -> T:
        """A mapping with keys that are known: what `read` makes of it."""
        if not isinstance(self.value, dict):
            broken: T = self.wrong("a mapping")
            return broken
        return read(Fields(self.value, self.path, self.problems))

    def json_data(self) -> object:
        """Whatever JSON can say."""
        value = self.value
        if isinstance(value, dict):
            return {key: entry.json_data() for key, entry in self.entries().items()}
        if isinstance(value, list):
            return [item.json_data() for item in self.items()]
        if value is None or isinstance(value, bool | str) or _is_finite(value):
            return value
        return self.wrong("data with finite numbers")


class Fields:
    """A mapping of which every key must be known: the keys are those that were asked for."""

    def __init__(self, mapping: dict[str, object], path: str, problems: list[Problem]) -> None:
        self._mapping = mapping
        self._path = path
        self._problems = problems
        self._problems_before = len(problems)
        self._known: list[str] = []

    def __call__(self, key: str, default: object = MISSING) -> Place:
        """The value of a key; `default` is read in its place where the document says nothing."""
        self._known.append(key)
        path = f"{self._path}.{key}" if self._path else key
        return Place(self._mapping.get(key, default), path, self._problems)

    def optional(self, key: str, read: Callable[[Place], T]) -> T | None:
        place = self(key)
        return None if place.value is MISSING else read(place)

    def by_kind(self, readers: Mapping[str, Callable[[Fields], T]]) -> T:
        """What the reader of this mapping's `kind` makes of it."""
        kind = self("kind").choice(readers)
        return readers[kind](self) if kind else _NOTHING

    def build(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`make` of what was read from here, if nothing in it was wrong. All keys have been asked for by now."""
        for key, value in self._mapping.items():
            if key not in self._known:
                place = Place(value, at_key(self._path, key), self._problems)
                place.wrong("no such key; the keys here are " + ", ".join(self._known))
        return _NOTHING if len(self._problems) > self._problems_before else make(*args, **kwargs)


def read_document(document: RawDocument, format_name: str, read: Callable[[Fields], T]) -> T:
    """What `read` makes of a whole document, or a `DocumentError` with every problem in it.

    A document that names another format is held to no rule but that.
    """
    problems = list(document.problems)
    place = Place(document.data, "", problems)
    named = document.data.get("format") if isinstance(document.data, dict) else None
    if isinstance(named, str) and named != format_name:
        result: T = Place(named, "format", problems).wrong(format_name)
    else:
        result = place.record(read)
    if problems:
        raise DocumentError(document.source, tuple(problems))
    return result


_NOTHING: Any = None


def _bounds(above: float, least: float, most: float) -> str:
    bounds = [f"above {shown(above)}"] if above > -math.inf else []
    bounds += [f"of at least {shown(least)}"] if least > -math.inf else []
    bounds += [f"of at most {shown(most)}"] if most < math.inf else []
    return " " + " and ".join(bounds) if bounds else ""


def _is_finite(value: object) -> TypeGuard[int | float]:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -sys.float_info.max <= value <= sys.float_info.max
    )
