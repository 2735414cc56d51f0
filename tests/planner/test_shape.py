"""What one slot trains for each number of workers, and how many servers that takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.units import Units
from pdors.planner.shape import JobShape
from tests.support.instances import speeds
from tests.support.small_plans import filler_job

HOUR = 3600.0
ROOMY = Cluster(("gpu", "cpu"), (MachineGroup("m", (100, 100), 2),))


def shape_of(
    speed: Speed,
    *,
    batch: int = 8,
    cluster: Cluster = ROOMY,
    worker: tuple[float, float] = (1, 2),
    seconds: float = HOUR,
) -> JobShape:
    filler = filler_job((1, 1))
    server = (0, 1) if isinstance(speed, ParameterServerSpeed) else (0, 0)
    job = Job("job", 0, 2, 500, batch, speed, worker, server, filler.utility)
    return JobShape.of(job, Units(cluster), seconds)


@given(speeds(), st.integers(1, 30))
def test_a_shape_says_what_the_speed_says(speed: Speed, batch: int) -> None:
    shape = shape_of(speed, batch=batch)
    assert shape.max_workers == batch
    assert shape.together[0] == shape.apart[0] == shape.servers[0] == 0
    for workers in range(1, batch + 1):
        measured = workers in speed.worker_counts(batch)
        servers = speed.servers_for(workers) if measured else 0
        assert shape.servers[workers] == servers
        for samples, colocated in ((shape.together, True), (shape.apart, False)):
            one_second = speed.samples_per_second(workers, servers, batch, colocated=colocated)
            assert samples[workers] == (HOUR * one_second if measured else 0)


@given(st.floats(0.05, 20), st.integers(1, 40))
def test_servers_are_the_fewest_that_serve_the_workers(workers_per_server: float, batch: int) -> None:
    servers = shape_of(ParameterServerSpeed(1, 1, workers_per_server, 10, 10), batch=batch).servers[1:]
    workers = np.arange(1, batch + 1)
    assert (servers >= 1).all()
    assert (servers * workers_per_server >= workers).all()
    assert ((servers == 1) | ((servers - 1) * workers_per_server < workers)).all()


@pytest.mark.parametrize(
    ("workers_per_server", "servers"),
    [
        (2, [0, 1, 1, 2, 2]),
        (1, [0, 1, 2, 3, 4]),
        (0.5, [0, 2, 4, 6, 8]),
        (0.3, [0, 4, 7, 10, 14]),
        (1.5, [0, 1, 2, 2, 3]),
        (10, [0, 1, 1, 1, 1]),  # F < gamma: one server has more than it can serve
    ],
    ids="gamma={}".format,
)
def test_servers_by_hand(workers_per_server: float, servers: list[int]) -> None:
    assert shape_of(ParameterServerSpeed(1, 1, workers_per_server, 10, 10), batch=4).servers.tolist() == servers


def test_samples_by_hand() -> None:
    # Eq. (1): W / (tau + 2g/(S b) * W/F) with tau = 0.5 s, g = 50 MB, gamma = 2, F = 8, b = 100 and 10 MB/s.
    shape = shape_of(ParameterServerSpeed(0.5, 50, 2, 100, 10))
    # W = 1, S = 1: 2g/(S b) W/F = 1/8 and 10/8 s;  W = 3, S = 2: 3/16 and 30/16 s;  W = 8, S = 4: 1/4 and 10/4 s.
    for workers, together, apart in ((1, 0.625, 1.75), (3, 0.6875, 2.375), (8, 0.75, 3.0)):
        assert shape.together[workers] == pytest.approx(HOUR * workers / together)
        assert shape.apart[workers] == pytest.approx(HOUR * workers / apart)
    assert shape.work == 1000


def test_half_a_slot_trains_half() -> None:
    speed = ParameterServerSpeed(0.5, 50, 2, 100, 10)
    np.testing.assert_allclose(shape_of(speed, seconds=HOUR / 2).together, shape_of(speed).together / 2)


def test_counts_that_a_table_lacks_train_nothing() -> None:
    shape = shape_of(TableSpeed((1, 3, 4, 9), (2.0, None, 5.0, 9.0), (None, 3.0, 4.0, 8.0)), batch=8)
    assert shape.together.tolist() == [0, 2 * HOUR, 0, 0, 5 * HOUR, 0, 0, 0, 0]
    assert shape.apart.tolist() == [0, 0, 0, 3 * HOUR, 4 * HOUR, 0, 0, 0, 0]
    assert not shape.servers.any()


def test_a_table_without_a_column_for_several_machines_is_as_fast_on_them() -> None:
    shape = shape_of(TableSpeed((1, 2), (2.0, 3.0)))
    np.testing.assert_array_equal(shape.together, shape.apart)


@pytest.mark.parametrize("speed", [AllReduceSpeed(1, 10, 10, 10), TableSpeed((1, 2, 8), (1.0, 2.0, 3.0))])
def test_jobs_without_servers_have_none(speed: Speed) -> None:
    assert not shape_of(speed).servers.any()


@pytest.mark.parametrize(
    ("worker", "most"),
    [((1, 0), 4 + 4 + 5), ((3, 0), 1 + 1 + 1), ((1, 4), 2 + 2 + 3), ((0, 4), 2 + 2 + 3), ((6, 0), 0), ((0, 0), 40)],
    ids="worker={}".format,
)
def test_no_more_workers_than_the_empty_cluster_holds(worker: tuple[float, float], most: int) -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 9), 2), MachineGroup("big", (5, 12))))
    shape = shape_of(ParameterServerSpeed(1, 1, 2, 10, 10), batch=40, cluster=cluster, worker=worker)
    assert shape.max_workers == most
    assert len(shape.together) == len(shape.apart) == most + 1


def test_demands_are_in_the_units_of_the_cluster() -> None:
    units = Units(ROOMY)
    shape = shape_of(ParameterServerSpeed(1, 1, 2, 10, 10), worker=(0.1, 2))
    np.testing.assert_array_equal(shape.worker, np.array([0.1, 2]) * units.per_one)
    np.testing.assert_array_equal(shape.server, np.array([0, 1]) * units.per_one)
