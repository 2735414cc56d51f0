"""Many slots or machines as a few: what a screen can show, and a file should hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]
"""Bin k holds what is from `edges[k]` on and before `edges[k + 1]`; no bin is empty."""

Floats = NDArray[np.float64]


def edges(count: int, most: int) -> Edges:
    """At most `most` bins over `count` things, as wide as each other up to one."""
    bins = min(count, most)
    return np.arange(bins + 1, dtype=np.int64) * count // bins


def means(values: Floats, bins: Edges) -> Floats:
    """The mean of each bin along the first axis."""
    sums = np.add.reduceat(values, bins[:-1], axis=0)
    width = np.diff(bins).reshape(-1, *[1] * (values.ndim - 1))
    averages: Floats = sums / width
    return averages
