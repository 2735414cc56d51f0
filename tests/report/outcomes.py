"""Outcomes made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pdors.engine.outcome import Moment, Outcome
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Decisions, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.report import PolicySummary

CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("big", (4, 8)), MachineGroup("small", (2, 8), 2)))
SLOTS = 6

Share = tuple[int, int, int]
"""Machine, workers, servers."""


def job(
    job_id: str, arrival: int = 0, worker: tuple[float, float] = (1, 1), server: tuple[float, float] = (0, 2)
) -> Job:
    speed = TableSpeed((1, 2, 3, 4), (1.0, 2.0, 3.0, 4.0))
    return Job(job_id, arrival, 1, 3600, 4, speed, worker, server, DeadlineUtility(10, 100))


def held(
    job_id: str, *runs: tuple[int, int, Sequence[Share]], completion: int | None = None, utility: float = 10
) -> Admitted:
    """Runs as (start, stop, shares)."""
    schedule = Schedule(tuple(Run(start, stop, Placement.of(shares)) for start, stop, shares in runs))
    return Admitted(job_id, schedule, completion, utility)


def rejected(job_id: str, reason: Reason = Reason.FULL) -> Rejected:
    return Rejected(job_id, reason)


def outcome(
    *answered: tuple[Job, Decision],
    policy: str = "mine",
    slots: int = SLOTS,
    cluster: Cluster = CLUSTER,
    moments: Sequence[Moment] = (),
    promises: Mapping[str, int] | None = None,
) -> Outcome:
    instance = Instance(slots, 3600, cluster, tuple(asked for asked, _ in answered))
    decisions = Decisions(policy, tuple(decision for _, decision in answered), seconds=0.0)
    seconds = {asked.id: 0.001 for asked, _ in answered}
    return Outcome(instance, decisions, promises or {}, tuple(moments), seconds)


def summary(policy: str, *utilities: float, bound: float | None = None, jobs: int = 2) -> PolicySummary:
    return PolicySummary(
        policy=policy, utilities=utilities, bounds=(bound,) * len(utilities), jobs=jobs, done=1, by_target=1,
        median_training_slots=3.0, use={"gpu": 0.5, "cpu": 0.25}, decision_p50_s=0.001, decision_p99_s=0.002,
        rejections={"full": 1},
    )  # fmt: skip
