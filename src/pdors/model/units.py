"""Exact amounts: every resource is counted in whole units of a decimal fraction.

Floats do not add up: 0.1 + 0.2 - 0.2 is not 0.1, so a ledger of floats drifts with every reserve and release, and ten
tenths may or may not fit into one. Counted in whole units below 2**53 a float64 adds and subtracts exactly. Demands
are rounded up and capacities down, so what fits here fits in the instance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pdors.model.cluster import Cluster

_FINEST_DECIMALS = 9
_LARGEST_UNITS = 2.0**50


class Units:
    """Units per resource of one cluster: 10**k of them make 1, with the largest k <= 9 that stays exact."""

    def __init__(self, cluster: Cluster) -> None:
        largest = np.maximum(cluster.capacity.max(axis=0), 1.0)
        decimals = np.clip(np.floor(np.log10(_LARGEST_UNITS / largest)), 0, _FINEST_DECIMALS)
        self.per_one: NDArray[np.float64] = 10.0**decimals
        self.capacity: NDArray[np.float64] = np.floor(self._whole(cluster.capacity))
        self.capacity.setflags(write=False)

    def demand(self, amounts: ArrayLike) -> NDArray[np.float64]:
        """Amounts in units, rounded up."""
        return np.ceil(self._whole(np.asarray(amounts, dtype=np.float64)))

    def _whole(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scaled amounts, snapped to the whole number they mean: 0.1 * 10**9 is 100000000.00000001 or so."""
        with np.errstate(over="ignore", invalid="ignore"):  # an amount beyond all floats stays so: it fits nowhere
            scaled = amounts * self.per_one
            nearest = np.rint(scaled)
            return np.where(np.abs(scaled - nearest) <= 4 * np.spacing(scaled), nearest, scaled)
