"""`pdors workload paper`: every option takes effect, and on nothing else."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pdors.workloads.paper_settings import PaperWorkload
from pdors.workloads.ranges import Integers, Reals
from tests.cli.conftest import Cli, Outcome

Document = dict[str, Any]
Write = Callable[..., Document]

SIZE = ("--jobs", "40", "--machines", "6", "--slots", "12")


@pytest.fixture
def write(cli: Cli, tmp_path: Path) -> Write:
    def call(*options: str) -> Document:
        path = tmp_path / "instance.json"
        outcome = cli("workload", "paper", *SIZE, "-o", path, *options)
        assert (outcome.code, outcome.err) == (0, f"wrote 40 jobs on 6 machines in 12 slots to {path}\n")
        document: Document = json.loads(path.read_text())
        return document

    return call


def test_same_seed_gives_the_same_bytes(cli: Cli, tmp_path: Path) -> None:
    texts = {}
    for name, seed in (("a", "3"), ("b", "3"), ("c", "4")):
        path = tmp_path / f"{name}.json"
        assert cli("workload", "paper", *SIZE, "--seed", seed, "-o", path).code == 0
        texts[name] = path.read_bytes()
    assert texts["a"] == texts["b"] != texts["c"]


def test_sizes_are_those_asked_for(write: Write) -> None:
    document = write("--slot-seconds", "900")
    assert len(document["jobs"]) == 40
    assert document["machines"][0]["count"] == 6
    assert (document["slots"], document["slot_seconds"]) == (12, 900)


RANGES: dict[str, tuple[str, ...]] = {
    "epochs": ("epochs",),
    "samples": ("samples",),
    "batch": ("batch",),
    "gradient_mb": ("speed", "gradient_mb"),
    "sample_seconds": ("speed", "sample_seconds"),
    "workers_per_server": ("speed", "workers_per_server"),
    "external_mb_s": ("speed", "external_mb_s"),
    "internal_factor": ("speed", "internal_mb_s"),
    **{
        f"{task}_{resource}": (task, resource)
        for task in ("worker", "server")
        for resource in ("gpu", "cpu", "memory_gb", "storage_gb")
    },
    "priority": ("utility", "priority"),
    "insensitive_urgency": ("utility", "urgency"),
    "sensitive_urgency": ("utility", "urgency"),
    "critical_urgency": ("utility", "urgency"),
    "target_slots": ("utility", "target"),
}
"""Where in a job of the document each range shows."""
MIX_OF = {"insensitive_urgency": "100/0/0", "sensitive_urgency": "0/100/0", "critical_urgency": "0/0/100"}


def test_every_range_is_tested() -> None:
    fields = dataclasses.fields(PaperWorkload)
    assert {field.name for field in fields if isinstance(field.default, Integers | Reals)} == set(RANGES)


@pytest.mark.parametrize("name", RANGES)
def test_a_range_takes_effect_and_on_nothing_else(write: Write, name: str) -> None:
    option, mix = f"--{name.replace('_', '-')}", MIX_OF.get(name, "10/55/35")
    usual, fixed = write("--mix", mix), write("--mix", mix, option, "7")
    for before, after in zip(usual["jobs"], fixed["jobs"], strict=True):
        expected = copy.deepcopy(before)
        place = expected
        for key in RANGES[name][:-1]:
            place = place[key]
        speed = before["speed"]
        place[RANGES[name][-1]] = pytest.approx(7 * speed["external_mb_s"]) if name == "internal_factor" else 7
        if name == "external_mb_s":
            expected["speed"]["internal_mb_s"] = pytest.approx(7 * speed["internal_mb_s"] / speed["external_mb_s"])
        assert after == expected
    if not name.startswith("worker_") or name == "workers_per_server":  # machines are a multiple of a mean worker
        assert usual["machines"] == fixed["machines"]


def test_load_multiplies_epochs(write: Write) -> None:
    usual, loaded = write(), write("--load", "1.5")
    for before, after in zip(usual["jobs"], loaded["jobs"], strict=True):
        assert after == before | {"epochs": 1.5 * before["epochs"]}
    assert usual["machines"] == loaded["machines"]


@pytest.mark.parametrize(
    ("options", "capacity"),
    [
        ((), {"gpu": 36, "cpu": 99, "memory_gb": 306, "storage_gb": 135}),
        (("--capacity", "maximum"), {"gpu": 72, "cpu": 180, "memory_gb": 576, "storage_gb": 180}),
        (("--capacity-factor", "2"), {"gpu": 4, "cpu": 11, "memory_gb": 34, "storage_gb": 15}),
        (("--capacity", "8/64/512/0.5"), {"gpu": 8, "cpu": 64, "memory_gb": 512, "storage_gb": 0.5}),
    ],
)
def test_machines(write: Write, options: tuple[str, ...], capacity: dict[str, float]) -> None:
    assert write(*options)["machines"] == [{"name": "m", "count": 6, "capacity": capacity}]


@pytest.mark.parametrize(
    ("weights", "odd"), [(("--odd-slot-weight", "0"), {False}), (("--even-slot-weight", "0"), {True})]
)
def test_slots_of_arrival(write: Write, weights: tuple[str, ...], odd: set[bool]) -> None:
    assert {job["arrival"] % 2 == 1 for job in write(*weights)["jobs"]} == odd


@pytest.mark.parametrize(
    ("mix", "urgent"),
    [("100/0/0", lambda urgency: urgency == 0), ("0/100/0", lambda urgency: 0.01 <= urgency <= 1),
     ("0/0/100", lambda urgency: 4 <= urgency <= 6)],
)  # fmt: skip
def test_mix(write: Write, mix: str, urgent: Callable[[float], bool]) -> None:
    assert all(urgent(job["utility"]["urgency"]) for job in write("--mix", mix)["jobs"])


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--mix 10/55", "Invalid value for '--mix': got '10/55', expected the percentages "),
        ("--mix 10/55/x", "Invalid value for '--mix': got '10/55/x', expected the percentages "),
        ("--mix 10/55/36", "Invalid value for '--mix': got 10/55/36, expected three percentages "),
        ("--mix 110/-20/10", "Invalid value for '--mix': got 110/-20/10, expected three percentages "),
        ("--epochs 9:2", "Invalid value for '--epochs': got 9:2, expected LOW:HIGH with LOW at most HIGH"),
        ("--epochs 1.5", "Invalid value for '--epochs': got '1.5', expected whole numbers as LOW:HIGH"),
        ("--epochs 0", "epochs: got 0, expected above 0"),
        ("--priority -1:4", "priority: got -1:4, expected at least 0"),
        ("--priority inf", "Invalid value for '--priority': got inf, expected finite numbers"),
        ("--capacity some", "capacity: got 'some', expected mean, maximum or gpu/cpu/memory_gb/storage_gb"),
        ("--capacity 1/2/3", "capacity: got '1/2/3', expected mean, maximum or gpu/cpu/memory_gb/storage_gb"),
        ("--capacity-factor 0", "capacity_factor: got 0.0, expected above 0"),
        ("--slot-seconds 0", "slot_seconds: got 0.0, expected above 0"),
        ("--odd-slot-weight 0 --even-slot-weight 0", "even_slot_weight: got 0, expected above 0 where "),
    ],
)
def test_values_that_make_no_sense_are_refused(cli: Cli, tmp_path: Path, option: str, complaint: str) -> None:
    path = tmp_path / "instance.json"
    outcome = cli("workload", "paper", *SIZE, "-o", path, *option.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"pdors: {complaint}")
    assert outcome.err.count("\n") == 1
    assert not path.exists()


def test_settings_are_told_with_their_units(cli: Cli, tmp_path: Path) -> None:
    def told(*more: str) -> Outcome:
        return cli("workload", "paper", *SIZE, "--seed", "9", "-o", tmp_path / "instance.yaml", *more)

    settings = told("--json").document["settings"]
    assert settings["external_mb_s"] == "12.5:625 MB/s"
    assert settings["machine"] == "gpu 36, cpu 99, memory_gb 306, storage_gb 135"
    assert set(settings) == {field.name for field in dataclasses.fields(PaperWorkload)} | {"machine"}
    rows = dict(line.split(maxsplit=1) for line in told().lines[1:])
    assert rows == settings | {"seed": "9"}
