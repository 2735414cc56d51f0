"""Alibaba's pods and nodes, worked out by hand on a few lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdors.errors import DocumentError
from pdors.model.job import Job
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import SigmoidUtility
from pdors.traces import alibaba
from pdors.traces.excerpt import Excerpt
from pdors.traces.report import Trace
from tests.traces.samples import NODES, PODS, PODS_WITHOUT_TIMES, write

EXCERPT = Excerpt(jobs=10, slots=10, slot_seconds=300)


def read(*paths: Path, **settings: object) -> Trace:
    return alibaba.read(paths, EXCERPT, np.random.default_rng(0), **({"machines": 7} | settings))  # type: ignore[arg-type]


@pytest.fixture
def pods(tmp_path: Path) -> Path:
    return write(tmp_path, "openb_pod_list_default.csv", PODS)


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    return write(tmp_path, "openb_node_list_all_node.csv", NODES)


def urgency(job: Job) -> float:
    assert isinstance(job.utility, SigmoidUtility)
    return job.utility.urgency


def test_pods_field_by_field(pods: Path, nodes: Path) -> None:
    """p1 has 4 GPUs for 1500 s: four workers with a GPU, 4 CPUs and 2 GiB each, on one node."""
    trace = read(pods, nodes)
    part, wide, bare = trace.instance.jobs
    assert [job.id for job in (part, wide, bare)] == ["p0", "p1", "p2"]
    assert [job.arrival for job in (part, wide, bare)] == [0, 5, 9]
    assert (part.worker, part.work, part.batch) == ((0.25, 6, 12), 900, 1)
    assert part.speed == TableSpeed((1,), (1,), (None,))
    assert (wide.worker, wide.work, wide.batch) == ((1, 4, 2), 6000, 4)
    assert wide.speed == TableSpeed((4,), (4,), (None,))
    assert (bare.worker, bare.work) == ((0, 4, 2), 300)
    assert (wide.server, wide.epochs) == ((0, 0, 0), 1)
    assert urgency(part) >= 4
    assert urgency(wide) == 0
    assert 0.01 <= urgency(bare) <= 1
    assert trace.report.left_out == {"never ran, or for less than a second": 1}
    assert trace.report.unused.keys() == {"gpu_spec"}


@pytest.mark.parametrize(
    ("quality", "low", "high"), [("BE", 0, 0), ("Burstable", 0.01, 1), ("Guaranteed", 0.01, 1), ("LS", 4, 6)]
)
def test_qualities_of_service(tmp_path: Path, quality: str, low: float, high: float) -> None:
    text = PODS.replace(",LS,", f",{quality},")
    assert low <= urgency(read(write(tmp_path, "pods.csv", text)).instance.jobs[0]) <= high


def test_nodes_are_the_machines(pods: Path, nodes: Path) -> None:
    cluster = read(pods, nodes).instance.cluster
    assert cluster.resources == ("gpu", "cpu", "memory_gib")
    assert cluster.machine_names == ("n0", "n1", "n2")
    assert cluster.capacity.tolist() == [[0, 32, 256], [8, 96, 384], [2, 16, 120]]


def test_some_of_the_nodes(pods: Path, nodes: Path) -> None:
    trace = read(pods, nodes, nodes=2)
    assert len(trace.instance.cluster) == 2
    assert set(trace.instance.cluster.machine_names) < {"n0", "n1", "n2"}
    assert trace.report.filled["machines"] == "2 nodes, drawn from the 3 of the trace"
    assert read(pods, nodes, nodes=9).instance == read(pods, nodes).instance


def test_without_nodes_on_the_machines_of_the_paper(pods: Path) -> None:
    assert read(pods).instance.cluster.capacity.tolist() == [[36, 99, 306]] * 7


def test_pods_without_times_are_drawn(tmp_path: Path) -> None:
    trace = read(write(tmp_path, "pods.csv", PODS_WITHOUT_TIMES))
    first, second = trace.instance.jobs
    assert {first.id: first.worker, second.id: second.worker} == {"p0": (0.25, 6, 12), "p1": (1, 8, 4)}
    for job in (first, second):
        assert isinstance(job.speed, ParameterServerSpeed)
        assert 50 <= job.epochs <= 200
        assert 0 <= job.arrival < 10
        assert job.server[0] == 0
        assert 1 <= job.server[1] <= 10
    assert {"arrival", "epochs", "gradient_mb", "server_cpu", "class"} <= trace.report.filled.keys()


def test_lists_in_a_folder_are_variants_of_each_other(pods: Path, nodes: Path, tmp_path: Path) -> None:
    other = write(tmp_path, "openb_pod_list_multigpu50.csv", PODS_WITHOUT_TIMES)
    trace = read(tmp_path)
    assert trace.instance == read(pods, nodes).instance
    assert trace.report.files_not_read == {str(other): "another list like openb_pod_list_default.csv"}
    assert read(tmp_path, other).report.files_not_read == {str(pods): "another list like openb_pod_list_multigpu50.csv"}
    with pytest.raises(DocumentError, match=r"file: got a second list beside .*default.csv, expected one list of pods"):
        read(pods, other)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("p9,1,1,1,0,,LS,Running,0,9,1", 'gpu_milli: got "0", expected a whole number from 1 to 1000'),
        ("p9,1,1,-1,0,,LS,Running,0,9,1", 'num_gpu: got "-1", expected a whole number from 0 to 1024'),
        ("p9,1,1,0,0,,XX,Running,0,9,1", 'qos: got "XX", expected one of BE, Burstable, Guaranteed, LS'),
        ("p9,1,1,0,0,,LS,Running,5,9,1", 'scheduled_time: got "1", expected a number of at least 5'),
        ("p9,1,1,0,0,,LS,Running,0,9,10", 'deletion_time: got "9", expected a number of at least 10'),
        ("p9,1,,0,0,,LS,Running,0,9,1", "memory_mib: got nothing"),
        ("p1,1,1,0,0,,LS,Running,0,9,1", 'the pod "p1" stands in a row before'),
    ],
)
def test_broken_pods(tmp_path: Path, row: str, why: str) -> None:
    report = read(write(tmp_path, "pods.csv", f"{PODS}{row}\n")).report
    assert [(row.line, row.why) for row in report.broken] == [(6, why)]
    assert report.jobs_used == 3


def test_nothing_ran(tmp_path: Path, nodes: Path) -> None:
    lines = PODS.splitlines()
    with pytest.raises(DocumentError, match="pods: got none that ran, expected at least one"):
        read(write(tmp_path, "pods.csv", f"{lines[0]}\n{lines[4]}\n"))
    with pytest.raises(DocumentError, match="pods: got no list of them, expected pods"):
        read(nodes)
