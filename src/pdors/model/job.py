"""A training job, and an instance: a cluster, a horizon and the jobs that come."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pdors.errors import ModelError
from pdors.model.cluster import Amounts, Cluster, require_amounts
from pdors.model.speed import ParameterServerSpeed, Speed
from pdors.model.utility import Utility

WORK_TOLERANCE = 1e-9
"""A job is complete once its samples reach E*K up to this relative error."""


@dataclass(frozen=True, slots=True)
class Job:
    """One training job; `worker` and `server` are demands in the order of the cluster's resources."""

    id: str
    arrival: int
    epochs: float
    samples: float
    batch: int
    speed: Speed
    worker: Amounts
    server: Amounts
    utility: Utility

    def __post_init__(self) -> None:
        if self.arrival < 0:
            raise ModelError(f"job {self.id}: arrival must be at least 0, got {self.arrival}")
        for name, value in (("epochs", self.epochs), ("samples", self.samples)):
            if not (math.isfinite(value) and value > 0):
                raise ModelError(f"job {self.id}: {name} must be a finite number above 0, got {value}")
        if not 0 < self.work < math.inf:
            raise ModelError(f"job {self.id}: epochs * samples must be a finite number above 0, got {self.work}")
        if self.batch < 1:
            raise ModelError(f"job {self.id}: batch must be at least 1, got {self.batch}")
        require_amounts(f"job {self.id}: worker", self.worker)
        require_amounts(f"job {self.id}: server", self.server)
        if len(self.worker) != len(self.server):
            raise ModelError(f"job {self.id}: worker and server need one amount per resource each")

    @property
    def work(self) -> float:
        """V = E * K: the samples to train, a sample counted once per epoch."""
        return self.epochs * self.samples

    @property
    def needs_servers(self) -> bool:
        return isinstance(self.speed, ParameterServerSpeed)

    def samples_in_slot(self, workers: int, servers: int, slot_seconds: float, *, colocated: bool) -> float:
        """What one slot trains with these counts over the whole cluster."""
        return slot_seconds * self.speed.samples_per_second(workers, servers, self.batch, colocated=colocated)

    def with_utility_scaled(self, factor: float) -> Job:
        return replace(self, utility=self.utility.scaled(factor))


@dataclass(frozen=True)
class Instance:
    """A cluster, `slots` slots of `slot_seconds` each, and jobs in order of arrival."""

    slots: int
    slot_seconds: float
    cluster: Cluster
    jobs: tuple[Job, ...]

    def __post_init__(self) -> None:
        if self.slots < 1:
            raise ModelError(f"an instance needs at least one slot, got {self.slots}")
        if not (math.isfinite(self.slot_seconds) and self.slot_seconds > 0):
            raise ModelError(f"slot_seconds must be a finite number above 0, got {self.slot_seconds}")
        seen: set[str] = set()
        for job in self.jobs:
            if job.id in seen:
                raise ModelError(f"two jobs have the id {job.id!r}")
            seen.add(job.id)
            if len(job.worker) != len(self.cluster.resources):
                raise ModelError(f"job {job.id}: demands need one amount per resource of the cluster")

    def in_arrival_order(self) -> tuple[Job, ...]:
        """The jobs by arrival slot; ties keep the order of the instance."""
        return tuple(sorted(self.jobs, key=lambda job: job.arrival))

    def job(self, job_id: str) -> Job:
        for job in self.jobs:
            if job.id == job_id:
                return job
        raise ModelError(f"no job has the id {job_id!r}")
