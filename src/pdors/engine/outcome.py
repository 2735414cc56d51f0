"""What came of a run: every decision, and how queue, use and prices went over time; per job and per slot as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pdors.model.decision import Admitted, Decision, Decisions
from pdors.model.job import Instance, Job

Floats = NDArray[np.float64]
Columns = dict[str, Sequence[object]]
"""A table: the values of each column, None where there is none."""


@dataclass(frozen=True, slots=True)
class Moment:
    """From `slot` to the next moment: the jobs that wait or train in the queue, and the mean price per resource."""

    slot: int
    queue: int
    prices: Mapping[str, float] | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """`promises` are the slots told at arrival in which, or by which at the latest, a job completes.

    `decision_seconds` is what each job waited for its answer: that of the policy at its arrival and, if it was queued,
    the first allotment.
    """

    instance: Instance
    decisions: Decisions
    promises: Mapping[str, int]
    moments: tuple[Moment, ...]
    decision_seconds: Mapping[str, float]

    @property
    def total_utility(self) -> float:
        return self.decisions.total_utility

    def use(self) -> Floats:
        """What is held of each resource in each slot, over all machines, (slots, resources), in the jobs' amounts."""
        change = np.zeros((self.instance.slots + 1, len(self.instance.cluster.resources)))
        for job, decision in self.answered():
            if isinstance(decision, Admitted):
                worker, server = np.array(job.worker), np.array(job.server)
                for run in decision.schedule.runs:
                    held = run.placement.workers * worker + run.placement.servers * server
                    change[run.start] += held
                    change[run.stop] -= held
        use: Floats = np.maximum(change.cumsum(axis=0)[:-1], 0.0)
        return use

    def answered(self) -> list[tuple[Job, Decision]]:
        return list(zip(self.instance.jobs, self.decisions.decisions, strict=True))

    def per_job(self) -> Columns:
        """One row per job of the instance; slots count from 0, price and utility are in the unit of the utilities."""
        rows = [self._job_row(job, decision) for job, decision in self.answered()]
        return {column: [row[column] for row in rows] for column in _JOB_COLUMNS}

    def per_slot(self) -> Columns:
        """One row per slot: the queue, and of each resource what is held, its share of all, and its mean price."""
        slots, resources = self.instance.slots, self.instance.cluster.resources
        use, total = self.use(), self.instance.cluster.total
        columns: Columns = {"slot": list(range(slots))}
        columns["queue_jobs"] = self._over_time([moment.queue for moment in self.moments], 0)
        for index, resource in enumerate(resources):
            columns[f"used_{resource}"] = use[:, index].tolist()
            columns[f"share_{resource}"] = (use[:, index] / total[index] if total[index] else use[:, index]).tolist()
            prices = [None if moment.prices is None else moment.prices[resource] for moment in self.moments]
            columns[f"price_{resource}"] = self._over_time(prices, None)
        return columns

    def _over_time(self, values: Sequence[object], before: object) -> Sequence[object]:
        """Values of the moments as values of the slots: each holds until the next one."""
        last = np.searchsorted([moment.slot for moment in self.moments], np.arange(self.instance.slots), side="right")
        return [before if index == 0 else values[index - 1] for index in last.tolist()]

    def _job_row(self, job: Job, decision: Decision) -> dict[str, object]:
        row: dict[str, object] = dict.fromkeys(_JOB_COLUMNS)
        row |= {"job": job.id, "arrival_slot": job.arrival, "work_samples": job.work, "utility": 0.0}
        row |= {"worker_slots": 0, "server_slots": 0, "payoff": decision.payoff}
        if not isinstance(decision, Admitted):
            return row | {"decision": "rejected", "reason": decision.reason.value}
        runs = decision.schedule.runs
        row |= {
            "decision": "unfinished" if decision.completion is None else "done",
            "promise_slot": self.promises.get(job.id),
            "start_slot": runs[0].start if runs else None,
            "completion_slot": decision.completion,
            "utility": decision.utility,
            "price": decision.price,
            "worker_slots": decision.schedule.worker_slots(),
            "server_slots": sum(run.slots * run.placement.servers for run in runs),
            "changes": sum(before.placement != after.placement for before, after in pairwise(runs)),
        }
        if decision.completion is not None:
            row["duration_slots"] = decision.completion - job.arrival
        return row


_JOB_COLUMNS = (
    "job", "arrival_slot", "work_samples", "decision", "reason", "promise_slot", "start_slot", "completion_slot",
    "duration_slots", "utility", "price", "payoff", "worker_slots", "server_slots", "changes",
)  # fmt: skip
