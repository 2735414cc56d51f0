"""Eq. (12), Q(rho) = L (U/L)^(rho/C), and the bounds it lies between."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.model.utility import SigmoidUtility
from pdors.planner.prices import FREE, PriceBounds

LONGEST_RATIO = 600.0
"""ln(U/L) that is still followed; a wider one is narrowed to it from below."""


@st.composite
def bounds(draw: st.DrawFn) -> PriceBounds:
    """Up to three resources whose prices are floats above 0, some free."""
    ceilings = draw(st.lists(st.floats(-50, 50), min_size=1, max_size=3))
    pairs = [(high - draw(st.floats(0, LONGEST_RATIO)), high) for high in ceilings]
    pairs += [(FREE, FREE)] * draw(st.integers(0, 1))
    return PriceBounds(tuple(low for low, _ in pairs), tuple(high for _, high in pairs))


def prices_at(prices: PriceBounds, fraction: float) -> list[float]:
    return [float(price) for price in prices.price(np.full(len(prices.log_floor), fraction))]


@given(bounds())
def test_prices_run_from_the_floor_to_the_ceiling(prices: PriceBounds) -> None:
    assert prices_at(prices, 0.0) == pytest.approx([math.exp(low) for low in prices.log_floor])
    assert prices_at(prices, 1.0) == pytest.approx([math.exp(high) for high in prices.log_ceiling])


@given(bounds(), st.floats(0, 1), st.floats(0, 1))
def test_prices_rise_with_what_is_committed(prices: PriceBounds, one: float, other: float) -> None:
    less, more = prices_at(prices, min(one, other)), prices_at(prices, max(one, other))
    assert all(low <= high * (1 + 1e-12) for low, high in zip(less, more, strict=True))


@given(bounds(), st.floats(0, 0.5))
def test_equal_shares_raise_a_price_by_equal_factors(prices: PriceBounds, share: float) -> None:
    nothing, once, twice = (np.array(prices_at(prices, times * share)) for times in (0, 1, 2))
    np.testing.assert_allclose(once**2, nothing * twice, rtol=1e-9)


@pytest.mark.parametrize(
    ("committed", "price"), [(0, 0.01), (1, 0.1), (2, 1.0), (3, 10.0), (4, 100.0)], ids="rho={}".format
)
def test_the_price_of_a_machine_with_four_units_by_hand(committed: int, price: float) -> None:
    # L = 1/100, U = 100, C = 4: every unit makes the next one ten times as dear.
    prices = PriceBounds((math.log(0.01),), (math.log(100),))
    assert prices_at(prices, committed / 4) == pytest.approx([price])


def test_every_machine_and_resource_has_its_own_price() -> None:
    prices = PriceBounds((0.0, math.log(2)), (math.log(4), math.log(32)))
    fraction = np.array([[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]])
    np.testing.assert_allclose(prices.price(fraction), [[1, 2], [2, 32], [4, 8]])


@given(st.floats(0, 1))
def test_a_resource_that_nobody_pays_for_is_free_at_any_load(fraction: float) -> None:
    assert prices_at(PriceBounds.free(3), fraction) == [0.0] * 3
    assert prices_at(PriceBounds((FREE, 0.0), (FREE, 1.0)), fraction)[0] == 0.0


@pytest.mark.parametrize("horizon", [20, 80, 1_000, 20_000])
@pytest.mark.parametrize("urgency", [0.01, 0.5, 6.0])
def test_the_floor_of_a_time_critical_job_leaves_prices_finite(horizon: int, urgency: float) -> None:
    # u(T) of the most urgent job is about 1e-171 at T = 80 and 1e-51000 at T = 20,000: no float is so small.
    utility = SigmoidUtility(100, urgency, 5)
    log_floor, log_ceiling = utility.log_value(horizon), utility.log_value(0)
    assert math.isfinite(log_floor)
    prices = PriceBounds((log_floor,), (log_ceiling,))
    along = [prices_at(prices, fraction)[0] for fraction in np.linspace(0, 1, 101)]
    assert np.isfinite(along).all()
    assert along[-1] == pytest.approx(utility.value(0))
    assert min(along) > 0
    assert along == sorted(along)
    if log_ceiling - log_floor < LONGEST_RATIO:
        assert math.log(along[0]) == pytest.approx(log_floor)


def test_a_floor_far_below_every_utility_is_lifted_to_where_floats_reach() -> None:
    for floor in (-1e6, FREE):
        prices = PriceBounds((floor,), (2.0,))
        assert math.log(prices_at(prices, 0.0)[0]) == pytest.approx(2.0 - LONGEST_RATIO)
        assert prices_at(prices, 1.0) == pytest.approx([math.exp(2.0)])


@pytest.mark.parametrize(
    ("floor", "ceiling"),
    [
        ((1.0,), (0.0,)),
        ((0.0,), (FREE,)),
        ((math.nan,), (0.0,)),
        ((0.0,), (math.nan,)),
        ((0.0,), (math.inf,)),
        ((math.inf,), (math.inf,)),
        ((0.0, 0.0), (1.0,)),
        ((0.0,), (1.0, 1.0)),
    ],
)
def test_bounds_that_are_no_bounds_are_refused(floor: tuple[float, ...], ceiling: tuple[float, ...]) -> None:
    with pytest.raises(ModelError):
        PriceBounds(floor, ceiling)


@pytest.mark.parametrize(("floor", "ceiling"), [(0.0, 0.0), (FREE, FREE), (FREE, 0.0)])
def test_equal_bounds_and_free_floors_are_bounds(floor: float, ceiling: float) -> None:
    assert prices_at(PriceBounds((floor,), (ceiling,)), 1.0) == pytest.approx([math.exp(ceiling)])
