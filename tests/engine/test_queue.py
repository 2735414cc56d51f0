"""The jobs of a queue in columns: what each holds, what it has trained, and when it is done."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pdors.engine.queue import Waiting
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.schedule import NOTHING, Placement, Run
from pdors.model.speed import TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.shape import JobShape

HOUR = 3600.0
UNITS = Units(Cluster(("gpu",), (MachineGroup("m", (8,), 4),)))
TOLERATED = WORK_TOLERANCE / 2


def job_of(job_id: str, hours: float) -> Job:
    """A worker takes one GPU and trains one sample a second, alone or with others."""
    counts = tuple(range(1, 9))
    return Job(
        job_id, 0, 1, HOUR * hours, 8, TableSpeed(counts, tuple(map(float, counts))), (1,), (0,), DeadlineUtility(1, 9)
    )


def waiting_for(*jobs: Job) -> Waiting:
    waiting = Waiting(UNITS, HOUR)
    for job in jobs:
        waiting.add(job, JobShape.of(job, UNITS, HOUR), slot=0)
    return waiting


def gpus(**counts: int) -> Placement:
    return Placement.of((int(machine[1:]), count, 0) for machine, count in counts.items())


def test_work_is_counted_from_change_to_change() -> None:
    """Two workers for three slots, none for two, one from slot 5 on: 10 - 6 = 4 hours are left, so it is done at 9."""
    waiting = waiting_for(job_of("a", 10))
    assert waiting.first_done() == math.inf
    waiting.hold({"a": gpus(m0=2)}, 0)
    assert waiting.first_done() == 5
    waiting.hold({"a": NOTHING}, 3)
    waiting.hold({"a": gpus(m1=1)}, 5)
    assert waiting.first_done() == 9
    assert waiting.done_by(8) == []
    assert waiting.done_by(9) == ["a"]
    left = HOUR * (10 * (1 - TOLERATED) - 7)
    assert waiting.seen(6).samples_left == pytest.approx([left])
    assert waiting.seen(6)[0].samples_left == pytest.approx(left)
    assert waiting.schedule("a").runs == (Run(0, 3, gpus(m0=2)),)


def test_a_move_to_like_machines_changes_nothing_but_the_machines() -> None:
    waiting = waiting_for(job_of("a", 10))
    waiting.hold({"a": gpus(m0=1, m1=1)}, 0)
    waiting.hold({"a": gpus(m2=1, m3=1)}, 2)
    assert waiting.first_done() == 5
    assert waiting.schedule("a").runs == (Run(0, 2, gpus(m0=1, m1=1)),)
    waiting.hold({"a": gpus(m2=1, m3=2)}, 3)
    assert waiting.first_done() == 5
    waiting.hold({"a": gpus(m2=1)}, 4)
    assert waiting.first_done() == 5


def test_a_placement_of_the_same_slot_leaves_no_run() -> None:
    waiting = waiting_for(job_of("a", 10))
    waiting.hold({"a": gpus(m0=1)}, 4)
    waiting.hold({"a": gpus(m1=1)}, 4)
    waiting.hold({"a": NOTHING}, 6)
    assert waiting.schedule("a").runs == (Run(4, 6, gpus(m1=1)),)


def test_who_is_gone_leaves_the_rows_of_the_others_alone() -> None:
    waiting = waiting_for(*(job_of(name, hours) for name, hours in zip("abcd", (4, 3, 2, 1), strict=True)))
    waiting.hold({name: gpus(m0=1) for name in "abcd"}, 0)
    assert waiting.done_by(2) == ["c", "d"]
    waiting.hold(dict.fromkeys("ca", NOTHING), 2)
    waiting.remove(["c", "a"])
    assert [queued.job.id for queued in waiting.seen(2)] == ["b", "d"]
    assert waiting.ids == {"b", "d"}
    assert waiting.first_done() == 1
    waiting.hold({"b": gpus(m3=3)}, 2)
    assert waiting.seen(2)[0].placement == gpus(m3=3)
    assert waiting.held.tolist() == (UNITS.demand((1.0,)) * [[1], [0], [0], [3]]).tolist()


def test_what_is_held_is_the_sum_of_what_the_jobs_hold() -> None:
    """Whatever comes and goes, the amounts are those of a count from nothing, to the last unit."""
    rng = np.random.default_rng(3)
    names = [f"job-{index}" for index in range(6)]
    waiting = waiting_for(*(job_of(name, 1e6) for name in names))
    for slot in range(200):
        changed = rng.permutation(names)[: rng.integers(7)].tolist()
        changes = {name: Placement.of((machine, int(rng.integers(3)), 0) for machine in range(4)) for name in changed}
        waiting.hold(changes, slot)
        expected = np.zeros(UNITS.capacity.shape)
        for queued in waiting.seen(slot):
            for share in queued.placement.shares:
                expected[share.machine] += share.workers * queued.shape.worker
        assert (waiting.held == expected).all()
        assert waiting.placements == {q.job.id: q.placement for q in waiting.seen(slot) if q.placement.shares}


def test_a_part_of_the_queue_is_a_queue() -> None:
    waiting = waiting_for(*(job_of(name, 4) for name in "abc"))
    waiting.hold({"b": gpus(m0=1)}, 0)
    queue = waiting.seen(1)
    assert [queued.job.id for queued in queue[1:]] == ["b", "c"]
    assert queue[-2] == queue[1:][0] == list(queue)[1]
    assert queue[1].placement == gpus(m0=1)
    waiting.hold({"b": NOTHING}, 2)
    assert queue[1].placement == gpus(m0=1), "what a policy has been shown does not change under its hands"
