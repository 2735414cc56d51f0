"""The optimum of a tiny instance by trying everything, and tiny instances to try it on.

Every way to put the tasks of a job on the machines in a slot, every schedule made of them, every choice of schedules.
What takes no less and brings no more than another is left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility

_NOISE = 1e-9


@dataclass(frozen=True)
class Option:
    """What a job may hold over some slots, (slots, machines, resources) flattened, and what that brings."""

    held: tuple[float, ...]
    gain: float


def enumerated_optimum(instance: Instance) -> float:
    """The best total utility of any schedules."""
    room = np.tile(instance.cluster.capacity.ravel(), instance.slots)
    choices = [_schedules(job, instance) for job in instance.jobs]
    hopes = [max((option.gain for option in options), default=0.0) for options in choices]
    return _best(choices, hopes, 0, room, room)


def _best(choices: list[list[Option]], hopes: list[float], job: int, free: np.ndarray, room: np.ndarray) -> float:
    if job == len(choices):
        return 0.0
    best = _best(choices, hopes, job + 1, free, room)
    for option in sorted(choices[job], key=lambda option: -option.gain):
        if option.gain + sum(hopes[job + 1 :]) <= best:
            break
        left = free - np.array(option.held)
        if (left >= -_NOISE * room).all():
            best = max(best, option.gain + _best(choices, hopes, job + 1, left, room))
    return best


def _schedules(job: Job, instance: Instance) -> list[Option]:
    """Every schedule that completes the job, its gain the utility."""
    in_slot = job_options(job, instance)
    per_slot = instance.cluster.capacity.size
    found: list[Option] = []
    partial = [Option((0.0,) * (job.arrival * per_slot), 0.0)]
    for slot in range(job.arrival, instance.slots):
        rest = (0.0,) * ((instance.slots - slot - 1) * per_slot)
        longer = [Option(begun.held + now.held, begun.gain + now.gain) for begun in partial for now in in_slot]
        done = [option for option in longer if option.gain >= job.work * (1 - WORK_TOLERANCE)]
        utility = job.utility.value(slot - job.arrival)
        found += [Option(option.held + rest, utility) for option in done]
        idle = (0.0,) * per_slot
        waiting = [Option(begun.held + idle, begun.gain) for begun in partial]
        partial = _worthwhile([option for option in longer if option.gain < job.work * (1 - WORK_TOLERANCE)] + waiting)
    return _worthwhile(found)


def job_options(job: Job, instance: Instance) -> list[Option]:
    """Every placement of one slot, its gain the samples."""
    cluster = instance.cluster
    counts = range(job.batch + 1)
    machines = range(len(cluster))
    most_servers = 4 if job.needs_servers else 0
    found = []
    for workers in itertools.product(counts, repeat=len(cluster)):
        if not 1 <= sum(workers) <= job.batch:
            continue
        for servers in itertools.product(range(most_servers + 1), repeat=len(cluster)):
            held = np.outer(workers, job.worker) + np.outer(servers, job.server)
            if (held > cluster.capacity * (1 + _NOISE)).any() or not _is_allowed(job.speed, sum(workers), sum(servers)):
                continue
            one = sum(1 for machine in machines if workers[machine] or servers[machine]) == 1
            samples = job.samples_in_slot(sum(workers), sum(servers), instance.slot_seconds, colocated=one)
            if samples > 0:
                found.append(Option(tuple(held.ravel().tolist()), samples))
    return _worthwhile(found)


def _is_allowed(speed: Speed, workers: int, servers: int) -> bool:
    if isinstance(speed, ParameterServerSpeed):
        return servers >= 1 and servers * speed.workers_per_server >= workers * (1 - _NOISE)
    return servers == 0


def _worthwhile(options: list[Option]) -> list[Option]:
    kept: list[Option] = []
    for option in sorted(set(options), key=lambda option: (-option.gain, sum(option.held))):
        if not any(all(a <= b for a, b in zip(other.held, option.held, strict=True)) for other in kept):
            kept.append(option)
    return kept


def tiny_instance(seed: int) -> Instance:
    """Up to three jobs on one or two machines for up to three slots; servers are never without demand."""
    rng = np.random.default_rng([seed, 27])
    resources = ("gpu", "cpu")[: rng.integers(1, 3)]
    slots = int(rng.integers(1, 4))
    machines = int(rng.integers(1, 3))
    alike = rng.random() < 0.5
    capacity = [tuple(rng.integers(1, 5, len(resources)).astype(float).tolist()) for _ in range(machines)]
    groups = tuple(MachineGroup(f"m{index}", capacity[0 if alike else index]) for index in range(machines))
    jobs = tuple(_tiny_job(rng, index, slots, len(resources)) for index in range(rng.integers(1, 4)))
    return Instance(slots, 100, Cluster(resources, groups), jobs)


def _tiny_job(rng: np.random.Generator, index: int, slots: int, resources: int) -> Job:
    batch = int(rng.integers(1, 4))
    speed = _tiny_speed(rng)
    per_slot = 100 * max(
        speed.samples_per_second(workers, 1, batch, colocated=together)
        for workers in (1, 2) for together in (True, False)
    )  # fmt: skip
    needs_servers = isinstance(speed, ParameterServerSpeed)
    return Job(
        id=f"job-{index}",
        arrival=int(rng.integers(0, slots)),
        epochs=1,
        samples=float(max(1.0, per_slot * rng.uniform(0.3, 3))),
        batch=batch,
        speed=speed,
        worker=tuple(rng.integers(1, 3, resources).astype(float).tolist()),
        server=tuple(rng.integers(1, 3, resources).astype(float).tolist()) if needs_servers else (0.0,) * resources,
        utility=_tiny_utility(rng),
    )


def _tiny_speed(rng: np.random.Generator) -> Speed:
    external = float(rng.uniform(10, 100))
    internal = external * float(rng.choice([0.5, 1, 10]))
    overhead = float(rng.choice([0, 0.5]))
    match rng.integers(4):
        case 0:
            return AllReduceSpeed(0.2, float(rng.uniform(0, 100)), internal, external, overhead)
        case 1:
            inside = tuple(float(count * rng.uniform(0.5, 2)) for count in (1, 2, 3))
            outside = (None, float(rng.uniform(0.5, 4)), float(rng.uniform(0.5, 6)))
            return TableSpeed((1, 2, 3), inside, None if rng.random() < 0.3 else outside)
        case _:
            gamma = float(rng.choice([0.5, 1, 2, 3]))
            return ParameterServerSpeed(0.2, float(rng.uniform(0, 100)), gamma, internal, external, overhead)


def _tiny_utility(rng: np.random.Generator) -> Utility:
    worth = float(rng.integers(1, 20))
    match rng.integers(3):
        case 0:
            return SigmoidUtility(worth, float(rng.uniform(0, 2)), float(rng.uniform(0, 2)))
        case 1:
            return DeadlineUtility(worth, float(rng.integers(0, 3)), worth / 2)
        case _:
            return TableUtility((0, 1, 2), (worth, worth / 2, worth / 5))
