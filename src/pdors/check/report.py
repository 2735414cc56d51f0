"""What the checker finds, and how it words values."""

from __future__ import annotations

import reprlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Which rule a violation breaks."""

    FORMAT = "format"
    """Keys, types and values that the format does not have."""
    JOBS = "jobs"
    """One entry per job of the instance, in its order."""
    SLOT = "slot"
    """Slots lie within the horizon, not before the arrival, each listed once."""
    MACHINE = "machine"
    """Machines exist."""
    COUNT = "count"
    """Counts are integers of at least 0, and only what holds something is listed."""
    WORKERS = "workers"
    """No more workers than the batch; for a measured job, a measured count."""
    SERVERS = "servers"
    """Enough servers for the workers; none without workers; none for jobs that use none."""
    CAPACITY = "capacity"
    """No machine holds more of a resource than it has."""
    WORK = "work"
    """A job with a completion has trained all its samples."""
    COMPLETION = "completion"
    """The completion is the last slot with workers; null only for a job that did not finish."""
    ADMISSION = "admission"
    """A job that was not admitted holds nothing and has a reason; an admitted one has none."""
    UTILITY = "utility"
    """The utility is that of the duration; 0 for a job that does not complete."""
    PAYOFF = "payoff"
    """A payoff agrees with the utility and the answer: prices are never negative, and admit only above 0."""
    TOTAL = "total"
    """The total is the sum of the utilities."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule; `where` names job, slot, machine and resource as far as they matter."""

    kind: Kind
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.kind}]"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`total_utility` is worked out anew: what the admitted jobs that really finish are worth."""

    ok: bool
    violations: tuple[Violation, ...]
    total_utility: float

    def document(self) -> dict[str, object]:
        return {
            "ok": self.ok,
            "violations": [str(violation) for violation in self.violations],
            "total_utility": self.total_utility,
        }


class Findings:
    """Violations in the order in which they were found."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def flag(self, kind: Kind, where: str, message: str) -> None:
        self.violations.append(Violation(kind, where, message))


class _Brief(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to write integers of many thousand digits."""
        return super().repr_int(x, level) if x.bit_length() < 1024 else f"an integer of {x.bit_length()} bits"


_BRIEF = _Brief()


def brief(value: object) -> str:
    """Any value on one short line."""
    return _BRIEF.repr(value)


def label(name: object) -> str:
    """The name of a job, machine or resource; quoted where it would not read as one."""
    return name if isinstance(name, str) and name and name.isprintable() else brief(name)


_NO_MACHINE = object()


def at(job: str, slot: int | None = None, machine: object = _NO_MACHINE) -> str:
    parts = [f"job {label(job)}"]
    if slot is not None:
        parts.append(f"slot {slot}")
    if machine is not _NO_MACHINE:
        parts.append(f"machine {label(machine)}")
    return ", ".join(parts)


def several(names: Collection[object], most: int = 5) -> str:
    """The first few of many, and how many more there are."""
    shown = ", ".join(label(name) for name in list(names)[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
