"""The form of a decisions document: its keys and their types, not yet whether it is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pdors.check.instance import is_finite_number
from pdors.check.report import Findings, Kind, brief, several

REASONS = ("price", "infeasible", "full", "no_rounding")

MOST_TASKS = 2**31
"""No count is meant to be larger, and up to it every count is exact as a float."""


@dataclass(frozen=True, slots=True)
class Field:
    accepts: Callable[[object], bool]
    expected: str


def is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


_TEXT = Field(lambda value: isinstance(value, str), "a text")
_MAPPING = Field(lambda value: isinstance(value, dict), "a mapping")
_LIST = Field(lambda value: isinstance(value, list), "a list")
_INTEGER = Field(is_integer, "an integer")
_NUMBER = Field(is_finite_number, "a finite number")
_NUMBER_OR_NULL = Field(lambda value: value is None or is_finite_number(value), "a finite number or null")

DOCUMENT_FIELDS = {
    "format": Field(lambda value: value == "pdors/decisions/1", "pdors/decisions/1"),
    "policy": _TEXT,
    "options": _MAPPING,
    "seed": _INTEGER,
    "total_utility": _NUMBER,
    "seconds": Field(lambda value: is_finite_number(value) and value >= 0, "a finite number of at least 0"),
    "jobs": _LIST,
}
ENTRY_FIELDS = {
    "id": _TEXT,
    "admitted": Field(lambda value: isinstance(value, bool), "true or false"),
    "completion": Field(lambda value: value is None or is_integer(value), "a slot or null"),
    "utility": _NUMBER,
    "payoff": _NUMBER_OR_NULL,
    "reason": Field(lambda value: value is None or value in REASONS, f"null or one of {', '.join(REASONS)}"),
    "schedule": _LIST,
}
SLOT_FIELDS = {"slot": _INTEGER, "placement": _MAPPING}


@dataclass(frozen=True, slots=True)
class Entry:
    """What the document says of one job; the schedule is still as parsed."""

    id: str
    admitted: bool
    completion: int | None
    utility: float
    payoff: float | None
    reason: str | None
    schedule: list[object]


def has_fields(value: object, fields: Mapping[str, Field], where: str, findings: Findings) -> TypeGuard[dict[str, Any]]:
    """Whether every field is there with its type; unknown keys are violations that do not stand in the way."""
    if not isinstance(value, dict):
        findings.flag(Kind.FORMAT, where, f"got {brief(value)}, expected a mapping")
        return False
    usable = True
    if unknown := [key for key in value if key not in fields]:
        findings.flag(Kind.FORMAT, where, f"unknown keys {several(unknown)}, expected only {', '.join(fields)}")
    for key, field in fields.items():
        if key not in value:
            findings.flag(Kind.FORMAT, where, f"the key {key} is missing")
            usable = False
        elif not field.accepts(value[key]):
            findings.flag(Kind.FORMAT, where, f"{key} is {brief(value[key])}, expected {field.expected}")
            usable = False
    return usable


def read_entry(value: object, where: str, findings: Findings) -> Entry | None:
    if not has_fields(value, ENTRY_FIELDS, where, findings):
        return None
    return Entry(
        id=value["id"],
        admitted=value["admitted"],
        completion=value["completion"],
        utility=float(value["utility"]),
        payoff=None if value["payoff"] is None else float(value["payoff"]),
        reason=value["reason"],
        schedule=value["schedule"],
    )


def read_counts(value: object) -> tuple[int, int] | None:
    """[workers, servers]; None where it is not that."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    workers, servers = value
    if not (is_integer(workers) and is_integer(servers)):
        return None
    return (workers, servers) if 0 <= workers <= MOST_TASKS and 0 <= servers <= MOST_TASKS else None
