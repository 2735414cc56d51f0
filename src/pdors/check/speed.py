"""How fast a job trains with what it holds in a slot, and which counts it may hold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from pdors.check.node import Node
from pdors.check.numeric import TOLERANCE
from pdors.check.report import Kind, several


@dataclass(frozen=True, slots=True)
class Held:
    """What one job has in one slot, over the whole cluster."""

    workers: int
    servers: int
    one_machine: bool


class Speed(Protocol):
    uses_servers: bool

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        """The rule on the counts that `held` breaks."""
        ...

    def samples_per_second(self, held: Held) -> float:
        """With at least one worker."""
        ...


class ServerSpeed:
    """W / (tau + overhead*W/F + (2*g / (S*b)) * W/F), with S >= 1 and S*gamma >= W."""

    uses_servers = True

    def __init__(self, speed: Node, batch: int) -> None:
        speed.only(*_ITERATION_KEYS, "workers_per_server")
        self.iteration = Iteration(speed, batch)
        self.workers_per_server = speed["workers_per_server"].positive()

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        served = held.servers * self.workers_per_server
        if held.servers and not held.workers:
            return Kind.SERVERS, f"{held.servers} servers without workers, expected 0"
        if served < held.workers * (1 - TOLERANCE):
            return Kind.SERVERS, f"{held.servers} servers serve at most {served:.12g} workers, got {held.workers}"
        return None

    def samples_per_second(self, held: Held) -> float:
        if not held.servers:
            return 0.0
        return self.iteration.samples_per_second(held, 2 * self.iteration.gradient_mb / held.servers)


class AllReduceSpeed:
    """W / (tau + overhead*W/F + (2*g*(W-1) / (W*b)) * W/F), without servers."""

    uses_servers = False

    def __init__(self, speed: Node, batch: int) -> None:
        speed.only(*_ITERATION_KEYS)
        self.iteration = Iteration(speed, batch)

    def broken_rule(self, held: Held) -> tuple[Kind, str] | None:
        return (Kind.SERVERS, f"{held.servers} servers, a job of kind allreduce has none") if held.servers else None

    def samples_per_second(self, held: Held) -> float:
        moved_mb = 2 * (held.workers - 1) / held.workers * self.iteration.gradient_mb
        return self.iteration.samples_per_second(held, moved_mb)


_ITERATION_KEYS = (
    "kind",
    "sample_seconds",
    "gradient_mb",
    "internal_mb_s",
    "external_mb_s",
    "step_overhead_seconds",
)


class Iteration:
    """An iteration computes F/W samples per worker, pays its overhead, and moves its megabytes at rate b."""

    def __init__(self, speed: Node, batch: int) -> None:
        overhead = speed.get("step_overhead_seconds")
        self.batch = batch
        self.sample_seconds = speed["sample_seconds"].positive()
        self.gradient_mb = speed["gradient_mb"].amount()
        self.overhead_seconds = 0.0 if overhead is None else overhead.amount()
        self.internal_mb_s = speed["internal_mb_s"].positive()
        self.external_mb_s = speed["external_mb_s"].positive()

    def samples_per_second(self, held: Held, moved_mb: float) -> float:
        rate = self.internal_mb_s if held.one_machine else self.external_mb_s
        iterations_per_sample = held.workers / self.batch
        return held.workers / (self.sample_seconds + (self.overhead_seconds + moved_mb / rate) * iterations_per_sample)


class TableSpeed:
    """Measured samples per second, at the listed worker counts only, without servers."""

    uses_servers = False

    def __init__(self, speed: Node) -> None:
        speed.only("kind", "workers", "internal", "external")
        counts = [count.integer(1) for count in speed["workers"]]
        if not counts or any(right <= left for left, right in pairwise(counts)):
            raise speed["workers"].error("worker counts in increasing order, at least one")
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
