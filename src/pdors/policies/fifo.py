"""First in, first out: a fixed number of workers per job, in order of arrival, held until the job is done.

The number of workers W of a job is drawn once, uniform in 1 .. 30, and lowered to F, to what its speed is known for and
to what the empty cluster holds. It gets max(1, ceil(W / gamma)) servers. Tasks are dealt round-robin to the machines.
Whoever is at the head of the queue and does not fit makes all others wait.
"""

from __future__ import annotations

from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.planner.streams import stream_of
from pdors.policies.packing import Dealer, free_now
from pdors.policies.policy import Allotment, Answer, Policy, Queued, Setting, View

MOST_WORKERS = 30


class Fifo(Policy):
    """Queues all that can finish at all; an allotment holds until somebody comes or goes."""

    name = "fifo"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._alone = Alone(setting.cluster, setting.slots)
        self._workers: dict[str, int] = {}
        self._next_machine = 0

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        workers = self._drawn(shape, view.ledger.units)
        if workers == 0 or not self._alone.could_finish(shape):
            return Rejected(job.id, Reason.INFEASIBLE)
        self._workers[job.id] = workers
        return Queued()

    def allot(self, view: View) -> Allotment:
        """Those who hold machines keep them; then the queue from its head, as far as there is room."""
        placements: dict[str, Placement] = {}
        free = free_now(view.ledger, view.slot)
        for queued in view.queue:
            for share in queued.placement.shares:
                free[share.machine] -= share.workers * queued.shape.worker + share.servers * queued.shape.server
            if queued.placement.shares:
                placements[queued.job.id] = queued.placement
        dealer = Dealer(free, self._next_machine)
        for queued in view.queue:
            if queued.job.id in placements:
                continue
            workers = self._workers[queued.job.id]
            shape = queued.shape
            placement = dealer.deal(shape.worker, shape.server, workers, int(shape.servers[workers]))
            if placement is None:
                break
            placements[queued.job.id] = placement
        self._next_machine = dealer.next
        return Allotment(placements, until=self.setting.slots)

    def _drawn(self, shape: JobShape, units: Units) -> int:
        """The workers of a job; 0 if not one of them fits on the empty cluster beside its servers."""
        most = int(stream_of(self.setting.seed, shape.job.id).integers(1, MOST_WORKERS, endpoint=True))
        usable = [count for count in range(1, shape.max_workers + 1) if shape.apart[count] > 0]
        lower = [count for count in usable if count <= most][::-1] or usable[:1]
        for workers in lower:
            if Dealer(units.capacity.copy()).deal(shape.worker, shape.server, workers, int(shape.servers[workers])):
                return workers
        return 0
