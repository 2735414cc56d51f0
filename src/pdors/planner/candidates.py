"""Which machines of a slot are worth looking at for one job: the cheapest ones for its workers and its servers.

On a small cluster that is every machine that can hold something. On a large one a few dozen of ten thousand matter,
and finding them is most of the time of a decision: blocks are passed over by a lower bound of their prices, machines
by how full they are, and only what is left is priced exactly.

    p_w[h] = sum_r alpha_r Q_r(rho[h] / C[h])   price of a worker on machine h   -> worker_price
    p_s[h] = sum_r beta_r Q_r(rho[h] / C[h])    price of a server                -> server_price
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import BLOCK, LEVELS
from pdors.planner.room import by_price, fill, fill_floats, fitting

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = NDArray[np.int32]
Levels = NDArray[np.uint16]
HalfFloats = NDArray[np.float32]

SMALL_CLUSTER = 128
"""Up to so many machines every one is a candidate."""
FEW_STEPS = 64
"""Such a cluster is priced machine by machine; bounds serve to pass over whole slots alone, and may be coarse."""
_ROOM_FOR_SITES = 256
"""Candidates of a larger cluster before the dear ones among them are dropped, at least."""
_FULLNESS = np.linspace(0, 1, LEVELS)
_SLACK = 2
"""Candidates hold this many times the most workers, and the most servers: where the same machines are the cheapest for
both, a half of them holds the ones and a half the others."""
_SPARE_TASKS = 16
_SIZES = 12
"""Machines are told apart by size: by the power of two of the workers that fit when they are empty."""
_HAIR = 1e-6
"""Relative; more than the rounding of half floats and of their sums."""
_ALIKE = 1 - 2 * _HAIR
"""A machine that is cheaper by no more than this is not looked for."""
_PER_SIZE = 4
"""So many of the cheapest machines of each size are candidates: large ones can hold a job together."""
_WORKER, _SERVER, _FIRST_SIZE = 0, 1, 2
"""Places in the array of limits: the highest prices that matter for workers, for servers, and per size."""
LIMITS = _FIRST_SIZE + _SIZES


class Load(NamedTuple):
    """The ledger over the segments in question; see `Segments`."""

    rows: Rows
    used: Floats
    level: Levels
    lowest: Levels


class Fleet(NamedTuple):
    """The machines, in blocks: capacity (block, resource, machine) in units."""

    capacity: Floats
    machines: int


class Tariff(NamedTuple):
    """Prices in log space, and the part of a worker's and of a server's price that each resource has at each level.

    `..._at_level` (resource, LEVELS) are lower bounds for every machine on that level, halves of a float so that they
    stay in the processor's cache.
    """

    base: Floats
    slope: Floats
    worker_at_level: HalfFloats
    server_at_level: HalfFloats


class Demand(NamedTuple):
    """What a worker and a server take, in the cluster's amounts and in units; the servers for each W."""

    worker_amount: Floats
    server_amount: Floats
    worker: Floats
    server: Floats
    servers: Integers


class Sites(NamedTuple):
    """Candidate machines: the first so many entries of each array."""

    machine: Integers
    worker_price: Floats
    server_price: Floats
    free: Floats
    worker_room: Integers
    server_room: Integers


def sites_for(fleet: Fleet, servers: Integers) -> Sites:
    """Room for the candidates of a job with these servers for each number of workers."""
    most, most_servers = len(servers) - 1, int(servers[-1])
    kept_at_most = _SLACK * (most + most_servers) + 2 * _SPARE_TASKS + _SIZES * _PER_SIZE
    length = min(fleet.machines, max(SMALL_CLUSTER, _ROOM_FOR_SITES, 2 * kept_at_most)) + 1
    return Sites(
        np.empty(length, dtype=np.int64),
        np.empty(length),
        np.empty(length),
        np.empty((length, fleet.capacity.shape[1])),
        np.empty(length, dtype=np.int64),
        np.empty(length, dtype=np.int64),
    )


def tariff_for(base: Floats, slope: Floats, demand: Demand, largest: Floats, *, steps: int = LEVELS) -> Tariff:
    """For a job of this demand; with fewer `steps` than levels some share a bound.

    A task has no price, but infinity, at a level that leaves no room for it even on a machine that has the `largest`
    capacity of each resource.
    """
    shared = LEVELS // steps
    fullness = _FULLNESS[::shared]
    at_step = np.exp(base[:, None] + slope[:, None] * fullness) * (1 - _HAIR)
    most = np.finfo(np.float32).max / (2 * len(base))
    left = largest[:, None] * (1 - fullness) * (1 + _HAIR)

    def at_level(amount: Floats, units: Floats) -> HalfFloats:
        bound = np.minimum(amount[:, None] * at_step, most).astype(np.float32)
        return np.repeat(np.where(left < units[:, None], np.float32(np.inf), bound), shared, axis=1)

    return Tariff(
        base, slope, at_level(demand.worker_amount, demand.worker), at_level(demand.server_amount, demand.server)
    )


