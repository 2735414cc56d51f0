"""Ranges: read, written, and laid over uniform numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.workloads.ranges import Integers, Reals

ENDS = st.tuples(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9)).map(sorted)
UNITS = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=20).map(np.array)


@given(ENDS, UNITS)
def test_whole_numbers_stay_within_both_ends(ends: list[int], units: np.ndarray) -> None:
    low, high = ends
    drawn = Integers(low, high).at(units)
    assert low <= drawn.min()
    assert drawn.max() <= high
    assert Integers(low, high).at(np.array([0.0, np.nextafter(1, 0)])).tolist() == [low, high]


@given(st.tuples(st.floats(-1e12, 1e12), st.floats(-1e12, 1e12)).map(sorted), UNITS)
def test_real_numbers_stay_within_both_ends_and_near_their_place(ends: list[float], units: np.ndarray) -> None:
    low, high = ends
    drawn = Reals(low, high).at(units)
    assert low <= drawn.min()
    assert drawn.max() <= high
    assert np.abs(drawn - (low + units * (high - low))).max() <= (high - low) * 1e-4 + 1e-9 * max(abs(low), abs(high))


@pytest.mark.parametrize(
    ("kind", "text", "low", "high"),
    [
        (Integers, "5", 5, 5),
        (Integers, "5:9", 5, 9),
        (Integers, "-3:0", -3, 0),
        (Reals, "0.5:2", 0.5, 2),
        (Reals, "1e-3", 1e-3, 1e-3),
    ],
)
def test_read_and_written(kind: type[Integers | Reals], text: str, low: float, high: float) -> None:
    read = kind.parse(text)
    assert (read.low, read.high) == (low, high)
    assert kind.parse(str(read)) == read


@pytest.mark.parametrize(
    ("kind", "text"),
    [(Integers, text) for text in ("", ":", "1:", ":2", "3:1", "1.5", "one", "1:2:3", "4000000000")]
    + [(Reals, text) for text in ("", "1:", "2:1", "nan", "1:inf", "one", "1:2:3")],
)
def test_what_is_no_range(kind: type[Integers | Reals], text: str) -> None:
    with pytest.raises(ModelError, match="expected"):
        kind.parse(text)
