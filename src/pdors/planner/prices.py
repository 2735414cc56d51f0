"""Prices that rise exponentially with what is committed, Eq. (12): Q(rho) = L (U/L)^(rho/C), kept in log space.

rho / C  committed share of a machine's resource   -> fraction
L        price of an untouched resource             -> log_floor    ln of utility per unit of resource and slot
U^r      price of an exhausted one                  -> log_ceiling  the same
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError

Floats = NDArray[np.float64]

FREE = -math.inf
"""The logarithm of the price of a resource that nobody pays for."""
_WIDEST = 600.0
"""ln(U/L) is cut here: a smaller floor is nothing beside any utility, and its powers leave the range of floats."""


@dataclass(frozen=True, slots=True)
class PriceBounds:
    """ln L and ln U per resource, in the order of the cluster's resources; `FREE` twice for one without a price."""

    log_floor: tuple[float, ...]
    log_ceiling: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.log_floor) != len(self.log_ceiling):
            raise ModelError("price bounds need one floor and one ceiling per resource")
        for low, high in zip(self.log_floor, self.log_ceiling, strict=True):
            if math.isnan(low) or math.isnan(high) or high == math.inf or low > high:
                raise ModelError(f"price bounds must be floor <= ceiling < infinity, got {low} and {high}")

    @staticmethod
    def free(resources: int) -> PriceBounds:
        return PriceBounds((FREE,) * resources, (FREE,) * resources)

    @property
    def base(self) -> Floats:
        """ln of the price at fraction 0 as it is used: at most `_WIDEST` below the ceiling."""
        return _line(self.log_floor, self.log_ceiling)[0]

    @property
    def slope(self) -> Floats:
        """d ln(price) / d fraction."""
        return _line(self.log_floor, self.log_ceiling)[1]

    def price(self, fraction: Floats) -> Floats:
        """Price per unit of resource and slot; `fraction` has the resources on its last axis."""
        return np.asarray(np.exp(self.base + self.slope * fraction))

    def price_on(self, machines: NDArray[np.int64], fraction: Floats) -> Floats:  # noqa: ARG002 - alike on all of them
        """Price per unit of resource and slot on these machines, (machines, resources)."""
        return self.price(fraction)


@lru_cache(maxsize=64)
def _line(log_floor: tuple[float, ...], log_ceiling: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Base and slope."""
    high = np.array(log_ceiling, dtype=np.float64)
    base = np.array(
        [max(low, top - _WIDEST) for low, top in zip(log_floor, log_ceiling, strict=True)], dtype=np.float64
    )
    slope = np.where(np.isneginf(high), 0.0, high - np.where(np.isneginf(high), 0.0, base))
    base.setflags(write=False)
    slope.setflags(write=False)
    return base, slope
