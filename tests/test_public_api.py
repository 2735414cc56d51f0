"""What `pdors` offers to programs, and what it costs to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pdors
from pdors.errors import DocumentError, ModelError, OverbookingError, PdorsError, SolverError

NAMES = [
    "Admitted",
    "Cluster",
    "Instance",
    "Job",
    "MachineGroup",
    "PriceBounds",
    "plan",
    "quote",
    "read_decisions",
    "read_instance",
    "speed",
    "utility",
    "write_decisions",
    "write_instance",
]


def test_names_are_these_and_no_others() -> None:
    assert sorted(pdors.__all__) == NAMES
    assert [name for name in dir(pdors) if not name.startswith("_")] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_leads_to_what_is_called_so(name: str) -> None:
    assert getattr(pdors, name).__name__.rpartition(".")[2] == name


def test_kinds_are_in_their_modules() -> None:
    from pdors import speed, utility

    assert {name for name in dir(speed) if name.endswith("Speed")} == {
        "AllReduceSpeed", "ParameterServerSpeed", "Speed", "TableSpeed",
    }  # fmt: skip
    assert {name for name in dir(utility) if name.endswith("Utility")} == {
        "DeadlineUtility", "SigmoidUtility", "TableUtility", "Utility",
    }  # fmt: skip


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'schedule'"):
        _ = pdors.schedule


def test_errors_have_one_root() -> None:
    assert all(issubclass(error, PdorsError) for error in (DocumentError, ModelError, OverbookingError, SolverError))


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import pdors", {"numpy", "numba", "highspy", "yaml", "typer", "rich", "ray"}),
        ("import pdors.cli.app", {"numpy", "numba", "highspy", "yaml", "ray"}),
        ("import pdors.studies.comparison, pdors.studies.on_ray", {"ray", "typer", "rich"}),
        ("from pdors import read_instance", {"numba", "highspy", "typer", "rich"}),
    ],
)
def test_heavy_packages_wait_until_they_are_needed(statement: str, unwanted: set[str]) -> None:
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pdors" in loaded
    assert unwanted.isdisjoint(loaded)
