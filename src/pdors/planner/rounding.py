"""Randomised rounding of a covering and packing program, Lemmas 1 and 2, and the G of Theorems 3 and 4.

The program is min {c x : A x >= a, B x <= b, x >= 0 whole}. A fractional optimum x is scaled to x' = G x, and every
entry of x' is rounded up or down so that its mean stays. G <= 1 favours the packing rows (the resources), G > 1 the
cover rows (the work).

    G, delta  scaling of x; probability of missing the promises   -> gain, delta
    m, W_a    cover rows; min over them of a_i / A_ij             -> rows, width of cover_*, gain_favouring_work
    r, W_b    packing rows; min over them of b_i / B_ij           -> rows, width of packing_*, gain_favouring_resources

The external case of Algorithm 4 with the row for the servers that the printed program lacks has m = 2 cover rows,
sum w >= W and sum s >= S, so W_a = min(W, S); a job without servers has m = 1 and W_a = W. Theorem 3 takes no m;
Theorem 4 has ln(3m/delta), so ln(6/delta) where the paper has ln(3/delta), and the smaller W_a.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sizes:
    """m, W_a, r and W_b of one program."""

    cover_rows: int
    cover_width: float
    packing_rows: int
    packing_width: float


Gain = Callable[[Sizes], float]


@dataclass(frozen=True, slots=True)
class FavourResources:
    """The `Gain` of Theorem 3."""

    delta: float

    def __call__(self, sizes: Sizes) -> float:
        return gain_favouring_resources(sizes.packing_rows, sizes.packing_width, self.delta)


@dataclass(frozen=True, slots=True)
class FavourWork:
    """The `Gain` of Theorem 4."""

    delta: float

    def __call__(self, sizes: Sizes) -> float:
        return gain_favouring_work(sizes.cover_rows, sizes.cover_width, self.delta)


def gain_favouring_resources(rows: int, width: float, delta: float) -> float:
    """Theorem 3, 0 < G <= 1: 1 + q - sqrt(q^2 + 2q) with q = 3 ln(3r/delta) / (2 W_b).

    It makes the bound exp(-(1/G - 1)^2 G W_b / 3) of one packing row equal to delta / (3r). That bound is a proven
    one from G = 1/2 on only: see `packing_violation`.
    """
    q = 1.5 * math.log(3 * rows / delta) / width
    return 1 / (1 + q + math.sqrt(q * q + 2 * q))  # the same number: (1 + q)^2 - (q^2 + 2q) = 1


def gain_favouring_work(rows: int, width: float, delta: float) -> float:
    """Theorem 4, G > 1: 1 + q + sqrt(q^2 + 2q) with q = ln(3m/delta) / W_a.

    It makes the bound exp(-(1 - 1/G)^2 G W_a / 2) of one cover row equal to delta / (3m).
    """
    q = math.log(3 * rows / delta) / width
    return 1 + q + math.sqrt(q * q + 2 * q)


def cost_ratio(gain: float, delta: float) -> float:
    """3G / delta: a rounded cost is above so many times the fractional one with probability delta / 3 at most."""
    return 3 * gain / delta


def cover_violation(gain: float, rows: int, width: float) -> float:
    """Bound for the probability that a draw misses some cover row; it says nothing (1) for G <= 1."""
    if gain <= 1:
        return 1.0
    return min(1.0, rows * math.exp(-((1 - 1 / gain) ** 2) * gain * width / 2))


def packing_violation(gain: float, rows: int, width: float) -> float:
    """Bound for the probability that a draw breaks some packing row; it says nothing (1) for G >= 1.

    With e = 1/G - 1, a Chernoff bound gives exp(-e^2 G W_b / 3) per row as long as e <= 1, so for G >= 1/2; the paper
    uses it below as well, where only exp(-e G W_b / 3) holds.
    """
    if gain >= 1:
        return 1.0
    excess = 1 / gain - 1
    return min(1.0, rows * math.exp(-min(excess, 1.0) * excess * gain * width / 3))


def cover_reached(gain: float, rows: int, width: float, delta: float) -> float:
    """Lemma 1: every cover row reaches this share of its a_i, (1 - sqrt(2 ln(3m/delta) / (G W_a))) G, or more.

    Except with probability delta / 3: the paper's delta / 3m is that of one row. At or below 0 it says nothing.
    """
    return (1 - math.sqrt(2 * math.log(3 * rows / delta) / (gain * width))) * gain


def packing_reached(gain: float, rows: int, width: float, delta: float) -> float:
    """Lemma 2: every packing row stays within this share of its b_i, (1 + e) G, e = sqrt(3 ln(3r/delta) / (G W_b)).

    Except with probability delta / 3: the paper's delta / 3r is that of one row. Where e > 1 the bound that holds is
    the one with e^2 in place of e.
    """
    excess = math.sqrt(3 * math.log(3 * rows / delta) / (gain * width))
    return (1 + excess * max(excess, 1.0)) * gain


def least_useful_delta(gain: float, rows: int, width: float) -> float:
    """3m / exp(G W_a / 2): `cover_reached` says something for every delta above it."""
    return 3 * rows * math.exp(-gain * width / 2)


def round_randomly(values: Floats, draws: int, rng: np.random.Generator) -> Integers:
    """Step 10: `draws` independent roundings, (draws, values); each rounds up with the probability of the fraction."""
    down = np.floor(values)
    up = rng.random((draws, len(values))) < values - down
    return (down + up).astype(np.int64)
