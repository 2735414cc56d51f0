"""The parts of a decision after its curves, run once on a small example: `python -m pdors.planner.rehearsal`.

Compiling the planner takes a first run some seconds, and numba compiles one function at a time. While that run compiles
the curves, a second process that does this compiles the rest, and leaves it on disk where the first one finds it.
"""

from __future__ import annotations

import numpy as np

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed
from pdors.model.utility import DeadlineUtility
from pdors.planner.calendar import Calendar
from pdors.planner.lagrangian import place_exactly
from pdors.planner.polishing import place_apart
from pdors.planner.slot import Curves, SlotProblem


def rehearse() -> None:
    """In the order in which a decision needs them."""
    _all_slots()
    _one_slot()
    _reservation()


def _all_slots() -> None:
    """Work that the second point of the curve overshoots, so that both passes of Algorithm 3 run."""
    curve = Curves(
        np.array([0, 2]), np.array([1, 3]), np.array([True, True]), np.array([1.0, 2.0]), np.array([1.0, 1.5])
    )
    calendar = Calendar(3.0, np.array([4]))
    calendar.extend(curve)
    calendar.plan(3)
    calendar.plan_on_grid(np.full(4, 3.0), 0.0)


def _one_slot() -> None:
    problem = SlotProblem(
        worker_price=np.array([1.0, 2.0]),
        server_price=np.array([1.0, 3.0]),
        free=np.array([[4.0], [4.0]]),
        worker=np.array([1.0]),
        server=np.array([2.0]),
    )
    place_apart(problem, np.array([0, 1, 1, 1]), 3, on_several=False)
    place_exactly(problem, 3, 1, None)


def _reservation() -> None:
    ledger = Ledger(Cluster(("gpu",), (MachineGroup("m", (4,), 2),)))
    job = Job("job", 0, 1, 1, 1, AllReduceSpeed(1, 0, 1, 1), (1,), (0,), DeadlineUtility(1, 1))
    schedule = Schedule((Run(1, 3, Placement.of([(0, 1, 0)])),))
    ledger.reserve(job, schedule)
    ledger.release(job, schedule)


if __name__ == "__main__":
    rehearse()
