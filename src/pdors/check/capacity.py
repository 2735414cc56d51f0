"""What every machine holds in every slot, against what it has."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from pdors.check.instance import TOLERANCE, Instance
from pdors.check.report import Findings, Kind, label, several


class Loads:
    """One row per job, slot and machine, kept in columns: millions of rows are normal."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._cells = array("q")
        self._jobs = array("q")
        self._workers = array("d")
        self._servers = array("d")

    def add(self, job: int, slot: int, machine: int, workers: int, servers: int) -> None:
        self._cells.append(slot * len(self._instance.machines) + machine)
        self._jobs.append(job)
        self._workers.append(workers)
        self._servers.append(servers)

    def check_capacities(self, findings: Findings) -> None:
        jobs = list(self._instance.jobs.values())
        shape = (len(jobs), len(self._instance.resources))
        worker = np.array([job.worker for job in jobs], dtype=np.float64).reshape(shape)
        server = np.array([job.server for job in jobs], dtype=np.float64).reshape(shape)
        job, workers, servers = (np.asarray(column) for column in (self._jobs, self._workers, self._servers))
        cells, row_cell = np.unique(np.asarray(self._cells, dtype=np.int64), return_inverse=True)
        slots, machines = np.divmod(cells, len(self._instance.machines))
        for index, resource in enumerate(self._instance.resources):
            capacity = self._instance.capacity[machines, index]
            with np.errstate(over="ignore"):  # an infinite load is above every capacity, as it should be
                needs = workers * worker[job, index] + servers * server[job, index]
                loads = np.bincount(row_cell, weights=needs, minlength=len(cells))
                overfull = np.flatnonzero(loads > capacity * (1 + TOLERANCE))
            for cell in overfull:
                where = f"slot {slots[cell]}, machine {self._name(machines[cell])}, {label(resource)}"
                holders = self._holders(row_cell == cell)
                findings.flag(
                    Kind.CAPACITY, where, f"{loads[cell]:.12g} held by {holders}, capacity {capacity[cell]:.12g}"
                )

    def _name(self, machine: int) -> str:
        return label(self._instance.machine_names[machine])

    def _holders(self, rows: NDArray[np.bool_]) -> str:
        ids = list(self._instance.jobs)
        return several([ids[job] for job in sorted(set(np.asarray(self._jobs)[rows].tolist()))])
