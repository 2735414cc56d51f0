"""Runs in parallel: kept, taken up again, and never mistaken for one another."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from pdors.errors import ModelError, PdorsError
from pdors.studies.processes import Processes
from pdors.studies.runs import Result, run_all


@dataclass(frozen=True)
class Squares:
    """Leaves a mark for each time it is run."""

    number: int
    marks: Path

    @property
    def identity(self) -> str:
        return f"squares {self.number}"

    def __call__(self) -> Result:
        (self.marks / f"{self.number}-{os.urandom(4).hex()}").touch()
        if self.number < 0:
            raise ModelError(f"{self.number} is below 0")
        return {"square": self.number**2}


def times_run(marks: Path) -> int:
    return len(list(marks.iterdir()))


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_the_order_of_the_runs(tmp_path: Path, marks: Path, processes: int) -> None:
    done: list[None] = []
    runs = [Squares(number, marks) for number in (3, 1, 3, 2)]
    results = run_all(runs, folder=tmp_path / "kept", backend=Processes(processes), on_result=lambda: done.append(None))
    assert [result["square"] for result in results] == [9, 1, 9, 4]
    assert (len(done), times_run(marks)) == (4, 3)


def test_what_is_kept_is_not_run_again_unless_asked(tmp_path: Path, marks: Path) -> None:
    folder = tmp_path / "kept"
    run_all([Squares(1, marks)], folder=folder, backend=Processes(1))
    run_all([Squares(1, marks), Squares(2, marks)], folder=folder, backend=Processes(1))
    assert times_run(marks) == 2
    run_all([Squares(1, marks)], folder=folder, backend=Processes(1), fresh=True)
    assert times_run(marks) == 3


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_that_fails_ends_all_and_leaves_what_is_done(tmp_path: Path, marks: Path, processes: int) -> None:
    folder = tmp_path / "kept"
    with pytest.raises(PdorsError, match="-1 is below 0"):
        run_all([Squares(1, marks), Squares(-1, marks)], folder=folder, backend=Processes(processes))
    marked = times_run(marks)
    run_all([Squares(1, marks)], folder=folder, backend=Processes(1))
    assert times_run(marks) in (marked, marked + (processes > 1))
