"""Lemmas 1 and 2 and Theorems 3 and 4: the formulas against what they solve, the bounds against what is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.planner.rounding import (
    FavourResources,
    FavourWork,
    Sizes,
    cost_ratio,
    cover_reached,
    cover_violation,
    gain_favouring_resources,
    gain_favouring_work,
    least_useful_delta,
    packing_reached,
    packing_violation,
    round_randomly,
)

Floats = NDArray[np.float64]

deltas = st.floats(1e-6, 1)
widths = st.floats(0.5, 500)
row_counts = st.integers(1, 2000)


def solve(rising: Callable[[float], float], value: float, low: float, high: float) -> float:
    """Where a rising function has this value, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > value else (middle, high)
    return (low + high) / 2


@given(row_counts, widths, deltas)
def test_gain_of_theorem_3_solves_its_equation(rows: int, width: float, delta: float) -> None:
    # exp(-(1/G - 1)^2 G W_b / 3) = delta / (3 r), which rises with G.
    found = solve(lambda gain: -((1 / gain - 1) ** 2) * gain * width / 3, math.log(delta / (3 * rows)), 1e-9, 1)
    gain = gain_favouring_resources(rows, width, delta)
    assert 0 < gain <= 1
    assert gain == pytest.approx(found, rel=1e-6)


@given(row_counts, widths, deltas)
def test_gain_of_theorem_3_is_the_printed_formula(rows: int, width: float, delta: float) -> None:
    third = 3 * math.log(3 * rows / delta) / width
    printed = 1 + third / 2 - math.sqrt((third / 2) ** 2 + third)
    assert gain_favouring_resources(rows, width, delta) == pytest.approx(printed, rel=1e-6, abs=1e-9 * (1 + third))


@given(row_counts, widths, deltas)
def test_gain_of_theorem_4_solves_its_equation(rows: int, width: float, delta: float) -> None:
    # exp(-(1 - 1/G)^2 G W_a / 2) = delta / (3 m), which falls with G.
    found = solve(lambda gain: (1 - 1 / gain) ** 2 * gain * width / 2, math.log(3 * rows / delta), 1, 1e6)
    gain = gain_favouring_work(rows, width, delta)
    assert gain > 1
    assert gain == pytest.approx(found, rel=1e-6)


@given(row_counts, widths, deltas)
def test_gain_of_theorem_4_is_the_printed_formula(rows: int, width: float, delta: float) -> None:
    one = math.log(3 * rows / delta) / width
    assert gain_favouring_work(rows, width, delta) == pytest.approx(1 + one + math.sqrt(one**2 + 2 * one))


