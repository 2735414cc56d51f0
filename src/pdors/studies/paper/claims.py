"""What the text says of a figure, as tests over seeds. Differences are paired: the same seed has the same jobs."""

from __future__ import annotations

import math
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
    """`at` is the point that decides, if it is one alone; `more` are further numbers.

    What lies behind it shows at the point `shown_at`, in which PD-ORS is held `against` another curve.
    """

    holds: bool
    interval: Interval
    at: float | None = None
    shown_at: float | None = None
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
    """PD-ORS has more of `column` than every one of `others`, on average over the points; with `sign` -1 less.

    The policy with the lowest interval decides, so all of them have to hold.
    """

    others: tuple[str, ...]
    column: str = "total_utility"
    sign: int = 1
    test: str = "paired difference, the mean over the points; must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        found = [(mean_interval(self._ahead(own, other, prices).mean(axis=1)), other) for other in self.others]
        interval, other = min(found, key=lambda one: (one[0].low, one[0].value))
        ahead = self._ahead(own, other, prices)
        by_point = [mean_interval(ahead[:, index]) for index in range(len(own.points))]
        worst = min(range(len(by_point)), key=lambda index: (by_point[index].low, by_point[index].value))
        above = sum(one.above_zero for one in by_point)
        below = sum(one.below_zero for one in by_point)
        more = (
            f"above at {above} of {len(by_point)} points, below at {below}; worst at {own.points[worst]:g}, "
            f"{_shown(by_point[worst])}"
        )
        return Judgement(
            holds=interval.above_zero, interval=interval, shown_at=own.points[worst], against=key_at(other, prices),
            more=more,
        )  # fmt: skip

    def _ahead(self, own: Measured, other: str, prices: str) -> Floats:
        """Of each seed at each point, (seeds, points)."""
        ours, theirs = (own.over(key_at(policy, prices), self.column) for policy in (PD_ORS, other))
        ahead: Floats = self.sign * (ours - theirs)
        return ahead


@dataclass(frozen=True, kw_only=True)
class GainGrows(_Told):
    """The slope over the axis of what PD-ORS has above the best of `others`, by least squares for each seed."""

    others: tuple[str, ...]
    test: str = "slope of the gain over the axis, by least squares for each seed; must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        gain = own.over(key_at(PD_ORS, prices)) - own.best_of([key_at(other, prices) for other in self.others])
        interval = mean_interval(slopes(own.points, gain))
        first, end = (mean_interval(gain[:, index]) for index in (0, -1))
        more = f"the gain is {first.value:.4g} at {own.points[0]:g}, {end.value:.4g} at {own.points[-1]:g}"
        last = own.points[-1]
        against = max((key_at(other, prices) for other in self.others), key=lambda key: float(own.at(key, last).mean()))
        return Judgement(holds=interval.above_zero, interval=interval, shown_at=last, against=against, more=more)


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


