"""What a trace does not tell, drawn as the paper's generator draws it; and what it is told of, job by job."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.traces.excerpt import Excerpt
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import RESOURCES, Mix, PaperWorkload

CLASSES = ("insensitive", "sensitive", "critical")
"""The paper's classes of urgency."""
URGENCIES = tuple(f"{name}_urgency" for name in CLASSES)
SPEED = ("sample_seconds", "gradient_mb", "workers_per_server", "external_mb_s", "internal_factor")
WORK = ("epochs", "samples")
_PURE = (Mix(100, 0, 0), Mix(0, 100, 0), Mix(0, 0, 100))
_SEEDS = 2**63 - 1


class Filling:
    """As many jobs of the paper as are asked for, whose fields stand in where a trace has none.

    One job of them is the same whichever class of urgency is asked of it: only the urgency differs.
    """

    def __init__(self, jobs: int, excerpt: Excerpt, rng: np.random.Generator, *, mix: Mix, slots: int = 1) -> None:
        self._settings = PaperWorkload(
            jobs=max(jobs, 1), machines=1, slots=slots, slot_seconds=excerpt.slot_seconds, mix=mix
        )
        self._seed = int(rng.integers(_SEEDS))
        self._jobs: dict[Mix, tuple[Job, ...]] = {}

    def job(self, index: int, urgency_class: int | None = None) -> Job:
        """The job at this place; without a class it has one by the mix."""
        mix = self._settings.mix if urgency_class is None else _PURE[urgency_class]
        if mix not in self._jobs:
            settings = replace(self._settings, mix=mix)
            self._jobs[mix] = generate(settings, np.random.default_rng(self._seed)).jobs
        return self._jobs[mix][index]

    def told(self, *names: str) -> dict[str, str]:
        """The rule for each of these settings, in words."""
        described = self._settings.describe()
        return {name: f"{described[name]}, {_origin(described[name])}" for name in names}

    def told_classes(self) -> dict[str, str]:
        """How urgent jobs are whose trace does not say it."""
        return {"class": f"{self._settings.mix} percent of jobs {', '.join(CLASSES)}"} | self.told(*URGENCIES)


def _origin(described: str) -> str:
    return "drawn from the range of the paper" if ":" in described else "as in the paper"


def paper_machines(machines: int, resources: tuple[str, ...] = RESOURCES) -> Cluster:
    """The paper's machines, `m-0` and on, of their first resources under these names."""
    settings = PaperWorkload(jobs=1, machines=machines, slots=1)
    capacity = settings.machine_capacity[: len(resources)]
    return Cluster(resources, (MachineGroup("m", capacity, machines),))


def told_machines(cluster: Cluster) -> dict[str, str]:
    group = cluster.groups[0]
    amounts = ", ".join(f"{name} {amount:g}" for name, amount in zip(cluster.resources, group.capacity, strict=True))
    return {"machines": f"{group.count} alike with {amounts}"}
