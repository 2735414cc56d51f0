"""The most that one slot of the empty cluster trains, exactly, by what each machine can hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.units import Units

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NONE = -(2**40)
"""So few servers that no sum of them is at least 0."""


def most_samples(job: Job, instance: Instance, *, workers_per_server: float = math.inf) -> float:
    """Over all usable W with the fewest servers for it, and no more workers for each of them than told.

    Where lying apart is faster, what lies together is too slow: for a job with a higher rate between machines than on
    one this is a lower bound.
    """
    if isinstance(job.speed, ParameterServerSpeed):
        ratio = min(job.speed.workers_per_server, workers_per_server)
        job = replace(job, speed=replace(job.speed, workers_per_server=ratio))
    counts = list(job.speed.worker_counts(job.batch))
    servers = {workers: job.speed.servers_for(workers) for workers in counts}
    units = Units(instance.cluster)
    worker, server = units.demand(job.worker), units.demand(job.server)
    size = max(counts, default=0) + 1
    enough = max(servers.values(), default=0)
    alone = [_most_servers(room, worker, server, size, enough) for room in units.capacity]
    total = _most_servers(np.zeros(len(worker)), worker, server, 1, 0)
    for most in alone:
        total = _both(total, most, size, enough)

    def rate(workers: int, *, colocated: bool) -> float:
        return job.samples_in_slot(workers, servers[workers], instance.slot_seconds, colocated=colocated)

    best = 0.0
    for workers in counts:
        if any(most[workers] >= servers[workers] for most in alone):
            best = max(best, rate(workers, colocated=True))
        if total[workers] >= servers[workers]:
            best = max(best, min(rate(workers, colocated=together) for together in (True, False)))
    return best


def _most_servers(room: Floats, worker: Floats, server: Floats, size: int, enough: int) -> Integers:
    """most[w]: how many servers, up to `enough`, fit beside w workers."""
    most = np.full(size, _NONE, dtype=np.int64)
    for workers in range(size):
        left = room - workers * worker
        if (left < 0).any():
            break
        used = server > 0
        most[workers] = min(enough, (left[used] // server[used]).min(initial=enough))
    return most


def _both(left: Integers, right: Integers, size: int, enough: int) -> Integers:
    """The same for two machines, or two groups of them."""
    most = np.full(size, _NONE, dtype=np.int64)
    for workers, servers in enumerate(left.tolist()):
        if servers >= 0:
            most[workers:] = np.maximum(most[workers:], servers + right[: size - workers])
    return np.minimum(most, enough)
