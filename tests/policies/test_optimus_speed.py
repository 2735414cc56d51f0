"""The fitted speed model of Optimus: its least squares, what it is fitted to, and what it then says."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.shape import JobShape
from pdors.policies.optimus_speed import Measurements, non_negative_least_squares, told

Floats = NDArray[np.float64]

SLOT_SECONDS = 100.0
CLUSTER = Cluster(("gpu",), (MachineGroup("m", (8,), 4),))
PS = ParameterServerSpeed(0.5, 100, 2, 100, 25, 0.25)
RING = AllReduceSpeed(0.5, 100, 100, 25, 0.25)


def shape_of(speed: Speed, batch: int = 16, worker: float = 1, server: float = 1) -> JobShape:
    job = Job("job", 0, 1, 1000, batch, speed, (worker,), (server,), DeadlineUtility(1, 10))
    return JobShape.of(job, Units(CLUSTER), SLOT_SECONDS)


def profiled(shape: JobShape, seed: int = 0) -> Measurements:
    return Measurements.of_profile(shape, Units(CLUSTER).capacity, SLOT_SECONDS, seed)


def seconds(terms: Floats, workers: int, servers: int) -> float:
    basis = [1 / workers, 1, 1 / servers, workers / servers, workers, servers]
    return float(terms @ basis)


# Least squares


def least_of_all(a: Floats, b: Floats) -> float:
    """The least squares over every set of columns that may be above 0."""
    best = float(b @ b)
    for size in range(1, a.shape[1] + 1):
        for chosen in combinations(range(a.shape[1]), size):
            x = np.linalg.lstsq(a[:, chosen], b, rcond=None)[0]
            if (x >= 0).all():
                best = min(best, float(((a[:, chosen] @ x - b) ** 2).sum()))
    return best


@pytest.mark.parametrize("seed", range(300))
def test_least_squares_without_negative_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    a = (
        rng.normal(size=(rows, columns))
        if seed % 2
        else rng.random((rows, columns)) * 10.0 ** rng.integers(-4, 5, columns)
    )
    if seed % 5 == 0:
        a[:, -1] = a[:, 0]
    b = rng.normal(size=rows)
    x = non_negative_least_squares(a, b)
    assert (x >= 0).all()
    assert float(((a @ x - b) ** 2).sum()) <= least_of_all(a, b) * (1 + 1e-9) + 1e-12


# What the job tells


@pytest.mark.parametrize("colocated", [True, False])
def test_what_is_told_is_the_speed_of_the_job(*, colocated: bool) -> None:
    shape = shape_of(PS)
    terms = told(shape).terms[0 if colocated else 1]
    for workers, servers in ((1, 1), (5, 3), (16, 20)):
        exact = shape.job.samples_in_slot(workers, servers, SLOT_SECONDS, colocated=colocated)
        assert SLOT_SECONDS * shape.job.batch / seconds(terms, workers, servers) == pytest.approx(exact)


# What is fitted


def test_a_job_whose_speed_the_model_can_say_is_fitted_exactly() -> None:
    # Without communication an iteration takes M tau / W + overhead, and no time for anything else.
    shape = shape_of(replace(PS, gradient_mb=0))
    terms = profiled(shape).model().terms
    assert (terms[0] == terms[1]).all()
    for workers, servers in ((1, 1), (7, 4), (16, 30)):
        assert seconds(terms[0], workers, servers) == pytest.approx(0.5 * 16 / workers + 0.25)


def test_all_reduce_is_fitted_exactly_where_it_always_lies_together() -> None:
    shape = shape_of(RING, batch=8)
    model = profiled(shape).model()
    assert model.together == pytest.approx(shape.together)
    assert model.apart == pytest.approx(shape.together)


def test_a_profile_is_placed_as_it_would_be_and_measured_there() -> None:
    # 8 + 8 tasks of half a machine's GPU lie apart, 1 + 1 together: the model lies between the two.
    shape = shape_of(PS, batch=8)
    model = profiled(shape).model()
    alone = SLOT_SECONDS * 8 / seconds(model.terms[0], 1, 1)
    assert shape.apart[1] < alone < shape.together[1] * 1.5


def test_counts_that_cannot_be_had_stay_so() -> None:
    shape = shape_of(TableSpeed((1, 2, 4, 16), (10, 18, None, None), (10, None, 30, 60)), server=0)
    model = profiled(shape).model()
    assert ((model.together > 0) == (shape.together > 0)).all()
    assert ((model.apart > 0) == (shape.apart > 0)).all()


def test_what_was_measured_later_counts() -> None:
    shape = shape_of(PS)
    measured = profiled(shape)
    before = measured.model()
    assert measured.model() is before
    measured.observe(16, 8, colocated=False)
    exact = 16 * 0.5 / 16 + 0.25 + 2 * 100 / (8 * 25)
    error = abs(seconds(before.terms[0], 16, 8) - exact)
    assert abs(seconds(measured.model().terms[0], 16, 8) - exact) < error


def test_a_measurement_is_made_once() -> None:
    measured = profiled(shape_of(PS))
    measured.observe(3, 2, colocated=True)
    model = measured.model()
    measured.observe(3, 2, colocated=True)
    assert measured.model() is model


def test_a_job_that_fits_nowhere_cannot_be_profiled_and_is_taken_at_its_word() -> None:
    shape = shape_of(PS, worker=8, server=9)
    assert (profiled(shape).model().terms == told(shape).terms).all()


def test_the_profile_depends_on_the_seed_and_the_job_alone() -> None:
    shape = shape_of(PS, batch=64)
    terms = [profiled(shape, seed).model().terms.tolist() for seed in (1, 1, 2)]
    assert terms[0] == terms[1] != terms[2]
