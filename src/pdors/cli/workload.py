"""`pdors workload`: generated instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from pdors.cli.options import Json, Seed, output_option
from pdors.cli.screen import say, show, show_json, table
from pdors.errors import ModelError
from pdors.workloads.paper_settings import Mix, PaperWorkload, parse_capacity
from pdors.workloads.ranges import Integers, Reals

_TRAINING = "Training: ranges"
_WORKER = "Demand of a worker: ranges"
_SERVER = "Demand of a server: ranges"
_UTILITY = "Utility: ranges, and the mix of the three classes"
_CLUSTER = "Machines, time and arrivals"
_FIELDS = {field.name: field for field in dataclasses.fields(PaperWorkload)}


def _option(name: str, panel: str | None = None, **more: Any) -> Any:
    """The option for a setting, with the words and the unit of that setting."""
    field = _FIELDS[name]
    told, unit = field.metadata["meaning"], field.metadata["unit"]
    if isinstance(field.default, Integers | Reals):
        more = {"metavar": "LOW:HIGH", "parser": _reader(type(field.default))} | more
    return typer.Option(help=f"{told}, {unit}." if unit else f"{told}.", rich_help_panel=panel, **more)


def _reader(kind: type[Integers | Reals | Mix]) -> Callable[[object], Integers | Reals | Mix]:
    """What reads an option; defaults come to it as well, as they are and not as text."""

    def read(given: object) -> Integers | Reals | Mix:
        try:
            return kind.parse(str(given))
        except ModelError as error:
            raise typer.BadParameter(str(error)) from None

    return read


def paper(
    *,
    jobs: Annotated[int, _option("jobs", min=1, metavar="I", show_default=False)],
    machines: Annotated[int, _option("machines", min=1, metavar="H", show_default=False)],
    slots: Annotated[int, _option("slots", min=1, metavar="T", show_default=False)],
    output: Annotated[Path, output_option("INSTANCE", "the instance")],
    seed: Seed = 0,
    json: Json = False,
    epochs: Annotated[Integers, _option("epochs", _TRAINING)] = PaperWorkload.epochs,
    samples: Annotated[Integers, _option("samples", _TRAINING)] = PaperWorkload.samples,
    batch: Annotated[Integers, _option("batch", _TRAINING)] = PaperWorkload.batch,
    gradient_mb: Annotated[Reals, _option("gradient_mb", _TRAINING)] = PaperWorkload.gradient_mb,
    sample_seconds: Annotated[Reals, _option("sample_seconds", _TRAINING)] = PaperWorkload.sample_seconds,
    workers_per_server: Annotated[Reals, _option("workers_per_server", _TRAINING)] = PaperWorkload.workers_per_server,
    external_mb_s: Annotated[Reals, _option("external_mb_s", _TRAINING)] = PaperWorkload.external_mb_s,
    internal_factor: Annotated[Reals, _option("internal_factor", _TRAINING)] = PaperWorkload.internal_factor,
    worker_gpu: Annotated[Integers, _option("worker_gpu", _WORKER)] = PaperWorkload.worker_gpu,
    worker_cpu: Annotated[Integers, _option("worker_cpu", _WORKER)] = PaperWorkload.worker_cpu,
    worker_memory_gb: Annotated[Integers, _option("worker_memory_gb", _WORKER)] = PaperWorkload.worker_memory_gb,
    worker_storage_gb: Annotated[Integers, _option("worker_storage_gb", _WORKER)] = PaperWorkload.worker_storage_gb,
    server_gpu: Annotated[Integers, _option("server_gpu", _SERVER)] = PaperWorkload.server_gpu,
    server_cpu: Annotated[Integers, _option("server_cpu", _SERVER)] = PaperWorkload.server_cpu,
    server_memory_gb: Annotated[Integers, _option("server_memory_gb", _SERVER)] = PaperWorkload.server_memory_gb,
    server_storage_gb: Annotated[Integers, _option("server_storage_gb", _SERVER)] = PaperWorkload.server_storage_gb,
    mix: Annotated[
        Mix, _option("mix", _UTILITY, metavar="INSENSITIVE/SENSITIVE/CRITICAL", parser=_reader(Mix))
    ] = PaperWorkload.mix,
    priority: Annotated[Reals, _option("priority", _UTILITY)] = PaperWorkload.priority,
    insensitive_urgency: Annotated[Reals, _option("insensitive_urgency", _UTILITY)] = PaperWorkload.insensitive_urgency,
    sensitive_urgency: Annotated[Reals, _option("sensitive_urgency", _UTILITY)] = PaperWorkload.sensitive_urgency,
    critical_urgency: Annotated[Reals, _option("critical_urgency", _UTILITY)] = PaperWorkload.critical_urgency,
    target_slots: Annotated[Reals, _option("target_slots", _UTILITY)] = PaperWorkload.target_slots,
    capacity: Annotated[str, _option("capacity", _CLUSTER, metavar="mean|maximum|GPU/CPU/MEMORY/STORAGE")] = str(
        PaperWorkload.capacity
    ),
    capacity_factor: Annotated[float, _option("capacity_factor", _CLUSTER)] = PaperWorkload.capacity_factor,
    load: Annotated[float, _option("load", _CLUSTER, metavar="X")] = PaperWorkload.load,
    slot_seconds: Annotated[float, _option("slot_seconds", _CLUSTER)] = PaperWorkload.slot_seconds,
    odd_slot_weight: Annotated[float, _option("odd_slot_weight", _CLUSTER, show_default="1/3")] = (
        PaperWorkload.odd_slot_weight
    ),
    even_slot_weight: Annotated[float, _option("even_slot_weight", _CLUSTER, show_default="2/3")] = (
        PaperWorkload.even_slot_weight
    ),
) -> None:
    """Generate the paper's synthetic workload: every value is drawn uniformly from its range.

    A range is LOW:HIGH, both ends included, or one number that all jobs get: --epochs 50:200, --batch 64.
    Each range has random numbers of its own: changing one leaves the rest of the instance as it was.
    """
    import numpy as np

    from pdors.files import write_instance
    from pdors.workloads.paper import generate

    workload = PaperWorkload(
        jobs=jobs,
        machines=machines,
        slots=slots,
        slot_seconds=slot_seconds,
        odd_slot_weight=odd_slot_weight,
        even_slot_weight=even_slot_weight,
        load=load,
        epochs=epochs,
        samples=samples,
        batch=batch,
        gradient_mb=gradient_mb,
        sample_seconds=sample_seconds,
        workers_per_server=workers_per_server,
        external_mb_s=external_mb_s,
        internal_factor=internal_factor,
        worker_gpu=worker_gpu,
        worker_cpu=worker_cpu,
        worker_memory_gb=worker_memory_gb,
        worker_storage_gb=worker_storage_gb,
        server_gpu=server_gpu,
        server_cpu=server_cpu,
        server_memory_gb=server_memory_gb,
        server_storage_gb=server_storage_gb,
        mix=mix,
        priority=priority,
        insensitive_urgency=insensitive_urgency,
        sensitive_urgency=sensitive_urgency,
        critical_urgency=critical_urgency,
        target_slots=target_slots,
        capacity=parse_capacity(capacity),
        capacity_factor=capacity_factor,
    )
    write_instance(generate(workload, np.random.default_rng(seed)), output)
    say(f"wrote {jobs} jobs on {machines} machines in {slots} slots to {output}")
    settings = workload.describe()
    if json:
        show_json({"instance": str(output), "seed": seed, "settings": settings})
    else:
        show(table(("setting", "value"), (settings | {"seed": str(seed)}).items()))
