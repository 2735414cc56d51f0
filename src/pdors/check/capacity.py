"""What every machine holds in every slot, against what it has."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from pdors.check.instance import Instance
from pdors.check.numeric import TOLERANCE
from pdors.check.report import Findings, Kind, label, several


class Loads:
    """One row per job, slot and machine, kept in columns: millions of rows are normal."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._slots = array("q")
        self._machines = array("q")
        self._jobs = array("q")
        self._workers = array("d")
        self._servers = array("d")

    def add(self, job: int, slot: int, machine: int, workers: int, servers: int) -> None:
        self._slots.append(slot)
        self._machines.append(machine)
        self._jobs.append(job)
        self._workers.append(workers)
        self._servers.append(servers)

    def check_capacities(self, findings: Findings) -> None:
        if not self._jobs:
            return
        worker = np.array([job.worker for job in self._instance.jobs.values()])
        server = np.array([job.server for job in self._instance.jobs.values()])
        columns = (self._slots, self._machines, self._jobs, self._workers, self._servers)
        slots, machines, jobs, workers, servers = (np.asarray(column) for column in columns)
        rows = np.lexsort((machines, slots))
        slots, machines, jobs, workers, servers = (column[rows] for column in (slots, machines, jobs, workers, servers))
        starts = _group_starts(slots, machines)
        stops = np.append(starts[1:], len(rows))
        for index, resource in enumerate(self._instance.resources):
            capacity = self._instance.capacity[machines[starts], index]
            with np.errstate(over="ignore"):  # an infinite load is above every capacity, as it should be
                loads = np.add.reduceat(workers * worker[jobs, index] + servers * server[jobs, index], starts)
                overfull = np.flatnonzero(loads * (1 - TOLERANCE) > capacity)
            for group in overfull:
                start, stop = starts[group], stops[group]
                machine = label(self._instance.machine_names[machines[start]])
                where = f"slot {slots[start]}, machine {machine}, {label(resource)}"
                message = f"{loads[group]:.12g} held by {self._ids(jobs[start:stop])}, capacity {capacity[group]:.12g}"
                findings.flag(Kind.CAPACITY, where, message)

    def _ids(self, jobs: NDArray[np.int64]) -> str:
        ids = list(self._instance.jobs)
        return several([ids[job] for job in np.unique(jobs)])


def _group_starts(slots: NDArray[np.int64], machines: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where a new (slot, machine) begins in sorted rows."""
    changes = (slots[1:] != slots[:-1]) | (machines[1:] != machines[:-1])
    return np.flatnonzero(np.concatenate(([True], changes)))
