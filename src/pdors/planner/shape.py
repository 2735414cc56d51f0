"""A job as the slot solvers see it: what one slot trains for each number of workers, and what they take."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import Job
from pdors.model.speed import ParameterServerSpeed, Speed
from pdors.model.units import Units

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JobShape:
    """Arrays over the number of workers W = 0 .. max_workers; demands in the units of the cluster.

    servers   S = max(1, ceil(W / gamma)), or more; 0 for jobs without servers
    together  samples per slot if everything sits on one machine (rate b(i)); 0: not to be had
    apart     samples per slot otherwise (rate b(e)); 0: not to be had
    """

    job: Job
    servers: Integers
    together: Floats
    apart: Floats
    worker: Floats
    server: Floats

    @staticmethod
    def of(job: Job, units: Units, slot_seconds: float, *, workers_per_server: float = math.inf) -> JobShape:
        """With the fewest servers, and with no more workers for each than told."""
        worker, server = units.demand(job.worker), units.demand(job.server)
        most = min(job.batch, _most_tasks(worker, units))
        speed = job.speed
        if isinstance(speed, ParameterServerSpeed) and workers_per_server < speed.workers_per_server:
            speed = replace(speed, workers_per_server=workers_per_server)
        servers, together, apart = _rates(speed, job.batch, most, slot_seconds)
        return JobShape(job, servers, together, apart, worker, server)

    @property
    def max_workers(self) -> int:
        return len(self.servers) - 1

    @property
    def work(self) -> float:
        return self.job.work


def _most_tasks(demand: Floats, units: Units) -> int:
    """More tasks of this demand than the whole empty cluster holds, machine by machine."""
    used = demand > 0
    if not used.any():
        return np.iinfo(np.int64).max
    return int(np.floor(units.capacity[:, used] / demand[used]).min(axis=1).sum())


@lru_cache(maxsize=256)
def _rates(speed: Speed, batch: int, most: int, slot_seconds: float) -> tuple[Integers, Floats, Floats]:
    servers = np.zeros(most + 1, dtype=np.int64)
    together, apart = np.zeros(most + 1), np.zeros(most + 1)
    listed = speed.worker_counts(batch)
    counts = np.array(listed[: bisect_right(listed, most)], dtype=np.int64)
    workers = counts.astype(np.float64)
    servers[counts] = least = speed.servers_of(workers)
    with np.errstate(over="ignore"):
        together[counts] = slot_seconds * speed.rates(workers, least, batch, colocated=True)
        apart[counts] = slot_seconds * speed.rates(workers, least, batch, colocated=False)
    for array in (servers, together, apart):
        array.setflags(write=False)
    return servers, together, apart
