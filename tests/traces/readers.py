"""Every reader called alike, on the samples and on traces as they are published."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pdors.traces import alibaba, columns, elasticflow, google, pollux
from pdors.traces.excerpt import Excerpt
from pdors.traces.report import Trace, TraceReport
from tests.traces import samples

Reader = Callable[[Iterable[Path], Excerpt, np.random.Generator], Trace]


def _google(paths: Iterable[Path], excerpt: Excerpt, rng: np.random.Generator) -> Trace:
    return google.read(paths, excerpt, rng, machines=4)


def _alibaba(paths: Iterable[Path], excerpt: Excerpt, rng: np.random.Generator) -> Trace:
    return alibaba.read(paths, excerpt, rng, machines=4)


def _csv(paths: Iterable[Path], excerpt: Excerpt, rng: np.random.Generator) -> Trace:
    return columns.read(paths, excerpt, rng, columns=samples.TABLE_MAP, machines=4)


@dataclass(frozen=True)
class Case:
    """A reader, and files for it: name to text, each the beginning of one that is published."""

    read: Reader
    files: dict[str, str]


CASES = {
    "google": Case(_google, {"job_events.csv": samples.JOB_EVENTS, "task_events.csv": samples.TASK_EVENTS}),
    "google by job": Case(_google, {"jobs.csv": samples.JOB_TABLE, "requests.csv": samples.REQUEST_TABLE}),
    "elasticflow": Case(elasticflow.read, {"jobs.csv": samples.ELASTICFLOW_JOBS, "vgg.csv": samples.THROUGHPUTS}),
    "elasticflow, older": Case(elasticflow.read, {"jobs.csv": samples.ELASTICFLOW_OLDER_JOBS}),
    "pollux": Case(
        pollux.read,
        {
            "jobs.csv": samples.POLLUX_JOBS,
            "net/placements-aws.csv": samples.PLACEMENTS,
            "net/scalability-aws.csv": samples.SCALABILITY,
            "net/validation-16.csv": samples.RUN,
        },
    ),
    "pollux without profiles": Case(pollux.read, {"jobs.csv": samples.POLLUX_JOBS}),
    "alibaba": Case(_alibaba, {"pods.csv": samples.PODS, "nodes.csv": samples.NODES}),
    "alibaba without times": Case(_alibaba, {"pods.csv": samples.PODS_WITHOUT_TIMES}),
    "csv": Case(_csv, {"jobs.csv": samples.TABLE}),
}


def write_files(case: Case, folder: Path) -> list[Path]:
    return [samples.write(folder, name, text) for name, text in case.files.items()]


def require_counts_that_add_up(report: TraceReport) -> None:
    assert report.rows_read == report.rows_used + sum(report.passed_over.values()) + len(report.broken)
    assert report.jobs_found == report.jobs_used + sum(report.left_out.values())
    assert 1 <= report.jobs_used <= report.jobs_asked
    assert min([*report.passed_over.values(), *report.left_out.values()], default=1) > 0
