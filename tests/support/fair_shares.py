"""Dominant resource fairness with nothing but lists and loops: slow, and short enough to be read against its rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.model.units import Units

Floats = NDArray[np.float64]
Tasks = list[list[int]]
"""Workers and servers on every machine."""


@dataclass
class Claim:
    """A job as it asks for workers: `steps` are the numbers that are worth asking for, `together` and `apart` rates."""

    worker: Floats
    server: Floats
    servers: dict[int, int]
    together: dict[int, float]
    apart: dict[int, float]
    left: float
    tasks: Tasks = field(default_factory=list)

    @property
    def workers(self) -> int:
        return sum(w for w, _ in self.tasks)

    @property
    def steps(self) -> list[int]:
        return sorted(self.together.keys() | self.apart.keys())

    def rate(self) -> float:
        rates = self.together if sum(map(any, self.tasks)) == 1 else self.apart
        return rates.get(self.workers, 0.0)

    def amounts(self) -> Floats:
        return np.array([w * self.worker + s * self.server for w, s in self.tasks])

    def share(self, total: Floats) -> float:
        taken = self.workers * self.worker + sum(s for _, s in self.tasks) * self.server
        return max(
            (float(amount / all_of_it) for amount, all_of_it in zip(taken, total, strict=True) if all_of_it), default=0
        )


def claim_of(job: Job, cluster: Cluster, slot_seconds: float, left: float = np.inf) -> Claim:
    units = Units(cluster)
    worker, server = units.demand(job.worker), units.demand(job.server)
    claim = Claim(worker, server, {0: 0}, {}, {}, left, [[0, 0] for _ in units.capacity])
    hosts = sum(
        bool((room >= worker).all() or (job.needs_servers and (room >= server).all())) for room in units.capacity
    )
    fastest_together = fastest_apart = 0.0
    for workers in job.speed.worker_counts(min(job.batch, 2000)):
        servers = claim.servers[workers] = job.speed.servers_for(workers)
        together, apart = (
            job.samples_in_slot(workers, servers, slot_seconds, colocated=near) for near in (True, False)
        )
        if together > fastest_together:
            claim.together[workers] = fastest_together = together
        if workers + servers == 1:
            fastest_apart = together
        elif hosts > 1 and apart > fastest_apart:
            claim.apart[workers] = fastest_apart = apart
    return claim


def deal(claims: Sequence[Claim], cluster: Cluster) -> Floats:
    """Give every claim its tasks; what is left free is returned."""
    free = Units(cluster).capacity.copy()
    total = free.sum(axis=0)
    active = list(range(len(claims)))
    at = 0
    while active:
        index = min(active, key=lambda index: (claims[index].share(total), index))
        claim = claims[index]
        after = raised(claim, free, at)
        if after is None:
            active.remove(index)
            continue
        tasks, at = after
        free += claim.amounts()
        claim.tasks = tasks
        free -= claim.amounts()
        if claim.rate() >= claim.left or claim.workers == claim.steps[-1]:
            active.remove(index)
    return free


def raised(claim: Claim, free: Floats, at: int) -> tuple[Tasks, int] | None:
    """The tasks after the next step that there is room for, and the machine after the last one dealt to."""
    machines = len(free)
    for step in (step for step in claim.steps if step > claim.workers):
        servers = claim.servers[step]
        if step in claim.apart:
            before = sum(s for _, s in claim.tasks)
            for begin in range(machines):
                dealt = _deal_out(claim, free, step - claim.workers, servers - before, (at + begin) % machines)
                if dealt is not None:
                    break
            if dealt is None:
                continue
            tasks, log = dealt
            if sum(map(any, tasks)) > 1 or step in claim.together:
                return tasks, (log[-1] + 1) % machines
            moved = _move_one(claim, free, tasks, log[-1])
            if moved is not None:
                return moved[0], (moved[1] + 1) % machines
        else:
            own = free + claim.amounts()
            for machine in ((at + offset) % machines for offset in range(machines)):
                needed = step * claim.worker + servers * claim.server
                if (needed <= own[machine]).all() and claim.together[step] > claim.rate():
                    return [[step, servers] if m == machine else [0, 0] for m in range(machines)], (
                        machine + 1
                    ) % machines
    return None


def _deal_out(claim: Claim, free: Floats, workers: int, servers: int, at: int) -> tuple[Tasks, list[int]] | None:
    free, machines = free.copy(), len(free)
    tasks, log = [list(pair) for pair in claim.tasks], []
    for kind, demand in ((0, claim.worker),) * workers + ((1, claim.server),) * servers:
        machine = next((m for m in ((at + k) % machines for k in range(machines)) if (free[m] >= demand).all()), None)
        if machine is None:
            return None
        free[machine] -= demand
        tasks[machine][kind] += 1
        log.append(machine)
        at = (machine + 1) % machines
    return tasks, log


def _move_one(claim: Claim, free: Floats, tasks: Tasks, source: int) -> tuple[Tasks, int] | None:
    """One worker to the next machine with room for it."""
    machines = len(free)
    for target in ((source + k) % machines for k in range(1, machines)):
        if (free[target] >= claim.worker).all() and tasks[source][0] > 1:
            moved = [list(pair) for pair in tasks]
            moved[source][0] -= 1
            moved[target][0] += 1
            return moved, target
    return None


def has_room_for_a_step(claim: Claim, free: Floats) -> bool:
    """Whether one more step of a job fits beside what it has, on whatever machines: tried one by one."""
    return any(raised(claim, free, at) is not None for at in range(len(free)))
