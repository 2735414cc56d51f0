"""The instance as the checker understands it, read from the parsed document alone."""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeGuard

import numpy as np

from pdors.check.report import Kind, brief, several
from pdors.errors import DocumentError, Problem

TOLERANCE = 1e-9
"""Relative error allowed wherever real numbers are compared: the noise of floats passes, nothing larger."""

LARGEST_INTEGER = 2**31 - 1
"""Bounds slots and counts, so that slots x machines fits 64 bits and every count is exact as a float."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the document and the path to it; what does not read as it should is a `DocumentError`."""

    path: str
    value: object

    def error(self, expected: str) -> DocumentError:
        return DocumentError("instance", (Problem(self.path or "document", brief(self.value), expected),))

    def get(self, key: str) -> Node | None:
        if not isinstance(self.value, dict):
            raise self.error("a mapping")
        return Node(f"{self.path}.{key}".lstrip("."), self.value[key]) if key in self.value else None

    def __getitem__(self, key: str) -> Node:
        child = self.get(key)
        if child is None:
            raise self.error(f"a mapping with the key {key}")
        return child

    def __iter__(self) -> Iterator[Node]:
        if not isinstance(self.value, list | tuple):
            raise self.error("a list")
        return iter([Node(f"{self.path}[{index}]", value) for index, value in enumerate(self.value)])

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.error("a text")
        return self.value

    def integer(self, low: int) -> int:
        if type(self.value) is not int or not low <= self.value <= LARGEST_INTEGER:
            raise self.error(f"an integer from {low} to {LARGEST_INTEGER}")
        return self.value

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
        if not isinstance(self.value, dict) or not self.value.keys() <= set(names):
            raise self.error(f"a mapping with keys among {several(names)}")
        return tuple(0.0 if (child := self.get(name)) is None else child.amount() for name in names)


