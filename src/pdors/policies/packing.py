"""Tasks put on machines without prices: round-robin, evenly, or wherever there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, repeat

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled, compiled_step
from pdors.model.ledger import LedgerView
from pdors.model.schedule import Placement, Share
from pdors.planner.lagrangian import place_somehow
from pdors.planner.polishing import spread_out
from pdors.planner.room import by_price, fits, fitting, take
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotProblem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def free_now(ledger: LedgerView, slot: int) -> Floats:
    """What each machine has left in a slot, in units, (machines, resources); a copy to count with."""
    free: Floats = ledger.units.capacity - ledger.used(slot)
    return free


def placement_of(workers: Integers, servers: Integers) -> Placement:
    """From counts per machine."""
    machines = np.flatnonzero(workers + servers)
    return Placement.of(zip(machines.tolist(), workers[machines].tolist(), servers[machines].tolist(), strict=True))


def placements_of(workers: Integers, servers: Integers) -> Iterator[Placement]:
    """From counts per job and machine, job by job."""
    jobs, machines = np.nonzero(workers + servers)
    counts = machines.tolist(), workers[jobs, machines].tolist(), servers[jobs, machines].tolist()
    shares = tuple(map(_share, *counts))
    bounds = np.searchsorted(jobs, np.arange(len(workers) + 1)).tolist()
    return (_placement(shares[start:stop]) for start, stop in pairwise(bounds))


@lru_cache(maxsize=1 << 16)
def _share(machine: int, workers: int, servers: int) -> Share:
    """The same few come again and again; what is there already is not one more object that is kept."""
    return Share(machine, workers, servers)


@lru_cache(maxsize=1 << 16)
def _placement(shares: tuple[Share, ...]) -> Placement:
    return Placement(shares)


class KeptPlacements:
    """Placements from counts per job and machine, made anew only where the counts are not those of the last time."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._workers: Integers = np.zeros((0, 0), dtype=np.int64)
        self._servers = self._workers
        self._placements: dict[str, Placement] = {}

    def of(self, job_ids: Sequence[str], workers: Integers, servers: Integers) -> dict[str, Placement]:
        """By job id; who has no tasks is not in it."""
        before = np.fromiter(map(self._rows.get, job_ids, repeat(-1)), dtype=np.int64, count=len(job_ids))
        changed = np.flatnonzero(_differ(workers, servers, self._workers, self._servers, before))
        rows = dict(zip(job_ids, range(len(job_ids)), strict=True))
        doubtful = self._rows.keys() - rows.keys() | {job_ids[row] for row in changed.tolist()}
        for job_id in doubtful & self._placements.keys():
            del self._placements[job_id]
        for row, placement in zip(changed.tolist(), placements_of(workers[changed], servers[changed]), strict=True):
            if placement.shares:
                self._placements[job_ids[row]] = placement
        self._rows, self._workers, self._servers = rows, workers, servers
        return dict(self._placements)


@compiled
def _differ(workers: Integers, servers: Integers, workers_before: Integers, servers_before: Integers,
            rows_before: Integers) -> Flags:  # fmt: skip
    """Which rows differ from those before, whose numbers are given; there is no row -1."""
    differ = np.ones(len(workers), dtype=np.bool_)
    for job in range(len(workers)):
        row, machine = rows_before[job], 0
        if row >= 0:
            while (
                machine < workers.shape[1]
                and workers[job, machine] == workers_before[row, machine]
                and servers[job, machine] == servers_before[row, machine]
            ):
                machine += 1
            differ[job] = machine < workers.shape[1]
    return differ


def as_asked_for(shape: JobShape, capacity: Floats) -> JobShape:
    """The job with the numbers of workers that are worth asking for; the rates of all others are 0.

    Those are left out that train no more than a smaller number does in the same way, together or apart; a single task
    always lies together. So do all of them where only one machine can hold any.
    """
    tasks = np.arange(len(shape.servers)) + shape.servers
    hosts = (capacity >= shape.worker).all(axis=1)
    if shape.servers.any():
        hosts |= (capacity >= shape.server).all(axis=1)
    lone = (tasks <= 1) | (np.count_nonzero(hosts) <= 1)
    together = _rising(shape.together, 0.0)
    apart = _rising(np.where(lone, 0.0, shape.apart), shape.together[tasks <= 1].max(initial=0.0))
    stop = int(np.flatnonzero(together + apart).max(initial=0)) + 1
    return replace(shape, servers=shape.servers[:stop], together=together[:stop], apart=apart[:stop])


def _rising(rates: Floats, least: float) -> Floats:
    """Each rate that is above all before it, and `least`; else 0."""
    before = np.maximum.accumulate(np.concatenate([[least], rates[:-1]]))
    return np.where(rates > before, rates, 0.0)


