"""Whole instances from a seed, of every kind a planner may meet: for runs of thousands."""

from __future__ import annotations

import numpy as np

from pdors.model.cluster import Amounts, Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import Mix, PaperWorkload

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb")
_GRAINS = (1.0, 0.5, 0.1, 1 / 3)
"""Amounts come in multiples of one of these: tenths and thirds do not add up in floats."""


def random_instance(seed: int) -> Instance:
    """Every third one from the paper's generator, the others with jobs and machines of all kinds."""
    rng = np.random.default_rng(seed)
    return _of_the_paper(rng) if seed % 3 == 0 else _of_all_kinds(rng)


def _of_the_paper(rng: np.random.Generator) -> Instance:
    mix = [Mix(10, 55, 35), Mix(30, 69, 1), Mix(100, 0, 0)][rng.integers(3)]
    workload = PaperWorkload(
        jobs=int(rng.integers(1, 16)),
        machines=int(rng.integers(1, 16)),
        slots=int(rng.integers(1, 41)),
        slot_seconds=float(rng.choice([600, 3600, 14400])),
        mix=mix,
        capacity="maximum" if rng.random() < 0.3 else "mean",
        capacity_factor=float(rng.choice([3, 18, 40])),
    )
    return generate(workload, rng)


def _of_all_kinds(rng: np.random.Generator) -> Instance:
    resources = RESOURCES[: rng.integers(1, 5)]
    grain = float(rng.choice(_GRAINS))
    cluster = Cluster(
        resources, tuple(_machines(rng, index, len(resources), grain) for index in range(rng.integers(1, 4)))
    )
    slots = int(rng.choice([1, 2, rng.integers(3, 30)], p=[0.1, 0.1, 0.8]))
    jobs = tuple(_job(rng, f"job-{index}", slots, len(resources), grain) for index in range(rng.integers(1, 9)))
    return Instance(slots, 3600, cluster, jobs)


def _machines(rng: np.random.Generator, index: int, resources: int, grain: float) -> MachineGroup:
    capacity = _amounts(rng, resources, grain, 1, 40)
    return MachineGroup(f"m{index}", capacity, None if rng.random() < 0.3 else int(rng.integers(1, 6)))


def _amounts(rng: np.random.Generator, resources: int, grain: float, least: int, most: int) -> Amounts:
    counts = rng.integers(least, most + 1, size=resources) * (rng.random(resources) > 0.12)
    return tuple((counts * grain).tolist())


def _job(rng: np.random.Generator, job_id: str, slots: int, resources: int, grain: float) -> Job:
    speed, batch = _speed(rng), int(rng.choice([rng.integers(1, 5), rng.integers(1, 65)]))
    has_servers = isinstance(speed, ParameterServerSpeed)
    arrival = int(rng.choice([0, rng.integers(slots), slots - 1], p=[0.3, 0.6, 0.1]))
    # Some jobs are done within a slot, some never.
    per_slot = 3600 * speed.samples_per_second(1, 1, batch, colocated=True) if has_servers else 3600.0
    return Job(
        id=job_id,
        arrival=arrival,
        epochs=float(rng.integers(1, 20)),
        samples=float(max(1.0, per_slot * np.exp(rng.uniform(-4, 3)))),
        batch=batch,
        speed=speed,
        worker=_amounts(rng, resources, grain, 1, 10),
        server=_amounts(rng, resources, grain, 1, 10) if has_servers else (0.0,) * resources,
        utility=_utility(rng),
    )


def _speed(rng: np.random.Generator) -> Speed:
    sample_seconds, gradient = (
        float(rng.uniform(0.01, 0.5)),
        float(rng.choice([0.0, rng.uniform(1, 600)], p=[0.1, 0.9])),
    )
    external = float(rng.uniform(12.5, 625))
    internal = external * float(rng.choice([rng.uniform(0.3, 1), 1, rng.uniform(1, 20)]))
    overhead = float(rng.choice([0, rng.uniform(0, 5)]))
    match rng.integers(5):
        case 0:
            return AllReduceSpeed(sample_seconds, gradient, internal, external, overhead)
        case 1:
            return _table(rng)
        case _:
            gamma = float(rng.choice([0.1, 0.3, 1 / 3, 0.7, 1, 2.5, 4, 10, 1e9]))
            return ParameterServerSpeed(sample_seconds, gradient, gamma, internal, external, overhead)


def _table(rng: np.random.Generator) -> TableSpeed:
    workers = tuple(sorted(rng.choice(np.arange(1, 20), size=rng.integers(1, 6), replace=False).tolist()))

    def column() -> tuple[float | None, ...]:
        return tuple(None if rng.random() < 0.2 else float(count * rng.uniform(0.3, 3)) for count in workers)

    return TableSpeed(workers, column(), None if rng.random() < 0.3 else column())


def _utility(rng: np.random.Generator) -> Utility:
    worth = float(
        rng.choice([0, rng.uniform(1, 100), rng.uniform(1, 100) * 10.0 ** rng.integers(-8, 9)], p=[0.05, 0.75, 0.2])
    )
    match rng.integers(3):
        case 0:
            return SigmoidUtility(
                worth, float(rng.choice([0, rng.uniform(0, 1), rng.uniform(4, 6)])), float(rng.uniform(-2, 15))
            )
        case 1:
            return DeadlineUtility(worth, float(rng.integers(-1, 20)), worth * float(rng.choice([0, 0.3, 1])))
        case _:
            after = np.cumsum(rng.uniform(0.5, 5, size=rng.integers(1, 5))) - 2
            values = worth * np.sort(rng.random(len(after)))[::-1]
            return TableUtility(tuple(after.tolist()), tuple(values.tolist()))
