"""The jobs that wait or train: what each holds since which slot, and what it had trained by then.

As long as a job holds the same, no round costs it anything of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.schedule import NOTHING, Placement, Run, Schedule
from pdors.model.units import Units
from pdors.planner.shape import JobShape
from pdors.policies.policy import Queue

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class _Columns(NamedTuple):
    """One row per job, in order of arrival.

    since     the slot from which on it holds what it holds
    trained   samples by then
    needed    samples in all
    rate      samples per slot
    done_at   the slot after its last, if it goes on so
    worker, server   demands in units, (jobs, resources)
    """

    since: Floats
    trained: Floats
    needed: Floats
    rate: Floats
    done_at: Floats
    worker: Floats
    server: Floats


class Waiting:
    """The queue of a run. `placements` are those of the jobs that hold something, `held` their sum per machine."""

    def __init__(self, units: Units, slot_seconds: float) -> None:
        machines, resources = units.capacity.shape
        self.placements: dict[str, Placement] = {}
        self.held: Floats = np.zeros((machines, resources))
        self._slot_seconds = slot_seconds
        self._rows: dict[str, int] = {}
        self._jobs: list[Job] = []
        self._shapes: list[JobShape] = []
        self._runs: list[list[Run]] = []
        nobody, none_of_them = np.zeros(0), np.zeros((0, resources))
        self._columns = _Columns(nobody, nobody, nobody, nobody, nobody, none_of_them, none_of_them)

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def ids(self) -> Set[str]:
        return self._rows.keys()

    def add(self, job: Job, shape: JobShape, slot: int) -> None:
        self._rows[job.id] = len(self._jobs)
        self._jobs.append(job)
        self._shapes.append(shape)
        self._runs.append([])
        # Half of the tolerance: the sums of a checker may differ by a rounding.
        needed = job.work * (1 - WORK_TOLERANCE / 2)
        newcomer = (slot, 0.0, needed, 0.0, np.inf, shape.worker, shape.server)
        self._columns = _Columns(
            *(np.concatenate([column, [entry]]) for column, entry in zip(self._columns, newcomer, strict=True))
        )

    def seen(self, slot: int) -> Queue:
        return Queue(tuple(self._jobs), tuple(self._shapes), self._samples_left(slot), dict(self.placements))

    def job(self, job_id: str) -> Job:
        return self._jobs[self._rows[job_id]]

    def schedule(self, job_id: str) -> Schedule:
        """What it has held so far, up to the last change."""
        return Schedule(tuple(self._runs[self._rows[job_id]]))

    def first_done(self) -> float:
        """The slot after the last one of whoever is done first."""
        return float(self._columns.done_at.min(initial=np.inf))

    def done_by(self, slot: int) -> list[str]:
        return [self._jobs[row].id for row in np.flatnonzero(self._columns.done_at <= slot).tolist()]

    def hold(self, changes: Mapping[str, Placement], slot: int) -> None:
        """From this slot on these jobs hold something else, or nothing."""
        if not changes:
            return
        columns, rows = self._columns, np.array([self._rows[job_id] for job_id in changes])
        before = [self.placements.pop(job_id, NOTHING) for job_id in changes]
        for row, since, placement in zip(rows.tolist(), columns.since[rows].tolist(), before, strict=True):
            if placement.shares and since < slot:
                self._runs[row].append(Run(int(since), slot, placement))
        self.placements.update({job_id: placement for job_id, placement in changes.items() if placement.shares})
        self._count_anew(rows, before, changes.values())
        rates = np.array(
            [
                rate if placement.trains_like(old) else placement.samples(self._jobs[row], self._slot_seconds)
                for row, rate, placement, old in zip(
                    rows.tolist(), columns.rate[rows].tolist(), changes.values(), before, strict=True
                )
            ]
        )
        columns.trained[rows] += (slot - columns.since[rows]) * columns.rate[rows]
        columns.since[rows], columns.rate[rows] = slot, rates
        slots = np.full(len(rows), np.inf)
        np.divide(columns.needed[rows] - columns.trained[rows], rates, out=slots, where=rates > 0)
        columns.done_at[rows] = slot + np.maximum(1, np.ceil(slots))

    def remove(self, job_ids: Iterable[str]) -> None:
        """Jobs that hold nothing any more."""
        rows = sorted(self._rows[job_id] for job_id in job_ids)
        if not rows:
            return
        for entries in (self._jobs, self._shapes, self._runs):
            for row in reversed(rows):
                del entries[row]
        self._rows = {job.id: row for row, job in enumerate(self._jobs)}
        stays = np.ones(len(self._columns.since), dtype=np.bool_)
        stays[rows] = False
        self._columns = _Columns(*(column[stays] for column in self._columns))

    def _samples_left(self, slot: int) -> Floats:
        columns = self._columns
        return columns.needed - columns.trained - (slot - columns.since) * columns.rate

    def _count_anew(self, rows: Integers, before: Iterable[Placement], after: Iterable[Placement]) -> None:
        """In whole units, so that adding and taking away leaves nothing behind."""
        shares = [placement.shares for placement in chain(before, after)]
        tasks = np.fromiter(chain.from_iterable(chain.from_iterable(shares)), dtype=np.int64).reshape(-1, 3)
        lengths = [len(of_one) for of_one in shares]
        jobs = np.repeat(np.concatenate((rows, rows)), lengths)
        _exchange(self.held, sum(lengths[: len(rows)]), jobs, tasks, self._columns.worker, self._columns.server)


@compiled
def _exchange(held: Floats, given_back: int, jobs: Integers, tasks: Integers, worker: Floats, server: Floats) -> None:
    """`tasks[k]` are machine, workers and servers of job `jobs[k]`; the first ones are given back, the others taken."""
    for index in range(len(jobs)):
        machine, workers, servers = tasks[index]
        sign = -1 if index < given_back else 1
        for resource in range(held.shape[1]):
            amount = workers * worker[jobs[index], resource] + servers * server[jobs[index], resource]
            held[machine, resource] += sign * amount
