"""The instance as the checker understands it, read from the parsed document alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pdors.check.node import Node
from pdors.check.speed import Speed, read_speed
from pdors.check.utility import Utility, read_utility

MOST_MACHINES = 10**6
"""Every machine has a name and a row of its own in memory."""


@dataclass(frozen=True, slots=True)
class Job:
    """`number` counts the jobs in the order of the document, `work` is E*K."""

    number: int
    id: str
    arrival: int
    work: float
    batch: int
    speed: Speed
    worker: tuple[float, ...]
    server: tuple[float, ...]
    utility: Utility


def read_job(job: Node, number: int, resources: tuple[str, ...], slots: int) -> Job:
    job.only("id", "arrival", "epochs", "samples", "batch", "speed", "worker", "server", "utility")
    batch = job["batch"].integer(1)
    speed = read_speed(job["speed"], batch)
    server = job["server"] if speed.uses_servers else job.get("server")
    return Job(
        number=number,
        id=job["id"].text(),
        arrival=job["arrival"].integer(0, slots - 1),
        work=_read_work(job),
        batch=batch,
        speed=speed,
        worker=job["worker"].amounts(resources),
        server=(0.0,) * len(resources) if server is None else server.amounts(resources),
        utility=read_utility(job["utility"]),
    )


def _read_work(job: Node) -> float:
    epochs, samples = job["epochs"].positive(), job["samples"].positive()
    if not 0 < epochs * samples < math.inf:
        raise job["samples"].error(f"a number that, times {epochs!r} epochs, is finite and above 0")
    return epochs * samples


class Instance:
    """Machines are numbered in the order of the document; `capacity` is (machines, resources)."""

    def __init__(self, document: object) -> None:
        root = Node("", document)
        root.only("format", "slots", "slot_seconds", "resources", "machines", "jobs")
        if root["format"].value != "pdors/instance/1":
            raise root["format"].error("pdors/instance/1")
        self.slots = root["slots"].integer(1)
        self.slot_seconds = root["slot_seconds"].positive()
        self.resources = _read_resources(root["resources"])
        self.machines: dict[str, int] = {}
        capacities: list[tuple[float, ...]] = []
        for machine in root["machines"]:
            machine.only("name", "count", "capacity")
            capacity = machine["capacity"].amounts(self.resources)
            names = _machine_names(machine)
            if len(capacities) + len(names) > MOST_MACHINES:
                raise machine.error(f"at most {MOST_MACHINES} machines in all")
            for name in names:
                if name in self.machines:
                    raise machine.error("a name that no other machine has")
                self.machines[name] = len(capacities)
                capacities.append(capacity)
        if not capacities:
            raise root["machines"].error("at least one machine")
        self.machine_names = tuple(self.machines)
        self.capacity = np.array(capacities, dtype=np.float64)
        self.jobs: dict[str, Job] = {}
        for number, node in enumerate(root["jobs"]):
            job = read_job(node, number, self.resources, self.slots)
            if job.id in self.jobs:
                raise node["id"].error("an id that no other job has")
            self.jobs[job.id] = job


def _read_resources(resources: Node) -> tuple[str, ...]:
    names = tuple(name.text() for name in resources)
    if not names or len(set(names)) < len(names):
        raise resources.error("at least one resource, each named once")
    return names


def _machine_names(machine: Node) -> list[str]:
    name = machine["name"].text()
    count = machine.get("count")
    if count is None:
        return [name]
    return [f"{name}-{index}" for index in range(count.integer(1, MOST_MACHINES))]
