"""The ledger of segments and blocks against a dense array, which it must equal after every step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdors.errors import OverbookingError
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility

SLOTS = 12
MACHINES = 150  # three blocks, the last one partly filled


def cluster_of(machines: int, capacity: float = 10.0) -> Cluster:
    return Cluster(("gpu", "cpu"), (MachineGroup("m", (capacity, capacity), machines),))


def job_of(worker: tuple[float, float], server: tuple[float, float]) -> Job:
    speed = ParameterServerSpeed(0.1, 10, 2, 1000, 100)
    return Job("job", 0, 1, 1, 8, speed, worker, server, SigmoidUtility(1, 0, 1))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    cuts = sorted(draw(st.sets(st.integers(0, SLOTS), min_size=2, max_size=5)))
    machine = st.sampled_from([0, 1, 63, 64, 65, 127, 128, 149])
    runs = []
    for start, stop in pairwise(cuts):
        shares = draw(st.dictionaries(machine, st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=4))
        placement = Placement.of((m, w, s) for m, (w, s) in shares.items())
        if placement.shares:
            runs.append(Run(start, stop, placement))
    return Schedule(tuple(runs))


def add_dense(dense: np.ndarray, ledger: Ledger, job: Job, schedule: Schedule, sign: int) -> None:
    worker, server = ledger.units.demand(job.worker), ledger.units.demand(job.server)
    for slot, placement in schedule.by_slot():
        for share in placement.shares:
            dense[slot, share.machine] += sign * (share.workers * worker + share.servers * server)


def used(ledger: Ledger) -> np.ndarray:
    return np.stack([ledger.used(slot) for slot in range(SLOTS + 2)])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(schedules(), st.booleans()), max_size=10))
def test_the_ledger_equals_a_dense_array(steps: list[tuple[Schedule, bool]]) -> None:
    ledger = Ledger(cluster_of(MACHINES))
    dense = np.zeros((SLOTS + 2, MACHINES, 2))
    held: list[tuple[Job, Schedule]] = []
    for step, (schedule, release_oldest) in enumerate(steps):
        if release_oldest and held:
            job, old = held.pop(0)
            ledger.release(job, old)
            add_dense(dense, ledger, job, old, -1)
        job = job_of((1.1, 0.3 * (step % 3)), (0.0, 0.7))
        wanted = dense.copy()
        add_dense(wanted, ledger, job, schedule, +1)
        if (wanted > ledger.units.capacity).any():
            with pytest.raises(OverbookingError):
                ledger.reserve(job, schedule)
        else:
            ledger.reserve(job, schedule)
            dense = wanted
            held.append((job, schedule))
        np.testing.assert_array_equal(used(ledger), dense)
    for job, schedule in held:
        ledger.release(job, schedule)
    assert used(ledger).max() == 0
    assert ledger.segment_count == 1, "a ledger that holds nothing is one untouched segment"


@settings(max_examples=50, deadline=None)
@given(schedules(), schedules())
def test_levels_are_lower_bounds_of_how_full_a_machine_is(first: Schedule, second: Schedule) -> None:
    ledger = Ledger(cluster_of(MACHINES, 40.0))
    for schedule in (first, second):
        ledger.reserve(job_of((1.0, 0.5), (0.0, 0.7)), schedule)
    segments = ledger.segments(0, SLOTS)
    for start, row in zip(segments.starts, segments.rows, strict=True):
        fraction = ledger.used(int(start)) / ledger.units.capacity
        for block, number in enumerate(row):
            if number < 0:
                assert not fraction[block * 64 : (block + 1) * 64].any()
                continue
            inside = fraction[block * 64 : (block + 1) * 64]
            level = segments.level[number][:, : len(inside)].T / 4095
            assert (level <= inside).all()
            assert (level > inside - 1.001 / 4095).all()
            np.testing.assert_array_equal(segments.lowest[number], segments.level[number].min(axis=1))


def test_ten_tenths_fit_into_one_and_eleven_do_not() -> None:
    ledger = Ledger(cluster_of(1, 1.0))
    job = job_of((0.1, 0.0), (0.0, 0.1))
    ledger.reserve(job, Schedule((Run(0, 5, Placement.of([(0, 10, 10)])),)))
    with pytest.raises(OverbookingError, match="m-0 in slot 4: more than it has left"):
        ledger.reserve(job, Schedule((Run(4, 9, Placement.of([(0, 1, 0)])),)))
    assert ledger.used(5).max() == 0


def test_releasing_what_was_not_reserved_changes_nothing() -> None:
    ledger = Ledger(cluster_of(1))
    job = job_of((1.0, 0.0), (0.0, 1.0))
    ledger.reserve(job, Schedule((Run(2, 4, Placement.of([(0, 1, 0)])),)))
    with pytest.raises(OverbookingError, match="slot 4: more than is reserved"):
        ledger.release(job, Schedule((Run(2, 5, Placement.of([(0, 1, 0)])),)))
    assert [ledger.used(slot)[0, 0] > 0 for slot in range(6)] == [False, False, True, True, False, False]


def test_a_long_reservation_costs_as_much_as_a_short_one() -> None:
    short, long = Ledger(cluster_of(32)), Ledger(cluster_of(32))
    job = job_of((1.0, 0.0), (0.0, 1.0))
    short.reserve(job, Schedule((Run(10, 11, Placement.of([(3, 2, 1)])),)))
    long.reserve(job, Schedule((Run(10, 20_000, Placement.of([(3, 2, 1)])),)))
    assert long.nbytes == short.nbytes
    assert long.segment_count == short.segment_count == 3


def test_the_segments_of_a_range_are_clipped_to_it() -> None:
    ledger = Ledger(cluster_of(2))
    job = job_of((1.0, 0.0), (0.0, 1.0))
    ledger.reserve(job, Schedule((Run(3, 5, Placement.of([(0, 1, 0)])), Run(7, 8, Placement.of([(1, 1, 0)])))))
    segments = ledger.segments(4, 10)
    assert segments.starts.tolist() == [4, 5, 7, 8]
    assert segments.lengths.tolist() == [1, 2, 1, 2]
