"""What a policy is asked, what it may see, and how it answers.

A policy is a class that is made with a `Setting` and derives from `Policy`. It decides at arrival, or puts the job in
the queue and allots the queue its machines slot by slot, or does both. It commits to nothing: the engine holds each
answer against the rules and reserves what is left standing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import LedgerView
from pdors.model.schedule import NOTHING, Placement
from pdors.planner.prices import PriceBounds
from pdors.planner.pricing import PricesName
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """All that is known before the first job arrives."""

    cluster: Cluster
    slots: int
    slot_seconds: float
    seed: int = 0


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that has arrived, was not answered with a schedule, and is not done.

    `shape` has its demands in whole units and what a slot trains for each number of workers; `placement` is what it
    held in the slot before, empty if nothing.
    """

    job: Job
    shape: JobShape
    samples_left: float
    placement: Placement


@dataclass(frozen=True, eq=False, slots=True)
class Queue(Sequence[QueuedJob]):
    """The queued jobs in order of arrival, one by one, and column by column for who counts with arrays.

    `held` is what they held in the slot before, by job id; who held nothing is not in it.
    """

    jobs: Sequence[Job]
    shapes: Sequence[JobShape]
    samples_left: Floats
    held: Mapping[str, Placement]

    def __len__(self) -> int:
        return len(self.jobs)

    def __iter__(self) -> Iterator[QueuedJob]:
        placements = [self.held.get(job.id, NOTHING) for job in self.jobs]
        return map(QueuedJob, self.jobs, self.shapes, self.samples_left.tolist(), placements)

    @overload
    def __getitem__(self, index: int) -> QueuedJob: ...
    @overload
    def __getitem__(self, index: slice) -> Queue: ...
    def __getitem__(self, index: int | slice) -> QueuedJob | Queue:
        if isinstance(index, slice):
            return Queue(self.jobs[index], self.shapes[index], self.samples_left[index], self.held)
        job = self.jobs[index]
        left = float(self.samples_left[index])
        return QueuedJob(job, self.shapes[index], left, self.held.get(job.id, NOTHING))


class View(Protocol):
    """The present, read-only: the slot it is, what is committed from now on, and the queue."""

    @property
    def slot(self) -> int: ...
    @property
    def ledger(self) -> LedgerView: ...
    @property
    def queue(self) -> Queue: ...


@dataclass(frozen=True, slots=True)
class Queued:
    """Neither admitted with a schedule nor rejected: the job waits for what `allot` gives it.

    `promise` is the slot by which it will be done at the latest, if the policy promises one.
    """

    promise: int | None = None


@dataclass(frozen=True, slots=True)
class Allotment:
    """What queued jobs hold in this slot, by job id; who is not named holds nothing.

    The same holds in the slots before `until` as long as no job arrives and none completes: the policy need not be
    asked again. None: for this slot alone.
    """

    placements: Mapping[str, Placement] = field(default_factory=dict)
    until: int | None = None


Answer = Admitted | Rejected | Queued


class Policy:
    """Queues every job and allots nothing, until a subclass knows better."""

    name = "policy"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__.lower()

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    @classmethod
    def at_prices(
        cls,
        setting: Setting,
        instance: Instance,  # noqa: ARG003 - this and what follows: what a subclass is priced by
        prices: PricesName | PriceBounds,  # noqa: ARG003
        history: Iterable[Job],  # noqa: ARG003
    ) -> Policy:
        """The policy at prices by name, if it has any: the paper's look at all jobs, the default at the history."""
        return cls(setting)

    def decide(self, job: Job, view: View) -> Answer:  # noqa: ARG002 - what a subclass decides by
        """Answer a job in the slot in which it arrives."""
        return Queued()

    def allot(self, view: View) -> Allotment:  # noqa: ARG002 - what a subclass allots by
        """Give the jobs of the queue their machines; asked when there is a queue, and something may have changed."""
        return Allotment()

    def prices(self, view: View) -> Mapping[str, float] | None:  # noqa: ARG002 - what a subclass prices by
        """The mean price of a unit of each resource in this slot; None for a policy without prices."""
        return None

    def options(self) -> Mapping[str, object]:
        """How it is set up, and what it counted, for the decisions document."""
        return {}
