"""What the text says of a figure, as tests over seeds. Differences are paired: the same seed has the same jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pdors.studies.paper.measured import Measured, key_at
from pdors.studies.paper.statistics import Interval, mean_interval, slopes

Floats = NDArray[np.float64]
PD_ORS = "pdors"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """`at` is the point that decides, `against` who PD-ORS is held against there; `more` are numbers to print beside."""

    holds: bool
    interval: Interval
    at: float | None = None
    against: str | None = None
    more: str = ""


class Claim(Protocol):
    """`needs` are other figures whose cells are looked at; `priced` whether prices play a part.

    `cause` is why it fails where it does, as far as that was found out; it is shown only then.
    """

    @property
    def text(self) -> str: ...

    @property
    def unit(self) -> str: ...

    @property
    def test(self) -> str: ...

    @property
    def needs(self) -> tuple[str, ...]: ...

    @property
    def priced(self) -> bool: ...

    @property
    def cause(self) -> str: ...

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement: ...


@dataclass(frozen=True, kw_only=True)
class _Told:
    text: str
    unit: str = "utility"
    cause: str = ""
    needs: tuple[str, ...] = ()
    priced: bool = True


@dataclass(frozen=True, kw_only=True)
class Better(_Told):
    """PD-ORS has more of `column` than every one of `others` at every point; with `sign` -1 less.

    The pair of point and policy with the lowest interval decides, so all of them have to hold.
    """

    others: tuple[str, ...]
    column: str = "total_utility"
    sign: int = 1
    test: str = "paired difference, the worst of all points and policies; all must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        ours = key_at(PD_ORS, prices)
        found = [
            (mean_interval(self.sign * (own.at(ours, x, self.column) - own.at(key_at(other, prices), x, self.column))), x, other)
            for other in self.others
            for x in own.points
        ]
        interval, x, other = min(found, key=lambda one: (one[0].low, one[0].value))
        held = sum(one.above_zero for one, _, _ in found)
        lost = sum(one.below_zero for one, _, _ in found)
        pooled = mean_interval(self._pooled(own, ours, prices))
        more = f"above at {held} of {len(found)}, below at {lost}; over all points {_shown(pooled)}"
        return Judgement(
            holds=interval.above_zero, interval=interval, at=x, against=key_at(other, prices), more=more
        )

    def _pooled(self, own: Measured, ours: str, prices: str) -> Floats:
        """Per seed, the mean over points and others."""
        theirs = [own.over(key_at(other, prices), self.column).mean(axis=1) for other in self.others]
        difference: Floats = self.sign * (own.over(ours, self.column).mean(axis=1) - np.mean(theirs, axis=0))
        return difference


@dataclass(frozen=True, kw_only=True)
class GainGrows(_Told):
    """The slope over the axis of what PD-ORS has above the best of `others`, by least squares for each seed."""

    others: tuple[str, ...]
    test: str = "slope of the gain over the axis, by least squares for each seed; must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        gain = own.over(key_at(PD_ORS, prices)) - own.best_of([key_at(other, prices) for other in self.others])
        interval = mean_interval(slopes(own.points, gain))
        first, last = (mean_interval(gain[:, index]) for index in (0, -1))
        more = f"the gain is {first.value:.4g} at {own.points[0]:g}, {last.value:.4g} at {own.points[-1]:g}"
        against = key_at(self.others[0], prices) if len(self.others) == 1 else None
        return Judgement(holds=interval.above_zero, interval=interval, at=own.points[-1], against=against, more=more)


def relative_gain(own: Measured, prices: str, over: str, policy: str = PD_ORS) -> Floats:
    """(policy - other) / mean of the other over the seeds, (seeds, points); nan where the other has nothing at all."""
    theirs = own.over(key_at(over, prices))
    mean = theirs.mean(axis=0)
    gain: Floats = (own.over(key_at(policy, prices)) - theirs) / np.where(mean > 0, mean, np.nan)
    return gain


@dataclass(frozen=True, kw_only=True)
class SmallerGain(_Told):
    """The relative gain over `over` is smaller here than in the figure `than`, whose jobs differ in their mix alone."""

    over: str
    than: str
    unit: str = "relative gain"
    test: str = "gain there less gain here, paired, mean over the points; must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:
        there = relative_gain(others[self.than], prices, self.over)
        here = relative_gain(own, prices, self.over)
        both = np.isfinite(there).all(axis=0) & np.isfinite(here).all(axis=0)
        if not both.any():
            return Judgement(holds=False, interval=Interval(0.0, 0.0, 0.0), more=f"{self.over} reaches nothing")
        interval = mean_interval((there - here)[:, both].mean(axis=1))
        more = f"gain {here[:, both].mean():.3g} here, {there[:, both].mean():.3g} there"
        return Judgement(holds=interval.above_zero, interval=interval, against=key_at(self.over, prices), more=more)


def _shown(interval: Interval) -> str:
    return f"{interval.value:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
