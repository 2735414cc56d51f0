"""Prices as an argument, and the paper's constants: U, L and mu as printed.

Resources are counted in shares of the whole cluster, so that GPUs, cores and gigabytes can be added. The constants look
at every job of the instance, later ones included; the default prices (`market`) at those that came before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import Instance, Job
from pdors.model.schedule import Schedule
from pdors.model.speed import ParameterServerSpeed
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]


class PricePolicy(Protocol):
    """Gives the prices that hold for a job."""

    def bounds(self, shape: JobShape) -> PriceBounds: ...

    def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
        """Take note of a job that has arrived, and of its schedule if it was admitted."""
        ...


class FixedPrices:
    """The same bounds for every job."""

    def __init__(self, bounds: PriceBounds) -> None:
        self._bounds = bounds

    def bounds(self, shape: JobShape) -> PriceBounds:  # noqa: ARG002 - the same for every job
        return self._bounds

    def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
        pass


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
        return bounds_per_amount(
            [min(self.log_floor, high) for high in self.log_ceiling], self.log_ceiling, self.cluster
        )


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
        both = shares_of(job.worker, cluster) + shares_of(job.server, cluster)
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


def shares_of(amounts: Sequence[float], cluster: Cluster) -> Floats:
    """Amounts as shares of the whole cluster; 0 of what it does not have."""
    total = cluster.total
    shares: Floats = np.divide(np.array(amounts), total, out=np.zeros(len(total)), where=total > 0)
    return shares


def bounds_per_amount(log_floor: Sequence[float], log_ceiling: Sequence[float], cluster: Cluster) -> PriceBounds:
    """Prices per share of the cluster as prices per amount; a resource that the cluster lacks is free."""
    scale = [math.log(total) if total > 0 else math.inf for total in cluster.total]
    return PriceBounds(
        tuple(float(low - by) for low, by in zip(log_floor, scale, strict=True)),
        tuple(float(high - by) for high, by in zip(log_ceiling, scale, strict=True)),
    )
