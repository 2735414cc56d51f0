"""Instances in and out: `pdors/instance/1`."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Final

from pdors.files.kinds import PARAMETER_SERVER, read_speed, read_utility, speed_document, utility_document
from pdors.files.output import plain, write_document
from pdors.files.place import MISSING, Fields, Place, read_document
from pdors.files.text import RawDocument, read_raw
from pdors.files.wording import at_key, shown
from pdors.model.cluster import Amounts, Cluster, MachineGroup
from pdors.model.job import Instance, Job

INSTANCE_FORMAT: Final = "pdors/instance/1"
_LARGEST_COUNT = 2**31 - 1
"""Slots and workers: products of two of them stay exact in 64 bits."""
_MOST_MACHINES = 10**6
"""Every machine has a name and a row of its own in memory."""

_Resources = tuple[str, ...] | None
"""None where the document does not say which there are: then no name of a resource can be called unknown."""


def read_instance(path: str | Path) -> Instance:
    return read_document(read_raw(path), INSTANCE_FORMAT, _read_instance)


def parse_instance(data: object, source: str) -> Instance:
    """An instance from plain data; `source` is what errors call it."""
    return read_document(RawDocument(data, source, ()), INSTANCE_FORMAT, _read_instance)


def write_instance(instance: Instance, path: str | Path) -> None:
    write_document(instance_document(instance), path)


def instance_document(instance: Instance) -> dict[str, object]:
    cluster = instance.cluster
    return {
        "format": INSTANCE_FORMAT,
        "slots": int(instance.slots),
        "slot_seconds": plain(instance.slot_seconds),
        "resources": list(cluster.resources),
        "machines": [_machine_document(group, cluster) for group in cluster.groups],
        "jobs": [_job_document(job, cluster) for job in instance.jobs],
    }


def _machine_document(group: MachineGroup, cluster: Cluster) -> dict[str, object]:
    count = {} if group.count is None else {"count": int(group.count)}
    return {"name": group.name} | count | {"capacity": _amounts_document(group.capacity, cluster)}


def _job_document(job: Job, cluster: Cluster) -> dict[str, object]:
    document: dict[str, object] = {
        "id": job.id,
        "arrival": int(job.arrival),
        "epochs": plain(job.epochs),
        "samples": plain(job.samples),
        "batch": int(job.batch),
        "speed": speed_document(job.speed),
        "worker": _amounts_document(job.worker, cluster),
    }
    if job.needs_servers or any(job.server):
        document["server"] = _amounts_document(job.server, cluster)
    return document | {"utility": utility_document(job.utility)}


def _amounts_document(amounts: Amounts, cluster: Cluster) -> dict[str, object]:
    return {name: plain(amount) for name, amount in zip(cluster.resources, amounts, strict=True)}


def _read_instance(fields: Fields) -> Instance:
    fields("format").exactly(INSTANCE_FORMAT)
    slots = fields("slots").integer(least=1, most=_LARGEST_COUNT)
    slot_seconds = fields("slot_seconds").number(above=0)
    resources = _read_resources(fields("resources"))
    groups = _read_machines(fields("machines"), resources)
    jobs = _read_jobs(fields("jobs"), slots, resources)
    return fields.build(lambda: Instance(slots, slot_seconds, Cluster(resources or (), groups), jobs))


def _read_resources(place: Place) -> _Resources:
    seen: dict[str, str] = {}
    names = tuple(item.new_text(seen) for item in place.items(at_least_one="resource"))
    return names if names and None not in names else None


def _read_amounts(place: Place, resources: _Resources) -> Amounts:
    """One amount per resource; one that is not named is 0."""
    amounts: dict[str, float] = {}
    for name, entry in place.entries().items():
        if resources is None or name in resources:
            amounts[name] = entry.number(least=0)
        else:
            entry.wrong("no such key; the resources are " + ", ".join(at_key("", name) for name in resources))
    return tuple(amounts.get(name, 0.0) for name in resources or ())


def _read_machines(place: Place, resources: _Resources) -> tuple[MachineGroup, ...]:
    read = partial(_read_machine, resources=resources, taken=_MachineNames())
    return tuple(item.record(read) for item in place.items(at_least_one="machine"))


def _read_machine(fields: Fields, resources: _Resources, taken: _MachineNames) -> MachineGroup:
    name, count = fields("name"), fields("count")
    prefix = name.text()
    machines = None if count.value is MISSING else count.integer(least=1, most=_MOST_MACHINES)
    if prefix is not None and (count.value is MISSING or machines is not None):
        taken.add(name, MachineGroup(prefix, (), machines))
    return fields.build(MachineGroup, prefix, _read_amounts(fields("capacity"), resources), machines)


class _MachineNames:
    """The names of all machines so far, each with the place that gave it."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}

    def add(self, place: Place, group: MachineGroup) -> None:
        if len(self._paths) + (group.count or 1) > _MOST_MACHINES:
            place.wrong(f"at most {_MOST_MACHINES} machines in all")
            return
        for name in group.machine_names:
            if name in self._paths:
                place.wrong(f"names that no other machine has ({self._paths[name]} gives {shown(name)} too)")
                return
        self._paths.update(dict.fromkeys(group.machine_names, place.path))


def _read_jobs(place: Place, slots: int | None, resources: _Resources) -> tuple[Job, ...]:
    last_slot = _LARGEST_COUNT if slots is None else slots - 1
    read = partial(_read_job, last_slot=last_slot, resources=resources, ids={})
    return tuple(item.record(read) for item in place.items())


def _read_job(fields: Fields, last_slot: int, resources: _Resources, ids: dict[str, str]) -> Job:
    job_id = fields("id").new_text(ids)
    arrival = fields("arrival").integer(least=0, most=last_slot)
    epochs = fields("epochs").number(above=0)
    samples = _read_samples(fields("samples"), epochs)
    batch = fields("batch").integer(least=1, most=_LARGEST_COUNT)
    speed = fields("speed")
    has_servers = isinstance(speed.value, dict) and speed.value.get("kind") == PARAMETER_SERVER
    return fields.build(
        Job,
        id=job_id,
        arrival=arrival,
        epochs=epochs,
        samples=samples,
        batch=batch,
        speed=speed.record(read_speed),
        worker=_read_amounts(fields("worker"), resources),
        server=_read_amounts(fields("server") if has_servers else fields("server", {}), resources),
        utility=fields("utility").record(read_utility),
    )


def _read_samples(place: Place, epochs: float | None) -> float:
    samples = place.number(above=0)
    if epochs and samples and not 0 < epochs * samples < math.inf:
        samples = place.wrong(f"a number that, times {shown(epochs)} epochs, is finite and above 0")
    return samples
