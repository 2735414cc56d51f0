"""ElasticFlow (Gu et al., ASPLOS 2023): deadlines that are promised at arrival and kept, and workers that come and go.

1. A job gets a deadline from its utility: the last slot in which at least half of its best utility is left. One that
   keeps so much up to the horizon has none.
2. Admission: the jobs, in order of deadline, get their minimum satisfactory shares by progressive filling
   (`elasticflow_plan`). A newcomer is admitted if all of them fit, or if its own fits beside the plans that there are.
   Jobs without a deadline are always queued.
3. Whenever a job arrives or completes, or a plan changes, the shares are filled anew. The old plans stay where that
   fails: every job has trained at least what they say, so they still keep every deadline.
4. A slot's plans are given their machines; what they leave goes to whom it serves most (`elasticflow_leftover`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.errors import PolicyError
from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.policies.elasticflow_fit import Scaling, share_of
from pdors.policies.elasticflow_leftover import Crowd, Held, give_out
from pdors.policies.elasticflow_plan import Plan, Timeline
from pdors.policies.packing import placements_of
from pdors.policies.policy import Allotment, Answer, Policy, Queued, QueuedJob, Setting, View

_MARGIN = 1e-11
"""Planned beyond the work, as a share of it: the sums of the engine differ from those of a plan by roundings."""

Plans = dict[str, Plan]


@dataclass(frozen=True, slots=True)
class _Known:
    """What stays the same about a job; `deadline` is None for one that has none."""

    scaling: Scaling
    deadline: int | None
    least_cost_per_sample: float


@dataclass(frozen=True, slots=True)
class _Need:
    """A job with a deadline, and what it still has to train."""

    job_id: str
    known: _Known
    samples: float


class ElasticFlow(Policy):
    """A job with a deadline that is queued completes by it.

    `deadline_worth`: the part of its best utility that a job still has at its deadline.
    """

    name = "elasticflow"

    def __init__(self, setting: Setting, *, deadline_worth: float = 0.5) -> None:
        super().__init__(setting)
        if not 0 < deadline_worth <= 1:
            raise PolicyError(f"deadline_worth must be above 0 and at most 1, got {deadline_worth}")
        self._deadline_worth = deadline_worth
        self._alone = Alone(setting.cluster, setting.slots)
        self._capacity = Units(setting.cluster).capacity.copy()
        self._weight = 1 / np.maximum(self._capacity.sum(axis=0), 1)
        self._known: dict[str, _Known] = {}
        self._plans: Plans = {}
        self._answer: tuple[list[str], Allotment] | None = None

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        if not self._alone.could_finish(shape):
            return Rejected(job.id, Reason.INFEASIBLE)
        scaling = Scaling.of(shape)
        deadline = deadline_of(job, self.setting.slots, self._deadline_worth)
        known = _Known(scaling, deadline, _least_cost_per_sample(scaling, self._weight))
        if deadline is not None:
            newcomer = _Need(job.id, known, float(job.work))
            needs = self._needs(view.queue)
            plans = self._fill([*needs, newcomer], view.slot) or self._fill_beside(needs, newcomer, view.slot)
            if plans is None:
                return Rejected(job.id, Reason.FULL)
            self._plans = plans
        self._known[job.id] = known
        self._answer = None
        return Queued(known.deadline)

    def allot(self, view: View) -> Allotment:
        queue, slot = view.queue, view.slot
        ids = [queued.job.id for queued in queue]
        if self._answer is not None:
            answered, allotment = self._answer
            if ids == answered and allotment.until is not None and slot < allotment.until:
                return allotment
        needs = self._needs(queue)
        self._plans = self._fill(needs, slot) or {need.job_id: self._plans[need.job_id] for need in needs}
        self._known = {job_id: self._known[job_id] for job_id in ids}
        allotment = self._allotment(queue, slot)
        self._answer = ids, allotment
        return allotment

    def options(self) -> Mapping[str, object]:
        return {"deadline_worth": self._deadline_worth}

    def _needs(self, queue: Iterable[QueuedJob]) -> list[_Need]:
        return [
            _Need(queued.job.id, self._known[queued.job.id], queued.samples_left + _MARGIN * queued.job.work)
            for queued in queue
            if self._known[queued.job.id].deadline is not None
        ]

    def _fill(self, needs: Sequence[_Need], slot: int) -> Plans | None:
        """Everybody's share, in order of deadline."""
        timeline = Timeline(slot, self._capacity, self._weight)
        plans: Plans = {}
        for need in sorted(needs, key=_deadline):
            plan = _fill_one(timeline, need)
            if plan is None:
                return None
            plans[need.job_id] = plan
        return plans

    def _fill_beside(self, needs: Sequence[_Need], newcomer: _Need, slot: int) -> Plans | None:
        """The newcomer's share of what the plans that there are leave."""
        timeline = Timeline(slot, self._capacity, self._weight)
        plans = {need.job_id: self._plans[need.job_id] for need in needs}
        for need in needs:
            timeline.occupy(need.known.scaling, plans[need.job_id])
        plan = _fill_one(timeline, newcomer)
        return None if plan is None else plans | {newcomer.job_id: plan}

    def _allotment(self, queue: Sequence[QueuedJob], slot: int) -> Allotment:
        """The plans' machines, and what they leave; until a plan changes, or a job needs less than it has."""
        held = Held.nothing(len(queue), len(self._capacity))
        free = self._capacity.copy()
        until = float(self.setting.slots)
        costs = []
        for row, queued in enumerate(queue):
            known, plan = self._known[queued.job.id], self._plans.get(queued.job.id)
            costs.append(known.least_cost_per_sample if plan is None else plan.cost_per_sample(slot))
            if plan is not None:
                until = min(until, plan.next_change(slot))
                _hold(held, row, free, known.scaling, plan, slot)
        crowd = Crowd.of(
            [self._known[queued.job.id].scaling for queued in queue],
            [queued.samples_left for queued in queue],
            costs,
            [queued.job.id in self._plans for queued in queue],
        )
        give_out(free, self._weight, crowd, held)
        for left, samples in zip(crowd.left.tolist(), held.samples.tolist(), strict=True):
            if samples > 0:
                until = min(until, slot + max(1, math.floor(left / samples)))
        placed = zip(queue, placements_of(held.w, held.s), strict=True)
        return Allotment({queued.job.id: where for queued, where in placed if where.shares}, until=int(until))


