"""Jobs and instances."""

from __future__ import annotations

import math

import pytest

from pdors.errors import ModelError
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.speed import AllReduceSpeed, TableSpeed
from pdors.model.utility import SigmoidUtility
from tests.support.instances import small_instance, small_job


def test_the_work_counts_a_sample_once_per_epoch() -> None:
    assert small_job(epochs=2.5, samples=1000).work == 2500


def test_the_tolerance_of_a_complete_job_is_that_of_the_format() -> None:
    assert WORK_TOLERANCE == 1e-9


def test_a_slot_trains_for_all_its_seconds() -> None:
    job = small_job()  # 4 / (0.5 + (2 * 50 / (2 * 100)) * 4 / 8) samples per second on one machine
    assert job.samples_in_slot(4, 2, 3600, colocated=True) == pytest.approx(3600 * 4 / 0.75)
    assert job.samples_in_slot(4, 2, 60, colocated=False) == pytest.approx(60 * 4 / 3)


@pytest.mark.parametrize(
    ("job", "needs"),
    [
        (small_job(), True),
        (small_job(speed=AllReduceSpeed(1, 1, 1, 1)), False),
        (small_job(speed=TableSpeed((1,), (1.0,))), False),
    ],
)
def test_only_the_paper_s_kind_needs_servers(job: Job, *, needs: bool) -> None:
    assert job.needs_servers is needs


def test_scaling_the_utility_changes_nothing_else() -> None:
    assert small_job().with_utility_scaled(2) == small_job(utility=SigmoidUtility(100, 0.5, 3))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrival": -1}, "arrival must be at least 0, got -1"),
        *(({"epochs": bad}, f"epochs must be a finite number above 0, got {bad}") for bad in (0, math.nan, math.inf)),
        *(({"samples": bad}, f"samples must be a finite number above 0, got {bad}") for bad in (-1, math.nan)),
        ({"epochs": 1e200, "samples": 1e200}, r"epochs \* samples must be a finite number above 0, got inf"),
        ({"epochs": 1e-200, "samples": 1e-200}, r"epochs \* samples must be a finite number above 0, got 0"),
        ({"batch": 0}, "batch must be at least 1, got 0"),
        ({"worker": (1, -1)}, "worker: every amount .* got -1"),
        ({"server": (math.nan, 1)}, "server: every amount .* got nan"),
        ({"worker": (1,)}, "worker and server need one amount per resource each"),
    ],
)
def test_jobs_that_cannot_exist(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match="job job-0: " + message):
        small_job(**change)


def test_arrival_order_keeps_the_order_of_ties() -> None:
    arrivals = {"a": 3, "b": 0, "c": 3, "d": 1, "e": 0}
    jobs = tuple(small_job(id=name, arrival=slot) for name, slot in arrivals.items())
    instance = Instance(10, 3600, small_instance().cluster, jobs)
    assert [job.id for job in instance.in_arrival_order()] == ["b", "e", "d", "a", "c"]


def test_a_job_is_found_by_its_id() -> None:
    assert small_instance().job("job-1").id == "job-1"
    with pytest.raises(ModelError, match="no job has the id 'job-9'"):
        small_instance().job("job-9")


@pytest.mark.parametrize(
    ("slots", "slot_seconds", "jobs", "message"),
    [
        (0, 3600, (), "at least one slot, got 0"),
        (1, 0, (), "slot_seconds must be a finite number above 0, got 0"),
        (1, math.inf, (), "slot_seconds"),
        (1, math.nan, (), "slot_seconds"),
        (1, 1, (small_job(), small_job(arrival=1)), "two jobs have the id 'job-0'"),
        (1, 1, (small_job(worker=(1,), server=(1,)),), "job job-0: demands need one amount per resource"),
    ],
)
def test_instances_that_cannot_exist(slots: int, slot_seconds: float, jobs: tuple[Job, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Instance(slots, slot_seconds, small_instance().cluster, jobs)
