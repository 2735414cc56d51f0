"""What a value is drawn from: whole numbers or real ones, uniformly between two ends that are both included.

Drawing is apart from the range: `at` maps numbers that are uniform in [0, 1) into it, so the same numbers can be laid
over another range. A range is written LOW:HIGH, or as the one number that it holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdors.errors import ModelError

if TYPE_CHECKING:  # the command line shows ranges in its help, where numpy would be most of the time it takes
    import numpy as np
    from numpy.typing import NDArray

_LARGEST_INTEGER = 2**31 - 1
"""What documents take for a count."""
_DECIMALS_OF_SPAN = 4
_FINEST_SPAN = 1e-12
"""Narrower ranges have no grid: it would be finer than floats of ordinary size."""


@dataclass(frozen=True, slots=True)
class Integers:
    """The whole numbers `low` .. `high`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        _require_order(self)
        if max(-self.low, self.high) > _LARGEST_INTEGER:
            raise ModelError(f"got {self}, expected whole numbers of at most {_LARGEST_INTEGER}")

    @classmethod
    def parse(cls, text: str) -> Integers:
        low, high = _ends(text)
        try:
            return cls(int(low), int(high))
        except ModelError:
            raise
        except ValueError:
            raise ModelError(f"got {text!r}, expected whole numbers as LOW:HIGH, or one of them") from None

    def at(self, units: NDArray[np.float64]) -> NDArray[np.int64]:
        return self.low + (units * (self.high - self.low + 1)).astype("int64")

    def __str__(self) -> str:
        return _written(self)


@dataclass(frozen=True, slots=True)
class Reals:
    """The real numbers from `low` to `high`, on a decimal grid of 10,000 steps or more: documents stay readable."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ModelError(f"got {self}, expected finite numbers")
        _require_order(self)

    @classmethod
    def parse(cls, text: str) -> Reals:
        low, high = _ends(text)
        try:
            return cls(float(low), float(high))
        except ModelError:
            raise
        except ValueError:
            raise ModelError(f"got {text!r}, expected numbers as LOW:HIGH, or one number") from None

    def at(self, units: NDArray[np.float64]) -> NDArray[np.float64]:
        span = self.high - self.low
        values = self.low + units * span
        if span > _FINEST_SPAN:
            values = values.round(_DECIMALS_OF_SPAN - math.floor(math.log10(span)))
        return values.clip(self.low, self.high)

    def __str__(self) -> str:
        return _written(self)


def plain(value: float) -> str:
    """Every digit that counts, and no fraction where there is none."""
    return repr(value).removesuffix(".0")


def _require_order(given: Integers | Reals) -> None:
    if given.low > given.high:
        raise ModelError(f"got {given}, expected LOW:HIGH with LOW at most HIGH")


def _ends(text: str) -> tuple[str, str]:
    low, colon, high = text.partition(":")
    return low, high if colon else low


def _written(given: Integers | Reals) -> str:
    return plain(given.low) if given.low == given.high else f"{plain(given.low)}:{plain(given.high)}"