@dataclass(frozen=True, kw_only=True)
class RatioWithin(_Told):
    """`best` over PD-ORS lies between `low` and `high`, on average over the instances that have anything to be had.

    The average is that of PD-ORS's shares of the best, turned over: PD-ORS may reach nothing, and a mean of ratios
    would then be infinite.
    """

    best: str
    low: float = 1.0
    high: float = 1.4
    unit: str = "optimum / PD-ORS"
    test: str = "1 / mean share of the optimum over instances; its interval must lie within"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        shares = own.shares(key_at(PD_ORS, prices), own.points[0], self.best)
        interval = turned_over(mean_interval(shares))
        return Judgement(
            holds=self.low - ROUNDING <= interval.low and interval.high <= self.high, interval=interval,
            more=told_ratios(shares, len(own.seeds)) + _proofs(own, self.best),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EveryRatioWithin(_Told):
    """The same for every single instance: `value` is the share of those for which it is so, with Wilson's interval."""

    best: str
    low: float = 1.0
    high: float = 1.4
    unit: str = "share of instances"
    test: str = "share of instances whose ratio lies within; must be all"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        shares = own.shares(key_at(PD_ORS, prices), own.points[0], self.best)
        within = (shares >= 1 / self.high) & (shares <= 1 / self.low + ROUNDING)
        held = int(within.sum())
        return Judgement(
            holds=held == len(within), interval=wilson(held, len(within)), more=f"{held} of {len(within)} instances"
        )


@dataclass(frozen=True, kw_only=True)
class BestAt(_Told):
    """The curve has more total utility at the point `x` of the axis than at every other one."""

    curve: str
    x: float
    test: str = "paired difference to every other point, the worst of them; must be above 0"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        key = key_at(self.curve, prices)
        found = [(mean_interval(own.at(key, self.x) - own.at(key, x)), x) for x in own.points if x != self.x]
        interval, x = min(found, key=lambda one: (one[0].low, one[0].value))
        return Judgement(holds=interval.above_zero, interval=interval, at=x)


@dataclass(frozen=True, kw_only=True)
class FarBelowTheory(_Told):
    """At every point the `bound` of the theorems is `far` times what was measured, or more.

    Measured is the total utility of `best` over the curve's, in the seeds in which there is anything to be had.
    """

    curve: str
    best: str
    bound: str
    far: float = 2.0
    unit: str = "theory / measured"
    test: str = "theory / measured at the worst point; its interval must be above 2"

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        key = key_at(self.curve, prices)
        found = [(mean_interval(self._times(own, key, x)), x) for x in own.points]
        interval, x = min(found, key=lambda one: (one[0].low, one[0].value))
        above = sum(one.low > self.far for one, _ in found)
        more = f"far below at {above} of {len(found)}"
        return Judgement(holds=interval.low > self.far, interval=interval, at=x, more=more)

    def _times(self, own: Measured, key: str, x: float) -> Floats:
        """Nothing reached is an infinite ratio, and so 0."""
        most = own.at(self.best, x)
        times: Floats = (own.at(key, x, self.bound) * own.at(key, x))[most > 0] / most[most > 0]
        return times


@dataclass(frozen=True, kw_only=True)
class CrossesEarlier(_Told):
    """The larger W_a, the smaller the delta from which on the condition holds; a computation, without seeds."""

    unit: str = "delta"
    test: str = "least drop of that delta from one W_a to the next; exact, must be above 0"
    priced: bool = False

    def judge(self, own: Measured, others: Mapping[str, Measured], prices: str) -> Judgement:  # noqa: ARG002 - of this figure alone
        crossings = [float(own.at(curve, own.points[0], "crossing")[0]) for curve in own.curves]
        drop = -float(np.max(np.diff(crossings)))
        more = ", ".join(f"{curve}: {delta:.3g}" for curve, delta in zip(own.curves, crossings, strict=True))
        return Judgement(holds=drop > 0, interval=Interval(drop, drop, drop), more=more)


ROUNDING = 1e-6
"""The optimum is proven to this share."""


def turned_over(interval: Interval) -> Interval:
    """1 / x of a mean and its ends; what is not above 0 becomes infinite."""
    low, value, high = (1 / x if x > 0 else math.inf for x in (interval.high, interval.value, interval.low))
    return Interval(value, low, high)


def wilson(held: int, count: int) -> Interval:
    """Wilson's interval of a share."""
    if not count:
        return Interval(0.0, 0.0, 1.0)
    z, share = 1.959963984540054, held / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def told_ratios(shares: Floats, drawn: int) -> str:
    finite = 1 / shares[shares > 0]
    nothing = int((shares == 0).sum())
    worst = "infinite" if nothing else f"{finite.max(initial=1.0):.3g}"
    mean = f"{finite.mean():.3g}" if len(finite) else "none"
    middle = np.median(np.divide(1, shares, out=np.full(len(shares), np.inf), where=shares > 0))
    return (
        f"of {drawn} instances {len(shares)} have anything to be had; median ratio {middle:.3g}, mean ratio {mean}"
        f"{f' where PD-ORS reaches something, nothing in {nothing}' if nothing else ''}, worst {worst}"
    )


def _proofs(own: Measured, best: str) -> str:
    proven = own.at(best, own.points[0], "proven")
    unproven = int((proven == 0).sum())
    return f"; {unproven} optima not proven in time, for which the solver's bound stands" if unproven else ""


def _shown(interval: Interval) -> str:
    return f"{interval.value:.4g} [{interval.low:.4g}, {interval.high:.4g}]"
