"""How fast a job trains in a slot, in the form that bounds and programs need: seconds per sample as a sum.

    seconds per sample  =  compute / W + exchange / S + fixed

holds for parameter servers and for all-reduce, together on one machine or apart on several, with

    parameter servers   compute = tau             exchange = 2 g / (b F)   fixed = o / F
    all-reduce          compute = tau - 2 g / (b F)   exchange = 0         fixed = o / F + 2 g / (b F)

and the symbols of `pdors.model.speed`. A table has its measured counts instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SLACK = 2 * WORK_TOLERANCE
"""Comparisons of a schedule with what is there allow the noise of floats; whoever bounds all schedules allows more."""

FREE_SERVERS = 2**31 - 1
"""As many as can be counted with."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Samples of one slot from the sum above; `compute` is above 0, so more workers always train more."""

    compute: float
    exchange: float
    fixed: float
    slot_seconds: float

    def samples(self, workers: Floats, servers: Floats) -> Floats:
        """For any numbers above 0, whole or not: a concave function of both."""
        return np.asarray(self.slot_seconds / (self.compute / workers + self.exchange / servers + self.fixed))

    def slopes(self, workers: float, servers: float) -> tuple[float, float, float]:
        """The tangent plane at a point: samples <= first * W + second * S + third, for all W and S."""
        seconds = self.compute / workers + self.exchange / servers + self.fixed
        rise = self.slot_seconds / seconds**2
        return (rise * self.compute / workers**2, rise * self.exchange / servers**2, rise * self.fixed)


@dataclass(frozen=True, slots=True)
class Counts:
    """Samples of one slot at some numbers of workers and at no others, by rising workers and samples; no servers."""

    workers: Integers
    samples: Floats


@dataclass(frozen=True, slots=True)
class Way:
    """One way to sit in a slot: `together` on one machine, or apart on several.

    W  workers              -> least_workers .. most_workers
    S gamma >= W, S >= 1    -> workers_per_server   0: the job has no servers
    """

    together: bool
    rule: Pace | Counts
    least_workers: int
    most_workers: int
    workers_per_server: float

    def fewest_servers(self, workers: Integers) -> Integers:
        """The least S with S gamma >= W, up to the noise of floats."""
        if not self.workers_per_server:
            return np.zeros_like(workers)
        fewest = np.ceil(workers * (1 - SLACK) / self.workers_per_server)
        counts: Integers = np.clip(fewest, 1, FREE_SERVERS).astype(np.int64)
        return counts


def ways(job: Job, slot_seconds: float) -> list[Way]:
    """The ways in which this job can train at all."""
    both = (_way(job, slot_seconds, together=True), _way(job, slot_seconds, together=False))
    return [way for way in both if way is not None]


def samples_of(job: Job, workers: int, servers: int, slot_seconds: float, *, together: bool) -> float:
    """What so many tasks train in a slot; of servers that need nothing there are as many as anyone could want."""
    return job.samples_in_slot(workers, all_servers(job, servers), slot_seconds, colocated=together)


def all_servers(job: Job, servers: int) -> int:
    return FREE_SERVERS if servers and not any(job.server) else servers


def must_spread(job: Job, workers: int, servers: int) -> bool:
    """Whether so many tasks train less on one machine than on several, or may not sit on one."""
    return samples_of(job, workers, servers, 1.0, together=False) > samples_of(
        job, workers, servers, 1.0, together=True
    )


def _way(job: Job, slot_seconds: float, *, together: bool) -> Way | None:
    speed, batch = job.speed, job.batch
    if isinstance(speed, TableSpeed):
        return _measured(job, speed, slot_seconds, together=together)
    rate = speed.internal_mb_s if together else speed.external_mb_s
    moving = 2 * (speed.gradient_mb / (rate * batch))
    fixed = speed.step_overhead_seconds / batch
    if isinstance(speed, ParameterServerSpeed):
        pace = Pace(speed.sample_seconds, moving if any(job.server) else 0.0, fixed, slot_seconds)
        return Way(together, pace, 1, batch, speed.workers_per_server)
    return _all_reduce(speed, batch, moving, fixed, slot_seconds, together=together)


def _all_reduce(
    speed: AllReduceSpeed, batch: int, moving: float, fixed: float, slot_seconds: float, *, together: bool
) -> Way | None:
    fewest = 1 if together else 2
    if batch < fewest:
        return None
    if speed.sample_seconds > moving:
        pace = Pace(speed.sample_seconds - moving, 0.0, fixed + moving, slot_seconds)
        return Way(together, pace, fewest, batch, 0.0)
    # Whoever joins slows the ring down by more than it computes.
    samples = slot_seconds * speed.samples_per_second(fewest, 0, batch, colocated=together)
    return Way(together, Counts(np.array([fewest]), np.array([samples])), fewest, fewest, 0.0)


def _measured(job: Job, speed: TableSpeed, slot_seconds: float, *, together: bool) -> Way | None:
    workers, samples, best = [], [], 0.0
    for count in speed.worker_counts(job.batch):
        trained = slot_seconds * speed.samples_per_second(count, 0, job.batch, colocated=together)
        if trained > best and (together or count > 1):
            workers.append(count)
            samples.append(trained)
            best = trained
    if not workers:
        return None
    return Way(together, Counts(np.array(workers), np.array(samples)), workers[0], workers[-1], 0.0)


def work_needed(job: Job) -> float:
    """Less than this is not enough, whatever the noise."""
    return job.work * (1 - SLACK)


def most_that_fit(demand: Floats, capacity: Floats) -> float:
    """How many tasks beside nothing else a machine of that capacity holds; infinitely many that need nothing."""
    used = demand > 0
    if not used.any():
        return math.inf
    return float(np.floor(capacity[used] * (1 + SLACK) / demand[used] * (1 + SLACK)).min())
