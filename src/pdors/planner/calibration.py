"""Where the floor and the ceiling of the prices come from.

Resources are counted in shares of the whole cluster, so that GPUs, cores and gigabytes can be added. What a job could
pay per share and slot is its worth,

    worth = u(shortest duration) / (slots of one worker with its part of a server * their share of the cluster)

The paper's constants (`paper_bounds`) look at every job of the instance, later ones included, and at a price per slot
of one task. The default (`SeenJobs`) looks at the jobs that came before, and at the worth alone.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.units import Units
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
PricesName = Literal["default", "paper"]

CEILING_QUANTILE = 0.95
"""The price of an exhausted resource is the worth of all but the best of the jobs seen."""
LOG_RATIO = math.log(1e4)
"""ln(U/L): a price per slot starts so far below the ceiling."""


class PricePolicy(Protocol):
    """Gives the prices that hold for a job."""

    def bounds(self, shape: JobShape) -> PriceBounds: ...

    def learn(self, shape: JobShape) -> None:
        """Take note of a job that has arrived."""
        ...


class FixedPrices:
    """The same bounds for every job."""

    def __init__(self, bounds: PriceBounds) -> None:
        self._bounds = bounds

    def bounds(self, shape: JobShape) -> PriceBounds:  # noqa: ARG002 - the same for every job
        return self._bounds

    def learn(self, shape: JobShape) -> None:
        pass


class SeenJobs:
    """Bounds from a quantile of the worth of the jobs seen so far; a job does not move its own prices.

    Before any other job there is only the first one's own worth to go by.
    """

    def __init__(self, cluster: Cluster, slots: int, history: Iterable[JobShape] = ()) -> None:
        self._cluster = cluster
        self._slots = slots
        self._worths: list[float] = []
        for shape in history:
            self.learn(shape)

    def bounds(self, shape: JobShape) -> PriceBounds:
        worths = self._worths or [worth for worth in (log_worth(shape, self._cluster, self._slots),) if worth > FREE]
        if not worths:
            return PriceBounds.free(len(self._cluster.resources))
        ceiling = worths[min(len(worths) - 1, int(CEILING_QUANTILE * len(worths)))]
        return _per_amount([ceiling - LOG_RATIO] * len(self._cluster.resources),
                           [ceiling] * len(self._cluster.resources), self._cluster)  # fmt: skip

    def learn(self, shape: JobShape) -> None:
        worth = log_worth(shape, self._cluster, self._slots)
        if worth > FREE:
            insort(self._worths, worth)


def price_policy(instance: Instance, prices: PricesName | PriceBounds, history: Iterable[Job] = ()) -> PricePolicy:
    """The prices by name; those of the paper look at all jobs of the instance, the default ones at the history."""
    if isinstance(prices, PriceBounds):
        return FixedPrices(prices)
    if prices == "paper":
        return FixedPrices(paper_bounds(instance))
    units = Units(instance.cluster)
    shapes = (JobShape.of(job, units, instance.slot_seconds) for job in history)
    return SeenJobs(instance.cluster, instance.slots, shapes)


def log_worth(shape: JobShape, cluster: Cluster, slots: int) -> float:
    """The logarithm of a job's worth; minus infinity if it cannot finish, is worth nothing or takes nothing."""
    counts = np.arange(shape.max_workers + 1)
    samples = np.maximum(shape.together, shape.apart)
    most, work = float(samples.max()), shape.work * (1 - WORK_TOLERANCE)
    if most * (slots - shape.job.arrival) < work:
        return FREE
    duration = math.ceil(work / most) - 1
    share = counts * _share(shape.job.worker, cluster) + shape.servers * _share(shape.job.server, cluster)
    trains = samples > 0
    least = shape.work * float((share[trains] / samples[trains]).min())
    return shape.job.utility.log_value(duration) - math.log(least) if least > 0 else FREE


@dataclass(frozen=True)
class PaperConstants:
    """U^r, L and mu, as logarithms and per share of the whole cluster.

    U^r  most that a job is worth per share of r          -> log_ceiling  ln of utility per share and slot, by resource
    L    least that a job is worth per share and slot     -> log_floor    ln of utility per share and slot
    mu   the job of the least work takes 1/mu of all that the cluster has over the horizon  -> log_mu  ln of a number

    `floor_job` is the job that sets L, `smallest_job` the one that sets mu.
    """

    cluster: Cluster
    log_ceiling: tuple[float, ...]
    log_floor: float
    log_mu: float
    floor_job: str
    smallest_job: str

    @property
    def bounds(self) -> PriceBounds:
        """No floor is above its ceiling, so that a resource that no job uses is free."""
        return _per_amount([min(self.log_floor, high) for high in self.log_ceiling], self.log_ceiling, self.cluster)