def deadline_of(job: Job, slots: int, worth: float) -> int | None:
    """The last slot in which so much of the best utility is left, all of it with a deadline of its own.

    None if it is left up to the horizon.
    """
    values = job.utility.values(np.arange(slots - job.arrival))
    least = values[0] * (1.0 if isinstance(job.utility, DeadlineUtility) else worth)
    enough = int(np.count_nonzero(values >= least))
    return None if enough == len(values) else job.arrival + enough - 1


def _deadline(need: _Need) -> float:
    return math.inf if need.known.deadline is None else need.known.deadline


def _fill_one(timeline: Timeline, need: _Need) -> Plan | None:
    if need.known.deadline is None:
        return None
    scaling = need.known.scaling
    return timeline.fill(scaling, need.samples, need.known.deadline)


def _hold(held: Held, row: int, free: NDArray[np.float64], scaling: Scaling, plan: Plan, slot: int) -> None:
    """Write down what a plan holds in this slot, and take it."""
    run = plan.current(slot)
    if run < 0:
        return
    entries = slice(plan.offsets[run], plan.offsets[run + 1])
    machines, w, s = plan.machines[entries], plan.workers[entries], plan.servers[entries]
    held.w[row, machines], held.s[row, machines] = w, s
    held.workers[row], held.samples[row] = w.sum(), plan.samples[run]
    free[machines] -= w[:, np.newaxis] * scaling.worker + s[:, np.newaxis] * scaling.server


def _least_cost_per_sample(scaling: Scaling, weight: NDArray[np.float64]) -> float:
    """With the number of workers that makes most of its share."""
    rates = np.maximum(scaling.together, scaling.apart)
    counts = np.flatnonzero(rates)
    shares = np.array([share_of(scaling, weight, int(count)) for count in counts])
    return float((shares / rates[counts]).min())
