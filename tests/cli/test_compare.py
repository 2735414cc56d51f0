"""`pdors compare`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_main import heeds_interrupts


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


SMALL = ("--jobs", 10, "--machines", 10, "--slots", 40, "--seeds", 2, "--processes", 1)


def test_best_policy_comes_first(cli: Cli) -> None:
    lines = cli("compare", *SMALL, "--policies", "fifo,pdors").lines
    assert lines[1].split()[:2] == ["policy", "utility"]
    assert [line.split()[0] for line in lines[2:4]] == ["pdors", "fifo"]
    assert lines[-2] == "20 jobs over 2 seeds; a job that is not done counts the whole horizon"
    assert lines[-1].startswith("no schedule is worth more than ")


def test_document_has_every_seed_and_policy(cli: Cli) -> None:
    found = cli("compare", *SMALL, "--policies", "fifo,pdors", "--seed", 5, "--json").document
    assert found["seeds"] == [5, 6]
    assert {name: len(made) for name, made in found["policies"].items()} == {"fifo": 2, "pdors": 2}
    for seed, most in enumerate(found["bounds"]):
        assert all(made[seed]["total_utility"] <= most for made in found["policies"].values())


def test_load_is_work(cli: Cli) -> None:
    """With a hundredth of the work on the same machines more of the same jobs are done."""
    command = ("compare", *SMALL, "--policies", "fifo", "--no-bound", "--json")
    light, usual = (cli(*command, *load).document["policies"]["fifo"] for load in (("--load", 0.01), ()))
    assert [made["jobs"] for made in light] == [made["jobs"] for made in usual]
    assert sum(made["done"] for made in light) > sum(made["done"] for made in usual)


def test_a_given_instance_is_the_same_for_every_seed(cli: Cli, known: Path) -> None:
    found = cli("compare", known, "--policies", "pdors", "--seeds", 3, "--no-bound", "--json").document
    assert found["bounds"] == [None] * 3
    assert [made["total_utility"] for made in found["policies"]["pdors"]] == [11] * 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--policies", "pdors,first"), "no policy 'first'"),
        (("--mix", "1/2"), "expected the percentages"),
        (("--load", "0"), "load: got 0.0, expected above 0"),
        (("missing.yaml",), "missing.yaml: file: got nothing at this path"),
        (("--on", "ray", "--processes", "2"), "Invalid value for --processes: it is a setting of --on processes"),
        (("--address", "10.0.0.1:6379"), "Invalid value for --address: it is a setting of --on ray"),
        (("--on", "ray", "--address", "here"), "the address of a Ray cluster is auto or HOST:PORT"),
        (("--report", "no/such/report.html"), "no folder no/such"),
    ],
)
def test_bad_usage_is_one_line(cli: Cli, arguments: tuple[str, ...], complaint: str) -> None:
    outcome = cli("compare", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert complaint in outcome.err


def test_interrupted_comparison_goes_on_where_it_stopped(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = [
        sys.executable, "-m", "pdors", "compare", "--jobs", "60", "--machines", "20", "--slots", "40",
        "--policies", "pdors,fifo", "--seeds", "30", "--no-bound", "--processes", "2", "--keep", str(kept), "--json",
    ]  # fmt: skip
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heeds_interrupts,  # noqa: PLW1509 - there are no threads here
    )  # fmt: skip
    while started.poll() is None and len(list(kept.glob("*.json")) if kept.exists() else []) < 3:
        time.sleep(0.02)
    os.kill(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert err.splitlines()[-2:] == ["finished runs are kept: the same command goes on from here", "pdors: interrupted"]
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert 3 <= len(before) < 60
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert len(after) == 60
    assert {name: after[name] for name in before} == before
    assert done.stdout.startswith('{"seeds"')
