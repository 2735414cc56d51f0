"""Dorm (Sun et al., 2017): the whole cluster in use, nobody far from a fair share, few jobs disturbed.

Whenever a job arrives or completes, an integer program (`dorm_program`) gives every job its containers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pdors.errors import ModelError
from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.policies.dorm_allocation import Allocator, Claimant, Thetas
from pdors.policies.dorm_program import Solver
from pdors.policies.packing import as_asked_for, placements_of
from pdors.policies.policy import Allotment, Answer, Policy, Queued, QueuedJob, Setting, View


class Dorm(Policy):
    """Queues all that can finish at all; an allotment holds until somebody comes or goes.

    theta1      fairness that may be lost, as a share of the most that could be
    theta2      share of the running jobs that may be changed at once
    time_limit  seconds for one program; where it is met, what was found by then is taken
    """

    name = "dorm"

    def __init__(self, setting: Setting, *, theta1: float = 0.1, theta2: float = 0.1, time_limit: float = 10.0) -> None:
        super().__init__(setting)
        for name, value in (("theta1", theta1), ("theta2", theta2)):
            if not 0 <= value <= 1:
                raise ModelError(f"{name} must be between 0 and 1, got {value}")
        if not time_limit > 0:
            raise ModelError(f"time_limit must be above 0, got {time_limit}")
        self._thetas = Thetas(theta1, theta2)
        self._solver = Solver(time_limit)
        self._units = Units(setting.cluster)
        self._alone = Alone(setting.cluster, setting.slots)
        self._allocator = Allocator(self._units.capacity, self._thetas, self._solver)
        self._shapes: dict[str, JobShape] = {}
        self._answered: frozenset[str] = frozenset()
        self._times_kept = 0

    def decide(self, job: Job, view: View) -> Answer:  # noqa: ARG002 - the queue does not matter here
        shape = JobShape.of(job, self._units, self.setting.slot_seconds)
        if not self._alone.could_finish(shape):
            return Rejected(job.id, Reason.INFEASIBLE)
        self._shapes[job.id] = as_asked_for(shape, self._units.capacity)
        return Queued()

    def allot(self, view: View) -> Allotment:
        queue = view.queue
        placements = {queued.job.id: queued.placement for queued in queue if queued.placement.shares}
        present = frozenset(queued.job.id for queued in queue)
        if present != self._answered:
            self._answered = present
            found = self._allocate(queue)
            if found is None:
                self._times_kept += 1
            else:
                placements = found
        return Allotment(placements, until=self.setting.slots)

    def options(self) -> Mapping[str, object]:
        """The thetas and the limit, and how often a program was solved, ran out of time, or left all as it was."""
        return {
            "theta1": self._thetas.loss,
            "theta2": self._thetas.changes,
            "time_limit": self._solver.time_limit,
            "programs": self._solver.solved,
            "programs_out_of_time": self._solver.out_of_time,
            "allocations_kept": self._times_kept,
        }

    def _allocate(self, queue: Sequence[QueuedJob]) -> dict[str, Placement] | None:
        """For those who run, and for as many of those who wait, in order of arrival, as there can be."""
        waiting = [queued.job.id for queued in queue if not queued.placement.shares]
        best, fit, too_many = None, -1, len(waiting) + 1
        count = len(waiting)
        while too_many - fit > 1:
            left_out = set(waiting[count:])
            members = [queued for queued in queue if queued.job.id not in left_out]
            found = self._allocator.allocate([self._claimant(member) for member in members]) if members else None
            if found is None:
                too_many = count
            else:
                fit = count
                placements = placements_of(found.workers, found.servers)
                best = {member.job.id: placement for member, placement in zip(members, placements, strict=True)}
            count = (fit + too_many) // 2
        return best

    def _claimant(self, queued: QueuedJob) -> Claimant:
        held = None
        if queued.placement.shares:
            workers, servers = held = np.zeros((2, len(self._units.capacity)), dtype=np.int64)
            for share in queued.placement.shares:
                workers[share.machine], servers[share.machine] = share.workers, share.servers
        return Claimant(self._shapes[queued.job.id], None if held is None else (workers, servers))
