"""Two families of prices, one per pool, of the form of Eq. (8): each found in the way in which PD-ORS finds its one.

A pool is priced as a cluster of its own, by jobs of which it sees its side alone: the workers, or the servers. So the
worth of a job, its utility over what it takes, is one amount per share of the worker pool and another per share of the
server pool. That utility is the best of the job, at b(i), as for PD-ORS. In the letters of OASiS:

    U1^r = max_i u_i / alpha_i^r   highest price of a worker machine -> ceiling of `of_workers`
    U2^r = max_i u_i / beta_i^r    highest price of a server machine -> ceiling of `of_servers`
    L1, L2                         the lowest prices                 -> their floors
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import Instance, Job
from pdors.model.schedule import Schedule
from pdors.model.units import Units
from pdors.planner.calibration import FixedPrices, PricePolicy, paper_bounds
from pdors.planner.market import MarketPrices
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.policies.oasis_pools import Pools
from pdors.policies.policy import Setting

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PoolBounds(PriceBounds):
    """The bounds of both pools; as bounds of no machine in particular they are the lower ones of the two."""

    pools: Pools
    of_workers: PriceBounds
    of_servers: PriceBounds

    @staticmethod
    def of(pools: Pools, workers: PriceBounds, servers: PriceBounds) -> PoolBounds:
        lower_floor = tuple(map(min, workers.log_floor, servers.log_floor))
        lower_ceiling = tuple(map(min, workers.log_ceiling, servers.log_ceiling))
        return PoolBounds(lower_floor, lower_ceiling, pools, workers, servers)

    def price_on(self, machines: Integers, fraction: Floats) -> Floats:
        """Price per unit of resource and slot on these machines, (machines, resources)."""
        of_workers = np.isin(machines, self.pools.worker_machines)[:, None]
        return np.where(of_workers, self.of_workers.price(fraction), self.of_servers.price(fraction))


class PoolPrices:
    """A `PricePolicy` made of one for each pool."""

    def __init__(self, pools: Pools, of_workers: PricePolicy, of_servers: PricePolicy) -> None:
        self._pools = pools
        self._of_workers = of_workers
        self._of_servers = of_servers

    def bounds(self, shape: JobShape) -> PoolBounds:
        workers, servers = _sides_of_shape(shape)
        return PoolBounds.of(self._pools, self._of_workers.bounds(workers), self._of_servers.bounds(servers))

    def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
        workers, servers = _sides_of_shape(shape)
        self._of_workers.learn(workers, schedule)
        self._of_servers.learn(servers, schedule)


def seen_prices(pools: Pools, setting: Setting, history: Iterable[Job] = ()) -> PoolPrices:
    """Calibrated by the jobs seen so far, as the default of PD-ORS."""
    units = Units(setting.cluster)
    sides = [_sides_of_shape(JobShape.of(job, units, setting.slot_seconds)) for job in history]
    of_workers, of_servers = (
        MarketPrices(cluster, setting.slots, [side[pool] for side in sides])
        for pool, cluster in enumerate(pools.as_clusters())
    )
    return PoolPrices(pools, of_workers, of_servers)


def printed_prices(pools: Pools, instance: Instance) -> PoolPrices:
    """The constants as printed, of all jobs of the instance; a floor has 1/4 where that of PD-ORS has 1/2."""
    sides = [_sides(job) for job in instance.jobs]
    of_workers, of_servers = (
        paper_bounds(replace(instance, cluster=cluster, jobs=tuple(side[pool] for side in sides)))
        for pool, cluster in enumerate(pools.as_clusters())
    )
    return fixed_prices(pools, _with_half_the_floor(of_workers), _with_half_the_floor(of_servers))


def fixed_prices(pools: Pools, of_workers: PriceBounds, of_servers: PriceBounds) -> PoolPrices:
    """The same bounds for every job."""
    return PoolPrices(pools, FixedPrices(of_workers), FixedPrices(of_servers))


def _sides(job: Job) -> tuple[Job, Job]:
    """The job with its workers alone, and with its servers alone."""
    nothing = (0.0,) * len(job.worker)
    return replace(job, server=nothing), replace(job, worker=nothing)


def _sides_of_shape(shape: JobShape) -> tuple[JobShape, JobShape]:
    workers, servers = _sides(shape.job)
    return replace(shape, job=workers), replace(shape, job=servers)


def _with_half_the_floor(bounds: PriceBounds) -> PriceBounds:
    return PriceBounds(tuple(low - math.log(2) for low in bounds.log_floor), bounds.log_ceiling)
