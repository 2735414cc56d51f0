"""The machines of OASiS in two pools: one for workers, one for parameter servers.

The pools are alike on any cluster: machines are ordered by what they have, the largest first, and dealt to the pools in
turn, in proportion to the share of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError
from pdors.model.cluster import Cluster, MachineGroup

Integers = NDArray[np.int64]

WORKER_SHARE = 0.5
"""Of the machines: halves."""


@dataclass(frozen=True, eq=False)
class Pools:
    """Machines by number, in rising order."""

    cluster: Cluster
    worker_machines: Integers
    server_machines: Integers

    @staticmethod
    def of(cluster: Cluster, worker_share: float = WORKER_SHARE) -> Pools:
        """So large a share of the machines is for workers, rounded, but one machine at least for either kind.

        One machine alone cannot be divided: it is for workers, and there is none for servers.
        """
        if not 0 < worker_share < 1:
            raise ModelError(f"worker_share must be above 0 and below 1, got {worker_share}")
        machines = len(cluster)
        for_workers = max(1, min(machines - 1, int(worker_share * machines + 0.5)))
        dealt = -(-np.arange(machines + 1) * for_workers // machines)
        is_for_workers = np.empty(machines, dtype=np.bool_)
        is_for_workers[_largest_first(cluster)] = np.diff(dealt) > 0
        return Pools(cluster, np.flatnonzero(is_for_workers), np.flatnonzero(~is_for_workers))

    def as_clusters(self) -> tuple[Cluster, Cluster]:
        """Each pool as a cluster of its own, to calibrate prices on: all its machines in one."""
        resources, capacity = self.cluster.resources, self.cluster.capacity
        of_workers, of_servers = (
            Cluster(resources, (MachineGroup(name, tuple(capacity[machines].sum(axis=0).tolist())),))
            for name, machines in (("workers", self.worker_machines), ("servers", self.server_machines))
        )
        return of_workers, of_servers


def _largest_first(cluster: Cluster) -> Integers:
    """By the first resource, where that is equal by the second, and so on; of equal machines the earlier one."""
    order: Integers = np.lexsort([-column for column in cluster.capacity.T[::-1]])
    return order
