"""Machines put together in groups, for what an upper bound has to know of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.offline.paces import SLACK, most_that_fit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Group:
    """Machines that share the prices of a slot: `total` over all of them, `kinds` the capacities of single ones."""

    total: Floats
    kinds: Floats
    machines: tuple[int, ...]


def alike(cluster: Cluster) -> tuple[Group, ...]:
    """One group for each capacity.

    Machines alike can have equal prices at no loss: the value of the dual is convex in the prices, and the same when
    two machines swap theirs, so their mean is as good.
    """
    kinds, kind_of = np.unique(cluster.capacity, axis=0, return_inverse=True)
    members = [np.flatnonzero(kind_of.ravel() == kind) for kind in range(len(kinds))]
    return tuple(
        Group(kind * len(machines) * (1 + SLACK), kind[None], tuple(machines.tolist()))
        for kind, machines in zip(kinds, members, strict=True)
    )


def pooled(cluster: Cluster) -> tuple[Group, ...]:
    """All machines as one; only together on one machine is still asked of each machine on its own."""
    kinds = np.unique(cluster.capacity, axis=0)
    return (Group(cluster.total * (1 + SLACK), kinds, tuple(range(len(cluster)))),)


def most_in_all(demand: Floats, cluster: Cluster) -> float:
    """How many such tasks the whole empty cluster holds, machine by machine."""
    kinds, counts = np.unique(cluster.capacity, axis=0, return_counts=True)
    return float(sum(count * most_that_fit(demand, kind) for kind, count in zip(kinds, counts, strict=True)))
