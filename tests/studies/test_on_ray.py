"""Runs on a real Ray cluster of several nodes: the same as in processes here, whatever happens to the nodes."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import pdors
from pdors.errors import ModelError, PdorsError
from pdors.studies import ray_cell
from pdors.studies.comparison import PolicyRun
from pdors.studies.on_ray import OnRay
from pdors.studies.processes import Processes
from pdors.studies.runs import Result, Run, run_all
from pdors.studies.sources import Generated
from pdors.workloads.paper_settings import PaperWorkload
from tests.cli.test_main import heeds_interrupts
from tests.support.ray_cluster import NODE, Node, RayCluster

SMALL = Generated(PaperWorkload(jobs=12, machines=5, slots=20))


@dataclass(frozen=True)
class Marked:
    """Leaves a mark with the node each time that it is run; what it does is `inner`, or a square.

    It ends once each of the nodes on which it would not end has one.
    """

    number: int
    marks: Path
    inner: PolicyRun | None = None
    never_ends_on: frozenset[str] = field(default=frozenset())
    kills_its_worker: bool = False
    seconds: float = 0.0

    @property
    def identity(self) -> str:
        return f"marked {self.number} {self.inner and self.inner.identity}"

    def __call__(self) -> Result:
        node = os.environ.get(NODE, "here")
        (self.marks / f"{self.number},{node},{os.urandom(4).hex()}").touch()
        if self.kills_its_worker:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.number < 0:
            raise ModelError(f"{self.number} is below 0")
        while node in self.never_ends_on or not self.never_ends_on <= {name for _, name in marked(self.marks)}:
            time.sleep(0.05)
        time.sleep(self.seconds)
        return {"square": self.number**2} if self.inner is None else self.inner()


def marked(marks: Path) -> list[tuple[int, str]]:
    """The run and the node of every mark, in the order of the runs."""
    parts = (mark.name.split(",") for mark in marks.iterdir())
    return sorted((int(number), node) for number, node, _ in parts)


def untimed(value: Any) -> Any:
    """A result without the seconds that deciding took: the rest is the same wherever it was computed."""
    if isinstance(value, dict):
        return {key: untimed(inner) for key, inner in value.items() if key == "slot_seconds" or "seconds" not in key}
    return [untimed(inner) for inner in value] if isinstance(value, list) else value


def as_bytes(results: list[Result]) -> bytes:
    return json.dumps(untimed(results)).encode()


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with RayCluster() as made:
        made.add({}, {})
        yield made


@pytest.fixture
def more(cluster: RayCluster) -> Iterator[Callable[..., list[Node]]]:
    """Nodes that are gone after the test."""
    kept = len(cluster.nodes)
    yield cluster.add
    for node in cluster.nodes[kept:]:
        node.kill()


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def test_results_are_the_same_to_the_byte_as_in_processes(
    cluster: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the policies stands in a file that the nodes do not find under its path."""
    shutil.copy("examples/shortest_first.py", tmp_path / "own.py")
    monkeypatch.chdir(tmp_path)
    runs = [
        PolicyRun(SMALL, policy, seed, in_detail=seed == 0)
        for policy in ("pdors", "oasis", "elasticflow", "drf", "own.py:ShortestFirst")
        for seed in range(3)
    ]
    done: list[None] = []
    found = run_all(runs, backend=OnRay(cluster.address), folder=tmp_path / "ray", on_result=lambda: done.append(None))
    expected = run_all(runs, backend=Processes(1), folder=tmp_path / "processes")
    assert len(done) == len(runs)
    assert b"completion" in as_bytes(found)
    assert as_bytes(found) == as_bytes(expected)


