"""The bounds by which machines are passed over, against every machine."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.model.blocks import BLOCK, LEVELS
from pdors.planner.candidates import (
    FEW_STEPS,
    LIMITS,
    SMALL_CLUSTER,
    Demand,
    Fleet,
    Load,
    Tariff,
    all_machines,
    cheapest_machines,
    machine_sizes,
    open_limits,
    sites_for,
    tariff_for,
)
from tests.support.slot_problems import SlotCase, slot_case

STEPS = pytest.mark.parametrize("steps", [FEW_STEPS, LEVELS])
TOLERANCE = 1e-12


def large_case(seed: int) -> SlotCase:
    return slot_case(seed, machines=SMALL_CLUSTER + 1 + 7 * (seed % 5))


def demand_of(case: SlotCase) -> Demand:
    worker, server = np.array(case.job.worker), np.array(case.job.server)
    return Demand(worker, server, case.shape.worker, case.shape.server, case.shape.servers)


def fleet_of(case: SlotCase) -> Fleet:
    capacity = case.ledger.units.capacity
    padded = np.zeros((-(-len(capacity) // BLOCK) * BLOCK, capacity.shape[1]))
    padded[: len(capacity)] = capacity
    return Fleet(np.ascontiguousarray(padded.reshape(-1, BLOCK, capacity.shape[1]).transpose(0, 2, 1)), len(capacity))


def tariff_of(case: SlotCase, steps: int) -> Tariff:
    largest = case.ledger.units.capacity.max(axis=0)
    return tariff_for(case.prices.base, case.prices.slope, demand_of(case), largest, steps=steps)


def prices_and_free(case: SlotCase) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(machines, tasks of the two kinds), and what is left of (machines, resources): as printed, for every machine."""
    used, capacity = case.ledger.used(case.slot), case.ledger.units.capacity
    fraction = np.divide(used, capacity, out=np.zeros_like(capacity), where=capacity > 0)
    tasks = np.array([case.job.worker, case.job.server])
    return case.prices.price(fraction) @ tasks.T, capacity - used, np.array([case.shape.worker, case.shape.server])


def levels_of(case: SlotCase) -> np.ndarray:
    """(machines, resources)."""
    (rows,) = case.segments.rows
    resources = len(case.cluster.resources)
    empty = np.zeros((resources, BLOCK), dtype=np.uint16)
    blocks = [empty if number < 0 else case.segments.level[number] for number in rows]
    return np.asarray(np.concatenate(blocks, axis=1).T[: len(case.cluster)])


@STEPS
@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_below_the_price_wherever_a_task_fits(seed: int, steps: int) -> None:
    case = slot_case(seed) if seed % 2 else large_case(seed)
    tariff, levels = tariff_of(case, steps), levels_of(case)
    price, free, demands = prices_and_free(case)
    resources = np.arange(levels.shape[1])
    for kind, at_level in enumerate((tariff.worker_at_level, tariff.server_at_level)):
        bound = at_level[resources, levels].sum(axis=1)
        fits = (free >= demands[kind]).all(axis=1)
        assert (bound[fits] <= price[fits, kind] * (1 + TOLERANCE)).all()


@pytest.mark.parametrize("seed", range(60))
def test_a_level_without_room_for_a_task_has_no_price(seed: int) -> None:
    case = large_case(seed)
    tariff = tariff_of(case, LEVELS)
    largest, fullness = case.ledger.units.capacity.max(axis=0), np.arange(LEVELS) / (LEVELS - 1)
    left = largest[:, None] * (1 - fullness)
    for at_level, demand in ((tariff.worker_at_level, case.shape.worker), (tariff.server_at_level, case.shape.server)):
        told = np.isinf(at_level)
        assert (told == (left < demand[:, None])).mean() > 1 - 1e-3  # but for the levels right at the border
        assert not told[left >= demand[:, None]].any()
        assert (at_level[:, 1:] >= at_level[:, :-1]).all()


def test_levels_without_room_by_hand() -> None:
    """Of 8 GPUs a worker takes 6: there is room up to a quarter of the largest machine."""
    demand = Demand(np.array([6.0]), np.array([0.0]), np.array([6.0]), np.array([0.0]), np.array([0, 0]))
    for steps in (FEW_STEPS, LEVELS):
        tariff = tariff_for(np.zeros(1), np.ones(1), demand, np.array([8.0]), steps=steps)
        (at_level,) = tariff.worker_at_level
        without = np.flatnonzero(np.isinf(at_level))
        assert without.tolist() == list(range(LEVELS // 4, LEVELS))
        assert at_level[0] == pytest.approx(6, rel=1e-5)
        assert (tariff.server_at_level == 0).all()


@pytest.mark.parametrize("seed", range(60))
def test_no_machine_on_which_a_task_fits_is_passed_over(seed: int) -> None:
    """A job that needs more than the whole cluster is shown every machine that holds one of its tasks."""
    case = large_case(seed)
    servers = np.full(10_000, 10_000 if case.shape.servers[-1] > 0 else 0)
    servers[0] = 0
    demand, fleet = demand_of(case)._replace(servers=servers), fleet_of(case)
    segments = case.segments
    load = Load(segments.rows, segments.used, segments.level, segments.lowest)
    sizes = machine_sizes(fleet, case.shape.worker, len(servers) - 1)
    limits, sites = np.empty(LIMITS), sites_for(fleet, servers)
    open_limits(sizes, servers, limits)
    count = cheapest_machines(load, fleet, tariff_of(case, LEVELS), demand, sizes, 0, limits, sites)
    shown = set(sites.machine[:count].tolist())
    _, free, demands = prices_and_free(case)
    kinds = demands if servers[-1] else demands[:1]
    assert shown == set(np.flatnonzero((free[:, None] >= kinds).all(axis=2).any(axis=1)).tolist())
    assert all_machines(load, fleet, tariff_of(case, LEVELS), demand, 0, sites) == count


def test_the_cases_have_full_machines_and_empty_ones() -> None:
    fits = [
        (free[:, None] >= demands).all(axis=2).any(axis=1).mean()
        for _, free, demands in (prices_and_free(large_case(seed)) for seed in range(60))
    ]
    assert min(fits) < 0.5
    assert max(fits) == 1
