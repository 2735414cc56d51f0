"""`pdors bound` and `pdors optimum`: what they say, and what they write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_bound_says_what_nobody_exceeds(cli: Cli, known: Path) -> None:
    """Of the five jobs the one that is worth 10 and one of those worth 1 fit into slot 0; then one is left that may
    take both GPUs in all slots, or a third of it."""
    outcome = cli("bound", known)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines[0] == "no schedules are worth more than 11"
    assert outcome.lines[2] == "with all machines as one the bound is 11"


def test_bound_as_a_document_proves_itself(cli: Cli, known: Path) -> None:
    document = cli("bound", known, "--time-limit", 5, "--json").document
    assert list(document) == ["bound", "pooled", "relaxation", "gap", "iterations", "seconds", "proof"]
    groups = document["proof"]["groups"]
    prices = sum(price for group in groups for slot in group["prices"] for price in slot.values())
    assert document["bound"] == pytest.approx(prices + sum(document["proof"]["payoffs"].values()))
    assert document["relaxation"] <= document["bound"] <= document["pooled"]
    assert list(document["proof"]["payoffs"]) == ["first", "second", "dear", "long", "wide"]


def test_optimum_writes_decisions_that_keep_every_rule(cli: Cli, known: Path) -> None:
    path = known.with_name("optimum.json")
    document = cli("optimum", known, "--json", "-o", path).document
    assert document["optimum"] == pytest.approx(11)
    assert document["proven"] is True
    assert document["optimum"] <= document["bound"]
    assert cli("check", known, path).lines == ["every rule is kept; total utility 11"]


def test_optimum_shows_its_schedules(cli: Cli, known: Path) -> None:
    outcome = cli("optimum", known)
    assert (outcome.code, outcome.err) == (0, "")
    assert "total utility 11: the optimum" in outcome.lines


def test_optimum_out_of_time_says_so(cli: Cli, known: Path) -> None:
    """With one GPU instead of two the bound without time is 12: all three jobs of slot 0 at once."""
    known.write_text(known.read_text().replace("gpu: 2}", "gpu: 1}"))
    document = cli("optimum", known, "--time-limit", 0, "--json").document
    assert (document["optimum"], document["proven"]) == (10, False)
    assert document["bound"] == pytest.approx(12)
    assert cli("optimum", known, "--time-limit", 0).lines[-2] == (
        "total utility 10: the best found; none is worth more than 12"
    )


@pytest.mark.parametrize("command", ["bound", "optimum"])
@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "soon"])
def test_times_that_are_none(cli: Cli, known: Path, command: str, seconds: str) -> None:
    outcome = cli(command, known, "--time-limit", seconds)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--time-limit" in outcome.err
