"""Where the jobs of a slot go: the smallest first, each on the fewest machines that hold an even spread of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import fill, take, total
from pdors.policies.optimus_gains import Contenders, Counts
from pdors.policies.packing import spread_evenly

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def place_all(free: Floats, contenders: Contenders, counts: Counts, order: Integers, w: Integers, s: Integers) -> None:
    """Place the jobs in this order, and write what they have on every machine; one that does not fit has nothing."""
    for job in order:
        if counts.workers[job] > 0:
            _place_job(free, contenders, job, counts.workers[job], counts.servers[job], w[job], s[job])


@compiled
def shrink_all(free: Floats, contenders: Contenders, counts: Counts, order: Integers, w: Integers, s: Integers) -> None:
    """Place those that have nothing with the most workers that fit, and with as many servers for each."""
    for job in order:
        if total(w[job]) + total(s[job]) == 0:
            fewer = _most_that_fit(free, contenders, counts, job, w[job], s[job])
            if fewer > 0:
                _place_job(free, contenders, job, fewer, _servers_of(contenders, counts, job, fewer), w[job], s[job])


@compiled
def place(free: Floats, worker: Floats, server: Floats, workers: int, servers: int, together: float, apart: float,
          w: Integers, s: Integers) -> int:  # fmt: skip
    """On how many machines it lies, 0 if it does not fit.

    `together` and `apart` are what it trains on one machine and on several; 0: it must not lie so. One machine comes
    last where that is slower.
    """
    machines = len(free)
    if apart <= together:
        return spread_evenly(free, worker, server, workers, servers, 1, machines if apart > 0.0 else 1, w, s)
    used = spread_evenly(free, worker, server, workers, servers, 2, machines, w, s)
    if used == 0 and together > 0.0:
        used = spread_evenly(free, worker, server, workers, servers, 1, 1, w, s)
    return used


@compiled
def _place_job(free: Floats, contenders: Contenders, job: int, workers: int, servers: int, w: Integers,
               s: Integers) -> bool:  # fmt: skip
    point = contenders.first[job] + workers
    together, apart = contenders.together[point], contenders.apart[point]
    return place(free, contenders.worker[job], contenders.server[job], workers, servers, together, apart, w, s) > 0


@compiled
def _most_that_fit(free: Floats, contenders: Contenders, counts: Counts, job: int, w: Integers, s: Integers) -> int:
    """The most workers, fewer than were given, that have an even spread; found by halving."""
    best, low, high = 0, 0, counts.workers[job] - 1
    while low < high:
        middle = (low + high + 1) // 2
        tried = middle
        while tried > best and not _trains(contenders, job, tried):
            tried -= 1
        if tried == best:
            low = middle
        elif _place_job(free, contenders, job, tried, _servers_of(contenders, counts, job, tried), w, s):
            for machine in range(len(w)):
                take(free[machine], contenders.worker[job], -w[machine])
                take(free[machine], contenders.server[job], -s[machine])
            fill(w, 0)
            fill(s, 0)
            best, low = tried, middle
        else:
            high = tried - 1
    return best


@compiled
def _trains(contenders: Contenders, job: int, workers: int) -> bool:
    point = contenders.first[job] + workers
    trains: bool = contenders.together[point] > 0.0 or contenders.apart[point] > 0.0
    return trains


@compiled
def _servers_of(contenders: Contenders, counts: Counts, job: int, workers: int) -> int:
    """As many for each worker as it was given, and no fewer than they need."""
    needed: int = contenders.servers[contenders.first[job] + workers]
    part: int = math.ceil(counts.servers[job] * workers / counts.workers[job])
    return max(needed, part)
