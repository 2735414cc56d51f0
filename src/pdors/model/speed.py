"""How many samples a slot trains: the one rule that credits work, for every policy.

Three kinds of job: workers with parameter servers (the paper's Eq. (1)), all-reduce among the workers, and a
measured table. Symbols of the formulas:

    W, S   workers, servers       -> workers, servers             count over the whole cluster
    F      global batch           -> batch                        samples per iteration
    tau    time per sample        -> sample_seconds               seconds
    g      gradient size          -> gradient_mb                  MB
    gamma  workers per server     -> workers_per_server
    b(i)   rate on one machine    -> internal_mb_s                MB/s
    b(e)   rate between machines  -> external_mb_s                MB/s
    o      cost of an iteration   -> step_overhead_seconds        seconds
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError

Floats = NDArray[np.float64]
Counts = TypeVar("Counts", float, Floats)

_MOST_SERVERS = 2**31 - 1
"""More cannot be counted with: products of two counts stay exact in 64 bits."""


def _require_positive(owner: str, **values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ModelError(f"{owner}: {name} must be a finite number above 0, got {value}")


def _require_overhead(value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ModelError(f"step_overhead_seconds must be a finite number of at least 0, got {value}")


@dataclass(frozen=True, slots=True)
class ParameterServerSpeed:
    """Synchronous training with parameter servers, Eq. (1) with the actual counts."""

    sample_seconds: float
    gradient_mb: float
    workers_per_server: float
    internal_mb_s: float
    external_mb_s: float
    step_overhead_seconds: float = 0.0

    def __post_init__(self) -> None:
        _require_positive(
            "ps speed",
            sample_seconds=self.sample_seconds,
            workers_per_server=self.workers_per_server,
            internal_mb_s=self.internal_mb_s,
            external_mb_s=self.external_mb_s,
        )
        if not (math.isfinite(self.gradient_mb) and self.gradient_mb >= 0):
            raise ModelError(f"ps speed: gradient_mb must be a finite number of at least 0, got {self.gradient_mb}")
        _require_overhead(self.step_overhead_seconds)

    def servers_for(self, workers: int) -> int:
        """The fewest servers S >= 1 with S * gamma >= W, for a W of `worker_counts`; none without workers."""
        return 0 if workers == 0 else int(self.servers_of(float(workers)))

    def servers_of(self, workers: Counts) -> Counts:
        """The same of counts above 0, of one or of many at once; a quotient is rounded by less than one."""
        servers = -(-workers // self.workers_per_server)
        servers = servers - ((servers - 1) * self.workers_per_server >= workers)
        return servers + (servers * self.workers_per_server < workers)

    def worker_counts(self, batch: int) -> Sequence[int]:
        return range(1, int(min(batch, self.workers_per_server * _MOST_SERVERS)) + 1)

    def samples_per_second(self, workers: int, servers: int, batch: int, *, colocated: bool) -> float:
        """W / (tau + (o + 2g / (S b)) * W/F); 0 without workers or servers."""
        return 0.0 if workers == 0 or servers == 0 else self.rates(workers, servers, batch, colocated=colocated)

    def rates(self, workers: Counts, servers: Counts, batch: int, *, colocated: bool) -> Counts:
        """`samples_per_second` of counts above 0, of one or of many at once."""
        rate = self.internal_mb_s if colocated else self.external_mb_s
        iteration = self.step_overhead_seconds + 2 * (self.gradient_mb / (servers * rate))
        return workers / (self.sample_seconds + iteration * workers / batch)


@dataclass(frozen=True, slots=True)
class AllReduceSpeed:
    """Synchronous training by ring all-reduce: no servers."""

    sample_seconds: float
    gradient_mb: float
    internal_mb_s: float
    external_mb_s: float
    step_overhead_seconds: float = 0.0

    def __post_init__(self) -> None:
        _require_positive(
            "allreduce speed",
            sample_seconds=self.sample_seconds,
            internal_mb_s=self.internal_mb_s,
            external_mb_s=self.external_mb_s,
        )
        if not (math.isfinite(self.gradient_mb) and self.gradient_mb >= 0):
            raise ModelError(f"allreduce speed: gradient_mb must be at least 0, got {self.gradient_mb}")
        _require_overhead(self.step_overhead_seconds)

    def servers_for(self, workers: int) -> int:
        return 0

    def servers_of(self, workers: Counts) -> Counts:
        return 0 * workers

    def worker_counts(self, batch: int) -> Sequence[int]:
        return range(1, batch + 1)

    def samples_per_second(self, workers: int, servers: int, batch: int, *, colocated: bool) -> float:
        """W / (tau + (o + 2g (W-1) / (W b)) * W/F)."""
        return 0.0 if workers == 0 else self.rates(workers, servers, batch, colocated=colocated)

    def rates(self, workers: Counts, servers: Counts, batch: int, *, colocated: bool) -> Counts:
        """`samples_per_second` of counts above 0, of one or of many at once."""
        rate = self.internal_mb_s if colocated else self.external_mb_s
        iteration = self.step_overhead_seconds + 2 * ((workers - 1) / workers * self.gradient_mb / rate)
        return workers / (self.sample_seconds + iteration * workers / batch)


@dataclass(frozen=True, slots=True)
class TableSpeed:
    """Measured samples per second at the listed worker counts; `None`: that count cannot be had in that way."""

    workers: tuple[int, ...]
    internal: tuple[float | None, ...]
    external: tuple[float | None, ...] | None = None

    def __post_init__(self) -> None:
        if not self.workers or any(b <= a for a, b in zip((0, *self.workers), self.workers, strict=False)):
            raise ModelError(f"table speed: workers must be increasing counts of at least 1, got {self.workers}")
        for name, column in (("internal", self.internal), ("external", self.external)):
            if column is None:
                continue
            if len(column) != len(self.workers):
                raise ModelError(f"table speed: {name} must have one entry per worker count ({len(self.workers)})")
            for entry in column:
                if entry is not None:
                    _require_positive(f"table speed: {name}", speed=entry)

    def servers_for(self, workers: int) -> int:
        return 0

    def servers_of(self, workers: Floats) -> Floats:
        return 0 * workers

    def worker_counts(self, batch: int) -> Sequence[int]:
        return tuple(count for count in self.workers if count <= batch)

    def samples_per_second(self, workers: int, servers: int, batch: int, *, colocated: bool) -> float:
        """The measured entry; 0 for a count that was not measured or cannot be had."""
        if workers not in self.workers:
            return 0.0
        column = self.internal if colocated or self.external is None else self.external
        return column[self.workers.index(workers)] or 0.0

    def rates(self, workers: Floats, servers: Floats, batch: int, *, colocated: bool) -> Floats:
        """Of many listed counts at once."""
        return np.array([self.samples_per_second(int(count), 0, batch, colocated=colocated) for count in workers])


Speed = ParameterServerSpeed | AllReduceSpeed | TableSpeed
