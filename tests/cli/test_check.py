"""`pdors check`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli


def test_plan_keeps_every_rule(cli: Cli, known: Path, planned: Path) -> None:
    outcome = cli("check", known, planned)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines == ["every rule is kept; total utility 11"]
    assert cli("check", known, planned, "--json").document == {"ok": True, "violations": [], "total_utility": 11}


def test_broken_rules_are_listed_and_the_code_is_1(cli: Cli, known: Path, planned: Path) -> None:
    """One job moved to a slot in which it is worth nothing."""
    document = json.loads(planned.read_text())
    document["jobs"][1]["schedule"][0]["slot"] = 1
    planned.write_text(json.dumps(document))
    outcome = cli("check", known, planned)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.lines[-1] == f"{len(outcome.lines) - 1} violation{'s' * (len(outcome.lines) > 2)}; total utility 10"
    assert all(line.startswith("job second") for line in outcome.lines[:-1])
    listed = cli("check", known, planned, "--json")
    assert listed.code == 1
    assert listed.document == {"ok": False, "violations": outcome.lines[:-1], "total_utility": 10}


def test_broken_instance_is_bad_input_under_its_own_name(cli: Cli, known: Path, planned: Path) -> None:
    outcome = cli("check", planned, planned)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"pdors: {planned}: ")
