"""Means with their 95% intervals over seeds, by Student's t; slopes by least squares, one for each seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and where it lies with a confidence of 95%; of a single value the whole line."""

    value: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        return self.low > 0

    @property
    def below_zero(self) -> bool:
        return self.high < 0


def mean_interval(values: Sequence[float] | Floats) -> Interval:
    """Mean +- t s / sqrt(n), t with n - 1 degrees of freedom, s the standard deviation over n seeds."""
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if len(found) == 1:
        return Interval(mean, -math.inf, math.inf)
    half = t_quantile(len(found) - 1) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return Interval(mean, mean - half, mean + half)


def slopes(x: Sequence[float] | Floats, values: Floats) -> Floats:
    """The slope of the least-squares line of each row of `values` (seeds, points) over x."""
    away = np.asarray(x, dtype=np.float64) - np.mean(x)
    found: Floats = values @ away / float(away @ away)
    return found


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """The t between whose negative and itself Student's distribution has `confidence`, by bisection."""
    low, high = 0.0, 2.0
    while central_share(high, degrees) < confidence:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if central_share(middle, degrees) < confidence else (low, middle)
    return high


def central_share(t: float, degrees: int) -> float:
    """A(t | n), the probability between -t and t for n degrees of freedom: a finite sum for whole n.

    With a = atan(t / sqrt n):
        n odd    2/pi (a + sin a (cos a + 2/3 cos^3 a + ... up to cos^(n-2) a))
        n even   sin a (1 + 1/2 cos^2 a + 1 3 / (2 4) cos^4 a + ... up to cos^(n-2) a)
    """
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(odd, degrees - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
