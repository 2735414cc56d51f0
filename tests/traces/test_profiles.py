"""Step times to speeds, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import DocumentError
from pdors.model.speed import TableSpeed
from pdors.traces.profiles import EPOCHS, PLACEMENTS, SCALABILITY, Profile, Run, Step, iteration_seconds, read_profiles
from pdors.traces.report import Tally
from pdors.traces.sources import tables
from tests.traces.samples import PLACEMENTS as PLACEMENT_ROWS
from tests.traces.samples import write, write_profiles

STEPS = {8.0: Step(1.0, 0.25), 16.0: Step(2.0, 0.75)}


@pytest.mark.parametrize(
    ("local", "seconds"),
    [
        (8, 1.0),
        (10, 1.25),
        (16, 2.0),
        (7.9, None),
        (32, 2.0 + (2.0 - 0.75)),  # two passes of 16
        (20, 1.25 + (1.25 - 0.375)),  # two of 10
        (48, 2.0 + 2 * (2.0 - 0.75)),
    ],
)
def test_an_iteration(local: float, seconds: float | None) -> None:
    assert iteration_seconds(STEPS, local) == seconds


def test_passes_too_small_to_be_known() -> None:
    """Two of 5.5 would be needed, and only 8 to 10 is measured."""
    assert iteration_seconds({8.0: Step(1, 0), 10.0: Step(1, 0)}, 11) is None
    assert iteration_seconds({8.0: Step(1, 0)}, 8) == 1
    assert iteration_seconds({8.0: Step(1, 0)}, 16) == 2


@given(st.floats(1, 1e4), st.floats(1, 1e4))
def test_more_samples_take_longer(one: float, other: float) -> None:
    steps = {float(2**power): Step(1.0 + power, 0.5) for power in range(8)}
    low, high = (iteration_seconds(steps, local) for local in sorted((one, other)))
    assert low is not None
    assert high is not None
    assert low <= high * (1 + 1e-12) or max(one, other) > 128


def profiles(folder: Path, hardware: str = "aws", tally: Tally | None = None) -> dict[str, Profile]:
    tally = tally or Tally()
    return read_profiles(tables([folder], (PLACEMENTS, SCALABILITY, EPOCHS), tally), hardware, tally)


def test_speeds_of_the_sample(tmp_path: Path) -> None:
    """At a batch of 32: alone two passes of 16 in 3 s; 2 with 16 each in 1.75 s, or 2.5 s apart; 4 with 8 each on one
    node in 1.5 s, apart as in the slowest way of three, 4 s; 8 with 4 each as measured."""
    found = profiles(write_profiles(tmp_path))
    assert found.keys() == {"net"}
    assert found["net"].speed(32) == TableSpeed(
        (1, 2, 4, 8), (32 / 3, 32 / 1.75, 32 / 1.5, None), (None, 32 / 2.5, 8, 8)
    )


def test_counts_that_get_too_little_cannot_be_had(tmp_path: Path) -> None:
    """4 workers have 4 each of a batch of 16, and 8 was measured; of 4 a single one has not enough."""
    net = profiles(write_profiles(tmp_path))["net"]
    assert net.speed(16) == TableSpeed((1, 2), (16 / 1.5, 16 / 1.25), (None, 8))
    assert net.speed(4) is None


def test_runs(tmp_path: Path) -> None:
    """50 iterations of 16 in 2 epochs; at 32 as many samples."""
    net = profiles(write_profiles(tmp_path))["net"]
    assert net.run(16) == Run(2, 50)
    assert net.run(32) == Run(2, 25)
    assert Profile(runs={4: Run(1, 10), 64: Run(2, 20)}).run(15) == Run(1, 3)
    assert Profile().run(16) is None


def test_hardware(tmp_path: Path) -> None:
    write_profiles(tmp_path)
    write(tmp_path, "net/placements-dgx.csv", PLACEMENT_ROWS.replace("1,8,1.0", "1,8,0.5"))
    tally = Tally()
    speed = profiles(tmp_path, "dgx", tally)["net"].speed(8)
    assert speed is not None
    assert speed.internal[0] == 16
    assert tally.files_not_read == {
        str(tmp_path / "net/placements-aws.csv"): "step times of aws, expected dgx",
        str(tmp_path / "net/scalability-aws.csv"): "step times of aws, expected dgx",
    }
    write(tmp_path, "net/placements.csv", PLACEMENT_ROWS.replace("1,8,1.0", "1,8,4.0"))
    slower = profiles(tmp_path, "dgx")["net"].speed(8)
    assert slower is not None
    assert slower.internal[0] == 2
    (tmp_path / "net/placements.csv").unlink()
    with pytest.raises(DocumentError, match="hardware: got step times of aws, dgx alone, expected x"):
        profiles(tmp_path, "x")


@pytest.mark.parametrize(
    ("name", "row", "why"),
    [
        ("placements-aws", "0,8,1,0", 'placement: got "0", expected the GPUs on each node as in 224'),
        ("placements-aws", "2x,8,1,0", 'placement: got "2x", expected the GPUs on each node as in 224'),
        ("placements-aws", "2,8,1,2", 'sync_time: got "2", expected a number of at least 0 and of at most 1'),
        ("placements-aws", "2,0,1,0", 'local_bsz: got "0", expected a number above 0'),
        ("scalability-aws", "4,3,8,1,0", 'num_replicas: got "3", expected a whole number from 4 to 2147483647'),
        ("validation-16", "1,50,1,1,1", 'iteration: got "50", expected a whole number from 51 to 2147483647'),
    ],
)
def test_broken_rows(tmp_path: Path, name: str, row: str, why: str) -> None:
    path, tally = write_profiles(tmp_path) / f"net/{name}.csv", Tally()
    path.write_text(path.read_text() + row + "\n")
    assert profiles(tmp_path, "aws", tally) == profiles(write_profiles(tmp_path))
    assert [broken.why for broken in tally.broken] == [why]


def test_a_run_whose_batch_is_not_told(tmp_path: Path) -> None:
    (write_profiles(tmp_path) / "net/validation-16.csv").rename(tmp_path / "net/validation-small.csv")
    with pytest.raises(DocumentError, match=r'file name: got "validation-small.csv", expected one with'):
        profiles(tmp_path)
