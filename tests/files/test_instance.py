"""Instances in and out: the example of the format by hand, lossless round trips, and every kind of mistake."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from pdors.errors import DocumentError
from pdors.files import instance_document, parse_instance, read_instance, write_instance
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility
from tests.support.instances import instances, small_instance

EXAMPLE = """
format: pdors/instance/1
slots: 20
slot_seconds: 3600
resources: [gpu, cpu, memory_gb, storage_gb]
machines:
  - {name: m, count: 100, capacity: {gpu: 36, cpu: 99, memory_gb: 306, storage_gb: 135}}
  - {name: big, capacity: {gpu: 72, cpu: 200, memory_gb: 600, storage_gb: 270}}
jobs:
  - id: job-0
    arrival: 0
    epochs: 100
    samples: 200000
    batch: 128
    speed:
      kind: ps
      sample_seconds: 0.18
      gradient_mb: 300
      workers_per_server: 4
      internal_mb_s: 2500
      external_mb_s: 125
    worker: {gpu: 2, cpu: 4, memory_gb: 16, storage_gb: 8}
    server: {cpu: 4, memory_gb: 8, storage_gb: 5}
    utility: {kind: sigmoid, priority: 50, urgency: 0.5, target: 6}
"""

Document = dict[str, Any]


def test_the_example_of_the_format(tmp_path: Path) -> None:
    path = tmp_path / "i.yaml"
    path.write_text(EXAMPLE)
    groups = (MachineGroup("m", (36, 99, 306, 135), 100), MachineGroup("big", (72, 200, 600, 270)))
    job = Job(
        "job-0", 0, 100, 200_000, 128, ParameterServerSpeed(0.18, 300, 4, 2500, 125), (2, 4, 16, 8), (0, 4, 8, 5),
        SigmoidUtility(50, 0.5, 6),
    )  # fmt: skip
    cluster = Cluster(("gpu", "cpu", "memory_gb", "storage_gb"), groups)
    assert read_instance(path) == Instance(20, 3600, cluster, (job,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a test."""
    return tmp_path_factory.mktemp("instances")


@pytest.mark.parametrize("suffix", ["json", "yaml"])
@given(instance=instances(wide=True))
def test_what_was_written_is_read_back_and_written_alike(folder: Path, suffix: str, instance: Instance) -> None:
    path, again = folder / f"i.{suffix}", folder / f"again.{suffix}"
    write_instance(instance, path)
    assert read_instance(path) == instance
    write_instance(read_instance(path), again)
    assert again.read_bytes() == path.read_bytes()


def document() -> Document:
    return deepcopy(instance_document(small_instance()))


def problems_of(data: object) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_instance(data, "i.yaml")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("i.yaml: ") for line in lines)
    return [line.removeprefix("i.yaml: ") for line in lines]


def test_integers_are_written_in_any_notation_and_machines_come_in_any_order() -> None:
    data = document()
    data |= {"slots": 1e1, "machines": data["machines"][::-1]}
    data["jobs"][0]["batch"] = 8.0
    instance = parse_instance(data, "i")
    assert (instance.slots, type(instance.slots)) == (10, int)
    assert instance.cluster.machine_names == ("big", "m-0", "m-1")


def test_jobs_keep_the_order_of_the_file() -> None:
    data = document()
    data["jobs"].reverse()
    assert [job.id for job in parse_instance(data, "i").jobs] == ["job-2", "job-1", "job-0"]


def test_servers_may_be_left_out_where_there_are_none() -> None:
    data = document()
    assert "server" not in data["jobs"][1]
    data["jobs"][1]["server"] = {"cpu": 3}
    instance = parse_instance(data, "i")
    assert instance.jobs[1].server == (0, 3)
    assert instance_document(instance) == data | {
        "jobs": [data["jobs"][0], data["jobs"][1] | {"server": {"gpu": 0, "cpu": 3}}, data["jobs"][2]]
    }


