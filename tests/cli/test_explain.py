"""`pdors explain`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

ADMITTED = """\
second, arrived in slot 0, 1800 samples
admitted: done by the end of slot 0
utility 1, price 0.2, payoff 0.8

                                          samples
slots  workers + servers on  in all  where     per slot  trained
0      m: 1                       1  together      3600     100%"""


def test_admitted_job(cli: Cli, known: Path, planned: Path) -> None:
    shown = cli("explain", known, planned, "--job", "second").lines
    assert [line.split() for line in shown] == [line.split() for line in ADMITTED.splitlines()]


@pytest.mark.parametrize(
    ("job", "shown"),
    [
        (
            "dear",
            [
                "dear, arrived in slot 0, 1800 samples",
                "rejected: it fits, but whatever its completion, its resources cost at least what it is worth",
                "best payoff -0.002",
            ],
        ),
        (
            "long",
            [
                "long, arrived in slot 0, 1.44e+04 samples",
                "rejected: it cannot finish before the horizon, even with the whole cluster to itself",
            ],
        ),
        (
            "wide",
            [
                "wide, arrived in slot 0, 2.16e+04 samples",
                "rejected: it cannot finish within what earlier jobs have left",
            ],
        ),
    ],
)
def test_rejected_job(cli: Cli, known: Path, planned: Path, job: str, shown: list[str]) -> None:
    assert cli("explain", known, planned, "--job", job).lines == shown


def test_document(cli: Cli, known: Path, planned: Path) -> None:
    assert cli("explain", known, planned, "--job", "second", "--json").document == {
        "job": "second",
        "admitted": True,
        "arrival": 0,
        "completion": 0,
        "utility": 1,
        "price": pytest.approx(0.2),
        "payoff": pytest.approx(0.8),
        "reason": None,
        "explanation": "admitted: done by the end of slot 0",
        "samples": 1800,
        "stretches": [
            {
                "first": 0,
                "last": 0,
                "placement": {"m": [1, 0]},
                "workers": 1,
                "servers": 0,
                "together": True,
                "samples_per_slot": 3600,
                "trained": 2,
            }
        ],
    }


def test_stretches_are_the_schedule(cli: Cli, tmp_path: Path) -> None:
    """Slot by slot the same as in the decisions, and in the end all the work is done."""
    instance, decisions = "examples/cluster.yaml", tmp_path / "decisions.json"
    planned = cli("plan", instance, "-o", decisions, "--json").document
    for entry in planned["jobs"]:
        told = cli("explain", instance, decisions, "--job", entry["id"], "--json").document
        slots = {
            slot: stretch["placement"]
            for stretch in told["stretches"]
            for slot in range(stretch["first"], stretch["last"] + 1)
        }
        assert slots == {item["slot"]: item["placement"] for item in entry["schedule"]}
        shares = [stretch["trained"] for stretch in told["stretches"]]
        assert shares == sorted(shares)
        assert not entry["admitted"] or shares[-1] >= 1 - 1e-9
    cluster_of_two = cli("explain", instance, decisions, "--job", "diffusion-large").lines
    assert cluster_of_two[-1].endswith("100%")