@compiled
def machine_sizes(fleet: Fleet, worker: Floats, most_workers: int) -> Integers:
    size = np.empty(fleet.machines, dtype=np.int64)
    for machine in range(fleet.machines):
        room = fitting(fleet.capacity[machine // BLOCK, :, machine % BLOCK], worker, most_workers)
        size[machine] = 0 if room == 0 else min(_SIZES - 1, int(math.log2(room)))
    return size


@compiled
def lowest_prices(load: Load, tariff: Tariff, segment: int) -> tuple[float, float]:
    """Lower bounds of the prices of a worker and of a server on any machine in this segment."""
    least_worker = least_server = np.inf
    for block in range(load.rows.shape[1]):
        worker_bound, server_bound = _block_bounds(load, tariff, load.rows[segment, block])
        least_worker, least_server = min(least_worker, worker_bound), min(least_server, server_bound)
    return least_worker, least_server


@compiled
def all_machines(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, segment: int, sites: Sites) -> int:
    """Every machine that can hold a task, with its prices and what it has left; how many there are."""
    count = 0
    for machine in range(fleet.machines):
        if _consider(load, fleet, tariff, demand, load.rows[segment, machine // BLOCK], machine, sites, count):
            count += 1
    return count


@compiled
def cheapest_machines(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, size: Integers, segment: int,
                      limits: Floats, sites: Sites) -> int:  # fmt: skip
    """As `all_machines`, but only the cheapest for workers and for servers, with room for the whole job and more.

    `limits` are guesses of the highest prices that matter, and left as the true ones. -1: the guesses were too low.
    """
    most = len(demand.servers) - 1
    tallies = np.empty((5, LIMITS))
    floor, held, need, guess, room = tallies[0], tallies[1], tallies[2], tallies[3], tallies[4]
    fill_floats(need, float(_PER_SIZE))
    need[_WORKER] = _SLACK * most + _SPARE_TASKS
    need[_SERVER] = _SLACK * demand.servers[most] + _SPARE_TASKS if demand.servers[most] > 0 else 0.0
    for kind in range(LIMITS):
        floor[kind], held[kind], room[kind], guess[kind] = np.inf, 0.0, 0.0, limits[kind]
    highest = _highest_for_workers(limits)
    count = 0
    # Machines of the very lowest price come first and are often alike: once they hold enough, nothing else matters.
    for touched in range(2):
        for block in range(load.rows.shape[1]):
            number = load.rows[segment, block]
            if (number >= 0) != (touched == 1):
                continue
            worker_bound, server_bound = _block_bounds(load, tariff, number)
            if worker_bound >= highest * _ALIKE and server_bound >= limits[_SERVER] * _ALIKE:
                continue
            for machine in range(block * BLOCK, min(fleet.machines, (block + 1) * BLOCK)):
                if touched == 1:
                    worker_bound, server_bound = _machine_bounds(load, tariff, number, machine % BLOCK)
                at_size = _FIRST_SIZE + size[machine]
                limit = max(limits[_WORKER], limits[at_size])
                if worker_bound >= limit * _ALIKE and server_bound >= limits[_SERVER] * _ALIKE:
                    continue
                if not _consider(load, fleet, tariff, demand, number, machine, sites, count):
                    continue
                worker_room = fitting(sites.free[count], demand.worker, most)
                server_room = fitting(sites.free[count], demand.server, demand.servers[most])
                sites.worker_room[count], sites.server_room[count] = worker_room, server_room
                room[_WORKER] += worker_room
                room[_SERVER] += server_room
                room[at_size] += min(1, worker_room)
                changed = _note(floor, held, need, limits, _WORKER, sites.worker_price[count], worker_room)
                changed |= _note(floor, held, need, limits, at_size, sites.worker_price[count], min(1, worker_room))
                if need[_SERVER] > 0.0:
                    changed |= _note(floor, held, need, limits, _SERVER, sites.server_price[count], server_room)
                count += 1
                if count == len(sites.machine):
                    count = _keep_cheapest(sites, count, size, need, limits)
                    changed = True
                if changed:
                    highest = _highest_for_workers(limits)
    for kind in range(LIMITS):
        if room[kind] < need[kind] and 0.0 < guess[kind] < np.inf:
            return -1
    return _keep_cheapest(sites, count, size, need, limits)


@compiled
def _highest_for_workers(limits: Floats) -> float:
    highest = limits[_WORKER]
    for kind in range(_FIRST_SIZE, LIMITS):
        highest = max(highest, limits[kind])
    return float(highest)


@compiled
def open_limits(size: Integers, servers: Integers, limits: Floats) -> None:
    """No limit yet for what the machines and the job have; nothing is looked for of what they have not."""
    fill_floats(limits, -1.0)
    limits[_WORKER] = np.inf
    if servers[-1] > 0:
        limits[_SERVER] = np.inf
    for machine in range(len(size)):
        limits[_FIRST_SIZE + size[machine]] = np.inf


@compiled
def _block_bounds(load: Load, tariff: Tariff, number: int) -> tuple[float, float]:
    worker_bound = server_bound = 0.0
    for resource in range(len(tariff.base)):
        level = 0 if number < 0 else load.lowest[number, resource]
        worker_bound += tariff.worker_at_level[resource, level]
        server_bound += tariff.server_at_level[resource, level]
    return worker_bound, server_bound


@compiled
def _machine_bounds(load: Load, tariff: Tariff, number: int, inside: int) -> tuple[float, float]:
    worker_bound = server_bound = 0.0
    for resource in range(len(tariff.base)):
        level = load.level[number, resource, inside]
        worker_bound += tariff.worker_at_level[resource, level]
        server_bound += tariff.server_at_level[resource, level]
    return worker_bound, server_bound


@compiled
def _consider(load: Load, fleet: Fleet, tariff: Tariff, demand: Demand, number: int, machine: int, sites: Sites,
              at: int) -> bool:  # fmt: skip
    """Write the machine to place `at` if a task fits on it."""
    block, inside = machine // BLOCK, machine % BLOCK
    worker_fits, server_fits = True, demand.servers[-1] > 0
    for resource in range(len(demand.worker)):
        free = fleet.capacity[block, resource, inside]
        if number >= 0:
            free -= load.used[number, resource, inside]
        sites.free[at, resource] = free
        worker_fits = worker_fits and free >= demand.worker[resource]
        server_fits = server_fits and free >= demand.server[resource]
    if not (worker_fits or server_fits):
        return False
    worker_price = server_price = 0.0
    for resource in range(len(demand.worker)):
        if demand.worker_amount[resource] > 0.0 or demand.server_amount[resource] > 0.0:
            exponent = tariff.base[resource]
            capacity = fleet.capacity[block, resource, inside]
            if number >= 0 and capacity > 0.0:
                exponent += tariff.slope[resource] * load.used[number, resource, inside] / capacity
            price = math.exp(exponent)
            worker_price += demand.worker_amount[resource] * price
            server_price += demand.server_amount[resource] * price
    sites.machine[at] = machine
    sites.worker_price[at] = worker_price
    sites.server_price[at] = server_price
    return True


@compiled
def _note(floor: Floats, held: Floats, need: Floats, limits: Floats, kind: int, price: float, room: int) -> bool:
    """Count the room at the lowest price seen; once it is enough, that price is the limit. Whether the limit fell."""
    if room == 0:
        return False
    if price < floor[kind]:
        floor[kind], held[kind] = price, 0.0
    if price == floor[kind]:
        held[kind] += room
        if held[kind] >= need[kind] and price < limits[kind]:
            limits[kind] = price
            return True
    return False


@compiled
def _keep_cheapest(sites: Sites, count: int, size: Integers, need: Floats, limits: Floats) -> int:
    scratch = np.empty((2, count), dtype=np.int64)
    order, keep = scratch[0], scratch[1]
    fill(keep, 0)
    held = np.empty(LIMITS)
    fill_floats(held, 0.0)
    by_price(sites.worker_price[:count], order)
    for index in order:
        room = sites.worker_room[index]
        if room == 0:
            continue
        price = sites.worker_price[index]
        at_size = _FIRST_SIZE + size[sites.machine[index]]
        if held[_WORKER] < need[_WORKER]:
            keep[index] = 1
            held[_WORKER] += room
            if held[_WORKER] >= need[_WORKER]:
                limits[_WORKER] = price
        if held[at_size] < need[at_size]:
            keep[index] = 1
            held[at_size] += 1.0
            if held[at_size] >= need[at_size]:
                limits[at_size] = price
    if need[_SERVER] > 0.0:
        by_price(sites.server_price[:count], order)
        for index in order:
            if sites.server_room[index] > 0:
                keep[index] = 1
                held[_SERVER] += sites.server_room[index]
                if held[_SERVER] >= need[_SERVER]:
                    limits[_SERVER] = sites.server_price[index]
                    break
    kept = 0
    for index in range(count):
        if keep[index] == 1:
            _copy_site(sites, index, kept)
            kept += 1
    return kept


@compiled
def _copy_site(sites: Sites, source: int, target: int) -> None:
    sites.machine[target] = sites.machine[source]
    sites.worker_price[target], sites.server_price[target] = sites.worker_price[source], sites.server_price[source]
    sites.worker_room[target], sites.server_room[target] = sites.worker_room[source], sites.server_room[source]
    for resource in range(sites.free.shape[1]):
        sites.free[target, resource] = sites.free[source, resource]
