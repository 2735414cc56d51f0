"""The columns of one job in one slot and way, in the integer program of the optimum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.offline.integer_program import IntegerProgram
from pdors.offline.machines import most_in_all
from pdors.offline.paces import SLACK, Counts, Pace, Way, most_that_fit
from pdors.offline.placing import Tasks
from pdors.offline.points import Region

Floats = NDArray[np.float64]

_RAYS = 8
_USEFUL = 50.0
"""So many times more servers than balance the workers bring next to nothing; tangents there can wait."""


@dataclass(frozen=True, eq=False)
class Use:
    """`on`: it trains in this way; `samples` as a share of the work; (kind of machine, column) of workers and servers.

    `kind` is the kind of the machine that holds all of it, None where it sits apart.
    """

    way: Way
    kind: int | None
    on: int
    samples: int
    workers: tuple[tuple[int, int], ...]
    servers: tuple[tuple[int, int], ...]
    most_workers: int
    most_servers: int
    work: float

    def add_tangent(self, program: IntegerProgram, workers: float, servers: float) -> None:
        """The samples are exact at this point from now on, as those of listed counts always are."""
        if isinstance(self.way.rule, Counts):
            return
        by_worker, by_server, alone = self.way.rule.slopes(workers, servers)
        terms = [(self.samples, 1.0), (self.on, -alone / self.work)]
        terms += [(column, -by_worker / self.work) for _, column in self.workers]
        terms += [(column, -by_server / self.work) for _, column in self.servers]
        program.row(terms, high=0.0)

    def tasks(self, job: Job, counts: Floats) -> Tasks | None:
        """At most so many tasks, that may train; None: there are too few for that."""
        workers = int(sum(counts[column] for _, column in self.workers))
        servers = int(sum(counts[column] for _, column in self.servers))
        if job.needs_servers and not self.servers:
            servers = 1
        elif self.servers:
            allowed = math.floor(servers * self.way.workers_per_server * (1 + SLACK / 4))
            workers = min(workers, allowed)
        return Tasks(job, workers, servers, together=self.way.together) if workers >= self.way.least_workers else None


def uses_of(program: IntegerProgram, job: Job, way: Way, cluster: Cluster, kinds: Floats) -> list[Use]:
    """One for each kind of machine that may hold the job together, or one for all of them apart."""
    worker, server = np.array(job.worker), np.array(job.server)
    if not way.together:
        if len(cluster) == 1:
            return []
        most_workers, most_servers = most_in_all(worker, cluster), most_in_all(server, cluster)
        use = _use(program, job, way, None, Region(worker, server, cluster.total, most_workers, most_servers), kinds)
        return [] if use is None else [use]
    found = []
    for kind, capacity in enumerate(kinds):
        use = _use(program, job, way, kind, Region.on_one_machine(worker, server, capacity), kinds)
        if use is not None:
            found.append(use)
            for resource in np.flatnonzero(capacity):
                terms = [(column, worker[resource] / capacity[resource]) for _, column in use.workers]
                terms += [(column, server[resource] / capacity[resource]) for _, column in use.servers]
                program.row([*terms, (use.on, -1.0)], high=0.0)
    return found


def _use(program: IntegerProgram, job: Job, way: Way, kind: int | None, region: Region, kinds: Floats) -> Use | None:
    counts = np.arange(way.least_workers, int(min(way.most_workers, region.most_workers)) + 1)
    beside, fewest = region.servers_beside(counts), way.fewest_servers(counts)
    held = beside >= fewest
    if not held.any():
        return None
    counts, beside = counts[held], beside[held]
    most_workers = int(counts[-1])
    has_servers = way.workers_per_server > 0 and any(job.server)
    most_servers = int(beside.max()) if has_servers else 0
    on, samples = program.column(0, 1), program.column(0, 1, whole=False)
    workers = tuple((host, program.column(0, most_workers)) for host in _hosts(job.worker, kind, kinds))
    servers = tuple((host, program.column(0, most_servers)) for host in _hosts(job.server, kind, kinds) if has_servers)
    use = Use(way, kind, on, samples, workers, servers, most_workers, most_servers, job.work)
    all_workers = [(column, 1.0) for _, column in workers]
    all_servers = [(column, 1.0) for _, column in servers]
    program.row([*all_workers, (on, -float(most_workers))], high=0.0)
    program.row([*all_workers, (on, -float(counts[0]))], low=0.0)
    program.row([(samples, 1.0), (on, -_most_samples(job, way, counts, beside))], high=0.0)
    if has_servers:
        program.row([*all_servers, (on, -float(most_servers))], high=0.0)
        program.row([*all_servers, (on, -1.0)], low=0.0)
        program.row([*((column, way.workers_per_server) for _, column in servers),
                     *((column, -1.0) for _, column in workers)], low=0.0)  # fmt: skip
    if isinstance(way.rule, Counts):
        _count(program, use, way.rule)
    else:
        _rise(program, use, way.rule, counts)
    return use


def _most_samples(job: Job, way: Way, workers: NDArray[np.int64], servers: Floats) -> float:
    """The largest share of the work that a slot can do."""
    if isinstance(way.rule, Counts):
        most = float(way.rule.samples[way.rule.workers <= workers[-1]].max())
    else:
        most = float(way.rule.samples(workers.astype(np.float64), np.maximum(servers, 1.0)).max())
    return min(1.0, most / job.work * (1 + 1e-9))


def _hosts(demand: tuple[float, ...], kind: int | None, kinds: Floats) -> list[int]:
    every = range(len(kinds)) if kind is None else (kind,)
    return [host for host in every if most_that_fit(np.array(demand), kinds[host]) >= 1]


def _count(program: IntegerProgram, use: Use, rule: Counts) -> None:
    """One of the listed numbers of workers, with its samples."""
    points = zip(rule.workers.tolist(), rule.samples.tolist(), strict=True)
    listed = [(program.column(0, 1), count, samples) for count, samples in points if count <= use.most_workers]
    program.row([*((column, 1.0) for column, _, _ in listed), (use.on, -1.0)], 0.0, 0.0)
    program.row([*((column, count) for column, count, _ in listed),
                 *((column, -1.0) for _, column in use.workers)], 0.0, 0.0)  # fmt: skip
    program.row([*((column, -samples / use.work) for column, _, samples in listed), (use.samples, 1.0)], high=0.0)


def _rise(program: IntegerProgram, use: Use, rule: Pace, counts: NDArray[np.int64]) -> None:
    """Some tangents to begin with."""
    most, fewest = use.most_workers, use.way.fewest_servers(counts)
    heights = [most] if rule.fixed == 0 else np.unique(np.geomspace(counts[0], most, 5).astype(np.int64)).tolist()
    if not use.servers or rule.exchange == 0:
        for workers in heights:
            use.add_tangent(program, workers, 1.0)
        return
    least = float((fewest / counts).min())
    widest = max(least, min(use.most_servers / counts[0], _USEFUL * rule.exchange / rule.compute))
    for ratio in np.unique(np.geomspace(least, widest, _RAYS)):
        for workers in heights:
            use.add_tangent(program, workers, workers * ratio)
