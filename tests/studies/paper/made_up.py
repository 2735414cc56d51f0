"""Measurements put together by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pdors.studies.paper.measured import Measured


def measured(
    curves: Mapping[str, Sequence[Sequence[float]]],
    points: Sequence[float] = (1, 2, 3),
    column: str = "total_utility",
    **more: float,
) -> Measured:
    """`curves`: for each seed the values at the points."""
    seeds = range(len(next(iter(curves.values()))))
    rows = {
        (curve, x, seed): {column: values[seed][place]} | more
        for curve, values in curves.items()
        for place, x in enumerate(points)
        for seed in seeds
    }
    return Measured(tuple(points), tuple(seeds), rows)


def seeds(*values: float, wobble: float = 0.1, count: int = 5) -> list[list[float]]:
    """The same values for each seed, but for a wobble that is the same at all points."""
    return [[value + wobble * (seed - count // 2) for value in values] for seed in range(count)]
