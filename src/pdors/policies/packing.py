"""Tasks put on machines without prices: dealt round-robin, or packed on as few machines as possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.ledger import LedgerView
from pdors.model.schedule import Placement
from pdors.planner.room import fits, take

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def free_now(ledger: LedgerView, slot: int) -> Floats:
    """What each machine has left in a slot, in units, (machines, resources); a copy to count with."""
    free: Floats = ledger.units.capacity - ledger.used(slot)
    return free


def placement_of(workers: Integers, servers: Integers) -> Placement:
    """From counts per machine."""
    machines = np.flatnonzero(workers + servers)
    return Placement.of(zip(machines.tolist(), workers[machines].tolist(), servers[machines].tolist(), strict=True))


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


@compiled
def deal(free: Floats, demand: Floats, count: int, start: int, placed: Integers) -> int:
    """Deal `count` tasks from machine `start` on; the machine after the last one, -1 if they do not all fit."""
    machines = len(free)
    at = start
    for _ in range(count):
        tried = 0
        while tried < machines and not fits(free[at], demand):
            at = (at + 1) % machines
            tried += 1
        if tried == machines:
            return -1
        take(free[at], demand, 1)
        placed[at] += 1
        at = (at + 1) % machines
    return at
