"""`pdors plan`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pdors.cli.planning import chosen_solver
from pdors.planner.rounding import FavourResources, FavourWork
from pdors.planning import PaperSolver
from tests.cli.conftest import Cli

EXAMPLE = Path("examples/cluster.yaml")

TABLE = """\
        arrival                        done by  most workers
job        slot  decision                 slot     + servers  utility  price  payoff
first         0  admitted                    0             1       10  0.002   9.998
second        0  admitted                    0             1        1    0.2     0.8
dear          0  rejected: price                                              -0.002
long          0  rejected: infeasible
wide          0  rejected: full

admitted 2 of 5 jobs, total utility 11
rejected 1 (20%) for price: it fits, but whatever its completion, its resources cost at least what it is worth
rejected 1 (20%) for infeasible: it cannot finish before the horizon, even with the whole cluster to itself
rejected 1 (20%) for full: it cannot finish within what earlier jobs have left
decided in N seconds"""


def test_table_has_a_line_per_job_and_the_totals(cli: Cli, known: Path) -> None:
    shown = "\n".join(cli("plan", known).lines)
    assert re.sub(r"in \d+\.\d\d seconds", "in N seconds", shown) == TABLE


@pytest.mark.parametrize(
    ("columns", "lost"),
    [
        (30, "arrival slot, most workers + servers, payoff, price, utility"),
        (40, "arrival slot, most workers + servers, payoff, price"),
        (60, "arrival slot, most workers + servers"),
        (70, "arrival slot"),
        (100, ""),
    ],
)
def test_narrow_screen_loses_columns_and_never_digits(
    cli: Cli, known: Path, monkeypatch: pytest.MonkeyPatch, columns: int, lost: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = cli("plan", known).out
    drawn = shown.split("\n\n")[0]
    assert max(map(len, drawn.splitlines())) <= columns
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    _, _, caption = drawn.partition("too narrow for: ")
    assert " ".join(caption.split()) == lost
    assert ("9.998" in drawn) == ("payoff" not in lost)


def test_json_is_what_is_written(cli: Cli, known: Path, tmp_path: Path) -> None:
    path = tmp_path / "decisions.json"
    outcome = cli("plan", known, "--json", "-o", path)
    assert outcome.document == json.loads(path.read_text())
    assert [job["reason"] for job in outcome.document["jobs"]] == [None, None, "price", "infeasible", "full"]
    assert [job["payoff"] for job in outcome.document["jobs"]] == [
        pytest.approx(9.998), pytest.approx(0.8), pytest.approx(-0.002), None, None,
    ]  # fmt: skip
    assert outcome.document["jobs"][1]["schedule"] == [{"slot": 0, "placement": {"m": [1, 0]}}]
    assert outcome.document["options"] == {"solver": "fast", "prices": "default"}


def test_same_seed_gives_the_same_decisions(cli: Cli) -> None:
    def decided(*options: str) -> dict[str, object]:
        document = cli("plan", EXAMPLE, "--solver", "paper", "--draws", "1", "--json", *options).document
        del document["seconds"]
        return dict(document)

    assert decided("--seed", "5") == decided("--seed", "5")
    assert decided("--seed", "5")["jobs"] != decided("--seed", "6")["jobs"]


def test_the_papers_prices(cli: Cli, known: Path) -> None:
    """U of the first job: 10 for a worker and its server in one slot, here half the cluster, so 10 for a GPU."""
    decided = {
        prices: [job["payoff"] for job in cli("plan", known, "--prices", prices, "--json").document["jobs"]]
        for prices in ("default", "paper")
    }
    assert decided["paper"][0] != decided["default"][0]


def test_history_calibrates_the_prices_of_the_first_job(cli: Cli, known: Path, tmp_path: Path) -> None:
    """A history whose best job is worth 30, that of the first job 10: three times the price.

    The job that takes all of the cluster is left out of it: it is too long for the horizon.
    """
    history = tmp_path / "history.yaml"
    history.write_text(known.read_text().replace("value: 10,", "value: 30,").replace("epochs: 3,", "epochs: 30,"))
    document = cli("plan", known, "--history", history, "--json").document
    assert document["jobs"][0]["payoff"] == pytest.approx(10 - 0.006)


def test_history_of_another_kind_of_cluster_is_refused(cli: Cli, known: Path) -> None:
    outcome = cli("plan", known, "--history", EXAMPLE)
    assert outcome.code == 2
    assert outcome.err == (
        f"pdors: {EXAMPLE}: resources: got ['gpu', 'cpu', 'memory_gb'], expected those of the instance, ['gpu']\n"
    )


def test_failed_roundings_are_counted(cli: Cli) -> None:
    """G = 1/2 places half of what is wanted: of many workers, hardly ever enough."""
    totals = {}
    for gain in ("0.5", "1"):
        outcome = cli("plan", EXAMPLE, "--solver", "paper", "--gain", gain, "--draws", "3", "--json")
        options = outcome.document["options"]
        assert (options["gain"], options["draws"]) == (float(gain), 3)
        totals[gain] = options["rounding_failures"] / options["rounding_questions"]
    assert 0 < totals["1"] < 0.9 < totals["0.5"] <= 1
    shown = cli("plan", EXAMPLE, "--solver", "paper").lines
    assert any(re.fullmatch(r"rounding failed for \d+ of \d+ questions \(.*\)", line) for line in shown)


@pytest.mark.parametrize(
    ("given", "solver"),
    [
        ((None, None, None), PaperSolver(1.0, 50)),
        (("0.8", None, 7), PaperSolver(0.8, 7)),
        (("favour-resources", 0.1, None), PaperSolver(FavourResources(0.1), 50)),
        (("favour-work", 0.2, 9), PaperSolver(FavourWork(0.2), 9)),
    ],
)
def test_settings_of_the_papers_solver(given: tuple[str | None, float | None, int | None], solver: PaperSolver) -> None:
    assert chosen_solver("paper", *given) == solver


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--gain 1", "Invalid value for --gain: it is a setting of --solver paper"),
        ("--draws 5", "Invalid value for --draws: it is a setting of --solver paper"),
        ("--delta 0.1", "Invalid value for --delta: it is a setting of --solver paper"),
        (
            "--solver paper --delta 0.1",
            "Invalid value for --delta: it is a setting of --gain favour-resources and --gain favour-work",
        ),
        (
            "--solver paper --gain favour-work",
            "Invalid value for --gain: favour-work needs --delta, as in --delta 0.1",
        ),
        (
            "--solver paper --gain more",
            "Invalid value for --gain: got 'more', expected a number, favour-resources or favour-work",
        ),
        ("--solver paper --gain 0", "gain must be a finite number above 0, got 0.0"),
        ("--solver paper --gain inf", "gain must be a finite number above 0, got inf"),
        ("--solver paper --draws 0", "draws must be at least 1, got 0"),
        ("--solver paper --gain favour-work --delta 0", "delta must be above 0 and at most 1, got 0.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(cli: Cli, known: Path, options: str, complaint: str) -> None:
    outcome = cli("plan", known, *options.split())
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"pdors: {complaint}\n")


def test_names_of_any_length_and_kind_keep_the_table_in_shape(cli: Cli, known: Path) -> None:
    odd, long = "esc\\u001b[31m", "name-" * 60
    known.write_text(known.read_text().replace("id: first", f'id: "{odd}"').replace("id: second", f"id: {long}"))
    outcome = cli("plan", known)
    assert outcome.code == 0
    assert "\x1b" not in outcome.out
    assert f'"{odd}"' in outcome.out
    assert max(map(len, outcome.lines)) <= 120
    assert sum("admitted  " in line for line in outcome.lines) == 2


def test_of_many_jobs_the_first_are_shown(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    cli("workload", "paper", "--jobs", 1000, "--machines", 2, "--slots", 5, "-o", path)
    shown = cli("plan", path).lines
    assert [line.split()[0] for line in shown[2:52]] == [f"job-{index}" for index in range(50)]
    assert shown[52] == "... and 950 more"
    assert any(re.fullmatch(r"admitted \d+ of 1000 jobs, total utility .*", line) for line in shown)
