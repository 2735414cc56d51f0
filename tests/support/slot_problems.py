"""Random questions for slot solvers: uneven loads on unlike machines, and jobs of every shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Amounts, Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.ledger import Ledger, Segments
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import SigmoidUtility
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotProblem
from pdors.planner.slot_dense import dense_problem

SLOT = 3
SLOT_SECONDS = 3600.0
RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb")
CAPACITY = np.array([36.0, 100.0, 300.0, 140.0])
GRAINS = 50
"""Loads come in so many steps of a machine's capacity."""


@dataclass(frozen=True, eq=False)
class SlotCase:
    """A job, and the slot it is to be placed in."""

    cluster: Cluster
    ledger: Ledger
    job: Job
    shape: JobShape
    prices: PriceBounds
    slot: int

    @property
    def segments(self) -> Segments:
        return self.ledger.segments(self.slot, self.slot + 1)

    @property
    def problem(self) -> SlotProblem:
        return dense_problem(self.shape, self.prices, self.segments, 0, self.ledger.units)


def slot_cases(count: int, first_seed: int = 0, machines: int | None = None) -> Iterator[SlotCase]:
    for seed in range(first_seed, first_seed + count):
        yield slot_case(seed, machines)


def slot_case(seed: int, machines: int | None = None) -> SlotCase:
    """The case of this seed, with 2 to 40 machines unless their number is given."""
    rng = np.random.default_rng(seed)
    resources = int(rng.integers(1, len(RESOURCES) + 1))
    cluster = _cluster(rng, machines or int(rng.integers(2, 41)), resources)
    ledger = Ledger(cluster)
    _load(rng, cluster, ledger)
    job = _job(rng, seed, CAPACITY[:resources])
    return SlotCase(cluster, ledger, job, JobShape.of(job, ledger.units, SLOT_SECONDS), _prices(rng, resources), SLOT)


def case_of(cluster: Cluster, job: Job, prices: PriceBounds, loads: dict[int, Amounts] | None = None) -> SlotCase:
    """A case by hand; `loads`: what is committed per machine."""
    ledger = Ledger(cluster)
    for machine, amounts in (loads or {}).items():
        ledger.reserve(_filler(machine, amounts), Schedule((Run(SLOT, SLOT + 1, Placement.of([(machine, 1, 0)])),)))
    return SlotCase(cluster, ledger, job, JobShape.of(job, ledger.units, SLOT_SECONDS), prices, SLOT)


def _cluster(rng: np.random.Generator, machines: int, resources: int) -> Cluster:
    unlike = rng.random() < 0.6
    groups = []
    for machine in range(machines):
        capacity = CAPACITY[:resources] * (rng.choice([0.5, 1.0, 2.0], size=resources) if unlike else 1.0)
        if unlike and resources > 1 and rng.random() < 0.1:
            capacity[0] = 0.0
        groups.append(MachineGroup(f"m-{machine}", tuple(capacity.tolist())))
    return Cluster(RESOURCES[:resources], tuple(groups))


def _load(rng: np.random.Generator, cluster: Cluster, ledger: Ledger) -> None:
    """One job per resource holds what is in use of it."""
    level = rng.choice([0.0, 0.3, 0.6, 0.85, 0.95])
    if level == 0.0:
        return
    shares = rng.beta(3 * level, 3 * (1 - level), size=cluster.capacity.shape)
    for resource, name in enumerate(cluster.resources):
        grain = CAPACITY[resource] / GRAINS
        counts = np.floor(shares[:, resource] * cluster.capacity[:, resource] / grain).astype(int)
        placement = Placement.of((machine, count, 0) for machine, count in enumerate(counts.tolist()))
        amounts = tuple(np.where(np.arange(len(cluster.resources)) == resource, grain, 0.0).tolist())
        if placement.shares:
            ledger.reserve(_filler(name, amounts), Schedule((Run(SLOT, SLOT + 1, placement),)))


def _filler(name: object, amounts: Amounts) -> Job:
    speed = AllReduceSpeed(1, 0, 1, 1)
    return Job(f"filler-{name}", 0, 1, 1, 1, speed, amounts, (0.0,) * len(amounts), SigmoidUtility(1, 0, 1))


def _job(rng: np.random.Generator, seed: int, capacity: NDArray[np.float64]) -> Job:
    worker, server = _demand(rng, capacity, 4, 40), _demand(rng, capacity, 4, 40)
    match rng.choice(["like", "server without the first", "apart", "big server", "first only"]):
        case "server without the first" if len(capacity) > 1:
            server[0] = 0.0
        case "apart" if len(capacity) > 1:
            worker[1:], server[0] = 0.0, 0.0
        case "big server":
            server = np.minimum(np.round(worker * rng.uniform(2, 4), 1), capacity)
        case "first only":
            worker[1:], server[1:] = 0.0, 0.0
    speed = _speed(rng)
    if not isinstance(speed, ParameterServerSpeed):
        server[:] = 0.0
    return Job(
        id=f"job-{seed}",
        arrival=0,
        epochs=float(rng.integers(1, 100)),
        samples=float(rng.integers(10_000, 500_000)),
        batch=int(rng.integers(1, 80)),
        speed=speed,
        worker=tuple(worker.tolist()),
        server=tuple(server.tolist()),
        utility=SigmoidUtility(float(rng.uniform(1, 100)), 0.5, 5),
    )


def _demand(rng: np.random.Generator, capacity: NDArray[np.float64], least: int, most: int) -> NDArray[np.float64]:
    """Amounts of which an empty machine holds `least` to `most`."""
    return np.asarray(np.maximum(np.round(capacity / rng.uniform(least, most, size=len(capacity)), 1), 0.1))


def _speed(rng: np.random.Generator) -> Speed:
    sample_seconds, gradient = float(rng.uniform(0.01, 0.5)), float(rng.uniform(30, 575))
    external = float(rng.uniform(12.5, 625))
    internal = external * float(rng.choice([rng.uniform(10, 20), rng.uniform(0.5, 1)], p=[0.8, 0.2]))
    kind = rng.choice(["ps", "allreduce", "table"], p=[0.75, 0.15, 0.1])
    if kind == "ps":
        return ParameterServerSpeed(
            sample_seconds, gradient, float(rng.choice([0.5, 1.0, 2.5, 4.0, 10.0])), internal, external
        )
    if kind == "allreduce":
        return AllReduceSpeed(sample_seconds, gradient, internal, external)
    return TableSpeed((1, 2, 4, 8, 16), (210.0, 400.0, 760.0, 1300.0, None), (210.0, 330.0, 610.0, 1010.0, 1500.0))


def _prices(rng: np.random.Generator, resources: int) -> PriceBounds:
    ceiling = rng.uniform(-2, 2, size=resources)
    floor = ceiling - rng.uniform(1, 14, size=resources)
    if resources > 1 and rng.random() < 0.1:
        floor[-1] = ceiling[-1] = FREE
    return PriceBounds(tuple(floor.tolist()), tuple(ceiling.tolist()))