def is_finite_number(value: object) -> TypeGuard[float]:
    """Whether `value` is an int or float (a bool is neither) that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


@dataclass(frozen=True, slots=True)
class Held:
    """What one job has in one slot, over the whole cluster."""

    workers: int
    servers: int
    one_machine: bool


class Speed(Protocol):
    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        """The rule on the counts that `held` breaks."""
        ...

    def samples_per_second(self, held: Held) -> float:
        """With at least one worker."""
        ...


class ServerSpeed:
    """W / (tau + overhead*W/F + (2*g / (S*b)) * W/F), with S >= 1 and S*gamma >= W."""

    def __init__(self, speed: Node, batch: int) -> None:
        self.iteration = Iteration(speed, batch)
        self.gradient_mb = speed["gradient_mb"].amount()
        self.workers_per_server = speed["workers_per_server"].positive()

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        served = held.servers * self.workers_per_server
        if served >= held.workers * (1 - TOLERANCE):
            return None
        return Kind.SERVERS, f"{held.servers} servers serve at most {served:.12g} workers, got {held.workers}"

    def samples_per_second(self, held: Held) -> float:
        return self.iteration.samples_per_second(held, 2 * self.gradient_mb / held.servers) if held.servers else 0.0


class AllReduceSpeed:
    """W / (tau + overhead*W/F + (2*g*(W-1) / (W*b)) * W/F), without servers."""

    def __init__(self, speed: Node, batch: int) -> None:
        self.iteration = Iteration(speed, batch)
        self.gradient_mb = speed["gradient_mb"].amount()

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        return (Kind.SERVERS, f"{held.servers} servers, a job of kind allreduce has none") if held.servers else None

    def samples_per_second(self, held: Held) -> float:
        return self.iteration.samples_per_second(held, 2 * self.gradient_mb * (held.workers - 1) / held.workers)


class Iteration:
    """An iteration computes F/W samples per worker, pays its overhead, and moves its megabytes at rate b."""

    def __init__(self, speed: Node, batch: int) -> None:
        overhead = speed.get("step_overhead_seconds")
        self.batch = batch
        self.sample_seconds = speed["sample_seconds"].positive()
        self.overhead_seconds = 0.0 if overhead is None else overhead.amount()
        self.internal_mb_s = speed["internal_mb_s"].positive()
        self.external_mb_s = speed["external_mb_s"].positive()

    def samples_per_second(self, held: Held, moved_mb: float) -> float:
        rate = self.internal_mb_s if held.one_machine else self.external_mb_s
        iterations_per_sample = held.workers / self.batch
        return held.workers / (self.sample_seconds + (self.overhead_seconds + moved_mb / rate) * iterations_per_sample)


class TableSpeed:
    """Measured samples per second, at the listed worker counts only, without servers."""

    def __init__(self, speed: Node) -> None:
        counts = [count.integer(1) for count in speed["workers"]]
        external = speed.get("external")
        self.internal = self._column(counts, speed["internal"])
        self.external = self.internal if external is None else self._column(counts, external)

    @staticmethod
    def _column(counts: list[int], column: Node) -> dict[int, float]:
        entries = list(column)
        if len(entries) != len(counts):
            raise column.error(f"one entry per worker count ({len(counts)})")
        measured = zip(counts, entries, strict=True)
        return {count: entry.positive() for count, entry in measured if entry.value is not None}

    def _measured(self, held: Held) -> dict[int, float]:
        return self.internal if held.one_machine else self.external

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        if held.servers:
            return Kind.SERVERS, f"{held.servers} servers, a job of kind table has none"
        if held.workers and held.workers not in self._measured(held):
            where = "on one machine" if held.one_machine else "across machines"
            usable = several(sorted(self._measured(held))) or "no count"
            return Kind.WORKERS, f"{held.workers} workers {where}, measured there: {usable}"
        return None

    def samples_per_second(self, held: Held) -> float:
        return self._measured(held).get(held.workers, 0.0)


def read_speed(speed: Node, batch: int) -> Speed:
    kind = speed["kind"]
    match kind.value:
        case "ps":
            return ServerSpeed(speed, batch)
        case "allreduce":
            return AllReduceSpeed(speed, batch)
        case "table":
            return TableSpeed(speed)
        case _:
            raise kind.error("ps, allreduce or table")


Utility = Callable[[int], float]
"""What a duration in slots is worth."""


def read_utility(utility: Node) -> Utility:
    kind = utility["kind"]
    match kind.value:
        case "sigmoid":
            return _sigmoid(utility["priority"].amount(), utility["urgency"].amount(), utility["target"].real())
        case "deadline":
            late = utility.get("late_value")
            return _deadline(utility["value"].amount(), utility["deadline"], 0.0 if late is None else late.amount())
        case "table":
            return _steps(utility["after"], utility["value"])
        case _:
            raise kind.error("sigmoid, deadline or table")


def _sigmoid(priority: float, urgency: float, target: float) -> Utility:
    def worth(duration: int) -> float:
        exponent = urgency * (duration - target)
        # Beyond 50 the 1 of the denominator is less than a rounding error, and exp might overflow.
        return priority * math.exp(-exponent) if exponent > 50 else priority / (1 + math.exp(exponent))

    return worth


def _deadline(value: float, deadline: Node, late_value: float) -> Utility:
    last = math.inf if deadline.value == math.inf else deadline.real()
    return lambda duration: value if duration <= last else late_value


def _steps(after: Node, value: Node) -> Utility:
    starts = [start.real() for start in after]
    values = [step.amount() for step in value]
    if not starts or len(starts) != len(values):
        raise value.error(f"one value per entry of after, at least one (after has {len(starts)})")
    return lambda duration: values[max(0, bisect_right(starts, duration) - 1)]


@dataclass(frozen=True, slots=True)
class Job:
    """`number` counts the jobs in the order of the document, `work` is E*K."""

    number: int
    id: str
    arrival: int
    work: float
    batch: int
    speed: Speed
    worker: tuple[float, ...]
    server: tuple[float, ...]
    utility: Utility


def read_job(job: Node, number: int, resources: tuple[str, ...]) -> Job:
    server = job.get("server")
    batch = job["batch"].integer(1)
    return Job(
        number=number,
        id=job["id"].text(),
        arrival=job["arrival"].integer(0),
        work=job["epochs"].positive() * job["samples"].positive(),
        batch=batch,
        speed=read_speed(job["speed"], batch),
        worker=job["worker"].amounts(resources),
        server=Node("server", {}).amounts(resources) if server is None else server.amounts(resources),
        utility=read_utility(job["utility"]),
    )


class Instance:
    """Machines are numbered in the order of the document; `capacity` is (machines, resources)."""

    def __init__(self, document: object) -> None:
        root = Node("", document)
        self.slots = root["slots"].integer(1)
        self.slot_seconds = root["slot_seconds"].positive()
        self.resources = tuple(name.text() for name in root["resources"])
        self.machines: dict[str, int] = {}
        capacities: list[tuple[float, ...]] = []
        for machine in root["machines"]:
            capacity = machine["capacity"].amounts(self.resources)
            for name in _machine_names(machine):
                if name in self.machines:
                    raise machine.error("a name that no other machine has")
                self.machines[name] = len(capacities)
                capacities.append(capacity)
        self.machine_names = tuple(self.machines)
        self.capacity = np.array(capacities, dtype=np.float64).reshape(len(capacities), len(self.resources))
        self.jobs: dict[str, Job] = {}
        for number, node in enumerate(root["jobs"]):
            job = read_job(node, number, self.resources)
            if job.id in self.jobs:
                raise node["id"].error("an id that no other job has")
            self.jobs[job.id] = job


def _machine_names(machine: Node) -> Iterator[str]:
    name = machine["name"].text()
    count = machine.get("count")
    if count is None or count.value is None:
        return iter([name])
    return (f"{name}-{index}" for index in range(count.integer(1)))
