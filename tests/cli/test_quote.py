"""`pdors quote`: every answer worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pdors.cli.views import quote_table
from pdors.planner import Offer, Quote
from tests.cli.conftest import Cli

NO_WAY = {
    "priority_factor": None,
    "priority": None,
    "priority_completion": None,
    "extra_slots": None,
    "latest_completion": None,
    "epochs": None,
}


def offer(completion: int, price: float, utility: float) -> dict[str, Any]:
    return {
        "completion": completion,
        "price": pytest.approx(price),
        "utility": utility,
        "payoff": pytest.approx(utility - price),
    }


@pytest.mark.parametrize(
    ("job", "options", "best", "reason", "would_admit"),
    [
        ("first", [offer(0, 0.002, 10)], 0, None, {}),
        ("second", [offer(0, 0.2, 1), offer(1, 0.002, 0)], 0, None, {}),
        ("dear", [offer(1, 0.002, 0)], 0, "price", NO_WAY | {"extra_slots": 1, "latest_completion": 1}),
        ("long", [], None, "infeasible", NO_WAY),
        ("wide", [], None, "full", NO_WAY | {"epochs": 2}),
    ],
)
def test_answers(
    cli: Cli,
    known: Path,
    job: str,
    options: list[dict[str, Any]],
    best: int | None,
    reason: str | None,
    would_admit: dict[str, Any],
) -> None:
    assert cli("quote", known, "--job", job, "--json").document == {
        "job": job,
        "options": options,
        "best": None if best is None else options[best],
        "admitted": reason is None,
        "reason": reason,
        "would_admit": would_admit,
    }


def test_factor_that_is_enough(cli: Cli, known: Path) -> None:
    """Worth 0.05 where slot 0 costs 0.2: it takes four times as much, and what is printed gets it in."""
    known.write_text(known.read_text().replace("value: 1, deadline: 0", "value: 0.05, deadline: 0", 1))
    ways = cli("quote", known, "--job", "second", "--json").document["would_admit"]
    assert ways["priority_factor"] == pytest.approx(4, rel=1e-3)
    assert ways["priority"] == pytest.approx(0.2, rel=1e-3)
    assert ways["priority_completion"] == 0
    line = next(line for line in cli("quote", known, "--job", "second").lines if "times as much" in line)
    enough = line.split("(")[1].split(" at best")[0]
    known.write_text(known.read_text().replace("value: 0.05", f"value: {enough}"))
    assert cli("quote", known, "--job", "second", "--json").document["admitted"] is True


TABLES = {
    "second": """\
done by
   slot  price  utility  payoff
      0    0.2        1     0.8  <- best
      1  0.002        0  -0.002

second would be admitted: done by the end of slot 0""",
    "dear": """\
done by
   slot  price  utility  payoff
      1  0.002        0  -0.002  <- best

dear would be rejected: it fits, but whatever its completion, its resources cost at least what it is worth
it would get in if its utility fell 1 slot later, done by the end of slot 1""",
    "wide": """\
wide would be rejected: it cannot finish within what earlier jobs have left
it would fit with at most 2 epochs""",
}


@pytest.mark.parametrize("job", TABLES)
def test_tables(cli: Cli, known: Path, job: str) -> None:
    assert "\n".join(cli("quote", known, "--job", job).lines) == TABLES[job]


def test_quote_agrees_with_the_plan(cli: Cli) -> None:
    """What a job is told before it is submitted is what it is told then."""
    path = "examples/cluster.yaml"
    decided = {job["id"]: job for job in cli("plan", path, "--json").document["jobs"]}
    for job in ("diffusion-large", "class-project", "vit-ablation", "llm-pretrain"):
        quoted = cli("quote", path, "--job", job, "--json").document
        assert (quoted["admitted"], quoted["reason"]) == (decided[job]["admitted"], decided[job]["reason"])
        if quoted["admitted"]:
            assert quoted["best"]["completion"] == decided[job]["completion"]
            assert quoted["best"]["payoff"] == decided[job]["payoff"]


def test_of_many_options_the_best_are_shown_in_order_of_completion() -> None:
    offers = tuple(Offer(slot, 1.0, 1.0 + slot % 2, slot % 2 + slot / 1000) for slot in range(120))
    drawn = quote_table(Quote("job", offers, offers[119], admitted=True))
    assert [int(row[0]) for row in drawn.rows] == list(range(21, 120, 2))
    assert drawn.caption == "the 50 best of 120"
    assert [row[-1] for row in drawn.rows] == [""] * 49 + ["<- best"]
