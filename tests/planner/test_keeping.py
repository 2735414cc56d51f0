"""What a placement of one segment would cost in another."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import DeadlineUtility
from pdors.planner.keeping import cost_of_keeping
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot_fast import FastSlotSolver
from tests.support.slot_problems import slot_case

CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 70),))
JOB = Job("job", 0, 1, 1, 10, ParameterServerSpeed(1, 0, 4, 1, 1), (1, 1), (0, 2), DeadlineUtility(1, 1))
BOUNDS = PriceBounds((0.0, 1.0), (4.0, 3.0))


def test_by_hand_on_touched_and_untouched_machines() -> None:
    """Slot 0 is empty; in slot 1 half of machine 65, in the second block, is held in both resources."""
    ledger = Ledger(CLUSTER)
    ledger.reserve(JOB, Schedule((Run(1, 2, Placement.of([(65, 2, 1)])),)))
    shape, segments = JobShape.of(JOB, ledger.units, 1), ledger.segments(0, 3)
    held = Placement.of([(3, 1, 0), (65, 2, 1)])

    def cost(segment: int) -> float | None:
        return cost_of_keeping(held, shape, BOUNDS, segments, segment, ledger.units)

    gpu, cpu = 1.0, np.e
    assert cost(0) == cost(2) == pytest.approx(3 * gpu + 5 * cpu)
    assert cost(1) == pytest.approx(1 * gpu + 1 * cpu + 2 * np.e**2 + 4 * np.e**2)


def test_none_where_a_machine_has_no_room() -> None:
    ledger = Ledger(CLUSTER)
    ledger.reserve(JOB, Schedule((Run(0, 1, Placement.of([(65, 2, 1)])),)))
    shape, segments = JobShape.of(JOB, ledger.units, 1), ledger.segments(0, 1)
    for workers, servers, fits in ((2, 1, True), (3, 0, False), (0, 3, False)):
        found = cost_of_keeping(Placement.of([(65, workers, servers)]), shape, BOUNDS, segments, 0, ledger.units)
        assert (found is not None) == fits


@pytest.mark.parametrize("seed", range(100))
def test_in_the_same_segment_it_costs_what_it_was_placed_for(seed: int) -> None:
    case = slot_case(seed)
    solver = FastSlotSolver(case.ledger.units)
    curves = solver.curves(case.shape, case.prices, case.segments)
    for point in range(len(curves.workers)):
        workers, together = int(curves.workers[point]), bool(curves.together[point])
        placed = solver.place(case.shape, case.prices, case.segments, 0, workers, together=together)
        assert placed is not None
        kept = cost_of_keeping(placed.placement, case.shape, case.prices, case.segments, 0, case.ledger.units)
        assert kept == pytest.approx(placed.cost, rel=1e-9)