def test_runs_of_nodes_that_die_are_run_again(
    cluster: RayCluster, more: Callable[..., list[Node]], tmp_path: Path, marks: Path
) -> None:
    """Two nodes are killed, each while it has a run in hand."""
    killed, also_killed = more({}, {})
    runs = [
        Marked(seed, marks, PolicyRun(SMALL, "pdors", seed), never_ends_on=frozenset({killed.name, also_killed.name}))
        for seed in range(8)
    ]

    def end_the_nodes() -> None:
        wait_until(lambda: {killed.name, also_killed.name} <= {node for _, node in marked(marks)})
        killed.kill()
        also_killed.kill()

    threading.Thread(target=end_the_nodes).start()
    found = run_all(runs, backend=OnRay(cluster.address), folder=tmp_path / "ray")
    assert {node for _, node in marked(marks)} >= {killed.name, also_killed.name}
    assert {number for number, node in marked(marks) if node not in {killed.name, also_killed.name}} == set(range(8))
    expected = [PolicyRun(SMALL, "pdors", seed)() for seed in range(8)]
    assert as_bytes(found) == as_bytes(expected)


def test_a_run_that_takes_every_worker_down_ends_all(cluster: RayCluster, tmp_path: Path, marks: Path) -> None:
    runs = [Marked(1, marks, kills_its_worker=True)]
    with pytest.raises(PdorsError, match=r"(?s)4 workers were lost with this run: .*the run is marked 1"):
        run_all(runs, backend=OnRay(cluster.address), folder=tmp_path / "kept")
    assert [number for number, _ in marked(marks)] == [1] * 4


def test_a_run_that_fails_ends_all_and_the_rest_is_taken_up_again(
    cluster: RayCluster, tmp_path: Path, marks: Path
) -> None:
    """In the words of `Processes`; and what is in flight is cancelled."""
    good = [Marked(number, marks) for number in range(1, 4)]
    stuck = Marked(9, marks, never_ends_on=frozenset(node.name for node in cluster.nodes))
    kept = tmp_path / "kept"
    with pytest.raises(PdorsError, match=r"^-1 is below 0$"):
        run_all([*good, stuck, Marked(-1, marks)], backend=OnRay(cluster.address), folder=kept)
    wait_until(lambda: not any(node.computing() for node in cluster.nodes))
    before = len(list(kept.iterdir()))
    assert before == 3
    done: list[None] = []
    runs = [*good, Marked(4, marks), Marked(5, marks)]
    results = run_all(runs, backend=OnRay(cluster.address), folder=kept, on_result=lambda: done.append(None))
    assert [result["square"] for result in results] == [1, 4, 9, 16, 25]
    assert [number for number, _ in marked(marks) if number not in {-1, 9}] == [1, 2, 3, 4, 5]
    assert len(done) == 5


def test_a_node_with_other_code_is_refused(
    cluster: RayCluster, more: Callable[..., list[Node]], tmp_path: Path, marks: Path
) -> None:
    """It has not even the module that tells so."""
    other = tmp_path / "other" / "pdors"
    shutil.copytree(Path(pdors.__file__).parent, other, ignore=shutil.ignore_patterns("__pycache__", "ray_*"))
    (node,) = more({"PYTHONPATH": f"{other.parent}:{Path.cwd()}"})
    runs = [Marked(number, marks, seconds=0.5) for number in range(40)]
    with pytest.raises(PdorsError, match=r"^the machine 127\.[\d.]+ has the code of pdors \w{32}, this machine \w{32}"):
        run_all(runs, backend=OnRay(cluster.address), folder=tmp_path / "kept")
    assert node.name not in {name for _, name in marked(marks)}


def test_a_cluster_without_machines_and_one_that_goes_away(
    tmp_path: Path, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "1")
    kept = tmp_path / "kept"
    with RayCluster() as lone:
        with pytest.raises(PdorsError, match="has had a CPU for 1 s"):
            run_all([Marked(1, marks)], backend=OnRay(lone.address, seconds_without_machines=1), folder=kept)
        name = lone.add({})[0].name

        def end_the_head() -> None:
            wait_until(lambda: (2, name) in marked(marks))
            lone.head.kill()

        threading.Thread(target=end_the_head).start()
        runs = [Marked(1, marks), Marked(2, marks, never_ends_on=frozenset({name}))]
        with pytest.raises(PdorsError, match="is gone; 1 of 2 runs came back, and are kept"):
            run_all(runs, backend=OnRay(lone.address), folder=kept)
    assert len(list(kept.iterdir())) == 1


