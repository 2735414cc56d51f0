"""Intervals and slopes, held against printed tables, by hand, and as properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.studies.paper.statistics import central_share, mean_interval, slopes, t_quantile

PRINTED = {1: 12.706205, 2: 4.302653, 3: 3.182446, 4: 2.776445, 9: 2.262157, 29: 2.045230, 30: 2.042272, 59: 2.000995}
"""Student's t, two-sided 95%."""
numbers = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("degrees", PRINTED)
def test_quantiles_are_those_of_the_table(degrees: int) -> None:
    assert t_quantile(degrees) == pytest.approx(PRINTED[degrees], abs=1e-6)


def test_quantile_of_many_seeds_is_that_of_the_normal_distribution() -> None:
    assert t_quantile(100_000) == pytest.approx(1.959964, abs=1e-4)


@pytest.mark.parametrize("degrees", [1, 2, 5, 8])
def test_central_share_is_the_integral_of_the_density(degrees: int) -> None:
    t = np.linspace(-1.7, 1.7, 20_001)
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    density = np.exp(log_scale - (degrees + 1) / 2 * np.log1p(t * t / degrees))
    assert central_share(1.7, degrees) == pytest.approx(float(np.trapezoid(density, t)), abs=1e-8)


def test_interval_by_hand() -> None:
    """1, 2, 3, 4: mean 2.5, s^2 = 5/3, half 3.182446 sqrt(5/12)."""
    found = mean_interval([1, 2, 3, 4])
    assert (found.value, found.high - found.value) == pytest.approx((2.5, 3.182446 * math.sqrt(5 / 12)))
    assert found.value - found.low == pytest.approx(found.high - found.value)
    assert found.above_zero is (found.low > 0)


def test_one_seed_says_nothing() -> None:
    found = mean_interval([7.0])
    assert (found.value, found.low, found.high) == (7, -math.inf, math.inf)
    assert not found.above_zero
    assert not found.below_zero


def test_equal_seeds_leave_no_doubt() -> None:
    found = mean_interval([3.0, 3.0, 3.0])
    assert (found.low, found.high) == (3, 3)


@given(st.lists(numbers, min_size=2, max_size=12), numbers)
def test_a_shift_shifts_the_interval(values: list[float], by: float) -> None:
    before, after = mean_interval(values), mean_interval([value + by for value in values])
    assert after.low == pytest.approx(before.low + by, abs=1e-3)
    assert after.high == pytest.approx(before.high + by, abs=1e-3)


def test_intervals_hold_the_mean_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    found = [mean_interval(rng.normal(5, 2, size=10)) for _ in range(4000)]
    assert np.mean([one.low <= 5 <= one.high for one in found]) == pytest.approx(0.95, abs=0.012)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_slope_of_a_line_is_its_own(lines: list[tuple[float, float]]) -> None:
    x = np.array([10.0, 20, 40, 60, 100])
    values = np.array([start + slope * x for start, slope in lines])
    assert slopes(x, values) == pytest.approx([slope for _, slope in lines], abs=1e-6, rel=1e-6)


def test_slope_by_hand() -> None:
    """Over 0, 1, 2 the values 0, 0, 3: (-1 * 0 + 1 * 3) / 2."""
    assert slopes([0, 1, 2], np.array([[0.0, 0, 3]])) == pytest.approx([1.5])
