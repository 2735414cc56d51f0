"""The integer program of the optimum: which jobs complete by when, with how many tasks in each slot.

Machines alike are one kind, and hold as much as all of them: whether the tasks of a slot can be put on single machines
is asked afterwards (`placing`), and what cannot is cut off. Samples are bounded by tangents of the concave rule of
`Pace`; where a solution counts on more than is trained, its tangent there is added. So every solution bounds the
optimum, and one that is trained and placed is the optimum.

    z[i,k]    job i completes by the last slot in which that is worth u[i,k]              -> levels
    on        it trains in slot t, together on one machine of a kind, or apart            -> Use
    W, S, v   workers and servers there by kind of machine; samples as a share of the work

    maximise     sum of u[i,k] z[i,k]
    subject to   sum over k of z[i,k] <= 1;  sum over ways of on[i,t] <= sum of z[i,k] with a last slot from t on
                 sum over t up to the last slot of k of v[i,t] >= sum over levels up to k of z[i,.]
                 v <= tangents of samples / V;  v <= most samples / V on
                 least on <= W <= most on;  S gamma >= W;  what a kind holds in a slot <= all its machines
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.offline.integer_program import Floats, IntegerProgram
from pdors.offline.paces import Pace, ways
from pdors.offline.placing import Tasks
from pdors.offline.uses import Use, uses_of

_ENOUGH = 1 - 0.5e-9
"""The share of the work that completes a job: its tolerance, less what the solver may miss."""

JobSchedule = dict[int, Tasks]
"""What a job has in which slots."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A job that takes part: `levels` are its utilities, each with the last slot in which completion is worth it."""

    job: Job
    levels: tuple[tuple[int, float], ...]


@dataclass(eq=False)
class _Columns:
    """Of one job: `z` per level, `uses` per slot, `work` the rows of its samples, and how much is asked there."""

    z: list[int]
    uses: dict[int, list[Use]] = field(default_factory=dict)
    work: list[int] = field(default_factory=list)
    enough: float = _ENOUGH

    def all_uses(self) -> list[Use]:
        return [use for uses in self.uses.values() for use in uses]