def paper_bounds(instance: Instance) -> PriceBounds:
    """The prices of the paper's constants; all free where no job can pay."""
    constants = paper_constants(instance)
    return PriceBounds.free(len(instance.cluster.resources)) if constants is None else constants.bounds


def paper_constants(instance: Instance) -> PaperConstants | None:
    """U^r, L and mu as printed, with the readings that make them defined.

    U^r = max_i u_i(shortest_i) / (alpha_i^r + beta_i^r)
    L   = min_i u_i(T - a_i) / (2 mu N_i sum_r (alpha_i^r + beta_i^r))
    mu  : 1/mu = min_i N_i sum_r (alpha_i^r + beta_i^r) / (T R)       (equality for the tightest job)
    N_i = ceil(E K (tau + 2 g gamma / (b(e) F)))                       worker-slots at the external rate
    shortest_i = max(0, ceil(E K / F (tau + 2 g gamma / (b(i) F))) - 1)   slots with F workers at the internal rate

    A job is left out of U^r where it uses nothing of r, and of L and mu where it uses nothing at all; None if all are.
    """
    cluster = instance.cluster
    log_ceiling = np.full(len(cluster.resources), FREE)
    log_values, log_amounts, counted = [], [], []
    for job in instance.jobs:
        both = _shares(job.worker, cluster) + _shares(job.server, cluster)
        ways = [_worker_slots(job, instance.slot_seconds, internal=internal) for internal in (True, False)]
        if min(ways) == math.inf:
            continue
        together, apart = (way if way < math.inf else min(ways) for way in ways)  # what cannot be had is not used
        shortest = max(0, math.ceil(together / job.batch) - 1)
        used = both > 0
        if used.any():
            log_ceiling[used] = np.maximum(log_ceiling[used], job.utility.log_value(shortest) - np.log(both[used]))
            log_values.append(job.utility.log_value(instance.slots - job.arrival))
            log_amounts.append(math.log(math.ceil(apart) * both.sum()))
            counted.append(job.id)
    if not counted:
        return None
    log_one_by_mu = min(log_amounts) - math.log(instance.slots * np.count_nonzero(cluster.total))
    log_floors = [
        log_one_by_mu - math.log(2) + value - amount for value, amount in zip(log_values, log_amounts, strict=True)
    ]
    return PaperConstants(
        cluster,
        log_ceiling=tuple(log_ceiling.tolist()),
        log_floor=min(log_floors),
        log_mu=-log_one_by_mu,
        floor_job=counted[int(np.argmin(log_floors))],
        smallest_job=counted[int(np.argmin(log_amounts))],
    )


def _worker_slots(job: Job, slot_seconds: float, *, internal: bool) -> float:
    """Slots that one worker with its part of a server needs: V (tau + (o + 2 g gamma / b) / F), not rounded.

    Jobs of another kind have no such formula: the best measured or modelled rate per worker stands in.
    """
    speed = job.speed
    if isinstance(speed, ParameterServerSpeed):
        rate = speed.internal_mb_s if internal else speed.external_mb_s
        iteration = speed.step_overhead_seconds + 2 * speed.gradient_mb * speed.workers_per_server / rate
        return job.work * (speed.sample_seconds + iteration / job.batch) / slot_seconds
    rates = [
        job.samples_in_slot(workers, 0, slot_seconds, colocated=internal) / workers
        for workers in speed.worker_counts(job.batch)
    ]
    best = max(rates, default=0.0)
    return job.work / best if best > 0 else math.inf


def _shares(amounts: Sequence[float], cluster: Cluster) -> Floats:
    """Amounts as shares of the whole cluster; 0 of what it does not have."""
    total = cluster.total
    shares: Floats = np.divide(np.array(amounts), total, out=np.zeros(len(total)), where=total > 0)
    return shares


def _share(amounts: Sequence[float], cluster: Cluster) -> float:
    return float(_shares(amounts, cluster).sum())


def _per_amount(log_floor: Sequence[float], log_ceiling: Sequence[float], cluster: Cluster) -> PriceBounds:
    """Prices per share of the cluster as prices per amount; a resource that the cluster lacks is free."""
    scale = [math.log(total) if total > 0 else math.inf for total in cluster.total]
    return PriceBounds(
        tuple(float(low - by) for low, by in zip(log_floor, scale, strict=True)),
        tuple(float(high - by) for high, by in zip(log_ceiling, scale, strict=True)),
    )
