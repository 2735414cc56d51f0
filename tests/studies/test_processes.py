"""Processes that end before their time leave nobody waiting."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import dataclass

import pytest

from pdors.errors import PdorsError
from pdors.studies.processes import Processes
from pdors.studies.runs import Result


@dataclass(frozen=True)
class Fate:
    """A run that ends its own process by a signal, if it is given one, or takes some seconds."""

    ends_by: int = 0
    seconds: float = 0.0

    @property
    def identity(self) -> str:
        return repr(self)

    def __call__(self) -> Result:
        time.sleep(self.seconds)
        if self.ends_by:
            os.kill(os.getpid(), self.ends_by)
        return {"seconds": self.seconds}


def test_a_process_that_is_killed_is_told_and_the_others_are_ended() -> None:
    started = time.monotonic()
    with pytest.raises(PdorsError, match=f"exit code {-signal.SIGKILL}"):
        list(Processes(2).compute([Fate(seconds=60), Fate(ends_by=signal.SIGKILL)]))
    assert time.monotonic() - started < 30
    assert multiprocessing.active_children() == []


def test_leaving_early_ends_all_processes() -> None:
    results = Processes(2).compute([Fate(), *[Fate(seconds=60)] * 3])
    assert next(results) == (0, {"seconds": 0.0})
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert multiprocessing.active_children() == []


def test_no_process_waits_for_another() -> None:
    """Two processes: while one run takes a second the other process computes all the rest."""
    order = [index for index, _ in Processes(2).compute([Fate(seconds=3), *[Fate()] * 5])]
    assert order == [1, 2, 3, 4, 5, 0]
