"""Machines, their names, numbers and capacities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from pdors.errors import ModelError
from pdors.model.cluster import Cluster, MachineGroup
from tests.support.instances import clusters

SMALL = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 16), 2), MachineGroup("big", (8, 32))))


def test_a_group_with_a_count_numbers_its_machines_and_one_without_is_called_as_it_is() -> None:
    assert SMALL.machine_names == ("m-0", "m-1", "big")
    assert MachineGroup("m", (1,), 1).machine_names == ("m-0",)
    assert len(SMALL) == 3


def test_capacity_per_machine_and_in_all() -> None:
    assert SMALL.capacity.tolist() == [[4, 16], [4, 16], [8, 32]]
    assert SMALL.total.tolist() == [16, 64]


@given(clusters())
def test_names_capacities_and_numbers_agree(cluster: Cluster) -> None:
    assert [cluster.machine_index[name] for name in cluster.machine_names] == list(range(len(cluster)))
    assert cluster.capacity.shape == (len(cluster), len(cluster.resources))
    owners = [group for group in cluster.groups for _ in group.machine_names]
    assert [tuple(row) for row in cluster.capacity.tolist()] == [group.capacity for group in owners]


@pytest.mark.parametrize("table", [SMALL.capacity, SMALL.total])
def test_capacities_cannot_be_changed(table: np.ndarray) -> None:
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_amounts_by_name_come_in_the_order_of_the_resources_and_a_missing_one_is_0() -> None:
    assert SMALL.amounts({"cpu": 3, "gpu": 1}) == (1, 3)
    assert SMALL.amounts({"cpu": 3}) == (0, 3)
    with pytest.raises(ModelError, match=r"\['tpu'\].*\['gpu', 'cpu'\]"):
        SMALL.amounts({"tpu": 1})


@pytest.mark.parametrize("amount", [-1, math.nan, math.inf])
def test_a_capacity_is_finite_and_not_negative(amount: float) -> None:
    with pytest.raises(ModelError, match=f"machine m: .*{amount}"):
        MachineGroup("m", (1, amount))


@pytest.mark.parametrize("count", [0, -1])
def test_a_count_is_at_least_1(count: int) -> None:
    with pytest.raises(ModelError, match=f"machine m: count must be at least 1, got {count}"):
        MachineGroup("m", (1,), count)


@pytest.mark.parametrize(
    ("resources", "groups", "message"),
    [
        ((), (MachineGroup("m", ()),), "needs resources"),
        (("gpu", "gpu"), (MachineGroup("m", (1, 1)),), "each named once"),
        (("gpu",), (), "at least one machine"),
        (("gpu",), (MachineGroup("m", (1, 2)),), "machine m: one capacity per resource"),
        (("gpu",), (MachineGroup("m", (1,)), MachineGroup("m", (2,))), "same name"),
        (("gpu",), (MachineGroup("m", (1,), 2), MachineGroup("m-1", (2,))), "same name"),
    ],
)
def test_clusters_that_cannot_exist(resources: tuple[str, ...], groups: tuple[MachineGroup, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Cluster(resources, groups)
