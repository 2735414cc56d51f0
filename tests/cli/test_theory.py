"""`pdors theory`: what it says, and that the page about it shows just that."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path

import pytest

from pdors.cli.theory_view import spread
from tests.cli.conftest import Cli

PAGE = Path("docs/theory.md").read_text()


def test_the_page_shows_what_is_printed(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    generate, theory, *printed = shown.splitlines()
    monkeypatch.chdir(tmp_path)
    assert cli(*shlex.split(generate.removeprefix("$ pdors "))).code == 0
    outcome = cli(*shlex.split(theory.removeprefix("$ pdors ")))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines == printed


def test_every_symbol_on_the_screen_is_on_the_page(cli: Cli, known: Path) -> None:
    explained = PAGE.partition("## The prices")[2]
    for word in ("mu", "epsilon", "W_a", "W_b", "3G/delta", "3m / exp(G W_a / 2)", "D_0", "6 G epsilon / delta"):
        assert word in explained
    assert cli("theory", known, "--no-optimum").code == 0


def test_by_hand(cli: Cli, known: Path) -> None:
    """11 is the optimum and what is achieved: the one worth 10 and one worth 1 in slot 0."""
    lines = cli("theory", known).lines
    assert "PD-ORS, fast solver: 11, ratio 1" in lines
    assert "the optimum is 11" in lines
    assert "no mu: it is a constant of --prices paper" in lines
    assert any(line.startswith("Theorem 5 is void here: of its ") for line in lines)


def test_without_the_optimum(cli: Cli, known: Path) -> None:
    lines = cli("theory", known, "--no-optimum").lines
    assert "PD-ORS, fast solver: 11, ratio 1 at most" in lines
    assert lines[-1] != ""
    assert not any("the optimum is" in line for line in lines)


def test_as_a_document(cli: Cli, known: Path) -> None:
    document = cli(
        "theory", known, "--json", "--prices", "paper", "--solver", "paper", "--draws", 7, "--delta", 0.4,
        "--gain", "favour-work",
    ).document  # fmt: skip
    assert list(document) == [
        "delta", "draws", "prices", "jobs", "jobs_without_external_program", "all_jobs", "achieved", "bound",
        "optimum", "premises",
    ]  # fmt: skip
    assert (document["delta"], document["draws"]) == (0.4, 7)
    assert document["optimum"]["optimum"] == pytest.approx(11)
    assert [run["solver"] for run in document["achieved"]] == ["fast", "paper"]
    options = document["achieved"][1]["options"]
    assert (options["gain"], options["delta"], options["draws"]) == ("favour-work", 0.4, 7)
    counted = document["achieved"][1]["rounding"]
    assert counted["draws"] == 7 * counted["questions"] > 0
    assert {one["holds"] for one in document["premises"]} <= {True, False, None}
    claimed = document["all_jobs"]
    for theorem in ("favour_resources", "favour_work"):
        chances = (claimed[f"{kind}_with_probability_claimed"][theorem] for kind in ("feasible", "infeasible"))
        assert sum(chances) == pytest.approx(1)


def test_no_jobs_at_all(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    document = {
        "format": "pdors/instance/1", "slots": 3, "slot_seconds": 60, "resources": ["gpu"],
        "machines": [{"name": "m", "capacity": {"gpu": 2}}], "jobs": [],
    }  # fmt: skip
    path.write_text(json.dumps(document))
    for prices in ("default", "paper"):
        outcome = cli("theory", path, "--prices", prices, "--solver", "paper")
        assert (outcome.code, outcome.err) == (0, "")
        assert "One slot: no job can run on several machines, so nothing is ever rounded" in outcome.lines
        assert "PD-ORS, fast solver: 0, as much as there was" in outcome.lines


def test_spread_by_hand() -> None:
    assert spread([3, 1, 7, 5]) == (1, 4, 7)
    assert spread([1, math.inf, math.inf]) == (1, math.inf, math.inf)


def test_on_a_narrow_screen_no_number_is_broken(cli: Cli, known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = cli("theory", known, "--no-optimum").lines
    monkeypatch.setenv("COLUMNS", "45")
    narrow = cli("theory", known, "--no-optimum").lines
    claims = [line for line in wide if line.startswith(("Theorem 3: ", "Theorem 4: ", "  cost over "))]
    assert len(claims) == 4
    assert {claim.split()[-1] for claim in claims} <= {word for line in narrow for word in line.split()}
    assert "too narrow for: symbol" in " ".join(narrow)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--delta 0", "Invalid value for '--delta': got 0.0, expected a probability above 0 and up to 1"),
        ("--delta 1.5", "Invalid value for '--delta': got 1.5, expected a probability above 0 and up to 1"),
        ("--delta 1e-320", "Invalid value for '--delta': got 1e-320, expected a probability above 0 and up to 1"),
        ("--delta nan", "Invalid value for '--delta': got nan, expected a probability above 0 and up to 1"),
        ("--draws 0", "Invalid value for '--draws': "),
        ("--solver best", "Invalid value for '--solver': "),
        ("--gain 0.5", "Invalid value for --gain: it is a setting of --solver paper"),
        ("--gain most --solver paper", "Invalid value for --gain: got 'most', expected a number"),
        ("--time-limit inf", "Invalid value for '--time-limit': "),
    ],
)
def test_bad_usage(cli: Cli, known: Path, arguments: str, complaint: str) -> None:
    outcome = cli("theory", known, *arguments.split())
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("pdors: " + complaint)
