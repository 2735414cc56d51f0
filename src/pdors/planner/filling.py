"""Algorithm 4 by integers: workers and servers put on the cheapest machines one by one, for every count in one pass.

External case: adding one worker (and a server whenever S * gamma < W) to the placement of W - 1 workers gives that of
W, so one pass gives the cost for all W. Workers and servers compete for the cheap machines. A new server may push
workers off a machine if that is cheaper than going elsewhere; a new worker may push servers off.

    order_w, order_s   machines by the price of a worker / of a server
    w[i], s[i]         what machine i holds
    free[i]            what it has left
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import by_price, fill, fill_floats, fits, fitting, needed_out, take

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXCHANGES_LOOKED_AT = 12
"""Full machines that a server looks at for workers to push off."""


@compiled
def together_curve(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
                   servers: Integers, usable: Floats, cost: Floats, where: Integers) -> None:  # fmt: skip
    """Internal case: for each W the machine where W workers and their servers are cheapest; cost infinite: nowhere."""
    fill_floats(cost, np.inf)
    fill(where, -1)
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
    scratch = np.empty((4, machines), dtype=np.int64)
    order_w, order_s, hosts, is_host = scratch[0], scratch[1], scratch[2], scratch[3]
    by_price(worker_price, order_w)
    by_price(server_price, order_s)
    fill(w, 0)
    fill(s, 0)
    fill(is_host, 0)
    fill_floats(cost, np.inf)
    total = 0.0
    front_w = front_s = 0
    held_servers = 0
    host_count = 0
    stale = False
    last_front = -1
    for workers in range(1, upto + 1):
        while held_servers < servers[workers]:
            # The cheapest place for one more server: with room, or where workers can be pushed off to the front.
            while front_s < machines and not fits(free[order_s[front_s]], server):
                front_s += 1
            while front_w < machines and not fits(free[order_w[front_w]], worker):
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
                    out = needed_out(free[index], server, worker, w[index])
                    price = server_price[index] + out * (next_price - worker_price[index])
                    if out > 0 and price < best_price:
                        best, best_price, best_out = index, price, out
            if best < 0:
                return workers - 1
            if best_out > 0:
                w[best] -= best_out
                take(free[best], worker, -best_out)
                total -= best_out * worker_price[best]
            take(free[best], server, 1)
            if is_host[best] == 0:
                hosts[host_count], is_host[best] = best, 1
                host_count += 1
            s[best] += 1
            held_servers += 1
            total += server_price[best]
            stale = True
            for _ in range(best_out):
                while front_w < machines and (order_w[front_w] == best or not fits(free[order_w[front_w]], worker)):
                    front_w += 1
                if front_w == machines:
                    return workers - 1
                index = order_w[front_w]
                w[index] += 1
                take(free[index], worker, 1)
                total += worker_price[index]
        while front_w < machines and not fits(free[order_w[front_w]], worker):
            front_w += 1
        front = order_w[front_w] if front_w < machines else -1
        if front != last_front:
            stale = True
            last_front = front
        chosen, chosen_price = front, worker_price[front] if front >= 0 else np.inf
        pushed, destination = 0, -1
        if stale and held_servers > 0:
            # A worker where servers sit, if these can go elsewhere for less than the difference.
            while front_s < machines and not fits(free[order_s[front_s]], server):
                front_s += 1
            for position in range(host_count):
                index = hosts[position]
                if s[index] == 0 or worker_price[index] >= chosen_price:
                    continue
                out = needed_out(free[index], worker, server, s[index])
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
            take(free[chosen], server, -pushed)
            if is_host[destination] == 0:
                hosts[host_count], is_host[destination] = destination, 1
                host_count += 1
            s[destination] += pushed
            take(free[destination], server, pushed)
        w[chosen] += 1
        take(free[chosen], worker, 1)
        total += chosen_price
        cost[workers] = total
        if slower_together[workers]:
            cost[workers] += _cost_of_spreading(worker_price, server_price, free, worker, server, w, s)
    return upto


@compiled
def _cost_of_spreading(worker_price: Floats, server_price: Floats, free: Floats, worker: Floats, server: Floats,
                       w: Integers, s: Integers) -> float:  # fmt: skip
    """What it costs to move one task off, if everything is on one machine."""
    only = -1
    for index in range(len(w)):
        if w[index] + s[index] > 0:
            if only >= 0:
                return 0.0
            only = index
    best = np.inf
    if only < 0 or w[only] + s[only] < 2:
        return best
    for index in range(len(w)):
        if index != only:
            if w[only] > 0 and fits(free[index], worker):
                best = min(best, worker_price[index] - worker_price[only])
            if s[only] > 0 and fits(free[index], server):
                best = min(best, server_price[index] - server_price[only])
    return best
