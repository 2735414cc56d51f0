"""Machines and what they hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError

Amounts = tuple[float, ...]
"""One amount per resource, in the order of `Cluster.resources`."""


def require_amounts(owner: str, amounts: Iterable[float]) -> None:
    for amount in amounts:
        if not (math.isfinite(amount) and amount >= 0):
            raise ModelError(f"{owner}: every amount must be a finite number of at least 0, got {amount}")


@dataclass(frozen=True, slots=True)
class MachineGroup:
    """One machine called `name`, or (with `count`) that many alike, called `name-0`, `name-1`, ..."""

    name: str
    capacity: Amounts
    count: int | None = None

    def __post_init__(self) -> None:
        require_amounts(f"machine {self.name}", self.capacity)
        if self.count is not None and self.count < 1:
            raise ModelError(f"machine {self.name}: count must be at least 1, got {self.count}")

    @property
    def machine_names(self) -> tuple[str, ...]:
        if self.count is None:
            return (self.name,)
        return tuple(f"{self.name}-{index}" for index in range(self.count))


@dataclass(frozen=True)
class Cluster:
    """All machines, numbered in the order of their groups."""

    resources: tuple[str, ...]
    groups: tuple[MachineGroup, ...]

    def __post_init__(self) -> None:
        if not self.resources or len(set(self.resources)) != len(self.resources):
            raise ModelError(f"a cluster needs resources, each named once, got {self.resources}")
        for group in self.groups:
            if len(group.capacity) != len(self.resources):
                raise ModelError(f"machine {group.name}: one capacity per resource is needed")
        if not self.groups:
            raise ModelError("a cluster needs at least one machine")
        if len(self.machine_index) != len(self.machine_names):
            raise ModelError("two machines have the same name")

    @cached_property
    def machine_names(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name in group.machine_names)

    @cached_property
    def machine_index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.machine_names)}

    @cached_property
    def capacity(self) -> NDArray[np.float64]:
        """Capacity per machine and resource, (machines, resources); read-only."""
        rows = np.array([group.capacity for group in self.groups], dtype=np.float64)
        table = np.repeat(rows, [group.count or 1 for group in self.groups], axis=0)
        table.setflags(write=False)
        return table

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """Capacity of the whole cluster per resource; read-only."""
        total: NDArray[np.float64] = self.capacity.sum(axis=0)
        total.setflags(write=False)
        return total

    def amounts(self, named: dict[str, float]) -> Amounts:
        """Amounts by resource name as a tuple in the order of `resources`; a missing name is 0."""
        unknown = set(named) - set(self.resources)
        if unknown:
            raise ModelError(f"unknown resources {sorted(unknown)}; the cluster has {list(self.resources)}")
        return tuple(float(named.get(name, 0.0)) for name in self.resources)

    def __len__(self) -> int:
        return len(self.machine_names)
