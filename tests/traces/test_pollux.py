"""Workloads of Pollux, worked out by hand on a few lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdors.errors import DocumentError
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import SigmoidUtility
from pdors.traces import pollux
from pdors.traces.excerpt import Excerpt
from pdors.traces.nodes import Nodes
from pdors.traces.report import Trace
from pdors.workloads.paper_settings import Mix
from tests.traces.samples import POLLUX_JOBS, write, write_profiles

EXCERPT = Excerpt(jobs=10, slots=6, slot_seconds=300)


def read(*paths: Path, **settings: object) -> Trace:
    return pollux.read(paths, EXCERPT, np.random.default_rng(0), **settings)  # type: ignore[arg-type]


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return write(tmp_path, "workloads/workload-1.csv", POLLUX_JOBS)


def test_jobs_with_profiles(jobs: Path, tmp_path: Path) -> None:
    """net-0 has a batch of 32: 25 iterations of it are the 2 epochs measured; `other` was not measured."""
    profiles = write_profiles(tmp_path / "traces")
    trace = read(jobs, profiles=profiles)
    first, second = trace.instance.jobs
    assert (first.id, first.arrival, first.batch, first.epochs, first.samples) == ("net-0", 0, 32, 2, 400)
    assert first.speed == TableSpeed((1, 2, 4, 8), (32 / 3, 32 / 1.75, 32 / 1.5, None), (None, 32 / 2.5, 8, 8))
    assert (second.id, second.arrival, second.batch, second.work) == ("net-1", 5, 16, 800)
    assert second.speed == TableSpeed((1, 2), (16 / 1.5, 16 / 1.25), (None, 8))
    assert (first.worker, first.server) == ((1,), (0,))
    assert trace.instance.cluster.capacity.tolist() == [[4]] * 16
    assert trace.report.left_out == {"have no step times of their application and batch": 1}
    assert "epochs" not in trace.report.filled
    assert read(jobs, profiles).instance == trace.instance


def test_profiles_without_runs(jobs: Path, tmp_path: Path) -> None:
    profiles = write_profiles(tmp_path / "traces")
    (profiles / "net/validation-16.csv").unlink()
    trace = read(jobs, profiles)
    assert all(50 <= job.epochs <= 200 and 20_000 <= job.samples <= 500_000 for job in trace.instance.jobs)
    assert trace.report.filled["epochs"] == "of jobs without a run 50:200, drawn from the range of the paper"


def test_without_profiles_the_paper_fills_in(jobs: Path) -> None:
    trace = read(jobs, nodes=Nodes(2, 8), mix=Mix(0, 0, 100))
    assert [(job.id, job.arrival, job.batch) for job in trace.instance.jobs] == [
        ("net-0", 0, 32), ("net-1", 3, 16), ("other-2", 5, 16),
    ]  # fmt: skip
    for job in trace.instance.jobs:
        assert isinstance(job.speed, ParameterServerSpeed)
        assert isinstance(job.utility, SigmoidUtility)
        assert job.utility.urgency >= 4
    assert trace.instance.cluster.capacity.tolist() == [[8]] * 2
    assert trace.report.filled["gradient_mb"] == "30:575 MB, drawn from the range of the paper"


def test_profiles_of_other_applications(tmp_path: Path) -> None:
    jobs = write(tmp_path, "jobs.csv", POLLUX_JOBS.replace("net,", "web,"))
    with pytest.raises(DocumentError, match="jobs: got 3 without step times, expected jobs"):
        read(jobs, profiles=write_profiles(tmp_path / "traces"))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("d,-1,net,1,16", 'time: got "-1", expected a number of at least 0'),
        ("d,1,net,0,16", 'num_replicas: got "0", expected a whole number from 1 to 2147483647'),
        ("d,1,net,1,1.5", 'batch_size: got "1.5", expected a whole number from 1 to 2147483647'),
        ("net-0,1,net,1,16", 'the job "net-0" stands in a row before'),
    ],
)
def test_broken_jobs(tmp_path: Path, row: str, why: str) -> None:
    report = read(write(tmp_path, "jobs.csv", f"{POLLUX_JOBS}{row}\n")).report
    assert [(row.line, row.why) for row in report.broken] == [(5, why)]
    assert report.jobs_used == 3
