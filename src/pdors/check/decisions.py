"""The form of a decisions document: its keys and their types, not yet whether it is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pdors.check.numeric import LARGEST_INTEGER, is_finite_number, whole
from pdors.check.report import Findings, Kind, at, brief, several

REASONS = ("price", "infeasible", "full", "no_rounding")


@dataclass(frozen=True, slots=True)
class Field:
    accepts: Callable[[object], bool]
    expected: str


_TEXT = Field(lambda value: isinstance(value, str), "a text")
_NAME = Field(lambda value: isinstance(value, str) and value != "", "a text that is not empty")
_MAPPING = Field(lambda value: isinstance(value, dict), "a mapping")
_LIST = Field(lambda value: isinstance(value, list), "a list")
_INTEGER = Field(lambda value: whole(value) is not None, f"an integer of at most {LARGEST_INTEGER}")
_NUMBER = Field(is_finite_number, "a finite number")
_NUMBER_OR_NULL = Field(lambda value: value is None or is_finite_number(value), "a finite number or null")

DOCUMENT_FIELDS = {
    "format": Field(lambda value: value == "pdors/decisions/1", "pdors/decisions/1"),
    "policy": _NAME,
    "options": _MAPPING,
    "seed": Field(lambda value: type(value) is int or whole(value) is not None, "an integer"),
    "total_utility": _NUMBER,
    "seconds": Field(lambda value: is_finite_number(value) and value >= 0, "a finite number of at least 0"),
    "jobs": _LIST,
}
ENTRY_FIELDS = {
    "id": _TEXT,
    "admitted": Field(lambda value: isinstance(value, bool), "true or false"),
    "completion": Field(lambda value: value is None or whole(value) is not None, "a slot or null"),
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
    if unknown := value.keys() - fields.keys():
        listed = [key for key in value if key in unknown]
        findings.flag(Kind.FORMAT, where, f"unknown keys {several(listed)}, expected only {', '.join(fields)}")
    for key, field in fields.items():
        if key not in value:
            findings.flag(Kind.FORMAT, where, f"the key {key} is missing")
            usable = False
        elif not field.accepts(value[key]):
            findings.flag(Kind.FORMAT, where, f"{key} is {brief(value[key])}, expected {field.expected}")
            usable = False
    return usable


def read_entry(value: object, index: int, findings: Findings) -> Entry | None:
    where = f"jobs[{index}]"
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        where = f"{where}, {at(value['id'])}"
    if not has_fields(value, ENTRY_FIELDS, where, findings):
        return None
    return Entry(
        id=value["id"],
        admitted=value["admitted"],
        completion=whole(value["completion"]),
        utility=float(value["utility"]),
        payoff=None if value["payoff"] is None else float(value["payoff"]),
        reason=value["reason"],
        schedule=value["schedule"],
    )


def read_counts(value: object) -> tuple[int, int] | None:
    """[workers, servers]; None where it is not that."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    workers, servers = whole(value[0]), whole(value[1])
    return None if workers is None or servers is None or workers < 0 or servers < 0 else (workers, servers)
