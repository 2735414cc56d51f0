"""The Google trace of 2011, worked out by hand on a few lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from pdors.errors import DocumentError
from pdors.model.utility import SigmoidUtility
from pdors.traces import google
from pdors.traces.excerpt import Excerpt
from pdors.traces.report import Trace
from tests.traces.samples import JOB_EVENTS, JOB_TABLE, REQUEST_TABLE, TASK_EVENTS, write

EXCERPT = Excerpt(jobs=10, slots=4, slot_seconds=3600)


def read(*paths: Path, seed: int = 0, excerpt: Excerpt = EXCERPT) -> Trace:
    return google.read(paths, excerpt, np.random.default_rng(seed), machines=5)


def urgency(trace: Trace, place: int) -> float:
    utility = trace.instance.jobs[place].utility
    assert isinstance(utility, SigmoidUtility)
    return utility.urgency


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return write(tmp_path, "job_events/part-00000-of-00500.csv", JOB_EVENTS)


def test_arrivals_and_classes(events: Path) -> None:
    """From 600 to 4600 s in 4 slots: 1000 s for each. Class 0 does not care for time, 1 and 2 do, 3 must have it."""
    trace = read(events)
    instance = trace.instance
    assert [(job.id, job.arrival) for job in instance.jobs] == [("101", 0), ("102", 1), ("103", 2), ("104", 3)]
    assert urgency(trace, 0) == 0
    assert all(0.01 <= urgency(trace, place) <= 1 for place in (1, 2))
    assert 4 <= urgency(trace, 3) <= 6
    assert (instance.slots, instance.slot_seconds, len(instance.cluster)) == (4, 3600, 5)
    assert instance.cluster.groups[0].capacity == (36, 99, 306, 135)
    report = trace.report
    assert (report.rows_read, report.rows_used) == (7, 5)
    assert report.passed_over == {"events other than a submission": 2}
    assert (report.jobs_found, report.jobs_used) == (5, 4)
    assert report.left_out == {"were submitted before the trace begins or after it ends": 1}
    assert report.broken == ()


def test_tasks_tell_demands_and_order_the_sizes(events: Path, tmp_path: Path) -> None:
    """Of 101 two tasks with a mean of 0.1875 x 99 CPUs, of 102 one without requests, of 103 three without memory."""
    tasks = write(tmp_path, "task_events/part-00000-of-00500.csv", TASK_EVENTS)
    plain, sized = read(events), read(tmp_path / "job_events", tasks)
    before, after = plain.instance.jobs, sized.instance.jobs
    assert after[0].worker == (before[0].worker[0], 18.5625, 153, before[0].worker[3])
    assert after[1].worker == before[1].worker
    assert after[2].worker == (before[2].worker[0], 49.5, *before[2].worker[2:])
    assert after[3] == before[3]
    samples = sorted(job.samples for job in before[:3])
    assert [after[place].samples for place in (1, 0, 2)] == samples
    assert [job.epochs for job in after] == [job.epochs for job in before]
    assert sized.report.passed_over == {
        "events other than a submission": 3,
        "further submissions of the same job or task": 1,
        "tasks of jobs that are left out": 1,
    }
    assert "; with tasks (3 of the jobs) more for more tasks" in sized.report.filled["samples"]
    assert "; without one (2 of the jobs) 1:10, drawn" in sized.report.filled["worker_cpu"]


def test_one_row_per_job_gives_the_same_as_events(tmp_path: Path) -> None:
    table = write(tmp_path, "jobs.csv.gz", "")
    table.write_bytes(gzip.compress(JOB_TABLE.encode()))
    jobs = read(table).instance.jobs
    assert [(job.id, job.arrival) for job in jobs] == [("101", 0), ("104", 3)]


def test_requests_of_jobs_in_one_table(tmp_path: Path) -> None:
    """More tasks, more samples; 104 states no requests."""
    first, last = read(write(tmp_path, "requests.csv", REQUEST_TABLE)).instance.jobs
    assert (first.id, first.worker[1:3], last.id) == ("101", (24.75, 153), "104")
    assert first.samples > last.samples


def test_the_first_submission_counts_whichever_file_comes_first(tmp_path: Path) -> None:
    late = write(tmp_path, "late.csv", "3600000000,,7,0,u,1,n,l\n3600000001,,8,0,u,1,n,l\n")
    early = write(tmp_path, "early.csv", "1600000000,,7,0,u,3,n,l\n1600000001,,7,0,u,1,n,l\n2600000001,,9,0,u,1,n,l\n")
    for paths in ((late, early), (early, late)):
        trace = read(*paths)
        assert [(job.id, job.arrival) for job in trace.instance.jobs] == [("7", 0), ("9", 2), ("8", 3)]
        assert urgency(trace, 0) >= 4
        assert trace.report.jobs_found == 3


def test_more_jobs_than_there_are(events: Path) -> None:
    report = read(events, excerpt=Excerpt(jobs=500, slots=4, slot_seconds=3600)).report
    assert (report.jobs_asked, report.jobs_used) == (500, 4)
    report = read(events, excerpt=Excerpt(jobs=3, slots=4, slot_seconds=3600)).report
    assert report.jobs_used == 3
    assert report.left_out["sampled away"] == 1


def test_broken_rows_have_their_lines(tmp_path: Path) -> None:
    broken = "1,,5,9,u,0,n,l\n1,,x,0,u,0,n,l\n1,,5,0,u,4,n,l\n1,,5,0,u,0,n\n-1,,5,0,u,0,n,l\n"
    path = write(tmp_path, "part.csv", JOB_EVENTS + broken)
    assert [(row.line, row.why.partition(",")[0]) for row in read(path).report.broken] == [
        (8, 'event_type: got "9"'),
        (9, 'job_id: got "x"'),
        (10, 'scheduling_class: got "4"'),
        (11, "columns: got 7"),
        (12, 'time: got "-1"'),
    ]


def test_parts_without_an_arrival(tmp_path: Path) -> None:
    only_before = write(tmp_path, "part.csv", JOB_EVENTS.splitlines()[0] + "\n")
    tasks = write(tmp_path, "tasks.csv", TASK_EVENTS)
    for path in (only_before, tasks):
        with pytest.raises(DocumentError, match="jobs: got none that arrives within the trace, expected at least one"):
            read(path)
