"""The ranges of the paper's evaluation (section 5), each one a setting.

    E       epochs                         -> epochs
    K       samples of an epoch            -> samples
    F       global batch                   -> batch                        samples per iteration
    g       gradient size                  -> gradient_mb                  MB
    tau     time per sample                -> sample_seconds               seconds
    gamma   workers per server             -> workers_per_server
    b(e)    rate between machines          -> external_mb_s                MB/s
    b(i)    rate on one machine            -> internal_factor              multiple of b(e)
    alpha   demand of a worker             -> worker_gpu ...               amounts of each resource
    beta    demand of a server             -> server_gpu ...               amounts of each resource
    theta1  what finishing is worth        -> priority
    theta2  how fast that fades            -> insensitive_urgency ...      1 / slot, by class of job
    theta3  target duration                -> target_slots                 slots

The paper prints tau in slots (1e-5 .. 1e-4), without the length of a slot, and no rates at all: slots of one hour and
b(e) of 100 Mb/s .. 5 Gb/s are this module's. Nothing here needs numpy, so that a command can show its defaults at once.
"""

# ruff: noqa: RUF009 - the call in every default is a dataclass field of an immutable value

from __future__ import annotations

import dataclasses
import math
from typing import Literal, TypeVar, get_args

from pdors.errors import ModelError
from pdors.workloads.ranges import Integers, Reals, plain

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb")
CapacityRule = Literal["mean", "maximum"]
_MOST_MACHINES = 10**6
"""What documents take for a cluster."""

_Value = TypeVar("_Value")


@dataclasses.dataclass(frozen=True, slots=True)
class Mix:
    """Percent of the jobs in each class, in the order in which the paper names them."""

    insensitive: float
    sensitive: float
    critical: float

    def __post_init__(self) -> None:
        total = sum(self.shares)
        if not (min(self.shares) >= 0 and math.isclose(total, 100)):
            raise ModelError(f"got {self}, expected three percentages of at least 0 that sum to 100, as in 10/55/35")

    @property
    def shares(self) -> tuple[float, float, float]:
        return self.insensitive, self.sensitive, self.critical

    @classmethod
    def parse(cls, text: str) -> Mix:
        """`10/55/35`: time-insensitive, time-sensitive and time-critical."""
        shares = _numbers(text)
        if len(shares) != 3:
            raise ModelError(
                f"got {text!r}, expected the percentages INSENSITIVE/SENSITIVE/CRITICAL that sum to 100, as in 10/55/35"
            )
        return cls(*shares)

    def __str__(self) -> str:
        return "/".join(map(plain, self.shares))


