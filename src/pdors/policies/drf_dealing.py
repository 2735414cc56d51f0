"""Dominant resource fairness as the dealing of one cluster to a queue of jobs, task by task.

    W, S    workers, servers of a job                          -> workers, servers
    C_r     resource r of the whole cluster                    -> total
    share   max over r of (W alpha_r + S beta_r) / C_r         -> share        the dominant share

The job with the smallest dominant share, of equal ones the one that came first, is raised by one step: to the next
number of workers that its speed is known for, with the servers that go with it. Each task goes to the next machine,
after the last one dealt to, that has room. A job leaves the dealing once it has the most workers that it asks for,
once what it has finishes its work within the slot, or once no step fits any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled, compiled_step
from pdors.planner.room import fits, take
from pdors.policies.drf_claims import Claims
from pdors.policies.packing import next_with_room, room_for

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Dealt(NamedTuple):
    """What every job has: tasks per (job, machine), and what a slot trains with them.

    `outgrown`: the most that a slot would have trained at any of the smaller numbers of workers it was raised from.
    """

    workers: Integers
    servers: Integers
    samples: Floats
    outgrown: Floats


@compiled
def deal_fairly(free: Floats, total: Floats, claims: Claims) -> Dealt:
    """Deal what is free, from machine 0 on; `free` is what is left then."""
    jobs, machines = len(claims.most), len(free)
    w, s = np.zeros((jobs, machines), dtype=np.int64), np.zeros((jobs, machines), dtype=np.int64)
    samples, outgrown, share = np.zeros(jobs), np.zeros(jobs), np.zeros(jobs)
    workers, spread = np.zeros(jobs, dtype=np.int64), np.zeros(jobs, dtype=np.int64)
    heap = np.arange(jobs)
    log = np.empty((2, claims.longest.max()), dtype=np.int64)
    at, size = 0, jobs
    while size > 0:
        job = heap[0]
        reached = 0
        # Every step brings a worker to a machine with room for one, so most that have no step left are told by a scan.
        if next_with_room(free, claims.worker[job], at) >= 0:
            reached, at = _raise(free, claims, job, workers[job], samples[job], at, w[job], s[job], spread, log)
        if reached > 0:
            workers[job] = reached
            outgrown[job] = max(outgrown[job], samples[job])
            table = claims.together if spread[job] == 1 else claims.apart
            samples[job] = table[claims.first[job] + reached]
        if reached == 0 or reached == claims.most[job] or samples[job] >= claims.left[job]:
            size -= 1
            heap[0] = heap[size]
        else:
            servers = claims.servers[claims.first[job] + reached]
            share[job] = dominant_share(reached, servers, claims.worker[job], claims.server[job], total)
        _sink(heap, size, share)
    return Dealt(w, s, samples, outgrown)


@compiled_step
def dominant_share(workers: int, servers: int, worker: Floats, server: Floats, total: Floats) -> float:
    share = 0.0
    for resource in range(len(total)):
        if total[resource] > 0.0:
            share = max(share, (workers * worker[resource] + servers * server[resource]) / total[resource])
    return share


@compiled
def dominant_shares(claims: Claims, workers: Integers, total: Floats) -> Floats:
    """Of all jobs, with so many workers each."""
    shares = np.empty(len(workers))
    for job in range(len(workers)):
        servers = claims.servers[claims.first[job] + workers[job]]
        shares[job] = dominant_share(workers[job], servers, claims.worker[job], claims.server[job], total)
    return shares


@compiled_step
def _raise(free: Floats, claims: Claims, job: int, workers: int, samples: float, start: int, w: Integers,
           s: Integers, spread: Integers, log: Integers) -> tuple[int, int]:  # fmt: skip
    """Give a job its next step: the workers it then has, 0 if no step fits, and the machine after the last one.

    `spread[job]` are the machines that it has tasks on.
    """
    worker, server, first = claims.worker[job], claims.server[job], claims.first[job]
    servers = claims.servers[first + workers]
    is_full = False
    for reached in range(workers + 1, claims.most[job] + 1):
        point = first + reached
        if claims.apart[point] > 0.0:
            if is_full:
                continue
            more_servers = claims.servers[point] - servers
            at = _deal_more(free, worker, server, reached - workers, more_servers, start, log)
            if at < 0:
                is_full = True
                continue
            for task in range(reached - workers):
                spread[job] += _put(log[0, task], w, s)
            for task in range(more_servers):
                spread[job] += _put(log[1, task], s, w)
            if spread[job] > 1 or claims.together[point] > 0.0:
                return reached, at
            only = log[0, 0]
            other = next_with_room_beside(free, worker, only)
            if other >= 0 and w[only] > 1:
                take(free[only], worker, -1)
                take(free[other], worker, 1)
                w[only] -= 1
                w[other] += 1
                spread[job] = 2
                return reached, (other + 1) % len(free)
            w[only] -= reached - workers
            s[only] -= more_servers
            take(free[only], worker, workers - reached)
            take(free[only], server, -more_servers)
            spread[job] = 1 if workers > 0 else 0
        elif claims.together[point] > samples:
            only = _gather(free, worker, server, reached, claims.servers[point], start, w, s)
            if only >= 0:
                spread[job] = 1
                return reached, (only + 1) % len(free)
    return 0, start


@compiled_step
def _put(machine: int, tasks: Integers, others: Integers) -> int:
    """Count one more task; 1 if it is the first of its job on that machine."""
    tasks[machine] += 1
    return 1 if tasks[machine] + others[machine] == 1 else 0


@compiled_step
def next_with_room_beside(free: Floats, demand: Floats, machine: int) -> int:
    """The first machine after this one, round the circle, that has room for one task; -1 if there is none."""
    for step in range(1, len(free)):
        at = (machine + step) % len(free)
        if fits(free[at], demand):
            return at
    return -1


@compiled_step
def _deal_more(free: Floats, worker: Floats, server: Floats, workers: int, servers: int, start: int,
               log: Integers) -> int:  # fmt: skip
    """Deal so many tasks, all or none, and log their machines; the machine after the last one, -1 if they do not fit.

    If the first worker has taken room that the servers lack it goes to a later machine.
    """
    machines = len(free)
    for passed in range(machines):
        begin = (start + passed) % machines
        if passed > 0 and not fits(free[begin], worker):
            continue
        at = _deal_logged(free, worker, workers, begin, log[0])
        if at < 0:
            return -1
        if servers == 0:
            return at
        at = _deal_logged(free, server, servers, at, log[1])
        if at >= 0:
            return at
        for task in range(workers):
            take(free[log[0, task]], worker, -1)
        if passed == 0 and room_for(free, server, servers) < servers:
            return -1
    return -1


@compiled_step
def _deal_logged(free: Floats, demand: Floats, count: int, start: int, log: Integers) -> int:
    at = start
    for task in range(count):
        machine = next_with_room(free, demand, at)
        if machine < 0:
            for dealt in range(task):
                take(free[log[dealt]], demand, -1)
            return -1
        take(free[machine], demand, 1)
        log[task] = machine
        at = (machine + 1) % len(free)
    return at


@compiled_step
def _gather(free: Floats, worker: Floats, server: Floats, workers: int, servers: int, start: int, w: Integers,
            s: Integers) -> int:  # fmt: skip
    """Put all of a job on the next machine that holds it, wherever its tasks were; -1, and nothing moved: on none."""
    machines = len(free)
    for step in range(machines):
        only = (start + step) % machines
        holds = True
        for resource in range(len(worker)):
            needed = (workers - w[only]) * worker[resource] + (servers - s[only]) * server[resource]
            if needed > free[only, resource]:
                holds = False
                break
        if holds:
            for machine in range(machines):
                take(free[machine], worker, -w[machine])
                take(free[machine], server, -s[machine])
                w[machine] = s[machine] = 0
            w[only], s[only] = workers, servers
            take(free[only], worker, workers)
            take(free[only], server, servers)
            return only
    return -1


@compiled_step
def _sink(heap: Integers, size: int, share: Floats) -> None:
    """Let the first of the heap find its place: the smallest share comes first, of equal ones the earlier job."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and _before(heap[child + 1], heap[child], share):
            child += 1
        if not _before(heap[child], heap[at], share):
            return
        heap[child], heap[at] = heap[at], heap[child]
        at = child


@compiled_step
def _before(left: int, right: int, share: Floats) -> bool:
    return share[left] < share[right] or (share[left] == share[right] and left < right)
