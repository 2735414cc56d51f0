"""What could finish with the cluster to itself, against packings and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.ledger import Ledger, Segments
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.alone import Alone
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver
from tests.support.packing import most_samples
from tests.support.random_instances import random_instance
from tests.support.small_plans import SLOT_SECONDS, small_plan

TWO_GPUS = Cluster(("gpu",), (MachineGroup("m", (2,)),))


def hourly(samples: float, arrival: int = 0, **changes: object) -> Job:
    """A worker trains 10 samples an hour, two train 20."""
    speed = TableSpeed((1, 2), (10 / SLOT_SECONDS, 20 / SLOT_SECONDS))
    job = Job("job", arrival, 1, samples, 2, speed, (1,), (0,), DeadlineUtility(1, 10))
    return replace(job, **changes)  # type: ignore[arg-type]


def shape_of(job: Job, cluster: Cluster = TWO_GPUS) -> JobShape:
    return JobShape.of(job, Units(cluster), SLOT_SECONDS)


def could_finish(job: Job, slots: int = 3, cluster: Cluster = TWO_GPUS) -> bool:
    return Alone(cluster, slots).could_finish(shape_of(job, cluster))


@pytest.mark.parametrize(
    ("samples", "arrival", "expected"),
    [
        (60, 0, True), (60 * (1 + 1e-10), 0, True), (60 * (1 + 1e-8), 0, False),
        (40, 1, True), (40.001, 1, False), (20, 2, True), (20.001, 2, False),
        (1e-9, 3, False), (1e-9, 1000, False),
    ],
)  # fmt: skip
def test_three_hours_of_two_workers(samples: float, arrival: int, expected: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert could_finish(hourly(samples, arrival)) == expected


def test_what_fits_nowhere_cannot_finish() -> None:
    assert not could_finish(hourly(1, worker=(3.0,)))
    assert could_finish(hourly(1, worker=(0.0,)))
    assert not could_finish(hourly(1, speed=TableSpeed((3,), (1.0,))))
    assert not could_finish(hourly(1, speed=TableSpeed((1, 2), (None, None))))
    nothing = Cluster(("gpu",), (MachineGroup("m", (0,)),))
    assert not could_finish(hourly(1), cluster=nothing)
    assert could_finish(hourly(1, worker=(0.0,)), cluster=nothing)


def test_workers_and_servers_compete_for_the_machines() -> None:
    # On two machines of two GPUs three workers and a server fit, or two and two.
    pair = Cluster(("gpu",), (MachineGroup("m", (2,), 2),))
    for gamma, workers in ((3.0, 3), (2.0, 2), (1.0, 2)):
        speed = ParameterServerSpeed(1, 0, gamma, 1, 1)
        job = hourly(workers * SLOT_SECONDS, batch=4, speed=speed, server=(1.0,))
        assert could_finish(job, 1, pair)
        assert not could_finish(replace(job, samples=job.samples * 1.001), 1, pair)


def test_a_slower_machine_room_is_left_where_spreading_is_faster() -> None:
    pair = Cluster(("gpu",), (MachineGroup("m", (4,), 2),))
    apart = AllReduceSpeed(1, 100, 1, 100)
    most = SLOT_SECONDS * apart.samples_per_second(4, 0, 4, colocated=False)
    job = hourly(most, batch=4, speed=apart)
    assert could_finish(job, 1, pair)
    assert not could_finish(replace(job, samples=most * 1.001), 1, pair)
    assert not could_finish(job, 1, Cluster(("gpu",), (MachineGroup("m", (4,)),)))


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_it_is_what_packing_says(first: int) -> None:
    checked = 0
    for seed in range(first, first + 20):
        instance = random_instance(seed)
        alone, units = Alone(instance.cluster, instance.slots), Units(instance.cluster)
        for job in instance.jobs:
            shape = JobShape.of(job, units, instance.slot_seconds)
            if (shape.apart > shape.together).any():
                continue  # the packing knows no spreading
            needed = job.work * (1 - 1e-9) / (instance.slots - job.arrival)
            assert alone.could_finish(shape) == (most_samples(job, instance) >= needed)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("seed", range(0, 400, 4))
def test_it_is_what_every_placement_says(seed: int) -> None:
    case = small_plan(seed)
    empty = replace(case, used=np.zeros_like(case.used), ledger=Ledger(case.ledger.cluster))
    could = bool(np.isfinite(empty.cheapest()).any())
    assert Alone(case.ledger.cluster, case.slots).could_finish(case.shape) == could


class Stub:
    """A solver that trains so many samples in every slot, and counts its questions."""

    def __init__(self, samples: float) -> None:
        self._samples = samples
        self.asked = 0

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,
    ) -> Curves:
        self.asked += 1
        assert most_per_sample == np.inf
        assert (len(segments), prices) == (1, PriceBounds.free(1))
        points = int(self._samples > 0)
        one = np.ones(points, dtype=np.int64)
        return Curves(np.array([0, points]), one, one.astype(bool), one * self._samples, one * 0.0)

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        raise AssertionError


def test_a_solver_that_fails_has_one_that_is_sure_behind_it() -> None:
    assert Alone(TWO_GPUS, 3, Stub(0)).could_finish(shape_of(hourly(60)))
    assert Alone(TWO_GPUS, 3, Stub(5)).could_finish(shape_of(hourly(60)))
    assert not Alone(TWO_GPUS, 3, Stub(5)).could_finish(shape_of(hourly(61)))
    # Eight machines for a worker each: with G = 0.28 the rounding of one draw finds nothing.
    eight = Cluster(("gpu",), (MachineGroup("m", (2,), 8),))
    job = hourly(8 * SLOT_SECONDS, batch=8, speed=AllReduceSpeed(1, 0, 10, 10), worker=(2.0,))
    hopeless = PaperSlotSolver(Units(eight), gain=0.28, draws=1)
    assert Alone(eight, 1, hopeless).could_finish(shape_of(job, eight))
    assert hopeless.tally.failures > 0


def test_nobody_is_asked_about_work_that_no_slot_could_do() -> None:
    for job, asked in ((hourly(60.1), 0), (hourly(1, arrival=3), 0), (hourly(60), 1)):
        stub = Stub(20)
        Alone(TWO_GPUS, 3, stub).could_finish(shape_of(job))
        assert stub.asked == asked


def test_what_was_asked_before_does_not_matter() -> None:
    instance = random_instance(4)
    units = Units(instance.cluster)
    alone = Alone(instance.cluster, instance.slots, FastSlotSolver(units))
    shapes = [JobShape.of(job, units, instance.slot_seconds) for job in instance.jobs]
    first = [alone.could_finish(shape) for shape in shapes]
    assert [alone.could_finish(shape) for shape in reversed(shapes)] == first[::-1]
