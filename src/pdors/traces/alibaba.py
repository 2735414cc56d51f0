"""Alibaba's GPU trace of 2023 (`cluster-trace-gpu-v2023`): its nodes are the machines, its pods the jobs.

    workers    one for each GPU of a pod, with that part of its CPUs and memory, all on one node; one for a pod that has
               no GPU, or a part of one
    work       as many samples as there are seconds that it ran, times its workers, each of which trains one per second
    urgency    BE: time-insensitive; Burstable and Guaranteed: time-sensitive; LS: time-critical
    utility    a sigmoid of that urgency as the paper draws it

Pods of lists without times arrive, train and are worth as the paper draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import TableSpeed
from pdors.traces.excerpt import Arrival, Excerpt
from pdors.traces.filling import SPEED, URGENCIES, WORK, Filling, paper_machines, told_machines
from pdors.traces.names import Names
from pdors.traces.report import Tally, Trace
from pdors.traces.row import Row, RowError, shown
from pdors.traces.sources import Format, tables
from pdors.traces.table import Table, unusable
from pdors.workloads.paper_settings import RESOURCES as PAPER_RESOURCES
from pdors.workloads.paper_settings import Mix, PaperWorkload

RESOURCES = ("gpu", "cpu", "memory_gib")
_TIMES = ("creation_time", "deletion_time", "scheduled_time")
PODS = Format(
    "pods", ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"), optional=(*_TIMES, "qos", "gpu_spec")
)
NODES = Format("nodes", ("sn", "cpu_milli", "memory_mib", "gpu"))

_MILLI = 1000
_MIB_PER_GIB = 1024
_MOST_GPUS = 1024
_CLASS_OF = {"BE": 0, "Burstable": 1, "Guaranteed": 1, "LS": 2}
"""The place in the paper's classes of each quality of service."""


@dataclass(frozen=True, slots=True)
class _Pod:
    """`seconds` is how long it ran; None, as the others, where its list does not say."""

    name: str
    workers: int
    worker: tuple[float, ...]
    created: float | None
    seconds: float | None
    urgency: int | None


def read(
    paths: Iterable[Path],
    excerpt: Excerpt,
    rng: np.random.Generator,
    *,
    nodes: int | None = None,
    machines: int,
    mix: Mix = PaperWorkload.mix,
) -> Trace:
    """An instance on all nodes, or `nodes` of them drawn at random; without a list of nodes on the paper's machines.

    `paths` are a list of pods and one of nodes; of the lists in a folder the first of each by name is read.
    """
    paths, tally = list(paths), Tally()
    of_nodes, sampling, of_arrivals, drawing = rng.spawn(4)
    sources = tables(paths, (PODS, NODES), tally)
    node_list = _one(sources[NODES], paths, tally)
    pod_list = _one(sources[PODS], paths, tally)
    if pod_list is None:
        raise unusable(", ".join(map(str, paths)), "pods", "no list of them", str(PODS))
    cluster = _paper_cluster(machines, tally) if node_list is None else _cluster(node_list, nodes, of_nodes, tally)
    pods = _pods(pod_list, tally)
    if pod_list.columns.keys() >= set(_TIMES):
        arrivals = excerpt.take([pod.created or 0.0 for pod in pods], sampling, tally)
    else:
        drawn = Filling(len(pods), excerpt, of_arrivals, mix=mix, slots=excerpt.slots)
        arrivals = excerpt.take_drawn([drawn.job(index).arrival for index in range(len(pods))], sampling, tally)
    filling = Filling(len(arrivals), excerpt, drawing, mix=mix)
    taken = [pods[arrival.index] for arrival in arrivals]
    jobs = tuple(
        _job(pod, arrival, filling.job(index, pod.urgency))
        for index, (arrival, pod) in enumerate(zip(arrivals, taken, strict=True))
    )
    _tell(pod_list, filling, tally)
    return tally.trace(Instance(excerpt.slots, excerpt.slot_seconds, cluster, jobs), excerpt.jobs)


def _one(lists: list[Table], paths: list[Path], tally: Tally) -> Table | None:
    """The list that was named, else the first in the folder: the published ones are variants of each other."""
    named = [table for table in lists if table.path in paths]
    if len(named) > 1:
        raise unusable(named[1].path, "file", f"a second list beside {named[0].path}", "one list of pods, one of nodes")
    chosen = next(iter(named or lists), None)
    for table in lists:
        if table is not chosen and chosen is not None:
            tally.files_not_read[str(table.path)] = f"another list like {chosen.path.name}"
    return chosen


