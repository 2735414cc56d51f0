"""Random curves of a few slots, and the cheapest plan found by trying everything."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.planner.slot import Curves

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Curve = list[tuple[float, float]]
"""(samples, cost) of a slot's points, both rising."""
CalendarCase = tuple[list[Curve], list[int], float]
"""The curve of each segment, its length in slots, and the work."""


@st.composite
def curves(draw: st.DrawFn) -> Curve:
    steps = draw(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40)), max_size=4))
    return [(float(x), float(y)) for x, y in np.cumsum(np.array(steps).reshape(-1, 2), axis=0)]


@st.composite
def calendars(draw: st.DrawFn) -> CalendarCase:
    segments = draw(st.lists(curves(), min_size=1, max_size=4))
    lengths = [draw(st.integers(1, 2)) for _ in segments]
    return segments, lengths, float(draw(st.integers(1, 120)))


def as_curves(segments: list[Curve]) -> Curves:
    points = [point for curve in segments for point in curve]
    return Curves(
        offsets=np.cumsum([0, *(len(curve) for curve in segments)]),
        workers=np.arange(1, len(points) + 1),
        together=np.zeros(len(points), dtype=np.bool_),
        samples=np.array([samples for samples, _ in points], dtype=np.float64),
        cost=np.array([cost for _, cost in points], dtype=np.float64),
    )


def cheapest(segments: list[Curve], lengths: list[int], work: float) -> list[float]:
    """Theta(d, V) for every d, by trying everything."""
    slots = [curve for curve, length in zip(segments, lengths, strict=True) for _ in range(length)]
    prices = []
    for count in range(1, len(slots) + 1):
        plans = product(*([(0.0, 0.0), *curve] for curve in slots[:count]))
        costs = (sum(cost for _, cost in plan) for plan in plans if sum(samples for samples, _ in plan) >= work)
        prices.append(min(costs, default=np.inf))
    return prices


def below(curve: Curve, samples: float) -> float:
    """The lower convex hull of the origin and the points of a curve, at so many samples: the lowest chord there."""
    points = [(0.0, 0.0), *curve]
    chords = (
        y0 + (y1 - y0) * (samples - x0) / (x1 - x0) if x1 > x0 else y0
        for x0, y0 in points
        for x1, y1 in points
        if x0 <= samples <= x1
    )
    return min(chords)
