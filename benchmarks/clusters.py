"""Clusters that are half committed, for the benchmarks of time and memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed
from pdors.model.utility import SigmoidUtility
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import RESOURCES, PaperWorkload
from pdors.workloads.ranges import Integers, Reals

_MACHINES_PER_JOB = 16
_SLOTS_PER_JOB = 24
COARSE, FINE = 4, 16
"""Tasks that fill a machine: with few of them some machines stand empty at half load, with many hardly any."""


def paper_jobs(count: int, machines: int, slots: int, *, seed: int = 0, lasting: bool = False) -> Instance:
    """The paper's jobs and cluster; `lasting`: targets lie far ahead, so that all slots of the horizon count."""
    workload = PaperWorkload(jobs=count, machines=machines, slots=slots)
    if lasting:
        workload = replace(workload, target_slots=Reals(slots / 2, slots))
    return generate(workload, np.random.default_rng(seed))


def commit_half(ledger: Ledger, slots: int, *, tasks_per_machine: int = COARSE, seed: int = 0) -> None:
    """Reserve for many jobs, each on machines and in slots at random, until half of all capacity is taken.

    Each resource of a job goes to a share of its own, so hardly two machines or slots are in the same state.
    """
    most = 1 / tasks_per_machine
    rng = np.random.default_rng(seed)
    cluster = ledger.cluster
    capacity = cluster.capacity
    left = np.full((slots, len(cluster)), 1.0)
    taken, wanted = 0.0, 0.5 * slots * len(cluster)
    number = 0
    while taken < wanted:
        start = int(rng.integers(0, slots))
        stop = min(slots, start + int(rng.integers(1, 2 * _SLOTS_PER_JOB)))
        weight = rng.uniform(0.5, 1.0, size=len(cluster.resources)) * most
        weight[rng.integers(len(weight))] = most
        machines = np.unique(rng.integers(0, len(cluster), _MACHINES_PER_JOB))
        machines = machines[(left[start:stop, machines] >= most).all(axis=0)]
        if not len(machines):
            continue
        left[start:stop, machines] -= most
        taken += float(weight.mean()) * (stop - start) * len(machines)
        job = _filler(number, tuple((weight * capacity[0]).tolist()))
        placement = Placement.of((machine, 1, 0) for machine in machines.tolist())
        ledger.reserve(job, Schedule((Run(start, stop, placement),)))
        number += 1


def _filler(number: int, worker: tuple[float, ...]) -> Job:
    nothing = (0.0,) * len(worker)
    return Job(f"filler-{number}", 0, 1, 1, 1, AllReduceSpeed(1, 0, 1, 1), worker, nothing, SigmoidUtility(1, 0, 1))


def paper_cluster(machines: int) -> Cluster:
    return Cluster(
        RESOURCES, (MachineGroup("m", PaperWorkload(jobs=1, machines=1, slots=1).machine_capacity, machines),)
    )


def minutes_workload(jobs: int, machines: int, days: int, *, epochs: Integers) -> PaperWorkload:
    """The paper's jobs in slots of a minute, with targets and urgencies for hours as the paper's are."""
    return PaperWorkload(
        jobs=jobs,
        machines=machines,
        slots=days * 24 * 60,
        slot_seconds=60,
        epochs=epochs,
        target_slots=Reals(60, 900),
        sensitive_urgency=Reals(0.01 / 60, 1 / 60),
        critical_urgency=Reals(4 / 60, 6 / 60),
    )
