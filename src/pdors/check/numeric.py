"""Which values are numbers, and when two of them are the same."""

from __future__ import annotations

import math
import sys
from typing import TypeGuard

TOLERANCE = 1e-9
"""Relative error allowed wherever real numbers are compared: the noise of floats passes, nothing larger."""

WORTHLESS = 1e-100
"""Utilities closer than this are equal: far down the sigmoid, programs differ in where their exponential underflows."""

LARGEST_INTEGER = 2**53 - 1
"""Slots and counts go no further: up to here each of them is exact as a float, and in every JSON reader."""


def is_finite_number(value: object) -> TypeGuard[float]:
    """Whether `value` is an int or float (a bool is neither) that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def whole(value: object) -> int | None:
    """The integer that `value` is, in any notation: 3, 3.0 and 3e0 are one number, a truth value is none."""
    if type(value) is int:
        number = value
    elif type(value) is float and value.is_integer():
        number = int(value)
    else:
        return None
    return number if -LARGEST_INTEGER <= number <= LARGEST_INTEGER else None


def same_worth(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=WORTHLESS)
