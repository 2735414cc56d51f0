"""ElasticFlow's traces, worked out by hand on a few lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdors.errors import DocumentError
from pdors.model.job import Job
from pdors.model.speed import TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.traces import elasticflow
from pdors.traces.excerpt import Excerpt
from pdors.traces.nodes import Nodes
from pdors.traces.report import Trace
from tests.traces.samples import ELASTICFLOW_JOBS, ELASTICFLOW_OLDER_JOBS, THROUGHPUTS, write

SCALED = Excerpt(jobs=10, slots=40, slot_seconds=300)
RECORDED = Excerpt(jobs=10, slots=40, slot_seconds=300, arrivals="recorded")


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    return write(tmp_path, "cluster01.csv", ELASTICFLOW_JOBS)


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    return write(tmp_path, "throughputs/vgg.csv", THROUGHPUTS).parent


def read(*paths: Path, excerpt: Excerpt = SCALED, **settings: object) -> Trace:
    return elasticflow.read(paths, excerpt, np.random.default_rng(0), **settings)  # type: ignore[arg-type]


def test_jobs_field_by_field(jobs: Path, tables: Path) -> None:
    """Iterations times 64, of 16 GPUs on two nodes. In 899 s the last whole slot of 300 s is slot 1."""
    trace = read(jobs, throughputs=tables)
    first, second, third = trace.instance.jobs
    assert first == Job(
        id="a",
        arrival=0,
        epochs=3600,
        samples=64,
        batch=64,
        speed=TableSpeed(
            (1, 2, 4, 8, 16), (128, 256, 384, 512, None), (None, None, None, None, 640)
        ),
        worker=(1,),
        server=(0,),
        utility=DeadlineUtility(0.5, 1),
    )  # fmt: skip
    assert second.speed == TableSpeed((1, 2, 16, 32), (128, 256, None, None), (None, None, 768, 960))
    assert (second.arrival, second.utility) == (10, DeadlineUtility(1, 23))
    # No throughputs: 1200 iterations of 32 in 600 s on its 16 GPUs. 100 s are less than a slot.
    assert third.speed == TableSpeed((16,), (None,), (64,))
    assert (third.arrival, third.utility) == (39, DeadlineUtility(16 / 6, -1))
    assert trace.instance.cluster.capacity.tolist() == [[8]] * 16
    assert trace.report.filled["speed"] == "without throughputs (1 of the jobs) as it ran, on its number of GPUs alone"
    assert trace.report.filled["deadline"].endswith("too early for any schedule: 1 of the jobs")


def test_a_deadline_kept_in_slots_is_kept_in_seconds(jobs: Path) -> None:
    """Recorded from 1000 s on: b is submitted 1000 s later, in time for slot 4, and must be done 8200 s later."""
    a, b, c = read(jobs, excerpt=RECORDED).instance.jobs
    assert [job.arrival for job in (a, b, c)] == [0, 4, 14]
    for job, seconds in ((a, 899), (b, 8200), (c, 4100)):
        assert isinstance(job.utility, DeadlineUtility)
        end_of_last = (job.arrival + job.utility.deadline + 1) * 300
        assert end_of_last <= seconds < end_of_last + 300


def test_tables_may_stand_among_the_paths(jobs: Path, tables: Path) -> None:
    assert read(jobs, tables).instance == read(jobs, throughputs=tables).instance == read(jobs.parent).instance


def test_without_tables_jobs_run_as_they_ran(jobs: Path) -> None:
    """3600 iterations of 64 in 900 s on 2 GPUs."""
    assert read(jobs).instance.jobs[0].speed == TableSpeed((2,), (256,), (None,))
    assert read(jobs).report.unused == {}


def test_nodes_value_and_where_it_was_measured(jobs: Path, tables: Path) -> None:
    trace = read(jobs, tables, nodes=Nodes(3, 4), measured_within=4, value=2.5)
    assert trace.instance.cluster.capacity.tolist() == [[4]] * 3
    assert trace.instance.jobs[0].speed == TableSpeed(
        (1, 2, 4, 8, 16), (128, 256, 384, None, None), (None, None, None, 512, 640)
    )
    assert all(job.utility.height == 2.5 for job in trace.instance.jobs)


def test_the_older_header(tmp_path: Path) -> None:
    """real_duration counts, and not duration."""
    [job] = read(write(tmp_path, "philly.csv", ELASTICFLOW_OLDER_JOBS)).instance.jobs
    assert (job.id, job.work, job.utility) == ("0", 3600 * 64, DeadlineUtility(0.5, 5))
    assert job.speed == TableSpeed((2,), (256,), (None,))


def test_jobs_of_one_name(jobs: Path, tmp_path: Path) -> None:
    """Twice in a file it is a mistake; in two files they are two jobs."""
    again = write(tmp_path, "cluster02.csv", ELASTICFLOW_JOBS + ELASTICFLOW_JOBS.splitlines()[1] + "\n")
    trace = read(jobs, again)
    assert sorted(job.id for job in trace.instance.jobs) == ["a", "b", "c", "cluster02/a", "cluster02/b", "cluster02/c"]
    assert [(row.line, row.why) for row in trace.report.broken] == [(5, 'the job "a" stands in a row before')]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("d,1,1,vgg,0,64,1,1", 'deadline: got "0", expected a number of at least 1'),
        ("d,1,0,vgg,9,64,1,1", 'num_iteration: got "0", expected a number above 0'),
        ("d,1,1,,9,64,1,1", "model_name: got nothing"),
        ("d,1,1,vgg,9,0,1,1", 'batch_size: got "0", expected a whole number from 1 to 2147483647'),
        ("d,1,1,vgg,9,64,0,1", 'num_gpu: got "0", expected a whole number from 1 to 2147483647'),
        ("d,1,1,vgg,9,64,1,-1", 'real_duration: got "-1", expected a number above 0'),
        (",1,1,vgg,9,64,1,1", "job_id: got nothing"),
    ],
)
def test_broken_jobs(tmp_path: Path, row: str, why: str) -> None:
    trace = read(write(tmp_path, "jobs.csv", f"{ELASTICFLOW_JOBS}{row}\n"))
    assert [(row.line, row.why) for row in trace.report.broken] == [(5, why)]
    assert trace.report.jobs_used == 3


def test_broken_tables(jobs: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "throughputs/vgg.csv", f"{THROUGHPUTS}64,1,1,1,1,1,1\n32,-1,1,1,1,1,1\nx,1,1,1,1,1,1\n")
    assert [row.why.partition(", exp")[0] for row in read(jobs, path).report.broken] == [
        "global_batch_size: 64 of vgg stands in a row before", '1: got "-1"', 'global_batch_size: got "x"',
    ]  # fmt: skip
    path = write(tmp_path, "throughputs/vgg.csv", "global_batch_size,1,two\n64,1,1\n")
    with pytest.raises(DocumentError, match=r"header: .* expected global_batch_size, then numbers of GPUs"):
        read(jobs, path)


def test_tables_alone_are_no_trace(tables: Path) -> None:
    with pytest.raises(DocumentError, match="jobs: got none, expected jobs"):
        read(tables)
