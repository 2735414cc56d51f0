"""The synthetic workload of the paper's evaluation (section 5): every value uniform in its range, on its own.

Each attribute has a stream of random numbers to itself, and each job the same place in all of them. So a range can be
changed, or jobs, machines or slots added, and whatever else is drawn stays what it was.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility
from pdors.workloads.paper_settings import RESOURCES, PaperWorkload

__all__ = ["PaperWorkload", "generate"]

_RANGES = (
    "epochs",
    "samples",
    "batch",
    "gradient_mb",
    "sample_seconds",
    "workers_per_server",
    "external_mb_s",
    "internal_factor",
    *(f"worker_{resource}" for resource in RESOURCES),
    *(f"server_{resource}" for resource in RESOURCES),
    "priority",
    "target_slots",
)
_STREAMS = (*_RANGES, "arrival", "class", "urgency")
"""In this order for good: a new one goes to the end, or the same seed no longer gives the same jobs."""

_Units = NDArray[np.float64]
"""One number per job, uniform in [0, 1)."""


def generate(workload: PaperWorkload, rng: np.random.Generator) -> Instance:
    """An instance whose jobs are in order of arrival; the streams are spawned from `rng`."""
    streams = zip(_STREAMS, rng.spawn(len(_STREAMS)), strict=True)
    units = {name: stream.random(workload.jobs) for name, stream in streams}
    columns = {name: getattr(workload, name).at(units[name]).tolist() for name in _RANGES}
    columns["arrival"] = _arrivals(workload, units["arrival"]).tolist()
    columns["urgency"] = _urgencies(workload, units["class"], units["urgency"]).tolist()
    if workload.load != 1:
        columns["epochs"] = [workload.load * epochs for epochs in columns["epochs"]]
    drawn = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    drawn.sort(key=lambda values: values["arrival"])
    return Instance(
        slots=workload.slots,
        slot_seconds=workload.slot_seconds,
        cluster=Cluster(RESOURCES, (MachineGroup("m", workload.machine_capacity, workload.machines),)),
        jobs=tuple(_job(f"job-{index}", values) for index, values in enumerate(drawn)),
    )


def _job(job_id: str, drawn: dict[str, float]) -> Job:
    return Job(
        id=job_id,
        arrival=int(drawn["arrival"]),
        epochs=drawn["epochs"],
        samples=drawn["samples"],
        batch=int(drawn["batch"]),
        speed=ParameterServerSpeed(
            sample_seconds=drawn["sample_seconds"],
            gradient_mb=drawn["gradient_mb"],
            workers_per_server=drawn["workers_per_server"],
            internal_mb_s=drawn["external_mb_s"] * drawn["internal_factor"],
            external_mb_s=drawn["external_mb_s"],
        ),
        worker=tuple(drawn[f"worker_{resource}"] for resource in RESOURCES),
        server=tuple(drawn[f"server_{resource}"] for resource in RESOURCES),
        utility=SigmoidUtility(drawn["priority"], drawn["urgency"], drawn["target_slots"]),
    )


def _arrivals(workload: PaperWorkload, units: _Units) -> NDArray[np.int64]:
    """Slots by the weights of odd and even ones: relative probabilities, as the number of jobs is given."""
    is_odd = np.arange(workload.slots) % 2 == 1
    return _pick(np.where(is_odd, workload.odd_slot_weight, workload.even_slot_weight), units)


def _urgencies(workload: PaperWorkload, class_units: _Units, units: _Units) -> NDArray[np.float64]:
    """The class of each job by the mix, and its urgency in the range of that class."""
    by_class = (workload.insensitive_urgency, workload.sensitive_urgency, workload.critical_urgency)
    picked = _pick(np.array(workload.mix.shares), class_units)
    return np.stack([urgency.at(units) for urgency in by_class])[picked, np.arange(len(units))]


def _pick(weights: NDArray[np.float64], units: _Units) -> NDArray[np.int64]:
    """The index whose part of the total weight holds the unit."""
    reached = np.cumsum(weights)
    return np.searchsorted(reached / reached[-1], units, side="right")