def test_wrong_addresses_are_told_at_once(tmp_path: Path, marks: Path) -> None:
    def complaint(address: str) -> str:
        with pytest.raises(PdorsError) as told:
            run_all([Marked(1, marks)], backend=OnRay(address, seconds_to_connect=2), folder=tmp_path)
        return str(told.value)

    begun = time.monotonic()
    with socket.create_server(("127.0.0.11", 0)) as silent:
        port = silent.getsockname()[1]
        assert f"no Ray cluster at 127.0.0.11:{port} answers" in complaint(f"127.0.0.11:{port}")
    refused = complaint(f"127.0.0.11:{port}")
    assert refused.startswith(f"cannot connect to the Ray cluster at 127.0.0.11:{port}: ")
    assert "\n" not in refused
    for address in ("ray://127.0.0.11:10001", "local", "127.0.0.11", "here:there"):
        assert complaint(address).endswith(f"as in 10.0.0.1:6379; got {address!r}")
    assert time.monotonic() - begun < 20


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, marks: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(PdorsError, match=r"pip install 'pdors\[ray\]'"):
        list(OnRay("127.0.0.11:1").compute([Marked(1, marks)]))
    assert list(OnRay("127.0.0.11:1").compute([])) == []


def test_interrupted_comparison_cancels_and_goes_on_where_it_stopped(cluster: RayCluster, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = [
        sys.executable, "-m", "pdors", "compare", "--jobs", "60", "--machines", "20", "--slots", "40",
        "--policies", "pdors,fifo", "--seeds", "12", "--no-bound", "--keep", str(kept), "--json",
        "--on", "ray",
    ]  # fmt: skip
    started = subprocess.Popen(
        [*command, "--address", cluster.address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heeds_interrupts,  # noqa: PLW1509 - there are no threads here
    )  # fmt: skip
    wait_until(lambda: started.poll() is not None or len(list(kept.glob("*.json"))) >= 3)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert err.splitlines() == ["finished runs are kept: the same command goes on from here", "pdors: interrupted"]
    wait_until(lambda: not any(node.computing() for node in cluster.nodes))
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert 3 <= len(before) < 24
    named = os.environ | {"RAY_ADDRESS": cluster.address}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=named)
    after = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert len(after) == 24
    assert {name: after[name] for name in before} == before
    assert (json.loads(done.stdout)["seeds"], done.stderr) == (list(range(12)), "")


def test_a_machine_without_the_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ray_cell.software()
    other = expected | {"numpy": "1.0"}
    assert ray_cell.compute_cell("n", other, b"")[1].startswith(f"n has numpy {expected['numpy']}, this machine 1.0")
    monkeypatch.setitem(sys.modules, "pdors.studies.runs", None)
    went_well, told = ray_cell.compute_cell("n", expected, b"")
    assert not went_well
    assert told.startswith("n cannot run this: ")


def test_what_a_run_reads_must_be_the_same_there(tmp_path: Path) -> None:
    """A cell on its own: the identity that was sent is that of a file which has changed since, or is not there."""
    file = tmp_path / "read"
    file.write_text("one")
    run: Run = Reads(file)
    posed = pickle.dumps((run.identity, run))
    assert ray_cell.compute_cell("n", ray_cell.software(), posed) == (True, {"text": "one"})
    file.write_text("two")
    assert ray_cell.compute_cell("n", ray_cell.software(), posed)[1].startswith("n has other files than this machine")
    file.unlink()
    went_well, told = ray_cell.compute_cell("n", ray_cell.software(), posed)
    assert not went_well
    assert told.startswith("n: [Errno 2] No such file or directory")


@dataclass(frozen=True)
class Reads:
    file: Path

    @property
    def identity(self) -> str:
        return self.file.read_text()

    def __call__(self) -> Result:
        return {"text": self.file.read_text()}