class Dealer:
    """Deals tasks round-robin: each one to the next machine, after the last one dealt to, that has room."""

    def __init__(self, free: Floats, start: int = 0) -> None:
        self.free = free
        self.next = start

    def deal(self, worker: Floats, server: Floats, workers: int, servers: int) -> Placement | None:
        """Workers and servers of one job, all of them or (None) none."""
        before = self.free.copy()
        placed = np.zeros((2, len(self.free)), dtype=np.int64)
        at = self.next
        for row, demand, count in ((0, worker, workers), (1, server, servers)):
            at = deal(self.free, demand, count, at, placed[row])
            if at < 0:
                self.free[:] = before
                return None
        self.next = at
        return placement_of(placed[0], placed[1])

    def deal_job(self, shape: JobShape, workers: int) -> Placement | None:
        """So many workers of a job, with its servers, such that it trains; None: there is no room for that.

        Where dealing finds no room, or together or apart is no way to train, they go wherever they can.
        """
        servers = int(shape.servers[workers])
        before, at = self.free.copy(), self.next
        if shape.apart[workers] > 0:
            placement = self.deal(shape.worker, shape.server, workers, servers)
            if placement is not None and (not placement.colocated or shape.together[workers] > 0):
                return placement
            self.free[:], self.next = before, at
        placement = _somehow(shape, workers, servers, before, at)
        for share in () if placement is None else placement.shares:
            self.free[share.machine] -= share.workers * shape.worker + share.servers * shape.server
        return placement


def _somehow(shape: JobShape, workers: int, servers: int, free: Floats, start: int) -> Placement | None:
    """Apart, if that trains, on any machines; else all of it on the next machine from `start` on that holds it."""
    if shape.apart[workers] > 0 and _may_hold(free, shape, workers, servers):
        prices = np.zeros(len(free))
        problem = SlotProblem(prices, prices, free, shape.worker, shape.server)
        counts = place_somehow(problem, workers, servers)
        if counts is not None and (shape.together[workers] > 0 or spread_out(problem, *counts)):
            return placement_of(*counts)
    if shape.together[workers] > 0:
        holding = np.flatnonzero((free >= workers * shape.worker + servers * shape.server).all(axis=1))
        if len(holding):
            only = holding[np.searchsorted(holding, start) % len(holding)]
            return Placement.of([(int(only), workers, servers)])
    return None


def _may_hold(free: Floats, shape: JobShape, workers: int, servers: int) -> bool:
    """Whether there is room for so many workers, and for so many servers, if not for both."""
    return all(
        room_for(free, demand, count) >= count for demand, count in ((shape.worker, workers), (shape.server, servers))
    )


@compiled_step
def room_for(free: Floats, demand: Floats, most: int) -> int:
    """How many tasks of one kind fit on all machines, at most `most`."""
    count = 0
    for machine in range(len(free)):
        if count >= most:
            break
        count += fitting(free[machine], demand, most - count)
    return count


@compiled_step
def next_with_room(free: Floats, demand: Floats, start: int) -> int:
    """The first machine from `start` on, round the circle, that has room for one task; -1 if there is none."""
    at = start
    for _ in range(len(free)):
        if fits(free[at], demand):
            return at
        at += 1
        if at == len(free):
            at = 0
    return -1


@compiled
def deal(free: Floats, demand: Floats, count: int, start: int, placed: Integers) -> int:
    """Deal `count` tasks from machine `start` on; the machine after the last one, -1 if they do not all fit."""
    at = start
    for _ in range(count):
        machine = next_with_room(free, demand, at)
        if machine < 0:
            return -1
        take(free[machine], demand, 1)
        placed[machine] += 1
        at = (machine + 1) % len(free)
    return at


@compiled
def spread_evenly(free: Floats, worker: Floats, server: Floats, workers: int, servers: int, fewest: int, most: int,
                  w: Integers, s: Integers) -> int:  # fmt: skip
    """Deal the tasks of a job to the k machines that have most room for it, and take it, k = `fewest` .. `most`.

    The least k that holds them, 0 if none does. Workers are dealt first, servers go on from there, so no two of the k
    machines differ by more than a task. Room for the job is the part of all its tasks that a machine holds.
    """
    machines = len(free)
    order, lack = np.empty(machines, dtype=np.int64), np.empty(machines)
    for machine in range(machines):
        lack[machine] = -np.inf
        for resource in range(len(worker)):
            amount = workers * worker[resource] + servers * server[resource]
            if amount > 0.0:
                lack[machine] = max(lack[machine], -free[machine, resource] / amount)
    by_price(lack, order)
    for count in range(fewest, min(most, machines, workers + servers) + 1):
        place = count - 1
        while place >= 0:
            dealt_w = (workers + count - 1 - place) // count
            dealt_s = (workers + servers + count - 1 - place) // count - dealt_w
            machine = order[place]
            fitted = True
            for resource in range(len(worker)):
                fitted = fitted and dealt_w * worker[resource] + dealt_s * server[resource] <= free[machine, resource]
            if not fitted:
                break
            w[machine], s[machine] = dealt_w, dealt_s
            place -= 1
        if place < 0:
            for place in range(count):
                take(free[order[place]], worker, w[order[place]])
                take(free[order[place]], server, s[order[place]])
            return count
        for undone in range(place + 1, count):
            w[order[undone]] = s[order[undone]] = 0
    return 0