def test_what_is_not_said_of_an_amount_is_0() -> None:
    data = document()
    data["machines"][0]["capacity"] = {}
    data["jobs"][0] |= {"worker": {"cpu": 2}, "server": {}}
    instance = parse_instance(data, "i")
    assert instance.cluster.groups[0].capacity == (0, 0)
    assert (instance.jobs[0].worker, instance.jobs[0].server) == ((0, 2), (0, 0))


POSITIVE = "a finite number above 0"
NOT_NEGATIVE = "a finite number of at least 0"
TEXT = "a text that is not empty"
UNKNOWN = "expected no such key; the keys here are"
TOP_KEYS = "format, slots, slot_seconds, resources, machines, jobs"
JOB_KEYS = "id, arrival, epochs, samples, batch, speed, worker, server, utility"


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        (["format"], "pdors/instance/2", 'format: got "pdors/instance/2", expected pdors/instance/1'),
        (["format"], "pdors/decisions/1", 'format: got "pdors/decisions/1", expected pdors/instance/1'),
        (["format"], 1, "format: got 1, expected pdors/instance/1"),
        (["slots"], True, "slots: got true, expected an integer of at least 1"),
        (["slots"], 2.5, "slots: got 2.5, expected an integer of at least 1"),
        (["slots"], "10", 'slots: got "10", expected an integer of at least 1'),
        (["slots"], 2**31, "slots: got 2147483648, expected an integer of at most 2147483647"),
        (["slots"], 10**400, "slots: got an integer of more than 60 digits, expected an integer of at least 1"),
        (["slot_seconds"], 0, f"slot_seconds: got 0, expected {POSITIVE}"),
        (["slot_seconds"], math.nan, f"slot_seconds: got NaN, expected {POSITIVE}"),
        (["slot_seconds"], math.inf, f"slot_seconds: got Infinity, expected {POSITIVE}"),
        (["resources"], {}, "resources: got an empty mapping, expected a list with at least one resource"),
        (["machines"], [], "machines: got a list of 0, expected a list with at least one machine"),
        (["machines", 0], "m", 'machines[0]: got "m", expected a mapping'),
        (["machines", 0, "name"], "", f'machines[0].name: got "", expected {TEXT}'),
        (["machines", 0, "name"], 7, f"machines[0].name: got 7, expected {TEXT}"),
        (["machines", 1, "name"], "m-1",
         'machines[1].name: got "m-1", expected names that no other machine has (machines[0].name gives "m-1" too)'),
        (["machines", 0, "count"], 0, "machines[0].count: got 0, expected an integer of at least 1"),
        (["machines", 0, "count"], None, "machines[0].count: got null, expected an integer of at least 1"),
        (["machines", 0, "count"], 10**6 + 1, "machines[0].count: got 1000001, expected an integer of at most 1000000"),
        (["machines", 0, "count"], 10**6, 'machines[1].name: got "big", expected at most 1000000 machines in all'),
        (["machines", 0, "capacity", "gpu"], -1, f"machines[0].capacity.gpu: got -1, expected {NOT_NEGATIVE}"),
        (["machines", 0, "capacity", "tpu"], 1,
         "machines[0].capacity.tpu: got 1, expected no such key; the resources are gpu, cpu"),
        (["machines", 0, "rack"], 1,
         f"machines[0].rack: got 1, {UNKNOWN} name, count, capacity"),
        (["jobs"], {"id": "a"}, "jobs: got a mapping, expected a list"),
        (["jobs", 1], None, "jobs[1]: got null, expected a mapping"),
        (["jobs", 1, "id"], "job-0", 'jobs[1].id: got "job-0", expected one that stands once (jobs[0].id has it)'),
        (["jobs", 1, "arrival"], 10, "jobs[1].arrival: got 10, expected an integer of at most 9"),
        (["jobs", 1, "arrival"], -1, "jobs[1].arrival: got -1, expected an integer of at least 0"),
        (["jobs", 1, "epochs"], 0, f"jobs[1].epochs: got 0, expected {POSITIVE}"),
        (["jobs", 1, "samples"], False, f"jobs[1].samples: got false, expected {POSITIVE}"),
        (["jobs", 1, "samples"], 1e308,
         "jobs[1].samples: got 1e+308, expected a number that, times 10.0 epochs, is finite and above 0"),
        (["jobs", 1, "batch"], 0, "jobs[1].batch: got 0, expected an integer of at least 1"),
        (["jobs", 1, "batch"], 2**31, "jobs[1].batch: got 2147483648, expected an integer of at most 2147483647"),
        (["jobs", 1, "worker"], [1, 2], "jobs[1].worker: got a list of 2, expected a mapping"),
        (["jobs", 1, "worker", "gpu"], "2", f'jobs[1].worker.gpu: got "2", expected {NOT_NEGATIVE}'),
        (["jobs", 1, "worker", "disk gb"], 2,
         'jobs[1].worker["disk gb"]: got 2, expected no such key; the resources are gpu, cpu'),
        (["jobs", 0, "server", "gpu"], None, f"jobs[0].server.gpu: got null, expected {NOT_NEGATIVE}"),
        (["jobs", 1, "server"], None, "jobs[1].server: got null, expected a mapping"),
        (["jobs", 1, "user"], {}, f"jobs[1].user: got an empty mapping, {UNKNOWN} {JOB_KEYS}"),
        (["notes"], "n", f'notes: got "n", {UNKNOWN} {TOP_KEYS}'),
    ],
)  # fmt: skip
def test_one_mistake_is_one_line(keys: list[Any], value: object, problem: str) -> None:
    data = document()
    container: Any = data
    for key in keys[:-1]:
        container = container[key]
    container[keys[-1]] = value
    assert problems_of(data) == [problem]


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("", lambda data: data),
        ("machines[0].", lambda data: data["machines"][0]),
        ("jobs[0].", lambda data: data["jobs"][0]),
    ],
)
def test_a_missing_key_is_named(path: str, part: Callable[[Document], Document]) -> None:
    for key in set(part(document())) - {"count"}:
        data = document()
        del part(data)[key]
        first, *others = problems_of(data)
        assert first.startswith(f"{path}{key}: got nothing, expected ")
        assert not others


