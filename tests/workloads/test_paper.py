"""The paper's workload: the ranges of its section 5, drawn uniformly and independently."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from pdors.errors import ModelError
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility
from pdors.workloads.paper import PaperWorkload, generate
from pdors.workloads.paper_settings import Mix
from pdors.workloads.ranges import Integers

JOBS = 4000


@pytest.fixture(scope="module")
def instance() -> Instance:
    return generate(PaperWorkload(jobs=JOBS, machines=3, slots=20), np.random.default_rng(11))


def _speed(job: Job) -> ParameterServerSpeed:
    assert isinstance(job.speed, ParameterServerSpeed)
    return job.speed


def _utility(job: Job) -> SigmoidUtility:
    assert isinstance(job.utility, SigmoidUtility)
    return job.utility


RANGES: dict[str, tuple[Callable[[Job], float], float, float]] = {
    "E": (lambda job: job.epochs, 50, 200),
    "K": (lambda job: job.samples, 20_000, 500_000),
    "F": (lambda job: job.batch, 1, 200),
    "g in MB": (lambda job: _speed(job).gradient_mb, 30, 575),
    "tau in slots of an hour": (lambda job: _speed(job).sample_seconds / 3600, 1e-5, 1e-4),
    "gamma": (lambda job: _speed(job).workers_per_server, 1, 10),
    "b(e) in Mb/s": (lambda job: _speed(job).external_mb_s * 8, 100, 5000),
    "b(i) / b(e)": (lambda job: _speed(job).internal_mb_s / _speed(job).external_mb_s, 10, 20),
    "GPUs of a worker": (lambda job: job.worker[0], 0, 4),
    "CPUs of a worker": (lambda job: job.worker[1], 1, 10),
    "GB of a worker": (lambda job: job.worker[2], 2, 32),
    "storage of a worker": (lambda job: job.worker[3], 5, 10),
    "GPUs of a server": (lambda job: job.server[0], 0, 0),
    "CPUs of a server": (lambda job: job.server[1], 1, 10),
    "GB of a server": (lambda job: job.server[2], 2, 32),
    "storage of a server": (lambda job: job.server[3], 5, 10),
    "theta1": (lambda job: _utility(job).priority, 1, 100),
    "theta3": (lambda job: _utility(job).target, 1, 15),
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges_of_the_paper(instance: Instance, name: str) -> None:
    """Within the ends, up to both of them, and of the mean and spread of a uniform distribution."""
    read, low, high = RANGES[name]
    values = np.array([read(job) for job in instance.jobs])
    width = high - low
    slack = 1e-9 * high
    assert low - slack <= values.min() <= low + 0.02 * width + slack
    assert high - 0.02 * width - slack <= values.max() <= high + slack
    assert values.mean() == pytest.approx((low + high) / 2, abs=max(4 * width / math.sqrt(12 * JOBS), slack) * 1.5)


def test_whole_numbers_are_drawn_alike() -> None:
    drawn = Integers(3, 7).at(np.random.default_rng(0).random(50_000))
    shares = Counter(drawn.tolist())
    assert set(shares) == {3, 4, 5, 6, 7}
    assert all(count == pytest.approx(10_000, rel=0.05) for count in shares.values())


def test_classes_of_urgency_have_their_shares(instance: Instance) -> None:
    urgencies = np.array([_utility(job).urgency for job in instance.jobs])
    sensitive = (urgencies >= 0.01) & (urgencies <= 1)
    critical = (urgencies >= 4) & (urgencies <= 6)
    assert ((urgencies == 0) | sensitive | critical).all()
    for share, of_class in ((0.10, urgencies == 0), (0.55, sensitive), (0.35, critical)):
        assert of_class.mean() == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / JOBS))


def test_two_thirds_arrive_in_even_slots(instance: Instance) -> None:
    """Odd slots are half as likely as even ones, and all odd ones alike."""
    per_slot = Counter(job.arrival for job in instance.jobs)
    for slot in range(20):
        expected = JOBS * (1 if slot % 2 else 2) / 30
        assert per_slot[slot] == pytest.approx(expected, abs=4.5 * math.sqrt(expected))


def test_jobs_come_in_order_with_their_numbers(instance: Instance) -> None:
    arrivals = [job.arrival for job in instance.jobs]
    assert arrivals == sorted(arrivals)
    assert [job.id for job in instance.jobs] == [f"job-{index}" for index in range(JOBS)]


def test_attributes_are_independent(instance: Instance) -> None:
    varying = [name for name, (_, low, high) in RANGES.items() if low < high]
    columns = np.array([[RANGES[name][0](job) for job in instance.jobs] for name in varying])
    others = np.corrcoef(columns) - np.eye(len(columns))
    assert np.abs(others).max() < 5 / math.sqrt(JOBS)


def test_more_jobs_machines_and_slots_leave_the_drawn_values_alone() -> None:
    def drawn(jobs: int, machines: int) -> Counter[tuple[float, float]]:
        made = generate(PaperWorkload(jobs=jobs, machines=machines, slots=8), np.random.default_rng(5))
        return Counter((job.epochs, job.samples) for job in made.jobs)

    assert drawn(10, 2) <= drawn(25, 90)


@pytest.mark.parametrize("load", [0.3, 1, 1.5, 4])
def test_load_multiplies_the_work_and_nothing_else(load: float) -> None:
    usual, loaded = (
        generate(PaperWorkload(jobs=50, machines=3, slots=20, load=factor), np.random.default_rng(4))
        for factor in (1, load)
    )
    works = np.array([[job.work for job in made.jobs] for made in (usual, loaded)])
    np.testing.assert_allclose(works[1], load * works[0], rtol=1e-12)
    likened = tuple(replace(job, epochs=before.epochs) for before, job in zip(usual.jobs, loaded.jobs, strict=True))
    assert replace(loaded, jobs=likened) == usual


@pytest.mark.parametrize("text", ["10/55/35", "30/69/1", "100/0/0", "33.3/33.3/33.4"])
def test_mix_is_read_and_written(text: str) -> None:
    assert str(Mix.parse(text)) == text


@pytest.mark.parametrize("text", ["", "10", "10/90", "1/2/3", "a/b/c", "50/60/-10", "nan/50/50", "25/25/25/25"])
def test_mix_that_is_none(text: str) -> None:
    with pytest.raises(ModelError, match="100"):
        Mix.parse(text)


@pytest.mark.parametrize(
    "change",
    [
        {"jobs": 0},
        {"machines": 10**6 + 1},
        {"slots": 0},
        {"slot_seconds": math.inf},
        {"load": 0.0},
        {"load": math.inf},
        {"epochs": Integers(0, 5)},
        {"capacity": (1.0, 2.0)},
        {"capacity": (1.0, 2.0, 3.0, math.nan)},
        {"slots": 1, "even_slot_weight": 0},
    ],
)
def test_settings_that_cannot_be(change: dict[str, object]) -> None:
    settings: dict[str, object] = {"jobs": 2, "machines": 2, "slots": 4}
    with pytest.raises(ModelError):
        PaperWorkload(**(settings | change))  # type: ignore[arg-type]
