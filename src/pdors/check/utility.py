"""What a duration is worth: never negative, and never more for a longer one."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise

from pdors.check.node import Node

Utility = Callable[[int], float]
"""From a duration in slots."""


def read_utility(utility: Node) -> Utility:
    kind = utility["kind"]
    match kind.value:
        case "sigmoid":
            utility.only("kind", "priority", "urgency", "target")
            return _sigmoid(utility["priority"].amount(), utility["urgency"].amount(), utility["target"].real())
        case "deadline":
            utility.only("kind", "value", "deadline", "late_value")
            return _deadline(utility["value"].amount(), utility["deadline"].real(), utility.get("late_value"))
        case "table":
            utility.only("kind", "after", "value")
            return _steps(utility["after"], utility["value"])
        case _:
            raise kind.error("sigmoid, deadline or table")


def _sigmoid(priority: float, urgency: float, target: float) -> Utility:
    """theta1 / (1 + exp(theta2 * (d - theta3)))."""

    def worth(duration: int) -> float:
        exponent = urgency * (duration - target)
        # Beyond 50 the 1 of the denominator is less than a rounding error, and exp might overflow.
        return priority * math.exp(-exponent) if exponent > 50 else priority / (1 + math.exp(exponent))

    return worth


def _deadline(value: float, deadline: float, late: Node | None) -> Utility:
    late_value = 0.0 if late is None else late.amount()
    if late is not None and late_value > value:
        raise late.error(f"at most the value before the deadline ({value:.12g})")
    return lambda duration: value if duration <= deadline else late_value


def _steps(after: Node, value: Node) -> Utility:
    """A step function; its first value holds before the first step as well."""
    starts = [start.real() for start in after]
    values = [step.amount() for step in value]
    if not starts or any(right <= left for left, right in pairwise(starts)):
        raise after.error("durations in increasing order, at least one")
    if len(starts) != len(values):
        raise value.error(f"one value per entry of after ({len(starts)})")
    if any(right > left for left, right in pairwise(values)):
        raise value.error("values that do not increase")
    return lambda duration: values[max(0, bisect_right(starts, duration) - 1)]
