"""Every kind of claim on measurements made up so that it holds, and so that it fails."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pdors.studies.paper.claims import (
    BestAt,
    Better,
    Claim,
    CrossesEarlier,
    EveryRatioWithin,
    FarBelowTheory,
    GainGrows,
    Judgement,
    RatioWithin,
    SmallerGain,
    relative_gain,
    turned_over,
    wilson,
)
from pdors.studies.paper.measured import Measured
from pdors.studies.paper.statistics import Interval
from tests.studies.paper.made_up import measured, seeds


def judged(claim: Claim, own: Measured, prices: str = "default", **others: Measured) -> Judgement:
    return claim.judge(own, others, prices)


ABOVE = Better(text="", others=("fifo", "drf"))


def test_above_at_every_point_holds() -> None:
    own = measured({"pdors": seeds(5, 6, 7), "fifo": seeds(1, 1, 1, wobble=0.3), "drf": seeds(4, 5, 5.5)})
    found = judged(ABOVE, own)
    assert found.holds
    assert (found.at, found.shown_at, found.against) == (None, 1, "drf")
    assert found.interval.value == pytest.approx((1 + 1 + 1.5) / 3)


def test_above_is_judged_over_all_points_and_the_worst_is_told() -> None:
    own = measured({"pdors": seeds(5, 6, 7), "fifo": seeds(1, 1, 1), "drf": seeds(4, 6.5, 5)})
    found = judged(ABOVE, own)
    assert found.holds
    assert (found.shown_at, found.against) == (2, "drf")
    assert found.interval.value == pytest.approx((1 - 0.5 + 2) / 3)
    assert "above at 2 of 3 points, below at 1; worst at 2, -0.5" in found.more


def test_above_fails_where_it_is_below_on_average_for_one_of_the_others() -> None:
    own = measured({"pdors": seeds(5, 6, 7), "fifo": seeds(1, 1, 1), "drf": seeds(6, 6.5, 6.5)})
    found = judged(ABOVE, own)
    assert not found.holds
    assert (found.shown_at, found.against) == (1, "drf")


def test_above_fails_where_seeds_disagree() -> None:
    own = measured(
        {"pdors": [[9.0], [1.0], [9.0]], "fifo": [[5.0], [5.0], [5.0]], "drf": seeds(0, count=3)}, points=[1]
    )
    found = judged(ABOVE, own)
    assert found.interval.value > 0
    assert not found.holds


def test_equal_is_not_above() -> None:
    own = measured({"pdors": seeds(5, 5, 5), "fifo": seeds(5, 5, 5), "drf": seeds(0, 0, 0)})
    assert not judged(ABOVE, own).holds


def test_differences_are_paired() -> None:
    """Seeds differ by hundreds, policies by one: only the same jobs side by side show it."""
    totals = np.array([[100.0], [400.0], [900.0], [1600.0]])
    own = measured({"pdors": (totals + 1).tolist(), "fifo": totals.tolist(), "drf": totals.tolist()}, points=[1])
    found = judged(ABOVE, own)
    assert found.holds
    assert (found.interval.low, found.interval.high) == pytest.approx((1, 1))


def test_prices_choose_the_curves() -> None:
    own = measured({
        "pdors": seeds(1), "pdors:paper": seeds(9), "oasis": seeds(5), "oasis:paper": seeds(7), "fifo": seeds(8),
    }, points=[1])  # fmt: skip
    over = Better(text="", others=("oasis", "fifo"))
    assert judged(over, own, "default").interval.value == pytest.approx(-7)
    assert judged(over, own, "paper").interval.value == pytest.approx(1)
    assert judged(over, own, "paper").holds


def test_less_is_better_where_it_is_said() -> None:
    claim = Better(text="", others=("fifo",), column="median", sign=-1)
    own = measured({"pdors": seeds(3), "fifo": seeds(8)}, points=[1], column="median")
    assert judged(claim, own).holds
    assert judged(claim, own).interval.value == pytest.approx(5)


GROWS = GainGrows(text="", others=("fifo", "drf"))


@pytest.mark.parametrize(("pdors", "holds"), [((3, 5, 7), True), ((7, 5, 3), False), ((5, 5, 5), False)])
def test_gain_grows_by_its_slope_over_the_best_other(pdors: tuple[float, ...], holds: bool) -> None:  # noqa: FBT001 - a parameter
    own = measured({"pdors": seeds(*pdors), "fifo": seeds(1, 2, 1), "drf": seeds(2, 1, 2)})
    found = judged(GROWS, own)
    assert found.holds is holds
    assert found.interval.value == pytest.approx((pdors[2] - pdors[0]) / 2)  # the best other is 2 everywhere


def gain_of(pdors: float) -> Measured:
    return measured({"pdors": seeds(pdors, pdors), "oasis": seeds(10, 20, wobble=0)}, points=[1, 2])


def test_relative_gain_is_by_the_mean_of_the_other() -> None:
    own = measured({"pdors": [[12.0], [30.0]], "oasis": [[5.0], [15.0]]}, points=[1])
    assert relative_gain(own, "default", "oasis").ravel().tolist() == [0.7, 1.5]


@pytest.mark.parametrize(("here", "holds"), [(25, True), (30, False), (35, False)])
def test_smaller_gain_than_in_another_figure(here: float, holds: bool) -> None:  # noqa: FBT001 - a parameter
    claim = SmallerGain(text="", over="oasis", than="first", needs=("first",))
    found = judged(claim, gain_of(here), first=gain_of(30))
    assert found.holds is holds
    assert found.interval.value == pytest.approx((30 - here) * (1 / 10 + 1 / 20) / 2)


def test_no_gain_without_anything_to_compare_with() -> None:
    nothing = measured({"pdors": seeds(5), "oasis": seeds(0, wobble=0)}, points=[1])
    claim = SmallerGain(text="", over="oasis", than="first", needs=("first",))
    assert not judged(claim, nothing, first=nothing).holds


def ratios(*pdors: float) -> Measured:
    """The optimum is 10, but for a last instance in which there is nothing to be had."""
    own = [[value] for value in (*pdors, 0.0)]
    return measured({"pdors": own, "optimum": [[10.0]] * len(pdors) + [[0.0]]}, points=[10], proven=1.0)


WITHIN, EVERY = RatioWithin(text="", best="optimum"), EveryRatioWithin(text="", best="optimum")


def test_ratios_within() -> None:
    own = ratios(8, 9, 10, 9, 8.5)
    found = judged(WITHIN, own)
    assert found.holds
    assert found.interval.value == pytest.approx(1 / 0.89)
    assert judged(EVERY, own).holds


def test_one_bad_instance_fails_every_but_not_the_mean() -> None:
    own = ratios(*[9.0, 10.0] * 10, 5.0)
    assert judged(WITHIN, own).holds
    assert not judged(EVERY, own).holds
    assert judged(EVERY, own).interval.value == pytest.approx(20 / 21)


def test_nothing_reached_is_an_infinite_ratio() -> None:
    found = judged(WITHIN, ratios(10, 0, 0, 10))
    assert not found.holds
    assert found.interval.value == pytest.approx(2)
    assert found.interval.high == math.inf
    assert "of 5 instances 4 have anything to be had" in found.more
    assert "worst infinite" in found.more
    assert not judged(EVERY, ratios(10, 0, 0, 10)).holds


@pytest.mark.parametrize(("values", "holds"), [((1, 3, 2), True), ((1, 3, 3), False), ((4, 3, 2), False)])
def test_best_at_its_point(values: tuple[float, ...], holds: bool) -> None:  # noqa: FBT001 - a parameter
    own = measured({"rounding": seeds(*values)})
    assert judged(BestAt(text="", curve="rounding", x=2), own).holds is holds


@pytest.mark.parametrize(("utility", "holds"), [(5.0, True), (1.5, False), (0.0, False)])
def test_far_below_theory(utility: float, holds: bool) -> None:  # noqa: FBT001 - a parameter
    """The bound says 10, and 10 are to be had: 5 reached is a ratio of 2, and five times better than said."""
    own = measured({"rounding": seeds(utility, wobble=0), "bound": seeds(10, wobble=0)}, points=[1], theory=10.0)
    found = judged(FarBelowTheory(text="", curve="rounding", best="bound", bound="theory"), own)
    assert found.interval.value == pytest.approx(utility)
    assert found.holds is holds


@pytest.mark.parametrize(("crossings", "holds"), [((0.3, 0.2, 0.1), True), ((0.3, 0.1, 0.2), False)])
def test_crossings_come_earlier(crossings: tuple[float, ...], holds: bool) -> None:  # noqa: FBT001 - a parameter
    curves = {f"W_a = {place}": [[crossing]] for place, crossing in enumerate(crossings)}
    found = judged(CrossesEarlier(text=""), measured(curves, points=[1], column="crossing"))
    assert found.holds is holds
    assert found.interval.value == pytest.approx(0.1 if holds else -0.1)


def test_turned_over() -> None:
    assert turned_over(Interval(0.5, 0.25, 0.8)) == Interval(2, 1.25, 4)
    assert turned_over(Interval(0.5, -0.1, 1.1)).high == math.inf


def test_wilson_by_hand() -> None:
    """8 of 10 as printed in tables: 0.490 to 0.943."""
    found = wilson(8, 10)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert wilson(10, 10).high == pytest.approx(1)
