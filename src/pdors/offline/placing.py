"""One slot's tasks of several jobs put on the machines, if they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.offline.integer_program import IntegerProgram
from pdors.offline.paces import most_that_fit, must_spread

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tasks:
    """What a job has in a slot: all of it on one machine (`together`), or anywhere else.

    Of servers that need nothing one stands for all.
    """

    job: Job
    workers: int
    servers: int
    together: bool

    @property
    def spread(self) -> bool:
        """Whether it has to sit on two machines at least, as one would make it slower, or cannot be had."""
        return not self.together and must_spread(self.job, self.workers, self.servers)


class NoPlace(Enum):
    """Why there is no placement."""

    PROVEN = auto()
    OUT_OF_TIME = auto()


Shares = list[tuple[int, int, int]]
"""Machine, workers, servers."""


def place(tasks: Sequence[Tasks], cluster: Cluster, seconds: float) -> list[Shares] | NoPlace:
    """The shares of each job, on machines that hold them all at once."""
    program = IntegerProgram()
    machines = range(len(cluster))
    used: dict[tuple[int, int], list[tuple[int, float]]] = {}
    columns: list[tuple[list[int], list[int]]] = []
    for task in tasks:
        worker, server = np.array(task.job.worker), np.array(task.job.server)
        most_w = [min(task.workers, most_that_fit(worker, cluster.capacity[machine])) for machine in machines]
        most_s = [min(task.servers, most_that_fit(server, cluster.capacity[machine])) for machine in machines]
        w = [program.column(0, most) for most in most_w]
        s = [program.column(0, most) for most in most_s]
        program.row([(column, 1.0) for column in w], task.workers, task.workers)
        program.row([(column, 1.0) for column in s], task.servers, task.servers)
        if task.together:
            here = [program.column(0, 1) for _ in machines]
            program.row([(column, 1.0) for column in here], 1, 1)
            for machine in machines:
                program.row([(w[machine], 1.0), (here[machine], -task.workers)], 0, 0)
                program.row([(s[machine], 1.0), (here[machine], -task.servers)], 0, 0)
        elif task.spread:
            for machine in machines:
                program.row([(w[machine], 1.0), (s[machine], 1.0)], high=task.workers + task.servers - 1)
        for machine in machines:
            for resource, capacity in enumerate(cluster.capacity[machine]):
                if capacity > 0:
                    used.setdefault((machine, resource), []).extend(
                        [(w[machine], worker[resource] / capacity), (s[machine], server[resource] / capacity)]
                    )
        columns.append((w, s))
    for terms in used.values():
        program.row(terms, high=1.0)
    found = program.solve(seconds)
    if found.values is None:
        return NoPlace.PROVEN if found.infeasible else NoPlace.OUT_OF_TIME
    counts = np.rint(found.values).astype(np.int64)
    return [
        [(machine, int(counts[w[machine]]), int(counts[s[machine]])) for machine in machines
         if counts[w[machine]] or counts[s[machine]]]
        for w, s in columns
    ]  # fmt: skip
