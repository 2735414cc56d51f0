"""The best total utility of any schedules, exactly, for small instances: solutions of the integer program, held
against what is really trained and what can really be placed, until one of them holds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pdors.errors import SolverError
from pdors.model.decision import Admitted, Decision, Decisions, Reason, Rejected
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.schedule import Placement, Schedule
from pdors.offline.bound import UpperBound, bound
from pdors.offline.machines import pooled
from pdors.offline.paces import all_servers, samples_of
from pdors.offline.placing import NoPlace, Shares, Tasks, place
from pdors.offline.program import CompletionProgram, Entrant, JobSchedule
from pdors.offline.relaxation import JobRelaxation
from pdors.planning import plan
from pdors.readiness import seconds_getting_ready

DEFAULT_SECONDS = 300.0
PROVEN_GAP = 1e-6
"""An optimum is proven if nothing can be better by more than this share of it, or of the best job's worth."""
_BOUND_SHARE = 0.2
_PLACING_SECONDS = 1.0
_SPARE = (0.0, 0.02, 0.05, 0.1, 0.2)
_LOOSE_ROUNDS = 3
_LOOSE_SHARE = 0.1
_SMALLEST_SHARE = 1e-10
"""Utilities below this share of the best one are nothing beside it: the solver could not tell."""

