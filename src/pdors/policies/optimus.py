"""Optimus (Peng et al., EuroSys 2018): in every slot each task goes to the job that it brings closest to its end.

1. one worker and one server for every job, in order of arrival, while the cluster as a whole has room
2. one more worker or server for the job that gains most time for the dominant share it takes (`optimus_gains`)
3. the smallest jobs are placed first, on the fewest machines that hold an even spread (`optimus_placing`); who does not
   fit gets what does, or waits a slot

The time that is left follows from a model of the job's speed (`optimus_speed`): what the job tells, or a fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pdors.errors import PolicyError
from pdors.model.decision import Reason, Rejected
from pdors.model.job import Job
from pdors.model.units import Units
from pdors.planner.alone import Alone
from pdors.planner.shape import JobShape
from pdors.policies.optimus_gains import Contenders, allocate
from pdors.policies.optimus_placing import place_all, shrink_all
from pdors.policies.optimus_speed import Measurements, SpeedModel, told
from pdors.policies.packing import free_now, placements_of
from pdors.policies.policy import Allotment, Answer, Policy, Queued, QueuedJob, Setting, View

SpeedName = Literal["told", "fitted"]
Unplaced = Literal["shrink", "wait"]
Floats = NDArray[np.float64]


class Optimus(Policy):
    """Queues all that can finish at all; what is left of each job counts, so every slot is allotted anew."""

    name = "optimus"

    def __init__(self, setting: Setting, *, speed: SpeedName = "told", unplaced: Unplaced = "shrink") -> None:
        super().__init__(setting)
        for name, value, known in (("speed", speed, SpeedName), ("unplaced", unplaced, Unplaced)):
            if value not in get_args(known):
                raise PolicyError(f"{name} must be one of {', '.join(get_args(known))}, got {value!r}")
        self._speed = speed
        self._unplaced = unplaced
        self._alone = Alone(setting.cluster, setting.slots)
        self._capacity = Units(setting.cluster).capacity
        self._largest = _undominated(self._capacity)
        self._told: dict[str, SpeedModel] = {}
        self._measured: dict[str, Measurements] = {}

    def decide(self, job: Job, view: View) -> Answer:
        shape = JobShape.of(job, view.ledger.units, self.setting.slot_seconds)
        if not self._alone.could_finish(shape):
            return Rejected(job.id, Reason.INFEASIBLE)
        if self._speed == "told":
            self._told[job.id] = told(shape)
        else:
            setting = self.setting
            self._measured[job.id] = Measurements.of_profile(shape, self._capacity, setting.slot_seconds, setting.seed)
        return Queued()

    def allot(self, view: View) -> Allotment:
        queue = view.queue
        free = free_now(view.ledger, view.slot)
        contenders = self._contenders(queue)
        counts = allocate(free.sum(axis=0), self._capacity.sum(axis=0), self._largest, contenders)
        w = np.zeros((len(queue), len(free)), dtype=np.int64)
        s = np.zeros_like(w)
        order = np.argsort(counts.workers + counts.servers, kind="stable")
        place_all(free, contenders, counts, order, w, s)
        if self._unplaced == "shrink":
            shrink_all(free, contenders, counts, order, w, s)
        placed = zip(queue, placements_of(w, s), strict=True)
        return Allotment({queued.job.id: placement for queued, placement in placed if placement.shares})

    def options(self) -> Mapping[str, object]:
        return {"speed": self._speed, "unplaced": self._unplaced}

    def _model(self, queued: QueuedJob) -> SpeedModel:
        if self._speed == "told":
            return self._told[queued.job.id]
        measured, placement = self._measured[queued.job.id], queued.placement
        if placement.shares:
            measured.observe(placement.workers, placement.servers, colocated=placement.colocated)
        return measured.model()

    def _contenders(self, queue: Sequence[QueuedJob]) -> Contenders:
        shapes, models = [queued.shape for queued in queue], [self._model(queued) for queued in queue]
        return Contenders(
            left=np.array([queued.samples_left for queued in queue]),
            worker=np.array([shape.worker for shape in shapes]),
            server=np.array([shape.server for shape in shapes]),
            first=np.cumsum([0, *(len(shape.servers) for shape in shapes)]),
            servers=np.concatenate([shape.servers for shape in shapes]),
            has_servers=np.array([queued.job.needs_servers for queued in queue]),
            terms=np.array([model.terms for model in models]),
            per_iteration=np.array([self.setting.slot_seconds * queued.job.batch for queued in queue], dtype=float),
            together=np.concatenate([model.together for model in models]),
            apart=np.concatenate([model.apart for model in models]),
        )


def _undominated(capacity: Floats) -> Floats:
    """The sizes of machines that no other size contains."""
    sizes = np.unique(capacity, axis=0)
    contained = [(size <= sizes).all(axis=1).sum() > 1 for size in sizes]
    largest: Floats = sizes[~np.array(contained)]
    return largest
