"""What finishing late is worth: by hand, far out in the tails, and never rising."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from tests.support.instances import utilities

SIGMOID = SigmoidUtility(50, 0.5, 3)
DEADLINE = DeadlineUtility(20, 4, 5)
TABLE = TableUtility((0, 2, 6), (30, 10, 0))
DURATIONS = st.integers(0, 2**31 - 1)


@pytest.mark.parametrize(
    ("utility", "worth"),
    [
        (SIGMOID, {0: 50 / (1 + math.exp(-1.5)), 3: 25, 5: 50 / (1 + math.e), 100: 50 / (1 + math.exp(48.5))}),
        (SigmoidUtility(50, 0, 3), {0: 25, 1000: 25}),
        (SigmoidUtility(0, 1, 3), {0: 0, 3: 0}),
        (DEADLINE, {0: 20, 4: 20, 5: 5, 1000: 5}),
        (DeadlineUtility(20, 4.5), {4: 20, 5: 0}),
        (DeadlineUtility(20, -1), {0: 0}),
        (TABLE, {0: 30, 1: 30, 2: 10, 5: 10, 6: 0, 1000: 0}),
        (TableUtility((2, 3.5), (30, 10)), {0: 30, 3: 30, 4: 10}),
        (TableUtility((5,), (7,)), {0: 7, 5: 7, 9: 7}),
    ],
)
def test_by_hand(utility: Utility, worth: dict[int, float]) -> None:
    assert {duration: utility.value(duration) for duration in worth} == pytest.approx(worth, rel=1e-14)


@given(utilities(wide=True) | utilities(), st.lists(DURATIONS | st.integers(0, 50), min_size=1, max_size=8))
def test_values_never_rise_and_are_never_negative(utility: Utility, durations: list[int]) -> None:
    values = utility.values(np.array(sorted(durations)))
    assert (values >= 0).all()
    assert np.isfinite(values).all()
    # Neighbours in the flat part of a sigmoid may differ in how they are rounded.
    assert (values[1:] * (1 - 1e-15) <= values[:-1]).all()


@given(utilities(wide=True) | utilities(), DURATIONS | st.integers(0, 50))
def test_one_value_many_values_and_the_logarithm_agree(utility: Utility, duration: int) -> None:
    value = utility.value(duration)
    assert value == utility.values(np.array([7, duration]))[1]
    if value > sys.float_info.min:  # below it a float has few digits
        assert utility.log_value(duration) == pytest.approx(math.log(value), rel=1e-12, abs=1e-12)
    else:
        assert utility.log_value(duration) < math.log(sys.float_info.min) + 1e-9


@pytest.mark.parametrize("duration", [10**4, 10**6, 2**31, 2**52])
def test_the_logarithm_is_exact_where_the_value_is_below_every_float(duration: int) -> None:
    assert SIGMOID.value(duration) == 0
    assert SIGMOID.log_value(duration) == pytest.approx(math.log(50) - 0.5 * (duration - 3), rel=1e-15)


@pytest.mark.parametrize(
    ("utility", "duration"),
    [(SigmoidUtility(0, 1, 3), 0), (DeadlineUtility(20, 4), 5), (TABLE, 6), (SigmoidUtility(1, 1e300, -1e300), 0)],
)
def test_the_logarithm_of_nothing_is_minus_infinity(utility: Utility, duration: int) -> None:
    assert utility.log_value(duration) == -math.inf


@given(utilities(), st.integers(0, 20), st.integers(0, 40))
def test_delayed_is_the_same_fall_later(utility: Utility, slots: int, duration: int) -> None:
    later = utility.delayed(slots).value(duration + slots)
    if isinstance(utility, SigmoidUtility):
        assert later == pytest.approx(utility.value(duration), rel=1e-9, abs=1e-12)
    else:
        # A step that is within rounding of a slot may move to its other side.
        assert utility.value(duration + 1) <= later <= utility.value(max(0, duration - 1))


def test_delayed_by_hand() -> None:
    assert SIGMOID.delayed(2) == SigmoidUtility(50, 0.5, 5)
    assert DEADLINE.delayed(2) == DeadlineUtility(20, 6, 5)
    assert TABLE.delayed(2) == TableUtility((2, 4, 8), (30, 10, 0))
    assert TableUtility((0, 1e-20, 3), (30, 10, 0)).delayed(1).value(2) == 10, "steps that meet remain steps"


@given(utilities(), st.floats(0, 100), st.integers(0, 40))
def test_scaled_is_worth_so_many_times_as_much(utility: Utility, factor: float, duration: int) -> None:
    scaled = utility.scaled(factor)
    assert scaled.height == utility.height * factor
    assert scaled.value(duration) == pytest.approx(factor * utility.value(duration), rel=1e-12, abs=1e-300)


@given(utilities(), st.integers(0, 40))
def test_height_bounds_every_value(utility: Utility, duration: int) -> None:
    assert utility.value(duration) <= utility.height


@pytest.mark.parametrize(
    ("make", "message"),
    [
        *((lambda bad=bad: SigmoidUtility(bad, 1, 1), "priority") for bad in (-1, math.nan, math.inf)),
        *((lambda bad=bad: SigmoidUtility(1, bad, 1), "urgency") for bad in (-0.1, math.nan, math.inf)),
        *((lambda bad=bad: SigmoidUtility(1, 1, bad), "target") for bad in (math.nan, -math.inf)),
        *((lambda bad=bad: DeadlineUtility(bad, 1), "value") for bad in (-1, math.nan, math.inf)),
        (lambda: DeadlineUtility(1, math.nan), "deadline"),
        (lambda: DeadlineUtility(1, 1, -1), "late_value"),
        (lambda: DeadlineUtility(1, 1, 2), r"late_value must be at most value \(1\), got 2"),
        (lambda: TableUtility((), ()), "same length, at least 1"),
        (lambda: TableUtility((0, 1), (1,)), "same length"),
        (lambda: TableUtility((1, 0), (1, 1)), "non-decreasing"),
        (lambda: TableUtility((math.nan,), (1,)), "non-decreasing"),
        (lambda: TableUtility((0, math.nan), (1, 1)), "non-decreasing"),
        (lambda: TableUtility((0, 1), (1, 2)), r"value must be non-increasing, got \(1, 2\)"),
        *((lambda bad=bad: TableUtility((0,), (bad,)), "value") for bad in (-1, math.nan, math.inf)),
    ],
)  # fmt: skip
def test_utilities_that_cannot_be(make: Callable[[], Utility], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()