def test_names_of_resources_must_be_known_to_be_missed() -> None:
    data = document()
    data["resources"] = ["gpu", "gpu"]
    assert problems_of(data) == [
        'resources[1]: got "gpu", expected one that stands once (resources[0] has it)',
    ], "which of the others are unknown cannot be said"


def test_odd_resources_stay_on_one_line() -> None:
    data = document()
    data["resources"] = ["gpu", "cpu", "two\nlines"]
    data["jobs"][0]["worker"] = {"tpu": 1}
    assert problems_of(data) == [
        'jobs[0].worker.tpu: got 1, expected no such key; the resources are gpu, cpu, ["two\\nlines"]'
    ]


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    path = tmp_path / "i.yaml"
    text = EXAMPLE.replace("slots: 20", "slots: 0").replace("gpu: 2,", "gpu: -2,").replace("target: 6", "x: 6")
    path.write_text(text)
    with pytest.raises(DocumentError) as caught:
        read_instance(path)
    assert str(caught.value).splitlines() == [
        f"{path}: slots: got 0, expected an integer of at least 1",
        f"{path}: jobs[0].worker.gpu: got -2, expected {NOT_NEGATIVE}",
        f"{path}: jobs[0].utility.target: got nothing, expected a finite number",
        f"{path}: jobs[0].utility.x: got 6, expected no such key; the keys here are kind, priority, urgency, target",
    ]


def test_a_document_without_jobs_is_an_instance() -> None:
    assert parse_instance(document() | {"jobs": []}, "i").jobs == ()
