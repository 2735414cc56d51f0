"""`pdors paper`: from the command to pictures, data, verdicts and the page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pdors.studies.paper.figures import FIGURES
from tests.cli.conftest import Cli

KEYS = {"figure", "claim", "holds", "value", "interval"}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_list_names_every_figure_with_setting_and_claim(cli: Cli) -> None:
    document = cli("paper", "list", "--json").document
    assert [one["figure"] for one in document] == [figure.name for figure in FIGURES]
    assert all(one["setting"] and one["says"] for one in document)
    shown = cli("paper", "list").out
    assert all(figure.name in shown for figure in FIGURES)


def run(cli: Cli, out: Path, kept: Path, *more: object) -> int:
    options = ("--quick", "--seeds", 2, "--out", out, "--keep", kept, "--processes", 1)
    outcome = cli("paper", "UtilityComp_1", *options, *more)
    assert outcome.err.endswith(f"wrote {out}: index.html has everything, claims.json the verdicts\n")
    return outcome.code


def test_a_figure_from_the_command_to_its_files(cli: Cli, tmp_path: Path) -> None:
    out, again, kept = tmp_path / "a", tmp_path / "b", tmp_path / "kept"
    code = run(cli, out, kept)
    claims = json.loads((out / "claims.json").read_text())
    assert len(claims) == 4  # two claims at two prices
    assert all(set(claim) >= KEYS for claim in claims)
    assert code == (0 if all(claim["holds"] for claim in claims) else 1)
    assert {claim["prices"] for claim in claims} == {"default", "paper"}
    assert (out / "UtilityComp_1.png").read_bytes().startswith(b"\x89PNG")
    assert len((out / "UtilityComp_1.png").read_bytes()) < 80_000
    rows = list(csv.DictReader((out / "UtilityComp_1.csv").read_text().splitlines()))
    assert len(rows) == 3 * 6 * 2
    assert not any("second" in column for column in rows[0])
    made = json.loads((out / "UtilityComp_1.json").read_text())
    assert made["seeds"] == [0, 1]
    assert sum(len(cell["cpu_seconds"]) for cell in made["cells"]) == len(rows)
    assert made["options"]["synthetic_jobs"]["epochs"] == "50:200"
    assert str(tmp_path) not in "".join(file.read_text() for file in out.glob("*.[jcm][sdv]*"))
    page = (out / "index.html").read_text()
    assert all(claim["claim"].removesuffix(" (the paper's price constants)") in page for claim in claims)

    before = {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")}
    run(cli, again, kept)
    assert {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")} == before
    for name in (
        "UtilityComp_1.csv",
        "UtilityComp_1.svg",
        "UtilityComp_1.png",
        "claims.json",
        "README.md",
        "index.html",
        "UtilityComp_1.json",
    ):
        assert (again / name).read_bytes() == (out / name).read_bytes()

    run(cli, again, kept, "--fresh")
    assert all(file.stat().st_mtime_ns > before[file.name] for file in kept.glob("*.json"))
    for name in ("UtilityComp_1.csv", "claims.json", "README.md"):
        assert (again / name).read_bytes() == (out / name).read_bytes()


def test_a_computation_needs_no_seeds_and_holds(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("paper", "Gdelta", "--out", tmp_path / "out", "--json", "--processes", 1)
    assert outcome.code == 0
    (claim,) = outcome.document
    assert claim["holds"] is True
    assert claim["prices"] is None
    assert claim["interval"] == [claim["value"]] * 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("jobFixd",), "no figure 'jobFixd' (did you mean jobFixed"),
        (("jobFixed", "--seeds", 1), "--seeds"),
        (("jobFixed_response", "--google", "no/such/trace"), "no/such/trace"),
    ],
)
def test_bad_usage_is_one_line(cli: Cli, tmp_path: Path, arguments: tuple[object, ...], complaint: str) -> None:
    outcome = cli("paper", *arguments, "--out", tmp_path / "out")
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert complaint in outcome.err