class CompletionProgram:
    """`scale` is about what the best entrant is worth, `limit` a bound on the sum of all."""

    def __init__(
        self, entrants: Sequence[Entrant], cluster: Cluster, slot_seconds: float, scale: float, limit: float
    ) -> None:
        self._entrants = entrants
        self._scale = scale
        self._program = IntegerProgram()
        self._reached: dict[tuple[int, int, bool, bool, int], int] = {}
        self._touched: set[tuple[int, bool, int, int]] = set()
        kinds, counts = np.unique(cluster.capacity, axis=0, return_counts=True)
        self._jobs = [self._enter(entrant, cluster, kinds, slot_seconds) for entrant in entrants]
        totals = kinds * counts[:, None]
        self._capacities: list[int] = []
        for slot in sorted({slot for columns in self._jobs for slot in columns.uses}):
            self._limit_capacity(slot, totals)
        worth = [(column, utility / scale) for entrant, columns in zip(entrants, self._jobs, strict=True)
                 for column, (_, utility) in zip(columns.z, entrant.levels, strict=True)]  # fmt: skip
        self._program.row(worth, high=limit / scale * (1 + 1e-9))

    def solve(self, seconds: float) -> tuple[list[JobSchedule | None] | None, float]:
        """What each entrant does in the best solution known, and the bound on the total utility."""
        solution = self._program.solve(seconds)
        schedules = None if solution.values is None else self._schedules(solution.values)
        return schedules, solution.bound * self._scale

    def set_whole(self, *, whole: bool, spare: float = 0.0) -> None:
        """Whether counts of tasks are whole; and which share of all capacities is left empty, and of work done beyond.

        Whole or not makes no difference to a bound; with spare room there is none.
        """
        for columns in self._jobs:
            for use in columns.all_uses():
                for _, column in (*use.workers, *use.servers):
                    self._program.set_whole(column, whole=whole)
            self._ask(columns, columns.enough * (1 + spare / 4))
        for row in self._capacities:
            self._program.limit(row, 1 - spare)

    def start_from(self, schedules: Sequence[JobSchedule | None]) -> None:
        """Begin with these schedules, one for each entrant; None: it does not take part."""
        values: dict[int, float] = {}
        for entrant, columns, schedule in zip(self._entrants, self._jobs, schedules, strict=True):
            completion = max(schedule) if schedule else None
            reached = [completion is not None and completion <= last for last, _ in entrant.levels]
            for index, column in enumerate(columns.z):
                values[column] = float(reached[index] and not any(reached[:index]))
            for slot, uses in columns.uses.items():
                tasks = schedule.get(slot) if schedule and any(reached) else None
                for use in uses:
                    if tasks is None or tasks.together != use.way.together:
                        values[use.on] = 0.0
                    elif not use.way.together:
                        values[use.on] = 1.0
        self._program.start_from(values)

    def add_tangents(self, number: int, schedule: JobSchedule, *, whole: bool) -> None:
        """Samples at these points are exact from now on; where they were already, some more work is asked for."""
        columns, new = self._jobs[number], False
        for tasks in schedule.values():
            key = (number, tasks.together, tasks.workers, tasks.servers)
            if key in self._touched:
                continue
            self._touched.add(key)
            for use in columns.all_uses():
                if use.way.together == tasks.together and isinstance(use.way.rule, Pace):
                    new = True
                    use.add_tangent(self._program, tasks.workers, max(1, tasks.servers))
        if whole and not new:
            columns.enough *= 1 + 1e-7
            self._ask(columns, columns.enough)

    def _ask(self, columns: _Columns, share: float) -> None:
        """So much of the work for each completion."""
        for index, row in enumerate(columns.work):
            for column in columns.z[: index + 1]:
                self._program.change(row, column, -share)

    def forbid(self, members: Sequence[tuple[int, Tasks]]) -> None:
        """In no slot may these entrants all have as many tasks in these ways."""
        slots = set.intersection(*(set(self._jobs[number].uses) for number, _ in members))
        for slot in sorted(slots):
            terms: list[tuple[int, float]] = []
            for number, tasks in members:
                uses = [use for use in self._jobs[number].uses[slot] if use.way.together == tasks.together]
                terms.append((self._has_reached(number, slot, uses, tasks, of_servers=False), 1.0))
                if tasks.servers and any(use.servers for use in uses):
                    terms.append((self._has_reached(number, slot, uses, tasks, of_servers=True), 1.0))
            self._program.row(terms, high=len(terms) - 1)

    def _has_reached(self, number: int, slot: int, uses: list[Use], tasks: Tasks, *, of_servers: bool) -> int:
        """A column that must be 1 where the job has at least as many workers (servers) in this way."""
        count = tasks.servers if of_servers else tasks.workers
        key = (number, slot, tasks.together, of_servers, count)
        if key not in self._reached:
            column = self._reached[key] = self._program.column(0, 1)
            held = [index for use in uses for _, index in (use.servers if of_servers else use.workers)]
            most = max(use.most_servers if of_servers else use.most_workers for use in uses)
            terms = [(index, 1.0) for index in held]
            self._program.row([*terms, (column, -max(1.0, most - count + 1.0))], high=count - 1)
        return self._reached[key]

    def _enter(self, entrant: Entrant, cluster: Cluster, kinds: Floats, slot_seconds: float) -> _Columns:
        job, program = entrant.job, self._program
        columns = _Columns([program.column(0, 1, worth=utility / self._scale) for _, utility in entrant.levels])
        program.row([(column, 1.0) for column in columns.z], high=1.0)
        every_way = ways(job, slot_seconds)
        for slot in range(job.arrival, entrant.levels[-1][0] + 1):
            uses = [use for way in every_way for use in uses_of(program, job, way, cluster, kinds)]
            columns.uses[slot] = uses
            later = [
                (column, -1.0) for column, (last, _) in zip(columns.z, entrant.levels, strict=True) if last >= slot
            ]
            program.row([*((use.on, 1.0) for use in uses), *later], high=0.0)
        for index, (last, _) in enumerate(entrant.levels):
            work = [(use.samples, 1.0) for slot, uses in columns.uses.items() if slot <= last for use in uses]
            by_then = [(column, -columns.enough) for column in columns.z[: index + 1]]
            columns.work.append(program.row([*work, *by_then], low=0.0))
        return columns

    def _limit_capacity(self, slot: int, totals: Floats) -> None:
        for kind, total in enumerate(totals):
            for resource in np.flatnonzero(total):
                terms: list[tuple[int, float]] = []
                for entrant, columns in zip(self._entrants, self._jobs, strict=True):
                    for use in columns.uses.get(slot, ()):
                        for demand, tasks in ((entrant.job.worker, use.workers), (entrant.job.server, use.servers)):
                            terms += [(column, demand[resource] / total[resource])
                                      for host, column in tasks if host == kind]  # fmt: skip
                self._capacities.append(self._program.row(terms, high=1.0))

    def _schedules(self, values: Floats) -> list[JobSchedule | None]:
        """Parts of tasks are left out."""
        counts = np.floor(values + 1e-6)
        return [
            {slot: tasks for slot, uses in columns.uses.items() for use in uses
             if counts[use.on] and (tasks := use.tasks(entrant.job, counts)) is not None}
            if any(counts[column] for column in columns.z) else None
            for entrant, columns in zip(self._entrants, self._jobs, strict=True)
        ]  # fmt: skip
