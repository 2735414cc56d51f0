"""The rows of one figure's cells, by curve, point and seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.studies.paper.cells import Row

Floats = NDArray[np.float64]
Cell = tuple[str, float, int]
"""Curve, point on the axis, seed."""

PRICED = ("pdors", "oasis", "rounding")
"""Policies that are run under both choices of prices."""


def key_at(policy: str, prices: str) -> str:
    """The curve of a policy where the others are judged at these prices."""
    return f"{policy}:{prices}" if policy in PRICED and prices == "paper" else policy


_NAMES = {
    "pdors": "PD-ORS", "oasis": "OASiS", "elasticflow": "ElasticFlow", "greedy": "Greedy", "optimus": "Optimus",
    "dorm": "Dorm", "drf": "DRF", "fifo": "FIFO", "bound": "offline bound", "rounding": "PD-ORS by rounding",
}  # fmt: skip


def label_of(key: str) -> str:
    """The name of a curve as it is shown."""
    policy, _, prices = key.partition(":")
    name = _NAMES.get(policy, policy)
    return f"{name}, paper prices" if prices == "paper" else name


@dataclass(frozen=True, eq=False)
class Measured:
    points: tuple[float, ...]
    seeds: tuple[int, ...]
    rows: Mapping[Cell, Row]

    def at(self, curve: str, x: float, column: str = "total_utility") -> Floats:
        """One number per seed; the same seed has the same jobs on every curve."""
        return np.array([self.rows[curve, x, seed][column] for seed in self.seeds], dtype=np.float64)

    def over(self, curve: str, column: str = "total_utility") -> Floats:
        """(seeds, points)."""
        return np.column_stack([self.at(curve, x, column) for x in self.points])

    def best_of(self, curves: Sequence[str], column: str = "total_utility") -> Floats:
        """Of each seed at each point the highest of the curves, (seeds, points)."""
        best: Floats = np.max([self.over(curve, column) for curve in curves], axis=0)
        return best

    def shares(self, curve: str, x: float, whole: str) -> Floats:
        """Total utility as a share of that of `whole`, of the seeds in which there is anything to be had."""
        most = self.at(whole, x)
        return self.at(curve, x)[most > 0] / most[most > 0]

    @property
    def curves(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(curve for curve, _, _ in self.rows))
