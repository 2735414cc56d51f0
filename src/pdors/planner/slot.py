"""The question of Algorithm 4, theta(t, v): what does it cost to train some samples in one slot?

Asked for a whole range of slots at once, segment by segment, and answered with curves: for every number of workers,
together on one machine or apart on several, the samples trained and the price. Two solvers answer: `fast` and
`paper`. Symbols:

    p_w[h], p_s[h]  price of one worker / one server on machine h   -> worker_price, server_price
    C^[h]           what machine h has left                         -> free
    alpha, beta     demand of a worker / a server                   -> worker, server
    W, S            workers, servers over all machines              -> workers, servers
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Curves:
    """Points of all segments: those of segment k are `offsets[k]` .. `offsets[k + 1]`, by rising samples and cost.

    A point that trains no more than a cheaper one is left out. `failures` counts the questions to which a solver had
    no answer although one may exist (randomised rounding only).
    """

    offsets: Integers
    workers: Integers
    together: NDArray[np.bool_]
    samples: Floats
    cost: Floats
    failures: int = 0

    @staticmethod
    def empty() -> Curves:
        none = np.empty(0, dtype=np.int64)
        return Curves(np.zeros(1, dtype=np.int64), none, none.astype(np.bool_), np.empty(0), np.empty(0))

    def followed_by(self, later: Curves) -> Curves:
        """The curves of these segments and of the ones after them."""
        return Curves(
            np.concatenate([self.offsets, later.offsets[1:] + self.offsets[-1]]),
            np.concatenate([self.workers, later.workers]),
            np.concatenate([self.together, later.together]),
            np.concatenate([self.samples, later.samples]),
            np.concatenate([self.cost, later.cost]),
            self.failures + later.failures,
        )

    def capped(self, work: float) -> Curves:
        """No point is worth more samples than there is work."""
        return replace(self, samples=np.minimum(self.samples, work))


Counts = tuple[Integers, Integers]
"""Workers and servers per machine."""


@dataclass(frozen=True)
class PlacedSlot:
    """One slot's work put on machines, and its price."""

    placement: Placement
    cost: float


@dataclass(frozen=True, eq=False)
class SlotProblem:
    """One slot as dense arrays over machines; `free` (machines, resources) in units."""

    worker_price: Floats
    server_price: Floats
    free: Floats
    worker: Floats
    server: Floats

    def cost(self, workers: Integers, servers: Integers) -> float:
        """The price of so many workers and servers on every machine."""
        return float(workers @ self.worker_price + servers @ self.server_price)


class SlotSolver(Protocol):
    """Answers theta for one job over segments of the ledger."""

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,
    ) -> Curves:
        """The curve of each segment; one whose every sample costs at least `most_per_sample` may be left empty.

        `thorough`: no number of workers is missing that fits; otherwise the last few may be.
        """
        ...

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        """The placement behind one point of the curve of `segment`, as good as the solver can make it."""
        ...
