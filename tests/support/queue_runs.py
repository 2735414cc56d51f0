"""Runs of policies with a queue: what is handed out round by round, and the same policy asked slot by slot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pdors.check import check
from pdors.engine.simulation import MakePolicy, Simulation, simulate
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement
from pdors.model.speed import AllReduceSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.policies.policy import Allotment, Policy, QueuedJob, View
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from pdors.workloads.ranges import Integers
from tests.support.random_instances import random_instance

Placed = dict[int, tuple[int, int]]
"""Workers and servers by the number of the machine."""


def cluster_of(resources: tuple[str, ...], *machines: tuple[float, ...]) -> Cluster:
    return Cluster(resources, tuple(MachineGroup(f"m-{index}", amounts) for index, amounts in enumerate(machines)))


def plain_job(job_id: str, worker: tuple[float, ...], samples: float, *, arrival: int = 0, batch: int = 100) -> Job:
    """Every worker trains a sample per second, wherever it is."""
    speed, utility = AllReduceSpeed(1, 0, 1, 1), DeadlineUtility(1, 1000)
    return Job(job_id, arrival, 1, samples, batch, speed, worker, (0.0,) * len(worker), utility)


def table_job(job_id: str, worker: tuple[float, ...], samples: float, speed: TableSpeed, *, batch: int = 100) -> Job:
    return replace(plain_job(job_id, worker, samples, batch=batch), speed=speed)


def placed(placement: Placement) -> Placed:
    return {share.machine: (share.workers, share.servers) for share in placement.shares}


def schedules(instance: Instance, make: MakePolicy) -> dict[str, list[tuple[range, Placed]]]:
    """What every admitted job holds, run by run, in the slots of the run."""
    decisions = simulate(instance, make).decisions.decisions
    return {
        decision.job_id: [(range(run.start, run.stop), placed(run.placement)) for run in decision.schedule.runs]
        for decision in decisions
        if isinstance(decision, Admitted)
    }


@dataclass(frozen=True)
class Round:
    """What a policy was asked and what it handed out."""

    slot: int
    queue: tuple[QueuedJob, ...]
    allotment: Allotment


def rounds_of(instance: Instance, policy: type[Policy]) -> list[Round]:
    rounds: list[Round] = []

    class Recorded(policy):  # type: ignore[misc, valid-type]  # the class is an argument
        name = policy.name

        def allot(self, view: View) -> Allotment:
            allotment: Allotment = super().allot(view)
            rounds.append(Round(view.slot, tuple(view.queue), allotment))
            return allotment

    simulate(instance, Recorded)
    return rounds


def slot_by_slot(policy: type[Policy]) -> type[Policy]:
    """The same, but asked again in every slot."""

    class SlotBySlot(policy):  # type: ignore[misc, valid-type]  # the class is an argument
        name = policy.name

        def allot(self, view: View) -> Allotment:
            return replace(super().allot(view), until=None)

    return SlotBySlot


def broken_rules(instance: Instance, policy: type[Policy], seed: int = 0) -> Iterator[str]:
    """Violations, and where a second run, or one that is asked in every slot, decides differently."""
    document = _document(instance, policy, seed)
    yield from map(str, check(instance_document(instance), document | {"seconds": 0}).violations)
    if _document(instance, policy, seed) != document:
        yield "the same run decides differently"
    if _document(instance, slot_by_slot(policy), seed) != document:
        yield "asked slot by slot it decides differently"


def _document(instance: Instance, policy: type[Policy], seed: int) -> dict[str, object]:
    simulation = Simulation(instance, policy, seed=seed)
    simulation.run()
    document = decisions_document(simulation.outcome().decisions, instance)
    del document["seconds"]
    return document


def busy_instance(seed: int, most_jobs: int = 15) -> Instance:
    """Of the paper's kind, with jobs that take some slots and wait for each other; every other one of any kind."""
    if seed % 2:
        return random_instance(seed)
    rng = np.random.default_rng(seed)
    workload = PaperWorkload(
        jobs=int(rng.integers(4, most_jobs + 1)),
        machines=int(rng.integers(1, 7)),
        slots=int(rng.integers(20, 80)),
        slot_seconds=float(rng.choice([60, 600])),
        epochs=Integers(1, 3),
        samples=Integers(2_000, 50_000),
    )
    return generate(workload, rng)
