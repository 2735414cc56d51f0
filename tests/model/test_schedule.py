"""Placements and schedules, and the samples credited to them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.model.job import Job
from pdors.model.schedule import Placement, Run, Schedule, Share
from pdors.model.speed import AllReduceSpeed, TableSpeed
from tests.support.instances import schedules_for, small_instance, small_job

ONE = Placement.of([(0, 2, 1)])
TWO = Placement.of([(1, 1, 0), (0, 1, 1)])
SERVERS_ALONE = Placement.of([(0, 0, 2)])
TABLE_JOB = small_job(speed=TableSpeed((1, 2, 4), (2.0, 3.5, None), (2.0, 3.0, 5.0)))


def schedules() -> st.SearchStrategy[Schedule]:
    return schedules_for(small_instance(), small_job())


def test_a_placement_is_in_order_of_the_machine_without_empty_shares() -> None:
    placement = Placement.of([(5, 1, 0), (2, 0, 0), (1, 0, 3)])
    assert placement.shares == (Share(1, 0, 3), Share(5, 1, 0))
    assert (placement.workers, placement.servers) == (1, 3)


@pytest.mark.parametrize(
    ("shares", "colocated"),
    [
        ([(3, 2, 1)], True),
        ([(3, 2, 1), (4, 0, 0)], True),
        ([(3, 2, 0), (4, 0, 1)], False),  # the workers share a machine, but not with their server
        ([(3, 1, 1), (4, 1, 1)], False),
    ],
)
def test_the_internal_rate_holds_if_everything_sits_on_one_machine(
    shares: list[tuple[int, int, int]], *, colocated: bool
) -> None:
    assert Placement.of(shares).colocated is colocated


@pytest.mark.parametrize(
    ("job", "shares", "samples"),
    [
        # W / (tau + (2g / (S b)) W/F) with tau = 0.5, g = 50, b = 100 within and 10 between machines, F = 8.
        (small_job(), [(0, 2, 1)], 2 / (0.5 + 1 * 2 / 8)),
        (small_job(), [(0, 2, 0), (1, 0, 1)], 2 / (0.5 + 10 * 2 / 8)),
        (small_job(), [(0, 2, 1), (1, 2, 1)], 4 / (0.5 + 5 * 4 / 8)),
        (small_job(), [(0, 2, 0)], 0),
        (small_job(), [(0, 0, 2)], 0),
        (small_job(), [], 0),
        (small_job(speed=AllReduceSpeed(0.5, 50, 100, 10)), [(0, 2, 0)], 2 / (0.5 + 0.5 * 2 / 8)),
        (small_job(speed=AllReduceSpeed(0.5, 50, 100, 10)), [(0, 1, 0), (1, 1, 0)], 2 / (0.5 + 5 * 2 / 8)),
        (TABLE_JOB, [(0, 2, 0)], 3.5),
        (TABLE_JOB, [(0, 1, 0), (2, 1, 0)], 3.0),
        (TABLE_JOB, [(0, 4, 0)], 0),
        (TABLE_JOB, [(0, 3, 0), (2, 1, 0)], 5.0),
    ],
)
def test_what_a_placement_trains_by_hand(job: Job, shares: list[tuple[int, int, int]], samples: float) -> None:
    assert Placement.of(shares).samples(job, 3600) == pytest.approx(3600 * samples, rel=1e-14)


def test_what_a_schedule_trains_is_the_sum_of_its_slots() -> None:
    schedule = Schedule((Run(1, 4, ONE), Run(6, 7, TWO)))
    inside, across = 3600 * 2 / 0.75, 3600 * 2 / 3
    assert schedule.samples(small_job(), 3600) == pytest.approx(3 * inside + across, rel=1e-14)
    assert schedule.worker_slots() == 8


@given(schedules())
def test_runs_and_slots_say_the_same(schedule: Schedule) -> None:
    job, slots = small_job(), list(schedule.by_slot())
    assert schedule.samples(job, 60) == pytest.approx(sum(placement.samples(job, 60) for _, placement in slots))
    assert schedule.worker_slots() == sum(placement.workers for _, placement in slots)
    if schedule.worker_slots():
        assert schedule.completion == max(slot for slot, placement in slots if placement.workers)


@given(schedules(), st.randoms(use_true_random=False))
def test_slots_in_any_order_make_the_same_schedule(schedule: Schedule, random: Random) -> None:
    slots = list(schedule.by_slot())
    random.shuffle(slots)
    assert Schedule.from_slots(slots) == schedule
    assert Schedule.from_slots([*slots, (0, Placement(()))]) == schedule, "a slot that holds nothing is none"


def test_equal_neighbours_become_one_run() -> None:
    slots = [(2, ONE), (1, ONE), (4, ONE), (3, TWO), (6, ONE)]
    runs = (Run(1, 3, ONE), Run(3, 4, TWO), Run(4, 5, ONE), Run(6, 7, ONE))
    assert Schedule.from_slots(slots).runs == runs


def test_the_completion_is_the_last_slot_with_workers() -> None:
    assert Schedule((Run(1, 4, ONE), Run(6, 9, SERVERS_ALONE))).completion == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Placement.of([(1, 1, 0), (1, 1, 0)]), "each machine once"),
        (lambda: Placement((Share(2, 1, 0), Share(1, 1, 0))), "in order of the machine"),
        (lambda: Placement((Share(1, 0, 0),)), "must hold something"),
        (lambda: Placement.of([(1, -1, 2)]), "must hold something"),
        (lambda: Placement.of([(1, 2, -1)]), "must hold something"),
        (lambda: Run(-1, 2, ONE), "0 <= start < stop, got -1, 2"),
        (lambda: Run(2, 2, ONE), "0 <= start < stop, got 2, 2"),
        (lambda: Schedule((Run(1, 3, ONE), Run(2, 4, TWO))), "must not overlap"),
        (lambda: Schedule((Run(5, 6, ONE), Run(1, 2, TWO))), "in order"),
        (lambda: Schedule.from_slots([(1, ONE), (1, TWO)]), "must not overlap"),
    ],
)
def test_placements_and_schedules_that_cannot_be(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