Member = tuple[int, Tasks]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best schedules found; nothing is worth more than `bound`. `upper` is the bound of the linear program.

    `scale` is the most that a single job could be worth.
    """

    decisions: Decisions
    bound: float
    upper: UpperBound
    scale: float
    rounds: int

    @property
    def value(self) -> float:
        return self.decisions.total_utility

    @property
    def proven(self) -> bool:
        return _is_proven(self.value, self.bound, self.scale)


def optimum(
    instance: Instance,
    *,
    time_limit: float = DEFAULT_SECONDS,
    on_progress: Callable[[float, float], None] | None = None,
) -> Optimum:
    """The optimum, or the best found within `time_limit` seconds; `on_progress` is told the value and the bound."""
    search = _Search(instance, time_limit, on_progress or (lambda _value, _bound: None))
    return search.run()


class _Search:
    def __init__(self, instance: Instance, time_limit: float, tell: Callable[[float, float], None]) -> None:
        self._instance = instance
        self._started = time.perf_counter()
        ready = seconds_getting_ready()
        self._tell = tell
        self._upper = bound(instance, time_limit=_BOUND_SHARE * time_limit)
        self._bound = self._upper.value
        self._bound_may_fall = True
        self._rounds = 0
        self._places: dict[tuple[tuple[str, int, int, bool], ...], list[Shares] | NoPlace] = {}
        self._entrants, self._possible = _entrants(instance)
        self._scale = max((entrant.levels[0][1] for entrant in self._entrants), default=0.0)
        plans = [plan(instance), plan(instance, prices="paper")]
        self._best = max(plans, key=lambda decisions: decisions.total_utility).decisions
        self._value = max(decisions.total_utility for decisions in plans)
        self._deadline = self._started + time_limit + seconds_getting_ready() - ready

    def run(self) -> Optimum:
        self._tell(self._value, self._bound)
        if not self._is_proven():
            self._search()
        decisions = Decisions(
            policy="optimum",
            decisions=tuple(map(self._without_price, self._best)),
            seconds=time.perf_counter() - self._started,
        )
        return Optimum(decisions, max(self._bound, decisions.total_utility), self._upper, self._scale, self._rounds)

    def _search(self) -> None:
        instance, scale = self._instance, self._scale
        program = CompletionProgram(self._entrants, instance.cluster, instance.slot_seconds, scale, self._upper.value)
        for spare in _SPARE:
            # Parts of tasks are quickly distributed; with room to spare whole ones may be made of them, and placed.
            program.set_whole(whole=False, spare=spare)
            for _ in range(_LOOSE_ROUNDS):
                if not self._round(program, _LOOSE_SHARE, whole=False, bounds=spare == 0) or self._is_proven():
                    break
            if self._is_proven():
                return
        program.set_whole(whole=True)
        while self._round(program, 1.0, whole=True, bounds=True) and not self._is_proven():
            pass

    def _round(self, program: CompletionProgram, share: float, *, whole: bool, bounds: bool) -> bool:
        """Solve once, with that share of the time left; whether the program has changed."""
        left = self._deadline - time.perf_counter()
        if left <= 0:
            return False
        if whole:
            program.start_from(self._best_as_tasks())
        schedules, limit = program.solve(share * left)
        self._rounds += 1
        if bounds and self._bound_may_fall:
            # What small utilities were left out is far below what a proof may miss.
            self._bound = min(self._bound, max(limit, self._value) + 1e-9 * self._scale)
        changed = False
        if schedules is not None:
            changed = self._amend(program, schedules, whole=whole)
            self._keep(schedules)
        self._tell(self._value, self._bound)
        return changed

    def _is_proven(self) -> bool:
        return _is_proven(self._value, self._bound, self._scale)

    def _amend(self, program: CompletionProgram, schedules: list[JobSchedule | None], *, whole: bool) -> bool:
        """Cut off what is not trained or, of whole tasks, cannot be placed; whether there was anything."""
        changed = False
        for number, schedule in enumerate(schedules):
            if schedule is not None and not self._is_done(number, schedule):
                program.add_tangents(number, schedule, whole=whole)
                changed = True
        for slot in range(self._instance.slots if whole else 0):
            members = [(number, schedule[slot]) for number, schedule in enumerate(schedules)
                       if schedule is not None and slot in schedule]  # fmt: skip
            if members and isinstance(self._place(members), NoPlace):
                program.forbid(self._smallest(members))
                changed = True
        return changed

    def _is_done(self, number: int, schedule: JobSchedule) -> bool:
        job = self._entrants[number].job
        return self._trained(job, schedule) >= job.work * (1 - 0.9 * WORK_TOLERANCE)

    def _trained(self, job: Job, schedule: JobSchedule) -> float:
        seconds = self._instance.slot_seconds
        return sum(samples_of(job, tasks.workers, tasks.servers, seconds, together=tasks.together)
                   for tasks in schedule.values())  # fmt: skip

    def _place(self, members: list[Member]) -> list[Shares] | NoPlace:
        key = tuple((tasks.job.id, tasks.workers, tasks.servers, tasks.together) for _, tasks in members)
        if key not in self._places:
            seconds = min(_PLACING_SECONDS, self._deadline - time.perf_counter())
            self._places[key] = place([tasks for _, tasks in members], self._instance.cluster, seconds)
            if self._places[key] is NoPlace.OUT_OF_TIME:
                # What is forbidden without a proof may be the optimum: the bound stays where it is.
                self._bound_may_fall = False
        return self._places[key]

    def _has_no_place(self, members: list[Member]) -> bool:
        return self._place(members) is NoPlace.PROVEN

    def _smallest(self, members: list[Member]) -> list[Member]:
        """Fewer jobs with fewer tasks that have no place either."""
        if not self._has_no_place(members):
            return members
        for member in list(members):
            others = [other for other in members if other is not member]
            if others and self._has_no_place(others):
                members = others
        for index, (number, tasks) in enumerate(members):
            for kind in ("workers", "servers"):
                low, high = 1, getattr(tasks, kind)
                while low < high:
                    middle = (low + high) // 2
                    fewer = replace(tasks, **{kind: middle})
                    if self._has_no_place([*members[:index], (number, fewer), *members[index + 1 :]]):
                        high, tasks = middle, fewer  # noqa: PLW2901 - the smaller one goes on
                    else:
                        low = middle + 1
            members[index] = (number, tasks)
        return members

    def _keep(self, schedules: list[JobSchedule | None]) -> None:
        """Of a solution the jobs that are done and have a place, the most worth first."""
        chosen: dict[int, JobSchedule] = {}
        worth = {number: self._utility(number, schedule) for number, schedule in enumerate(schedules)
                 if schedule is not None and self._is_done(number, schedule)}  # fmt: skip
        for number in sorted(worth, key=lambda number: -worth[number]):
            schedule = self._trimmed(number, schedules[number] or {})
            fits = all(
                not isinstance(self._place(_sorted({**_of_slot(chosen, slot), number: tasks})), NoPlace)
                for slot, tasks in schedule.items()
            )
            if fits:
                chosen[number] = schedule
        value = sum(self._utility(number, schedule) for number, schedule in chosen.items())
        if value > self._value:
            self._best = self._decisions(chosen)
            self._value = sum(made.utility for made in self._best if isinstance(made, Admitted))

    def _trimmed(self, number: int, schedule: JobSchedule) -> JobSchedule:
        """Without the slots at the end that are not needed."""
        kept = dict(sorted(schedule.items()))
        while len(kept) > 1:
            fewer = {slot: tasks for slot, tasks in kept.items() if slot != max(kept)}
            if not self._is_done(number, fewer):
                break
            kept = fewer
        return kept

    def _utility(self, number: int, schedule: JobSchedule) -> float:
        job = self._entrants[number].job
        return job.utility.value(max(self._trimmed(number, schedule)) - job.arrival)

    def _decisions(self, chosen: dict[int, JobSchedule]) -> tuple[Decision, ...]:
        placed: dict[int, list[tuple[int, Placement]]] = {number: [] for number in chosen}
        for slot in {slot for schedule in chosen.values() for slot in schedule}:
            members = _sorted(_of_slot(chosen, slot))
            places = self._place(members)
            if isinstance(places, NoPlace):
                raise SolverError("tasks that have had a place have none any more")
            for (number, tasks), shares in zip(members, places, strict=True):
                every = [(machine, workers, all_servers(tasks.job, servers)) for machine, workers, servers in shares]
                placed[number].append((slot, Placement.of(every)))
        made: dict[str, Decision] = {}
        for number, slots in placed.items():
            job, schedule = self._entrants[number].job, Schedule.from_slots(slots)
            utility = job.utility.value(schedule.completion - job.arrival)
            made[job.id] = Admitted(job.id, schedule, schedule.completion, utility)
        return tuple(
            made.get(job.id, Rejected(job.id, Reason.FULL if job.id in self._possible else Reason.INFEASIBLE))
            for job in self._instance.jobs
        )

    def _without_price(self, decision: Decision) -> Decision:
        if isinstance(decision, Admitted):
            return replace(decision, payoff=None, price=None)
        possible = decision.job_id in self._possible
        return Rejected(decision.job_id, Reason.FULL if possible else Reason.INFEASIBLE)

    def _best_as_tasks(self) -> list[JobSchedule | None]:
        """The best schedules known, in the terms of the program."""
        by_id = {decision.job_id: decision for decision in self._best}
        found: list[JobSchedule | None] = []
        for entrant in self._entrants:
            decision = by_id[entrant.job.id]
            found.append(_as_tasks(entrant.job, decision.schedule) if isinstance(decision, Admitted) else None)
        return found


def _is_proven(value: float, bound: float, scale: float) -> bool:
    return bound - value <= PROVEN_GAP * max(value, scale)


def _entrants(instance: Instance) -> tuple[list[Entrant], set[str]]:
    """Who could be worth something, with all completions that differ; and who can complete at all."""
    groups = pooled(instance.cluster)
    nothing = np.zeros((len(groups), instance.slots, len(instance.cluster.resources)))
    earliest: dict[str, int] = {}
    for number, job in enumerate(instance.jobs):
        payoff, slot = JobRelaxation(number, job, instance, groups).payoff(nothing)
        if payoff > 0:
            earliest[job.id] = job.arrival + slot
    taking_part = [job for job in instance.jobs if job.id in earliest]
    best = max((job.utility.value(earliest[job.id] - job.arrival) for job in taking_part), default=0.0)
    entrants = []
    for job in taking_part:
        levels: dict[float, int] = {}
        for slot in range(earliest[job.id], instance.slots):
            utility = job.utility.value(slot - job.arrival)
            if utility > _SMALLEST_SHARE * best:
                levels[utility] = slot
        if levels:
            entrants.append(Entrant(job, tuple((slot, utility) for utility, slot in levels.items())))
    return entrants, set(earliest)


def _of_slot(chosen: dict[int, JobSchedule], slot: int) -> dict[int, Tasks]:
    return {number: schedule[slot] for number, schedule in chosen.items() if slot in schedule}


def _sorted(tasks: dict[int, Tasks]) -> list[Member]:
    return sorted(tasks.items(), key=lambda item: item[0])


def _as_tasks(job: Job, schedule: Schedule) -> JobSchedule:
    return {
        slot: Tasks(job, placement.workers, placement.servers, together=placement.colocated)
        for slot, placement in schedule.by_slot()
    }
