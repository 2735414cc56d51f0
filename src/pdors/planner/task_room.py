"""Which machines can hold a task beside nothing else, and with it the sizes of the external program of a slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.planner.rounding import Sizes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TaskRoom:
    """`worker_at` and `server_at` are the machines that can hold a worker, a server; `most` how many, in fractions.

    `most` has the workers first, then the servers; it is the upper bound of each variable of the linear program.
    """

    worker_at: Integers
    server_at: Integers
    most: Floats
    resources: int

    @staticmethod
    def of(free: Floats, worker: Floats, server: Floats) -> TaskRoom:
        """`free` is what machines have left, (machines, resources)."""
        workers, servers = _room(free, worker), _room(free, server)
        worker_at, server_at = np.flatnonzero(workers >= 1), np.flatnonzero(servers >= 1)
        return TaskRoom(
            worker_at, server_at, np.concatenate([workers[worker_at], servers[server_at]]), len(worker)
        )  # fmt: skip

    def sizes(self, workers: int, servers: int, batch: int) -> Sizes:
        """m, W_a, r and W_b as in Theorems 3 and 4, over the machines that can hold a task."""
        machines = len(np.union1d(self.worker_at, self.server_at))
        return Sizes(
            cover_rows=2 if servers else 1,
            cover_width=min(workers, servers) if servers else workers,
            packing_rows=machines * self.resources + 1,
            packing_width=float(self.most.min(initial=batch)),
        )


def _room(free: Floats, demand: Floats) -> Floats:
    """How many tasks each machine could hold beside nothing else, in fractions."""
    used = demand > 0
    room: Floats = (free[:, used] / demand[used]).min(axis=1, initial=np.inf)
    return room
