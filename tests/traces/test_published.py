"""Traces laid out as they are published: the samples, and the real ones where this machine has them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from pdors import plan
from pdors.check import check
from pdors.files import decisions_document, instance_document, parse_instance
from pdors.traces import alibaba, elasticflow, google, pollux
from pdors.traces.excerpt import Excerpt
from pdors.traces.report import Trace
from tests.traces.readers import require_counts_that_add_up

EXCERPT = Excerpt(jobs=40, slots=30, slot_seconds=600)
MOST_SECONDS = 10
"""Far more than any of them takes: the largest here has 10 MB."""


def require_sound(trace: Trace) -> None:
    require_counts_that_add_up(trace.report)
    document = instance_document(trace.instance)
    assert parse_instance(document, "trace") == trace.instance
    decisions = decisions_document(plan(trace.instance), trace.instance)
    assert check(document, decisions).violations == ()


@pytest.mark.parametrize(
    "parts", [("job_events",), ("job_events", "task_events"), ("",)], ids=["jobs", "jobs and tasks", "everything"]
)
def test_google(published: Path, parts: tuple[str, ...]) -> None:
    started = time.perf_counter()
    paths = [published / "google2011" / part for part in parts]
    trace = google.read(paths, EXCERPT, np.random.default_rng(0), machines=6)
    assert time.perf_counter() - started < MOST_SECONDS
    assert trace.report.broken == ()
    require_sound(trace)


@pytest.mark.parametrize("tables", [(), ("throughputs_A100",)], ids=["as they ran", "measured"])
def test_elasticflow(published: Path, tables: tuple[str, ...]) -> None:
    folder = published / "elasticflow"
    for jobs in folder.glob("*.csv"):
        trace = elasticflow.read([jobs, *(folder / name for name in tables)], EXCERPT, np.random.default_rng(0))
        assert trace.report.broken == ()
        require_sound(trace)


@pytest.mark.parametrize("has_profiles", [True, False])
def test_pollux(published: Path, has_profiles: bool) -> None:  # noqa: FBT001 - a parameter of the test
    for jobs in (published / "pollux/workloads").glob("*.csv"):
        profiles = published / "sia/traces" if has_profiles else None
        trace = pollux.read([jobs], EXCERPT, np.random.default_rng(0), profiles=profiles)
        assert trace.report.broken == ()
        require_sound(trace)


def test_alibaba(published: Path) -> None:
    nodes = published / "alibaba_gpu_v2023/openb_node_list_all_node.csv"
    for pods in (published / "alibaba_gpu_v2023").glob("openb_pod_list_*.csv"):
        trace = alibaba.read([pods, nodes], EXCERPT, np.random.default_rng(0), nodes=12, machines=1)
        assert trace.report.broken == ()
        require_sound(trace)
