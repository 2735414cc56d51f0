"""Amounts in whole units: sums are exact, and what fits in units fits in the instance."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.units import Units
from tests.support.instances import positive_numbers

SIZES = st.floats(1e-9, 1e12) | positive_numbers()


def units_of(*capacities: float) -> Units:
    """One resource, one machine for each capacity."""
    return Units(Cluster(("gpu",), tuple(MachineGroup(f"m-{i}", (c,)) for i, c in enumerate(capacities))))


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 9))
@example(1, 2, 1)  # 0.1 + 0.2 is not 0.3 in floats
def test_decimal_amounts_add_up(a: int, b: int, decimals: int) -> None:
    units, one = units_of(1e6), 10.0**decimals
    assert units.demand([a / one]) + units.demand([b / one]) == units.demand([(a + b) / one])


@given(SIZES, SIZES, st.integers(1, 1000))
def test_what_fits_in_units_fits_in_the_instance(capacity: float, amount: float, count: int) -> None:
    units = units_of(capacity)
    if count * units.demand([amount])[0] <= units.capacity[0, 0]:
        # Snapping to whole units takes at most a thousandth of one.
        assert count * amount <= capacity * (1 + 1e-12) + (count + 1) * 1e-3 / units.per_one[0]


@given(st.lists(SIZES, min_size=1, max_size=4))
def test_a_full_machine_is_exact(capacities: list[float]) -> None:
    units = units_of(*capacities)
    assert units.capacity.max() <= 2.0**50
    assert (units.capacity == np.floor(units.capacity)).all()
    assert units.per_one[0] == 1e9 or 10 * units.per_one[0] * max(capacities) > 2.0**50, "no finer unit is exact"


@pytest.mark.parametrize(
    ("capacity", "per_one"),
    [(0, 1e9), (1, 1e9), (306, 1e9), (1e6, 1e9), (2e6, 1e8), (1e9, 1e6), (1e15, 1), (1e300, 1)],
)
def test_the_unit_is_as_fine_as_the_largest_machine_allows(capacity: float, per_one: float) -> None:
    assert units_of(1.0, capacity).per_one.tolist() == [per_one]


def test_capacities_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        units_of(1.0).capacity[0] = 2


def test_demands_round_up_and_capacities_down() -> None:
    assert units_of(2 / 3).capacity.tolist() == [[666_666_666]]
    assert units_of(1.0).demand([2 / 3]).tolist() == [666_666_667]


def test_each_resource_has_its_own_unit() -> None:
    units = Units(Cluster(("gpu", "bytes"), (MachineGroup("m", (4, 1e12)),)))
    assert units.per_one.tolist() == [1e9, 1e3]
    assert units.demand((0.5, 7)).tolist() == [5e8, 7e3]


@pytest.mark.parametrize("amount", [1e299, 1e300, sys.float_info.max])
def test_a_demand_that_fits_nowhere_still_does_not_fit(amount: float) -> None:
    units = units_of(4.0)
    assert units.demand([amount])[0] > units.capacity.max()