@pytest.mark.parametrize("delta", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("machines", [30, 100])
def test_gain_of_theorem_3_is_hopelessly_small_for_ordinary_clusters(machines: int, delta: float) -> None:
    # Four resources, room for about 15 to 18 tasks per machine: a quarter to a third of the fractional solution.
    for width in (15, 18):
        gain = gain_favouring_resources(4 * machines + 1, width, delta)
        assert 0.24 < gain < 0.33
        assert round_randomly(np.full(40, 0.5 * gain), 2000, np.random.default_rng(1)).sum(axis=1).max() < 20


def test_gain_of_theorem_3_by_hand() -> None:
    # W_b = 15, r = 401, delta = 0.1 as in the paper's case study: q = 1.5 ln(12030) / 15 = 0.93952.
    assert gain_favouring_resources(401, 15, 0.1) == pytest.approx(0.27767, abs=1e-5)


def test_gains_are_taken_from_the_rows_they_favour() -> None:
    sizes = Sizes(cover_rows=2, cover_width=7, packing_rows=401, packing_width=15)
    assert FavourResources(0.1)(sizes) == gain_favouring_resources(401, 15, 0.1)
    assert FavourWork(0.1)(sizes) == gain_favouring_work(2, 7, 0.1)


@given(row_counts, widths, deltas)
def test_at_the_gain_of_a_theorem_its_rows_fail_with_a_third_of_delta(rows: int, width: float, delta: float) -> None:
    packing = packing_violation(gain_favouring_resources(rows, width, delta), rows, width)
    if gain_favouring_resources(rows, width, delta) >= 0.5:
        assert packing == pytest.approx(delta / 3, rel=1e-6)
    else:
        # The Chernoff bound of the proof needs 1/G - 1 <= 1; below G = 1/2 what can be shown is weaker than delta / 3.
        assert packing > delta / 3 * (1 - 1e-6)
    assert cover_violation(gain_favouring_work(rows, width, delta), rows, width) == pytest.approx(delta / 3, rel=1e-6)


def test_below_one_half_the_printed_bound_is_not_claimed() -> None:
    gain, width = 0.28, 15.0
    printed = math.exp(-((1 / gain - 1) ** 2) * gain * width / 3)
    assert packing_violation(gain, 1, width) == pytest.approx(math.exp(-(1 / gain - 1) * gain * width / 3))
    assert packing_violation(gain, 1, width) > 20 * printed


@pytest.mark.parametrize("gain", [0.1, 0.5, 1.0])
def test_without_scaling_up_nothing_is_promised_for_the_cover_rows(gain: float) -> None:
    assert cover_violation(gain, 2, 100) == 1
    assert packing_violation(1 / gain, 2, 100) == 1


@given(row_counts, widths, deltas, st.floats(0.05, 5))
def test_reached_shares_solve_their_equations(rows: int, width: float, delta: float, gain: float) -> None:
    # Lemma 1: a_i (1 - e) G with exp(-e^2 G W_a / 2) = delta / 3m.
    short = 1 - cover_reached(gain, rows, width, delta) / gain
    assert math.exp(-(short**2) * gain * width / 2) == pytest.approx(delta / (3 * rows))
    # Lemma 2: b_i (1 + e) G with exp(-e^2 G W_b / 3) = delta / 3r as long as e <= 1, and exp(-e G W_b / 3) beyond.
    excess = packing_reached(gain, rows, width, delta) / gain - 1
    assert math.exp(-min(excess, excess**2) * gain * width / 3) == pytest.approx(delta / (3 * rows))


@given(row_counts, widths, deltas, st.floats(0.05, 5))
def test_the_cover_bound_says_something_just_above_the_least_delta(
    rows: int, width: float, delta: float, gain: float
) -> None:
    least = least_useful_delta(gain, rows, width)
    assert (cover_reached(gain, rows, width, delta) > 0) == (delta > least)


def test_the_larger_the_cover_width_the_smaller_a_delta_is_useful() -> None:
    # The paper's case study: 3m / exp(G W_a / 2) meets the diagonal further down the larger W_a.
    gain = gain_favouring_resources(401, 15, 0.05)
    least = [least_useful_delta(gain, 1, width) for width in (5, 15, 30, 60)]
    assert least == sorted(least, reverse=True)
    assert least[0] > 1
    assert least[-1] < 0.05


def test_cost_ratio_by_hand() -> None:
    assert cost_ratio(0.5, 0.1) == pytest.approx(15)


# What is drawn


@given(st.lists(st.floats(0, 5), min_size=1, max_size=5), st.integers(0, 2**32))
def test_draws_are_the_whole_numbers_beside_a_value(values: list[float], seed: int) -> None:
    drawn = round_randomly(np.array(values), 50, np.random.default_rng(seed))
    assert drawn.shape == (50, len(values))
    assert (drawn >= np.floor(values)).all()
    assert (drawn <= np.ceil(values)).all()


@settings(max_examples=20)
@given(st.lists(st.floats(0, 5), min_size=1, max_size=5))
def test_rounding_is_unbiased(values: list[float]) -> None:
    draws = 20_000
    drawn = round_randomly(np.array(values), draws, np.random.default_rng(5))
    fraction = np.array(values) % 1
    deviation = np.sqrt(fraction * (1 - fraction) / draws)
    assert (np.abs(drawn.mean(axis=0) - values) <= 5 * deviation + 1e-3).all()


def test_entries_are_rounded_independently() -> None:
    drawn = round_randomly(np.full(6, 0.5), 40_000, np.random.default_rng(6)).astype(np.float64)
    correlation = np.corrcoef(drawn.T) - np.eye(6)
    assert np.abs(correlation).max() < 0.03


def test_the_same_seed_draws_the_same() -> None:
    values = np.linspace(0, 3, 7)
    one, again = (round_randomly(values, 30, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert (one != round_randomly(values, 30, np.random.default_rng(8))).any()


@dataclass(frozen=True, eq=False)
class Programme:
    """min {c x : A x >= a, B x <= b} with a fractional solution that every row holds at equality."""

    x: Floats
    cost: Floats
    cover: Floats
    cover_least: Floats
    packing: Floats
    packing_most: Floats

    @property
    def cover_width(self) -> float:
        return _width(self.cover, self.cover_least)

    @property
    def packing_width(self) -> float:
        return _width(self.packing, self.packing_most)


def _width(rows: Floats, limit: Floats) -> float:
    return float(np.divide(limit[:, None], rows, out=np.full_like(rows, np.inf), where=rows > 0).min())


def programme(seed: int) -> Programme:
    """Small fractions, so that much is left to chance, and large ones."""
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(30, 120))
    x = rng.uniform(0, rng.choice([0.3, 1.0, 3.0]), size=columns)
    cover, packing = (
        rng.choice([0.0, 0.5, 1.0], size=(int(rng.integers(1, 6)), columns), p=[0.4, 0.2, 0.4]) for _ in range(2)
    )
    return Programme(x, rng.uniform(0, 1, size=columns), cover, cover @ x, packing, packing @ x)


DRAWS = 5_000


def at_most(frequency: float, bound: float) -> bool:
    """Whether a frequency in `DRAWS` draws is what a probability of at most `bound` could show."""
    return frequency <= bound + 4 * math.sqrt(bound * (1 - min(bound, 1)) / DRAWS) + 1e-12


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("gain", [0.3, 0.6, 0.8, 1.0, 1.2, 1.5])
def test_rows_are_violated_no_more_often_than_proven(seed: int, gain: float) -> None:
    program = programme(seed)
    drawn = round_randomly(gain * program.x, DRAWS, np.random.default_rng(100 + seed))
    for delta in (0.05, 0.3, 1.0):
        dear = (drawn @ program.cost > cost_ratio(gain, delta) * (program.cost @ program.x)).mean()
        assert at_most(dear, delta / 3)
        reached = cover_reached(gain, len(program.cover), program.cover_width, delta)
        short = (drawn @ program.cover.T <= reached * program.cover_least).any(axis=1).mean()
        assert at_most(short, delta / 3)
        reached = packing_reached(gain, len(program.packing), program.packing_width, delta)
        over = (drawn @ program.packing.T > reached * program.packing_most).any(axis=1).mean()
        assert at_most(over, delta / 3)
    missed = (drawn @ program.cover.T < program.cover_least).any(axis=1).mean()
    assert at_most(missed, cover_violation(gain, len(program.cover), program.cover_width))
    broken = (drawn @ program.packing.T > program.packing_most).any(axis=1).mean()
    assert at_most(broken, packing_violation(gain, len(program.packing), program.packing_width))


def test_the_bounds_are_of_the_right_order_where_chance_is_widest() -> None:
    # Many tiny fractions are nearly Poisson: there Chernoff is not far off, and a bound too small by much would show.
    x = np.full(2_000, 0.004)  # eight tasks in the mean
    width = 8.0
    for gain in (0.5, 0.7):
        drawn = round_randomly(gain * x, DRAWS, np.random.default_rng(9)).sum(axis=1)
        bound = packing_violation(gain, 1, width)
        assert bound / 400 < (drawn > width).mean() <= bound
    for gain in (1.3, 1.6):
        drawn = round_randomly(gain * x, DRAWS, np.random.default_rng(10)).sum(axis=1)
        bound = cover_violation(gain, 1, width)
        assert bound / 20 < (drawn < width).mean() <= bound


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_the_gains_of_the_theorems_keep_their_promises(seed: int, delta: float) -> None:
    program = programme(seed)
    gain = gain_favouring_work(len(program.cover), program.cover_width, delta)
    drawn = round_randomly(gain * program.x, DRAWS, np.random.default_rng(200 + seed))
    assert at_most((drawn @ program.cover.T < program.cover_least).any(axis=1).mean(), delta / 3)
    gain = gain_favouring_resources(len(program.packing), program.packing_width, delta)
    drawn = round_randomly(gain * program.x, DRAWS, np.random.default_rng(300 + seed))
    proven = packing_violation(gain, len(program.packing), program.packing_width)
    assert at_most((drawn @ program.packing.T > program.packing_most).any(axis=1).mean(), proven)
