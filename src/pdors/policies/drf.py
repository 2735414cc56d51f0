"""Dominant resource fairness (Ghodsi et al., NSDI 2011): in every slot whoever has least gets the next worker.

Each slot is dealt from scratch, from the first machine on (`drf_dealing`). A job asks for at most F workers, for no
more than speed it up, and for no more than finish its work within the slot.
"""

from __future__ import annotations

import math

from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.policies.drf_dealing import Claims, deal_fairly
from pdors.policies.packing import Floats, as_asked_for, free_now, placements_of
from pdors.policies.policy import Allotment, Answer, Policy, Queued, QueuedJob, Setting, View

_CLOSE = 1e-9
"""Sums of samples differ by less than this share of the work, whichever way they were added up."""


class Drf(Policy):
    """Queues all that can finish at all; an allotment holds as long as no job comes to need fewer workers."""

    name = "drf"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._alone = Alone(setting.cluster, setting.slots)
        self._shapes: dict[str, JobShape] = {}

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        asked = as_asked_for(shape, view.ledger.units.capacity)
        if not (self._finishes_if_dealt_all(asked, view.ledger.units.capacity) or self._alone.could_finish(shape)):
            return Rejected(job.id, Reason.INFEASIBLE)
        self._shapes[job.id] = asked
        return Queued()

    def allot(self, view: View) -> Allotment:
        queue = view.queue
        claims = Claims.of([self._shapes[queued.job.id] for queued in queue], [queued.samples_left for queued in queue])
        dealt = deal_fairly(free_now(view.ledger, view.slot), view.ledger.units.capacity.sum(axis=0), claims)
        placements, alike = {}, math.inf
        rates = zip(dealt.samples.tolist(), dealt.outgrown.tolist(), strict=True)
        for queued, placement, rate in zip(queue, placements_of(dealt.workers, dealt.servers), rates, strict=True):
            if placement.shares:
                placements[queued.job.id] = placement
                alike = min(alike, _slots_alike(queued, *rate))
        return Allotment(placements, until=int(min(self.setting.slots, view.slot + alike)))

    def _finishes_if_dealt_all(self, shape: JobShape, capacity: Floats) -> bool:
        """Whether it is done in time if all is dealt to it: what most jobs are asked, as it is answered soonest."""
        dealt = deal_fairly(capacity.copy(), capacity.sum(axis=0), Claims.of([shape], [math.inf]))
        return bool((self.setting.slots - shape.job.arrival) * dealt.samples[0] >= shape.work)


def _slots_alike(queued: QueuedJob, samples: float, outgrown: float) -> float:
    """The slots until fewer workers would finish what is left."""
    if outgrown == 0:
        return math.inf
    close = _CLOSE * queued.job.work
    return max(1, math.ceil((queued.samples_left - outgrown - close) / samples))
