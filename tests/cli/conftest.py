"""The command line run within the test, and an instance on which every answer is worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pdors.cli.main import run

KNOWN = """\
# Two GPUs for three hours. A worker takes one GPU and trains one sample a second, so 3600 in a slot.
format: pdors/instance/1
slots: 3
slot_seconds: 3600
resources: [gpu]
machines: [{name: m, capacity: {gpu: 2}}]
jobs:
  # Worth 10 for a half of one of two GPUs in a slot: a GPU costs 20 when all are taken. If one such job came in each
  # slot, they would leave most of the cluster free, so an untouched GPU costs a ten-thousandth of that: 0.002.
  - {id: first, arrival: 0, epochs: 1, samples: 1800, batch: 1, speed: &one {kind: table, workers: [1], internal: [1]},
     worker: {gpu: 1}, utility: {kind: deadline, value: 10, deadline: 0}}
  # Half of slot 0 is taken: 0.002 * (20 / 0.002) ** 0.5 = 0.2.
  - {id: second, arrival: 0, epochs: 1, samples: 1800, batch: 1, speed: *one,
     worker: {gpu: 1}, utility: {kind: deadline, value: 1, deadline: 0}}
  # All of slot 0 is taken, and later it is worth nothing: the best payoff is -0.002.
  - {id: dear, arrival: 0, epochs: 1, samples: 1800, batch: 1, speed: *one,
     worker: {gpu: 1}, utility: {kind: deadline, value: 1, deadline: 0}}
  # Four slots of work on the one worker it may have.
  - {id: long, arrival: 0, epochs: 1, samples: 14400, batch: 1, speed: *one,
     worker: {gpu: 1}, utility: {kind: deadline, value: 1, deadline: 3}}
  # Both GPUs in all three slots; in two of them 2 of its 3 epochs fit.
  - {id: wide, arrival: 0, epochs: 3, samples: 7200, batch: 2, speed: {kind: table, workers: [2], internal: [2]},
     worker: {gpu: 1}, utility: {kind: deadline, value: 1, deadline: 3}}
"""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What `--json` printed: one document on one line, and nothing else."""
        assert self.out.count("\n") == 1
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """The lines of stdout, without the blanks that fill up a table."""
        return [line.rstrip() for line in self.out.splitlines()]


Cli = Callable[..., Outcome]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs one command; what it printed before is forgotten."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.yaml"
    path.write_text(KNOWN)
    return path


@pytest.fixture
def planned(cli: Cli, known: Path) -> Path:
    path = known.with_name("decisions.json")
    assert cli("plan", known, "-o", path).code == 0
    return path
