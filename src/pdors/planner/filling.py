"""Algorithm 4 by integers: workers and servers put on the cheapest machines one by one, for every count in one pass.

External case: adding one worker (and a server whenever S * gamma < W) to the placement of W - 1 workers gives that of
W, so one pass gives the cost for all W. Workers and servers compete for the cheap machines. A new server may push
workers off a machine if that is cheaper than going elsewhere; a new worker may push servers off. `improve` goes on with
such exchanges for one count until none pays.

    order_w, order_s   machines by the price of a worker / of a server
    w[i], s[i]         what machine i holds
    free[i]            what it has left
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.candidates import fitting

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXCHANGES_LOOKED_AT = 12
"""Full machines that a server looks at for workers to push off."""
_MOST_ROUNDS = 40
_MANY = 1 << 40


@compiled
def _fits(free: Floats, demand: Floats) -> bool:
    for resource in range(len(demand)):
        if free[resource] < demand[resource]:
            return False
    return True


@compiled
def _take(free: Floats, demand: Floats, count: int) -> None:
    for resource in range(len(demand)):
        free[resource] -= count * demand[resource]


@compiled
def _needed_out(free: Floats, wanted: Floats, leaving: Floats, held: int) -> int:
    """How many of the `held` tasks of demand `leaving` must go so that one of demand `wanted` fits; 0: not by that."""
    count = 0
    for resource in range(len(wanted)):
        lack = wanted[resource] - free[resource]
        if lack > 0.0:
            if leaving[resource] <= 0.0:
                return 0
            count = max(count, int(np.ceil(lack / leaving[resource])))
    return count if count <= held else 0


@compiled
def together_curve(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
                   servers: Integers, usable: Floats, cost: Floats, where: Integers) -> None:  # fmt: skip
    """Internal case: for each W the machine where W workers and their servers are cheapest; cost infinite: nowhere."""
    cost[:] = np.inf
    where[:] = -1
    most = len(servers) - 1
    for index in range(len(worker_price)):
        reach = fitting(free[index], worker, most)
        for workers in range(1, reach + 1):
            if usable[workers] <= 0.0:
                continue
            count = servers[workers]
            fits = True
            for resource in range(len(worker)):
                if workers * worker[resource] + count * server[resource] > free[index, resource]:
                    fits = False
                    break
            if not fits:
                break
            price = workers * worker_price[index] + count * server_price[index]
            if price < cost[workers]:
                cost[workers] = price
                where[workers] = index


@compiled
def apart_curve(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
                servers: Integers, upto: int, slower_together: NDArray[np.bool_], cost: Floats,
                w: Integers, s: Integers) -> int:  # fmt: skip
    """External case: cost[W] for W = 1 .. `upto`, infinite where it does not fit; w, s, free: the last placement.

    Where `slower_together[W]`, a placement that came to lie on one machine is charged its cheapest spreading.
    The number of workers placed is returned.
    """
    machines = len(worker_price)
    order_w, order_s = np.argsort(worker_price), np.argsort(server_price)
    w[:] = 0
    s[:] = 0
    cost[:] = np.inf
    total = 0.0
    front_w = front_s = 0
    held_servers = 0
    hosts = np.empty(machines, dtype=np.int64)
    host_count = 0
    stale = False
    last_front = -1
    for workers in range(1, upto + 1):
        while held_servers < servers[workers]:
            # The cheapest place for one more server: with room, or where workers can be pushed off to the front.
            while front_s < machines and not _fits(free[order_s[front_s]], server):
                front_s += 1
            while front_w < machines and not _fits(free[order_w[front_w]], worker):
                front_w += 1
            best, best_price, best_out = -1, np.inf, 0
            if front_s < machines:
                best = order_s[front_s]
                best_price = server_price[best]
            if front_w < machines:
                next_price = worker_price[order_w[front_w]]
                looked_at = 0
                for position in range(front_s):
                    index = order_s[position]
                    if server_price[index] >= best_price or looked_at == _EXCHANGES_LOOKED_AT:
                        break
                    if w[index] == 0 or index == order_w[front_w]:
                        continue
                    looked_at += 1
                    out = _needed_out(free[index], server, worker, w[index])
                    price = server_price[index] + out * (next_price - worker_price[index])
                    if out > 0 and price < best_price:
                        best, best_price, best_out = index, price, out
            if best < 0:
                return workers - 1
            if best_out > 0:
                w[best] -= best_out
                _take(free[best], worker, -best_out)
                total -= best_out * worker_price[best]
            _take(free[best], server, 1)
            if s[best] == 0:
                hosts[host_count] = best
                host_count += 1
            s[best] += 1
            held_servers += 1
            total += server_price[best]
            stale = True
            for _ in range(best_out):
                while front_w < machines and (
                    order_w[front_w] == best or not _fits(free[order_w[front_w]], worker)
                ):
                    front_w += 1
                if front_w == machines:
                    return workers - 1
                index = order_w[front_w]
                w[index] += 1
                _take(free[index], worker, 1)
                total += worker_price[index]
        while front_w < machines and not _fits(free[order_w[front_w]], worker):
            front_w += 1
        front = order_w[front_w] if front_w < machines else -1
        if front != last_front:
            stale = True
            last_front = front
        chosen, chosen_price = front, worker_price[front] if front >= 0 else np.inf
        pushed, destination = 0, -1
        if stale and held_servers > 0:
            # A worker where servers sit, if these can go elsewhere for less than the difference.
            while front_s < machines and not _fits(free[order_s[front_s]], server):
                front_s += 1
            for position in range(host_count):
                index = hosts[position]
                if s[index] == 0 or worker_price[index] >= chosen_price:
                    continue
                out = _needed_out(free[index], worker, server, s[index])
                if out == 0:
                    continue
                target = -1
                for at in range(front_s, machines):
                    if order_s[at] != index and fitting(free[order_s[at]], server, out) >= out:
                        target = order_s[at]
                        break
                if target < 0:
                    continue
                price = worker_price[index] + out * (server_price[target] - server_price[index])
                if price < chosen_price:
                    chosen, chosen_price, pushed, destination = index, price, out, target
            stale = pushed > 0
        if chosen < 0:
            return workers - 1
        if pushed > 0:
            s[chosen] -= pushed
            _take(free[chosen], server, -pushed)
            if s[destination] == 0:
                hosts[host_count] = destination
                host_count += 1
                if host_count == machines:
                    host_count = _compact(hosts, s, host_count)
            s[destination] += pushed
            _take(free[destination], server, pushed)
        w[chosen] += 1
        _take(free[chosen], worker, 1)
        total += chosen_price
        cost[workers] = total
        if slower_together[workers]:
            cost[workers] += _spreading(worker_price, server_price, free, worker, server, w, s)[0]
    return upto


@compiled
def _compact(hosts: Integers, s: Integers, count: int) -> int:
    kept = 0
    for position in range(count):
        if s[hosts[position]] > 0:
            duplicate = False
            for earlier in range(kept):
                if hosts[earlier] == hosts[position]:
                    duplicate = True
                    break
            if not duplicate:
                hosts[kept] = hosts[position]
                kept += 1
    return kept


@compiled
def _spreading(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
               w: Integers, s: Integers) -> tuple[float, int, int, bool]:  # fmt: skip
    """What it costs to move one task off, if everything is on one machine: (cost, from, to, whether a worker)."""
    only = -1
    for index in range(len(w)):
        if w[index] + s[index] > 0:
            if only >= 0:
                return 0.0, -1, -1, False
            only = index
    best, target, moves_worker = np.inf, -1, False
    if only < 0 or w[only] + s[only] < 2:
        return best, only, target, moves_worker
    for index in range(len(w)):
        if index == only:
            continue
        if w[only] > 0 and worker_price[index] - worker_price[only] < best and _fits(free[index], worker):
            best, target, moves_worker = worker_price[index] - worker_price[only], index, True
        if s[only] > 0 and server_price[index] - server_price[only] < best and _fits(free[index], server):
            best, target, moves_worker = server_price[index] - server_price[only], index, False
    return best, only, target, moves_worker


@compiled
def spread(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
           w: Integers, s: Integers) -> bool:  # fmt: skip
    """Move one task to another machine if everything is on one; False where that cannot be."""
    cost, source, target, moves_worker = _spreading(worker_price, server_price, free, worker, server, w, s)
    if source < 0:
        return True
    if cost == np.inf:
        return False
    tasks, demand = (w, worker) if moves_worker else (s, server)
    tasks[source] -= 1
    tasks[target] += 1
    _take(free[source], demand, -1)
    _take(free[target], demand, 1)
    return True


@compiled
def _dearest(tasks: Integers, price: Floats, but: int, taken: Integers) -> int:
    best, best_price = -1, -np.inf
    for index in range(len(tasks)):
        if index != but and tasks[index] - taken[index] > 0 and price[index] > best_price:
            best, best_price = index, price[index]
    return best


@compiled
def _cheapest_room(room: Integers, price: Floats, but: int, given: Integers) -> int:
    best, best_price = -1, np.inf
    for index in range(len(room)):
        if index != but and room[index] - given[index] > 0 and price[index] < best_price:
            best, best_price = index, price[index]
    return best


@compiled
def _exchange(at: int, comers: int, leavers: int, incoming: Integers, outgoing: Integers, price_in: Floats,
              price_out: Floats, room_out: Integers, sources: Integers, targets: Integers) -> float:  # fmt: skip
    """What is saved if `comers` tasks of one kind come to machine `at` from the dearest machines that hold them, and
    `leavers` of the other kind go from it to the cheapest with room; sources, targets: how many from and to where.
    """
    sources[:] = 0
    targets[:] = 0
    saved = 0.0
    for _ in range(comers):
        source = _dearest(incoming, price_in, at, sources)
        if source < 0:
            return -np.inf
        sources[source] += 1
        saved += price_in[source] - price_in[at]
    for _ in range(leavers):
        target = _cheapest_room(room_out, price_out, at, targets)
        if target < 0:
            return -np.inf
        targets[target] += 1
        saved -= price_out[target] - price_out[at]
    return saved


@compiled
def improve(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
            w: Integers, s: Integers) -> None:  # fmt: skip
    """Exchange tasks between machines until no exchange around one machine saves anything.

    Around a machine: workers come from the dearest ones and servers leave for the cheapest room, or the other way
    round; one of either kind against as many of the other as its room needs, or as its leaving makes room for.
    """
    machines = len(worker_price)
    room_w, room_s = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
    sources, targets = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
    best_sources, best_targets = np.empty(machines, dtype=np.int64), np.empty(machines, dtype=np.int64)
    left = np.empty(len(worker))
    workers, servers = w.sum(), s.sum()
    for _ in range(_MOST_ROUNDS):
        for index in range(machines):
            room_w[index] = fitting(free[index], worker, workers)
            room_s[index] = fitting(free[index], server, servers)
        best, best_at, workers_come = 1e-12 * ((w * worker_price).sum() + (s * server_price).sum()), -1, True
        for at in range(machines):
            for kind in range(2):
                come = kind == 0
                incoming, outgoing = (w, s) if come else (s, w)
                price_in, price_out = (worker_price, server_price) if come else (server_price, worker_price)
                demand_in, demand_out = (worker, server) if come else (server, worker)
                room_in, room_out = (room_w, room_s) if come else (room_s, room_w)
                total_in = workers if come else servers
                source = _dearest(incoming, price_in, at, np.zeros_like(w))
                if source < 0 or price_in[source] <= price_in[at]:
                    continue
                if room_in[at] > 0:
                    choices = 1
                else:
                    choices = 0 if outgoing[at] == 0 else 3
                for choice in range(choices):
                    if room_in[at] > 0:
                        comers, leavers = min(room_in[at], incoming[source]), 0
                    elif choice == 0:
                        comers, leavers = 1, _needed_out(free[at], demand_in, demand_out, outgoing[at])
                    elif choice == 1:
                        # As many as come once one has left, if that is more than none.
                        leavers = 1
                        left[:] = free[at] + demand_out
                        comers = fitting(left, demand_in, total_in)
                    else:
                        leavers = outgoing[at]
                        left[:] = free[at] + leavers * demand_out
                        comers = fitting(left, demand_in, total_in)
                    comers = min(comers, total_in - incoming[at])
                    if comers == 0 or (leavers == 0 and room_in[at] == 0):
                        continue
                    saved = _exchange(
                        at, comers, leavers, incoming, outgoing, price_in, price_out, room_out, sources, targets
                    )
                    if saved > best and _can_swap(at, free, demand_in, demand_out, sources, targets):
                        best, best_at, workers_come = saved, at, come
                        best_sources[:] = sources
                        best_targets[:] = targets
        if best_at < 0:
            return
        incoming, outgoing = (w, s) if workers_come else (s, w)
        demand_in, demand_out = (worker, server) if workers_come else (server, worker)
        for index in range(machines):
            moved_in, moved_out = best_sources[index], best_targets[index]
            if moved_in > 0:
                incoming[index] -= moved_in
                incoming[best_at] += moved_in
                _take(free[index], demand_in, -moved_in)
                _take(free[best_at], demand_in, moved_in)
            if moved_out > 0:
                outgoing[index] += moved_out
                outgoing[best_at] -= moved_out
                _take(free[index], demand_out, moved_out)
                _take(free[best_at], demand_out, -moved_out)


@compiled
def _can_swap(at: int, free: Floats, demand_in: Floats, demand_out: Floats, sources: Integers,
              targets: Integers) -> bool:  # fmt: skip
    """Whether every machine keeps within what it has after the exchange."""
    come, leave = sources.sum(), targets.sum()
    for resource in range(len(demand_in)):
        if free[at, resource] - come * demand_in[resource] + leave * demand_out[resource] < 0.0:
            return False
    return True
