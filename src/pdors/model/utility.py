"""What finishing after `duration` slots is worth: non-increasing, never negative.

`values` takes an array of durations; `value` is the same for one. `log_value` is the natural logarithm of the value
(minus infinity for 0): a time-critical sigmoid is far below the smallest float at a long horizon, and prices need its
size all the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError

Floats = NDArray[np.float64]


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _require_worth(owner: str, name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ModelError(f"{owner}: {name} must be a finite number of at least 0, got {value}")


@dataclass(frozen=True, slots=True)
class SigmoidUtility:
    """theta1 / (1 + exp(theta2 * (d - theta3))): priority, urgency, target in slots."""

    priority: float
    urgency: float
    target: float

    def __post_init__(self) -> None:
        _require_worth("sigmoid utility", "priority", self.priority)
        _require_worth("sigmoid utility", "urgency", self.urgency)
        if not math.isfinite(self.target):
            raise ModelError(f"sigmoid utility: target must be finite, got {self.target}")

    def value(self, duration: int) -> float:
        return float(self.values(np.array([duration]))[0])

    def values(self, durations: NDArray[np.int64]) -> Floats:
        with np.errstate(over="ignore"):  # infinitely far from the target all of it is left, or nothing
            exponent = self.urgency * (durations - self.target)
        fading = np.exp(-np.abs(exponent))  # of the two forms of a sigmoid the one that cannot overflow
        return np.asarray(self.priority * np.where(exponent > 0, fading, 1.0) / (1 + fading))

    def log_value(self, duration: int) -> float:
        exponent = self.urgency * (duration - self.target)
        if exponent > 0:
            return _log(self.priority) - exponent - math.log1p(math.exp(-exponent))
        return _log(self.priority) - math.log1p(math.exp(exponent))

    @property
    def height(self) -> float:
        """What `scaled` scales."""
        return self.priority

    def delayed(self, slots: int) -> SigmoidUtility:
        """The same fall, so many slots later."""
        return replace(self, target=self.target + slots)

    def scaled(self, factor: float) -> SigmoidUtility:
        return replace(self, priority=self.priority * factor)


@dataclass(frozen=True, slots=True)
class DeadlineUtility:
    """`worth` until `deadline` slots after the arrival, then `late_value`."""

    worth: float
    deadline: float
    late_value: float = 0.0

    def __post_init__(self) -> None:
        _require_worth("deadline utility", "value", self.worth)
        _require_worth("deadline utility", "late_value", self.late_value)
        if math.isnan(self.deadline):
            raise ModelError("deadline utility: deadline must be a number")
        if self.late_value > self.worth:
            raise ModelError(
                f"deadline utility: late_value must be at most value ({self.worth}), got {self.late_value}"
            )

    def value(self, duration: int) -> float:
        return self.worth if duration <= self.deadline else self.late_value

    def values(self, durations: NDArray[np.int64]) -> Floats:
        return np.where(durations <= self.deadline, self.worth, self.late_value)

    def log_value(self, duration: int) -> float:
        return _log(self.value(duration))

    @property
    def height(self) -> float:
        return self.worth

    def delayed(self, slots: int) -> DeadlineUtility:
        return replace(self, deadline=self.deadline + slots)

    def scaled(self, factor: float) -> DeadlineUtility:
        return replace(self, worth=self.worth * factor, late_value=self.late_value * factor)


@dataclass(frozen=True, slots=True)
class TableUtility:
    """A non-increasing step function: `worth[k]` from `after[k]` slots on; `worth[0]` also before `after[0]`."""

    after: tuple[float, ...]
    worth: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.after or len(self.after) != len(self.worth):
            raise ModelError("table utility: after and value must have the same length, at least 1")
        if any(not (b >= a) for a, b in zip((-math.inf, *self.after), self.after, strict=False)):
            raise ModelError(f"table utility: after must be non-decreasing, got {self.after}")
        for value in self.worth:
            _require_worth("table utility", "value", value)
        if any(b > a for a, b in zip(self.worth, self.worth[1:], strict=False)):
            raise ModelError(f"table utility: value must be non-increasing, got {self.worth}")

    def value(self, duration: int) -> float:
        return float(self.values(np.array([duration]))[0])

    def values(self, durations: NDArray[np.int64]) -> Floats:
        step = np.searchsorted(np.array(self.after), durations, side="right") - 1
        return np.array(self.worth, dtype=np.float64)[np.maximum(step, 0)]

    def log_value(self, duration: int) -> float:
        return _log(self.value(duration))

    @property
    def height(self) -> float:
        return self.worth[0]

    def delayed(self, slots: int) -> TableUtility:
        return replace(self, after=tuple(after + slots for after in self.after))

    def scaled(self, factor: float) -> TableUtility:
        return replace(self, worth=tuple(value * factor for value in self.worth))


Utility = SigmoidUtility | DeadlineUtility | TableUtility
