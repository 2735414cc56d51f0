"""Dominant resource fairness (Ghodsi et al., NSDI 2011): in every slot whoever has least gets the next worker.

Each slot is dealt from scratch, from the first machine on (`drf_dealing`). A job asks for at most F workers, for no
more than speed it up, and for no more than finish its work within the slot.
"""

from __future__ import annotations

import math

import numpy as np

from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.policies.drf_claims import Book, Claims
from pdors.policies.drf_dealing import Dealt, deal_fairly
from pdors.policies.packing import Floats, KeptPlacements, as_asked_for, free_now
from pdors.policies.policy import Allotment, Answer, Policy, Queue, Queued, Setting, View

_CLOSE = 1e-9
"""Sums of samples differ by less than this share of the work, whichever way they were added up."""


class Drf(Policy):
    """Queues all that can finish at all; an allotment holds as long as no job comes to need fewer workers."""

    name = "drf"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._alone = Alone(setting.cluster, setting.slots)
        self._book = Book(len(setting.cluster.resources))
        self._kept = KeptPlacements()

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        asked = as_asked_for(shape, view.ledger.units.capacity)
        if not (self._finishes_if_dealt_all(asked, view.ledger.units.capacity) or self._alone.could_finish(shape)):
            return Rejected(job.id, Reason.INFEASIBLE)
        self._book.enter(asked)
        return Queued()

    def allot(self, view: View) -> Allotment:
        queue = view.queue
        job_ids = [job.id for job in queue.jobs]
        claims = self._book.claims(job_ids, queue.samples_left)
        dealt = deal_fairly(free_now(view.ledger, view.slot), view.ledger.units.capacity.sum(axis=0), claims)
        placements = self._kept.of(job_ids, dealt.workers, dealt.servers)
        until = view.slot + _slots_alike(queue, dealt)
        return Allotment(placements, until=int(min(self.setting.slots, until)))

    def _finishes_if_dealt_all(self, shape: JobShape, capacity: Floats) -> bool:
        """Whether it is done in time if all is dealt to it: what most jobs are asked, as it is answered soonest."""
        slots = self.setting.slots - shape.job.arrival
        if slots <= 0:
            return False
        dealt = deal_fairly(capacity.copy(), capacity.sum(axis=0), Claims.of([shape], [shape.work / slots]))
        return bool(slots * dealt.samples[0] >= shape.work)


def _slots_alike(queue: Queue, dealt: Dealt) -> float:
    """The slots until fewer workers would finish what is left of a job."""
    grown = np.flatnonzero(dealt.outgrown)
    close = _CLOSE * np.array([queue.jobs[row].work for row in grown.tolist()])
    slots = (queue.samples_left[grown] - dealt.outgrown[grown] - close) / dealt.samples[grown]
    return max(1.0, float(np.ceil(slots).min(initial=math.inf)))