def _paper_cluster(machines: int, tally: Tally) -> Cluster:
    cluster = paper_machines(machines, RESOURCES)
    tally.filled |= told_machines(cluster)
    return cluster


def _cluster(table: Table, nodes: int | None, rng: np.random.Generator, tally: Tally) -> Cluster:
    seen = Names("node")

    def parse(row: Row) -> MachineGroup:
        capacity = (
            row.number("gpu", least=0),
            row.number("cpu_milli", least=0) / _MILLI,
            row.number("memory_mib", least=0) / _MIB_PER_GIB,
        )
        return MachineGroup(seen.take(row.text("sn"), table), capacity)

    groups = list(table.read(parse, tally))
    if nodes is None or nodes >= len(groups):
        return Cluster(RESOURCES, tuple(groups))
    tally.filled["machines"] = f"{nodes} nodes, drawn from the {len(groups)} of the trace"
    return Cluster(RESOURCES, tuple(groups[index] for index in sorted(rng.permutation(len(groups))[:nodes])))


def _pods(table: Table, tally: Tally) -> list[_Pod]:
    """The pods that ran, or of which it is not said whether they did."""
    read_pods = list(table.read(_pod_parser(table), tally))
    tally.jobs_found = len(read_pods)
    pods = [pod for pod in read_pods if pod.seconds is None or pod.seconds > 0]
    tally.leave_out("never ran, or for less than a second", len(read_pods) - len(pods))
    if not pods:
        raise unusable(table.path, "pods", "none that ran", "at least one")
    return pods


def _pod_parser(table: Table) -> Callable[[Row], _Pod]:
    names, has_times = Names("pod"), table.columns.keys() >= set(_TIMES)

    def parse(row: Row) -> _Pod:
        gpus = row.integer("num_gpu", least=0, most=_MOST_GPUS)
        workers = max(gpus, 1)
        gpu = row.integer("gpu_milli", least=1, most=_MILLI) / _MILLI if gpus == 1 else float(gpus > 0)
        created, seconds = _times(row) if has_times else (None, None)
        return _Pod(
            workers=workers,
            worker=(
                gpu,
                row.number("cpu_milli", least=0) / _MILLI / workers,
                row.number("memory_mib", least=0) / _MIB_PER_GIB / workers,
            ),
            created=created,
            seconds=seconds,
            urgency=_urgency(row) if "qos" in table.columns else None,
            name=names.take(row.text("name"), table),
        )

    return parse


def _times(row: Row) -> tuple[float, float]:
    """When it was created, and how long it ran; 0 if it was never scheduled."""
    created = row.number("creation_time", least=0)
    if not row.optional_text("scheduled_time"):
        return created, 0.0
    scheduled = row.number("scheduled_time", least=created)
    return created, row.number("deletion_time", least=scheduled) - scheduled


def _urgency(row: Row) -> int:
    quality = row.text("qos")
    if quality not in _CLASS_OF:
        raise RowError(f"qos: got {shown(quality)}, expected one of {', '.join(_CLASS_OF)}")
    return _CLASS_OF[quality]


def _job(pod: _Pod, arrival: Arrival, filled: Job) -> Job:
    job = replace(filled, id=pod.name, arrival=arrival.slot, worker=pod.worker, server=filled.server[: len(RESOURCES)])
    if pod.seconds is None:
        return job
    rate = float(pod.workers)
    return replace(
        job,
        epochs=1,
        samples=pod.seconds * pod.workers,
        batch=pod.workers,
        speed=TableSpeed((pod.workers,), (rate,), (None,)),
        server=(0.0,) * len(RESOURCES),
    )


def _tell(table: Table, filling: Filling, tally: Tally) -> None:
    if table.columns.keys() >= set(_TIMES):
        tally.filled["samples"] = "the seconds that it ran x its workers"
        tally.filled["speed"] = "a sample per second for each worker, all of them on one node"
    else:
        servers = (f"server_{resource}" for resource in PAPER_RESOURCES[: len(RESOURCES)])
        tally.filled |= filling.told("batch", *WORK, *SPEED, *servers)
    tally.filled |= filling.told("priority", "target_slots")
    tally.filled |= filling.told(*URGENCIES) if "qos" in table.columns else filling.told_classes()
    if "gpu_spec" in table.columns:
        tally.unused["gpu_spec"] = "GPUs are all alike here, whatever model a pod wants"
