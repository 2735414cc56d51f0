"""`pdors simulate`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import Cli

TABLE = """\
        arrival                        done by  most workers
job        slot  decision                 slot     + servers  utility  price  payoff
first         0  admitted                    0             1       10
second        0  admitted                    0             1        1
dear          0  admitted                    1             1        0
long          0  rejected: infeasible
wide          0  unfinished                                2        0

admitted 4 of 5 jobs, 1 of them unfinished, total utility 11"""


def test_table_of_a_policy_without_admission_control(cli: Cli, known: Path) -> None:
    shown = cli("simulate", "--instance", known, "--policy", "fifo").lines
    assert "\n".join(shown[: TABLE.count("\n") + 1]) == TABLE


def test_pdors_decides_as_plan_does(cli: Cli, known: Path) -> None:
    simulated = cli("simulate", "--instance", known, "--json").document
    planned = cli("plan", known, "--json").document
    assert simulated["jobs"] == planned["jobs"]
    assert simulated["policy"] == planned["policy"] == "pdors"


def test_decisions_pass_the_check(cli: Cli, known: Path, tmp_path: Path) -> None:
    decisions = tmp_path / "decisions.json"
    assert cli("simulate", "--instance", known, "--policy", "fifo", "-o", decisions).code == 0
    assert cli("check", known, decisions).out == "every rule is kept; total utility 11\n"


def test_tables_for_analysis(cli: Cli, known: Path, tmp_path: Path) -> None:
    as_csv, as_parquet, slots = tmp_path / "jobs.csv", tmp_path / "jobs.parquet", tmp_path / "slots.csv"
    for path in (as_csv, as_parquet):
        cli("simulate", "--instance", known, "--per-job", path, "--per-slot", slots)
    rows = list(csv.DictReader(as_csv.read_text().splitlines()))
    assert [row["decision"] for row in rows] == ["done", "done", "rejected", "rejected", "rejected"]
    assert (rows[0]["promise_slot"], rows[0]["completion_slot"], rows[0]["price"][:8]) == ("0", "0", "0.001999")
    table = parquet.read_table(as_parquet).to_pylist()
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in table] == rows
    per_slot = csv.DictReader(slots.read_text().splitlines())
    used = [(row["slot"], float(row["used_gpu"]), float(row["share_gpu"])) for row in per_slot]
    assert used == [("0", 2, 1), ("1", 0, 0), ("2", 0, 0)]


def test_a_policy_of_one_s_own(cli: Cli, known: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("from pdors.policies.policy import Policy\n\n\nclass Nobody(Policy):\n    pass\n")
    found = cli("simulate", "--instance", known, "--policy", f"{mine}:Nobody", "--json").document
    assert (found["policy"], found["total_utility"]) == ("nobody", 0)
    assert [job["completion"] for job in found["jobs"]] == [None] * 5


@pytest.mark.parametrize(
    ("policy", "complaint"),
    [
        ("fiffo", "no policy 'fiffo' (did you mean fifo?)"),
        ("none.py:Mine", "none.py: expected a Python file with the class Mine"),
        ("{folder}/bad.py:Mine", "bad.py: SyntaxError: "),
        ("{folder}/empty.py:Mine", "empty.py: expected a class Mine that derives from"),
        ("{folder}/greedy.py:Mine", "policy mine: a is not in the queue"),
    ],
)
def test_policies_that_cannot_be_run(cli: Cli, known: Path, tmp_path: Path, policy: str, complaint: str) -> None:
    (tmp_path / "bad.py").write_text("class Mine(:\n")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "greedy.py").write_text(
        "from pdors.policies.policy import Allotment, Policy\n\n\nclass Mine(Policy):\n"
        "    def allot(self, view):\n        return Allotment({'a': view.queue[0].placement})\n"
    )
    outcome = cli("simulate", "--instance", known, "--policy", policy.format(folder=tmp_path))
    assert (outcome.code, outcome.out) == (2, "")
    assert complaint in outcome.err
    assert outcome.err.count("\n") == 1


def test_watching_draws_every_slot_and_changes_no_decision(cli: Cli, known: Path) -> None:
    watched = cli("simulate", "--instance", known, "--policy", "fifo", "--watch", "--json")
    plain = cli("simulate", "--instance", known, "--policy", "fifo", "--json")
    assert watched.document["jobs"] == plain.document["jobs"]
    assert json.loads(watched.out)
