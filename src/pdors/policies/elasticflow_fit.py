"""What of a job fits into what the machines have left, on one machine or on several, and where.

A number of workers always comes with the servers that it needs. On one machine: the fullest that holds them, so that
the emptier ones stay whole. On several: on the fewest, filled from the emptiest on, task by task, so that n workers
lie as n - 1 do, and one more. How full a machine is adds up all resources, each weighed by what the cluster has of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import fits, fitting, take
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Scaling(NamedTuple):
    """A job as a `JobShape` has it; `best_*[n]` is the number of at most n workers that trains most; 0: none does."""

    worker: Floats
    server: Floats
    servers: Integers
    together: Floats
    apart: Floats
    best_together: Integers
    best_apart: Integers

    @staticmethod
    def of(shape: JobShape) -> Scaling:
        lone = np.arange(len(shape.servers)) + shape.servers < 2
        apart = np.where(lone, 0.0, shape.apart)
        return Scaling(
            shape.worker, shape.server, shape.servers.copy(), shape.together.copy(), apart,
            _best_up_to(shape.together), _best_up_to(apart),
        )  # fmt: skip


def _best_up_to(samples: Floats) -> Integers:
    rises = np.diff(np.maximum.accumulate(samples), prepend=0.0) > 0
    best: Integers = np.maximum.accumulate(np.where(rises, np.arange(len(samples)), 0))
    return best


@compiled
def share_of(scaling: Scaling, weight: Floats, workers: int) -> float:
    """The dominant share: the largest part of any resource of the cluster; `weight` is 1 / what there is of each."""
    share = 0.0
    for resource in range(len(weight)):
        amount = workers * scaling.worker[resource] + scaling.servers[workers] * scaling.server[resource]
        share = max(share, amount * weight[resource])
    return share


@compiled
def emptiness(free: Floats, weight: Floats) -> float:
    left = 0.0
    for resource in range(len(weight)):
        left += weight[resource] * free[resource]
    return left


@compiled
def holds(free: Floats, scaling: Scaling, workers: int) -> bool:
    """Whether one machine holds so many workers with their servers."""
    for resource in range(len(free)):
        amount = workers * scaling.worker[resource] + scaling.servers[workers] * scaling.server[resource]
        if amount > free[resource]:
            return False
    return True


@compiled
def most_together(free: Floats, scaling: Scaling) -> int:
    """The most workers, as far as they are of use, that one machine holds."""
    most = scaling.best_together[len(scaling.best_together) - 1]
    best = 0
    for machine in range(len(free)):
        if best == most:
            break
        if not holds(free[machine], scaling, best + 1):
            continue
        low, high = best + 1, fitting(free[machine], scaling.worker, most)
        while low < high:
            middle = (low + high + 1) // 2
            if holds(free[machine], scaling, middle):
                low = middle
            else:
                high = middle - 1
        best = low
    return best


@compiled
def place_together(free: Floats, weight: Floats, scaling: Scaling, workers: int) -> int:
    """The fullest machine that holds so many workers; -1 if none does."""
    found, least = -1, np.inf
    for machine in range(len(free)):
        if holds(free[machine], scaling, workers):
            left = emptiness(free[machine], weight)
            if left < least:
                found, least = machine, left
    return found


@compiled
def place_apart(free: Floats, weight: Floats, scaling: Scaling, most: int, w: Integers, s: Integers) -> int:
    """Put up to `most` workers on two machines or more: how many fit; all of them: `w` and `s` say where."""
    machines = len(free)
    left, room = np.empty(free.shape), np.empty(machines)
    heap = np.empty(machines + 1, dtype=np.int64)
    for machine in range(machines):
        w[machine] = s[machine] = 0
        heap[machine] = machine
        room[machine] = emptiness(free[machine], weight)
        for resource in range(len(weight)):
            left[machine, resource] = free[machine, resource]
    heap[machines] = machines
    for at in range(machines // 2 - 1, -1, -1):
        _sift(heap, at, room)
    first, at_worker, at_server = -1, 0, 0
    is_apart = False
    for count in range(1, most + 1):
        missing = scaling.servers[count] - scaling.servers[count - 1]
        while missing > 0:
            at_server = _first_fit(left, heap, room, at_server, scaling.server, -1)
            if at_server == machines:
                return count - 1
            machine = _in_place(heap, room, at_server)
            placed = fitting(left[machine], scaling.server, missing)
            take(left[machine], scaling.server, placed)
            s[machine] += placed
            missing -= placed
            if first < 0:
                first = machine
        barred = -1 if is_apart else first
        at = _first_fit(left, heap, room, at_worker, scaling.worker, barred)
        if at == machines:
            return count - 1
        machine = _in_place(heap, room, at)
        take(left[machine], scaling.worker, 1)
        w[machine] += 1
        if barred < 0:
            at_worker = at
        if first < 0:
            first = machine
        is_apart = is_apart or machine != first
    return most


@compiled
def place_more(free: Floats, weight: Floats, demand: Floats, count: int, placed: Integers, others: Integers) -> int:
    """Put tasks of one kind beside those of the job, or where it is emptiest, and take their room: how many fit."""
    for done in range(count):
        found, most = -1, -1.0
        for machine in range(len(free)):
            if fits(free[machine], demand):
                if placed[machine] + others[machine] > 0:
                    found = machine
                    break
                left = emptiness(free[machine], weight)
                if left > most:
                    found, most = machine, left
        if found < 0:
            return done
        take(free[found], demand, 1)
        placed[found] += 1
    return count


@compiled
def _first_fit(left: Floats, heap: Integers, room: Floats, start: int, demand: Floats, barred: int) -> int:
    """The first place from `start` on, by emptiness, of a machine other than `barred` that has room; else the end."""
    at = start
    while at < len(left):
        machine = _in_place(heap, room, at)
        if machine != barred and fits(left[machine], demand):
            break
        at += 1
    return at


@compiled
def _in_place(heap: Integers, room: Floats, place: int) -> int:
    """The machine in this place by emptiness. Those in order stand at the end, the last entry counts the others."""
    machines = len(heap) - 1
    while machines - heap[machines] <= place:
        last = heap[machines] - 1
        heap[0], heap[last] = heap[last], heap[0]
        heap[machines] = last
        _sift(heap, 0, room)
    machine: int = heap[machines - 1 - place]
    return machine


@compiled
def _sift(heap: Integers, start: int, room: Floats) -> None:
    """Let the machine at `start` sink below those that are emptier."""
    size = heap[len(heap) - 1]
    at, moving = start, heap[start]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _is_before(heap[child + 1], heap[child], room):
            child += 1
        if not _is_before(heap[child], moving, room):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = moving


@compiled
def _is_before(machine: int, other: int, room: Floats) -> bool:
    return room[machine] > room[other] or (room[machine] == room[other] and machine < other)
