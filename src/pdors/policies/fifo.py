"""First in, first out: a fixed number of workers per job, in order of arrival, held until the job is done.

The number of workers W of a job is drawn once, uniform in 1 .. 30, and lowered to what it can have: at most F, a number
that its speed is known for, and room for it on the empty cluster. It gets max(1, ceil(W / gamma)) servers. Tasks are
dealt round-robin to the machines. Whoever is at the head of the queue and does not fit makes all others wait.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.model.schedule import Placement
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.planner.streams import stream_of
from pdors.policies.packing import Dealer, Floats, free_now
from pdors.policies.policy import Allotment, Answer, Policy, Queued, QueuedJob, Setting, View

MOST_WORKERS = 30


class Fifo(Policy):
    """Queues all that can finish at all; an allotment holds until somebody comes or goes."""

    name = "fifo"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._alone = Alone(setting.cluster, setting.slots)
        self._workers: dict[str, int] = {}
        self._next_machine = 0
        self._holders: dict[str, tuple[JobShape, Placement]] = {}
        self._held = np.zeros(setting.cluster.capacity.shape)

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        workers = self._drawn(shape, view.ledger.units.capacity) if self._alone.could_finish(shape) else None
        if workers is None:
            return Rejected(job.id, Reason.INFEASIBLE)
        self._workers[job.id] = workers
        return Queued()

    def allot(self, view: View) -> Allotment:
        """Those who hold machines keep them, and are first in the queue; then the others, as far as there is room."""
        queue = view.queue
        self._let_go_of_all_but(queue[: len(self._holders)])
        dealer = Dealer(free_now(view.ledger, view.slot) - self._held, self._next_machine)
        for queued in queue[len(self._holders) :]:
            placement = dealer.deal_job(queued.shape, self._workers[queued.job.id])
            if placement is None:
                break
            self._holders[queued.job.id] = queued.shape, placement
            self._count(queued.shape, placement, +1)
        self._next_machine = dealer.next
        held = {job_id: placement for job_id, (_, placement) in self._holders.items()}
        return Allotment(held, until=self.setting.slots)

    def _let_go_of_all_but(self, still_there: Sequence[QueuedJob]) -> None:
        for job_id in self._holders.keys() - {queued.job.id for queued in still_there}:
            self._count(*self._holders.pop(job_id), -1)

    def _count(self, shape: JobShape, placement: Placement, sign: int) -> None:
        for share in placement.shares:
            self._held[share.machine] += sign * (share.workers * shape.worker + share.servers * shape.server)

    def _drawn(self, shape: JobShape, capacity: Floats) -> int | None:
        """The workers of a job: what the empty cluster holds, at most a random number, else as few as can be."""
        most = int(stream_of(self.setting.seed, shape.job.id).integers(1, MOST_WORKERS, endpoint=True))
        usable = np.flatnonzero(shape.together + shape.apart)
        in_turn = [*usable[usable <= most][::-1].tolist(), *usable[usable > most].tolist()]
        return next((count for count in in_turn if Dealer(capacity.copy()).deal_job(shape, count)), None)
