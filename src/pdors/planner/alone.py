"""Whether a job could finish before the horizon with the whole cluster to itself."""

from __future__ import annotations

from pdors.model.cluster import Cluster
from pdors.model.job import WORK_TOLERANCE
from pdors.model.ledger import Ledger
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.planner.slot_fast import FastSlotSolver


class Alone:
    """The empty cluster, asked by the solver and, as rounding may fail there too, by the one that is sure."""

    def __init__(self, cluster: Cluster, slots: int, solver: SlotSolver | None = None) -> None:
        self._empty = Ledger(cluster)
        self._slots = slots
        sure = FastSlotSolver(self._empty.units)
        self._solvers = (sure,) if solver is None else (solver, sure)

    def could_finish(self, shape: JobShape) -> bool:
        slots = self._slots - shape.job.arrival
        needed = shape.work * (1 - WORK_TOLERANCE / 2)
        if slots <= 0 or slots * max(shape.together.max(), shape.apart.max()) < needed:
            return False
        return any(slots * self._most_samples(shape, solver) >= needed for solver in self._solvers)

    def _most_samples(self, shape: JobShape, solver: SlotSolver) -> float:
        """The most that one slot trains."""
        free = PriceBounds.free(len(self._empty.cluster.resources))
        return float(solver.curves(shape, free, self._empty.segments(0, 1)).samples.max(initial=0.0))
