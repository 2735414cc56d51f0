"""Who gets the next worker or server: the marginal gains of Optimus as a loop over plain arrays.

    Q        samples left to train                           -> left
    W, S     workers, servers                                -> workers, servers
    f(W, S)  samples that a slot trains, by a model          -> pace
    share    dominant share of what a step adds              -> share_of_step

A step is the next number of workers, with the servers that it cannot be without, or one more server, as long as there
are no more servers than workers. Where a job outgrows its machine the next worker makes it slower: a leap is the next
number of workers that makes it faster, taken when no job gains by a step. A slot is handed out whole, so a job gains
max(Q / f(W, S), 1) - max(Q / f(W', S'), 1) slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import take

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

WORKER, SERVER, LEAP = 0, 1, 2
TERMS = 6
"""Of the time of an iteration: 1 / W, 1, 1 / S, W / S, W, S."""


class Contenders(NamedTuple):
    """The jobs of a queue. The tables over the number of workers of job j begin at first[j].

    left             samples left
    worker, server   demands, (jobs, resources)
    servers          the fewest servers of a number of workers
    has_servers      whether f is a formula in W and S, or a table over W
    terms            formula: what each of the `TERMS` weighs, together and apart, (jobs, 2, TERMS)
    per_iteration    formula: samples of an iteration times iterations of a slot that would take a second each
    together, apart  table: f on one machine and on several; formula: 0 where it must not lie so
    """

    left: Floats
    worker: Floats
    server: Floats
    first: Integers
    servers: Integers
    has_servers: NDArray[np.bool_]
    terms: Floats
    per_iteration: Floats
    together: Floats
    apart: Floats


class Counts(NamedTuple):
    """Workers and servers of every job, and what a slot trains with them by the model."""

    workers: Integers
    servers: Integers
    pace: Floats


@compiled
def allocate(room: Floats, total: Floats, largest: Floats, contenders: Contenders) -> Counts:
    """Steps, then leaps, by falling gain for their share, while the room of the cluster as a whole allows it.

    `total` is what the cluster has, `room` what is left of it, and `largest` are machines: a job that fits on one of
    them is taken to lie together.
    """
    jobs = len(contenders.left)
    counts = Counts(np.zeros(jobs, dtype=np.int64), np.zeros(jobs, dtype=np.int64), np.zeros(jobs))
    gain = np.full((jobs, 3), -np.inf)
    for job in range(jobs):
        if _take_step(room, largest, contenders, job, WORKER, counts):
            weigh_steps(total, largest, contenders, job, counts, gain[job])
    while True:
        best, kind = _most_gaining(gain)
        if best < 0:
            return counts
        if _take_step(room, largest, contenders, best, kind, counts):
            weigh_steps(total, largest, contenders, best, counts, gain[best])
        else:
            # What does not fit now will not fit later, unless another step of the job makes it smaller.
            gain[best, kind] = -np.inf


@compiled
def _most_gaining(gain: Floats) -> tuple[int, int]:
    """The job and its step, or its leap if nobody gains by a step; -1 if nobody gains at all."""
    best, kind, most = -1, WORKER, 0.0
    for job in range(len(gain)):
        for step in range(LEAP):
            if gain[job, step] > most:
                best, kind, most = job, step, gain[job, step]
    if best < 0:
        for job in range(len(gain)):
            if gain[job, LEAP] > most:
                best, kind, most = job, LEAP, gain[job, LEAP]
    return best, kind


@compiled
def weigh_steps(total: Floats, largest: Floats, contenders: Contenders, job: int, counts: Counts, gain: Floats) -> None:
    """Slots gained for the dominant share of every kind of step; minus infinity where there is none."""
    before = max(contenders.left[job] / counts.pace[job], 1.0)
    for kind in range(3):
        gain[kind] = -np.inf
        workers, servers, pace = next_state(largest, contenders, job, kind, counts)
        if pace > 0.0:
            gained = before - max(contenders.left[job] / pace, 1.0)
            share = share_of_step(total, contenders, job, workers - counts.workers[job], servers - counts.servers[job])
            if gained > 0.0:
                gain[kind] = gained / share if share > 0.0 else np.inf


@compiled
def next_state(largest: Floats, contenders: Contenders, job: int, kind: int, counts: Counts) -> tuple[int, int, float]:
    """Workers, servers and pace after a step of the job; pace 0: there is no such step."""
    workers, servers = counts.workers[job], counts.servers[job]
    if kind == SERVER:
        if not contenders.has_servers[job] or servers >= workers:
            return workers, servers, 0.0
        return workers, servers + 1, pace_of(largest, contenders, job, workers, servers + 1)
    most = contenders.first[job + 1] - contenders.first[job] - 1
    for more in range(workers + 1, most + 1):
        least = max(servers, contenders.servers[contenders.first[job] + more])
        pace = pace_of(largest, contenders, job, more, least)
        if pace > (counts.pace[job] if kind == LEAP else 0.0):
            return more, least, pace
    return workers, servers, 0.0


@compiled
def pace_of(largest: Floats, contenders: Contenders, job: int, workers: int, servers: int) -> float:
    """Samples of a slot by the model: on one machine if one of the largest holds it all, unless that is slower."""
    apart = _pace(contenders, job, workers, servers, 1) if workers + servers > 1 else 0.0
    for machine in range(len(largest)):
        held = True
        for resource in range(largest.shape[1]):
            amount = workers * contenders.worker[job, resource] + servers * contenders.server[job, resource]
            held = held and amount <= largest[machine, resource]
        if held:
            return max(apart, _pace(contenders, job, workers, servers, 0))
    return apart


@compiled
def _pace(contenders: Contenders, job: int, workers: int, servers: int, apart: int) -> float:
    if not contenders.has_servers[job]:
        rates = contenders.apart if apart == 1 else contenders.together
        pace: float = rates[contenders.first[job] + workers]
        return pace
    terms = contenders.terms[job, apart]
    seconds = terms[0] / workers + terms[1] + terms[2] / servers
    seconds += terms[3] * workers / servers + terms[4] * workers + terms[5] * servers
    return contenders.per_iteration[job] / seconds if seconds > 0.0 else 0.0


@compiled
def share_of_step(total: Floats, contenders: Contenders, job: int, workers: int, servers: int) -> float:
    """The largest part of any resource of the cluster that so many more tasks take."""
    share = 0.0
    for resource in range(len(total)):
        amount = workers * contenders.worker[job, resource] + servers * contenders.server[job, resource]
        if amount > 0.0:
            share = max(share, amount / total[resource])
    return share


@compiled
def _take_step(room: Floats, largest: Floats, contenders: Contenders, job: int, kind: int, counts: Counts) -> bool:
    """Make a step if there is one and the cluster as a whole has room for it."""
    workers, servers, pace = next_state(largest, contenders, job, kind, counts)
    more_workers, more_servers = workers - counts.workers[job], servers - counts.servers[job]
    fits = pace > 0.0
    for resource in range(len(room)):
        amount = more_workers * contenders.worker[job, resource] + more_servers * contenders.server[job, resource]
        fits = fits and amount <= room[resource]
    if fits:
        take(room, contenders.worker[job], more_workers)
        take(room, contenders.server[job], more_servers)
        counts.workers[job], counts.servers[job], counts.pace[job] = workers, servers, pace
    return fits