def parse_capacity(text: str) -> CapacityRule | tuple[float, ...]:
    """`mean`, `maximum`, or an amount per resource as in `36/99/306/135`."""
    for rule in get_args(CapacityRule):
        if text == rule:
            return rule  # type: ignore[no-any-return]  # get_args has no types
    amounts = _numbers(text)
    if len(amounts) != len(RESOURCES):
        raise ModelError(f"capacity: got {text!r}, expected mean, maximum or {'/'.join(RESOURCES)} as in 36/99/306/135")
    return amounts


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers between slashes; none where one of them is no number."""
    try:
        return tuple(map(float, text.split("/")))
    except ValueError:
        return ()


def _told(meaning: str, *, unit: str = "", above_zero: bool = False) -> dict[str, object]:
    return {"meaning": meaning, "unit": unit, "above_zero": above_zero}


def _setting(default: _Value, meaning: str, *, unit: str = "", above_zero: bool = False) -> _Value:
    return dataclasses.field(default=default, metadata=_told(meaning, unit=unit, above_zero=above_zero))


@dataclasses.dataclass(frozen=True, kw_only=True)
class PaperWorkload:
    """`jobs` jobs that arrive within `slots` slots at `machines` machines alike."""

    jobs: int = dataclasses.field(metadata=_told("Jobs", above_zero=True))
    machines: int = dataclasses.field(metadata=_told("Machines, all alike", above_zero=True))
    slots: int = dataclasses.field(metadata=_told("Slots of the horizon", above_zero=True))
    slot_seconds: float = _setting(3600.0, "Length of a slot", unit="seconds", above_zero=True)

    odd_slot_weight: float = _setting(1 / 3, "How likely a job arrives in a slot of odd number, relatively")
    even_slot_weight: float = _setting(2 / 3, "The same for slots of even number; the first slot is 0")

    load: float = _setting(1.0, "Work offered: every job has this many times its epochs", above_zero=True)

    epochs: Integers = _setting(Integers(50, 200), "Epochs E", above_zero=True)
    samples: Integers = _setting(Integers(20_000, 500_000), "Samples K of an epoch", above_zero=True)
    batch: Integers = _setting(Integers(1, 200), "Global batch F, also the most workers", above_zero=True)
    gradient_mb: Reals = _setting(Reals(30, 575), "Size g of the gradients", unit="MB")
    sample_seconds: Reals = _setting(
        Reals(0.036, 0.36), "Time tau to train a sample on a worker", unit="seconds", above_zero=True
    )
    workers_per_server: Reals = _setting(Reals(1, 10), "Workers per server, gamma", above_zero=True)
    external_mb_s: Reals = _setting(Reals(12.5, 625), "Rate b(e) between machines", unit="MB/s", above_zero=True)
    internal_factor: Reals = _setting(Reals(10, 20), "Rate on one machine as a multiple of b(e)", above_zero=True)

    worker_gpu: Integers = _setting(Integers(0, 4), "GPUs of a worker")
    worker_cpu: Integers = _setting(Integers(1, 10), "CPUs of a worker")
    worker_memory_gb: Integers = _setting(Integers(2, 32), "Memory of a worker", unit="GB")
    worker_storage_gb: Integers = _setting(Integers(5, 10), "Storage of a worker", unit="GB")
    server_gpu: Integers = _setting(Integers(0, 0), "GPUs of a server")
    server_cpu: Integers = _setting(Integers(1, 10), "CPUs of a server")
    server_memory_gb: Integers = _setting(Integers(2, 32), "Memory of a server", unit="GB")
    server_storage_gb: Integers = _setting(Integers(5, 10), "Storage of a server", unit="GB")

    mix: Mix = _setting(Mix(10, 55, 35), "Time-insensitive, time-sensitive and time-critical jobs", unit="percent")
    priority: Reals = _setting(Reals(1, 100), "Priority theta1: what finishing early is worth")
    insensitive_urgency: Reals = _setting(Reals(0, 0), "Urgency theta2 of time-insensitive jobs", unit="per slot")
    sensitive_urgency: Reals = _setting(Reals(0.01, 1), "Urgency theta2 of time-sensitive jobs", unit="per slot")
    critical_urgency: Reals = _setting(Reals(4, 6), "Urgency theta2 of time-critical jobs", unit="per slot")
    target_slots: Reals = _setting(Reals(1, 15), "Target duration theta3", unit="slots")

    capacity: CapacityRule | tuple[float, ...] = _setting(
        "mean", "A machine: capacity factor x the mean or the maximum demand of a worker, or its amounts"
    )
    capacity_factor: float = _setting(18.0, "How many workers of that demand fit on a machine", above_zero=True)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Integers | Reals | int | float):
                _require_sign(field.name, value, above_zero=field.metadata["above_zero"])
        if self.machines > _MOST_MACHINES:
            raise ModelError(f"machines: got {self.machines}, expected at most {_MOST_MACHINES}")
        if not isinstance(self.capacity, str):
            _require_capacity(self.capacity)
        if self.even_slot_weight == 0 and (self.odd_slot_weight == 0 or self.slots == 1):
            raise ModelError("even_slot_weight: got 0, expected above 0 where no job can arrive in an odd slot")

    @property
    def worker(self) -> tuple[Integers, ...]:
        """Demands of a worker, in the order of `RESOURCES`."""
        return self.worker_gpu, self.worker_cpu, self.worker_memory_gb, self.worker_storage_gb

    @property
    def machine_capacity(self) -> tuple[float, ...]:
        """What one machine has, in the order of `RESOURCES`."""
        if self.capacity == "mean":
            return tuple(self.capacity_factor * (demand.low + demand.high) / 2 for demand in self.worker)
        if self.capacity == "maximum":
            return tuple(self.capacity_factor * demand.high for demand in self.worker)
        return self.capacity

    def describe(self) -> dict[str, str]:
        """Every setting by name, with its unit, as it should stand beside a result."""
        told = {field.name: self._described(field) for field in dataclasses.fields(self)}
        amounts = zip(RESOURCES, self.machine_capacity, strict=True)
        return told | {"machine": ", ".join(f"{resource} {plain(amount)}" for resource, amount in amounts)}

    def _described(self, field: dataclasses.Field[object]) -> str:
        value = getattr(self, field.name)
        if isinstance(value, tuple):
            value = "/".join(map(plain, value))
        text = plain(value) if isinstance(value, int | float) else str(value)
        return f"{text} {field.metadata['unit']}".rstrip()


def _require_sign(name: str, value: Integers | Reals | float, *, above_zero: bool) -> None:
    low = value.low if isinstance(value, Integers | Reals) else value
    if not math.isfinite(low) or low < 0 or (above_zero and low == 0):
        raise ModelError(f"{name}: got {value}, expected {'above 0' if above_zero else 'at least 0'}")


def _require_capacity(amounts: tuple[float, ...]) -> None:
    if len(amounts) != len(RESOURCES) or not all(math.isfinite(amount) and amount >= 0 for amount in amounts):
        raise ModelError(f"capacity: got {amounts}, expected {len(RESOURCES)} finite amounts of at least 0")
