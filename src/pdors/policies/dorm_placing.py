"""Counts of workers put on machines for Dorm, so that as much as can be of the cluster is in use.

Jobs that may change are placed one after another, the largest share first: on the machine that they fill best, if one
holds all of a job, else task by task, each on the machine whose free resources are most like its demand. Where not all
jobs fit, all of them are lowered alike until they do. Then workers are added one by one, always the one that uses most
of the cluster for the part that it takes of what is left, as long as its job trains no less for it and the fairness row
holds. If that row is broken in the end, workers are added to the smallest numbers of all jobs instead, always to the
one that lacks most of its fair share.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import fits, take
from pdors.policies.drf_claims import Claims
from pdors.policies.drf_dealing import dominant_share

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_HALVINGS = 6
_ROUNDING = 1e-9
_BY_USE, _BY_LACK = 0, 1
"""Whose turn it is to get a worker: who uses most of the cluster with it, or who lacks most of its fair share."""


class Board(NamedTuple):
    """What is given: the machines and the whole cluster, what jobs hold, the shares that they should have.

    held_workers, held_servers  (jobs, machines), of those who hold nothing 0
    limit                       what all jobs together may lose in fairness
    """

    claims: Claims
    capacity: Floats
    total: Floats
    held_workers: Integers
    held_servers: Integers
    fair: Floats
    limit: float


class Placing(NamedTuple):
    """Workers and servers per (job, machine), and what is left free."""

    workers: Integers
    servers: Integers
    free: Floats


def nothing_placed(board: Board) -> Placing:
    return Placing(np.zeros_like(board.held_workers), np.zeros_like(board.held_servers), board.capacity.copy())


@compiled
def place(board: Board, wanted: Integers, moving: Flags, placing: Placing) -> float:
    """Place the jobs that move, the others stay; the utilisation, -1 if not all fit or the fairness row is broken."""
    order = _largest_first(board, wanted)
    if not _place_part(board, wanted, 1.0, order, moving, placing):
        if not _place_part(board, wanted, 0.0, order, moving, placing):
            return -1.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            part = (low + high) / 2.0
            if _place_part(board, wanted, part, order, moving, placing):
                low = part
            else:
                high = part
        _place_part(board, wanted, low, order, moving, placing)
    used = _use_up(board, moving, _BY_USE, placing)
    if used < 0.0 and _place_part(board, wanted, 0.0, order, moving, placing):
        used = _use_up(board, moving, _BY_LACK, placing)
    return used


@compiled
def _largest_first(board: Board, wanted: Integers) -> Integers:
    """The jobs by their share, the largest first, of equal ones the earlier."""
    claims = board.claims
    jobs = len(wanted)
    order, shares = np.empty(jobs, dtype=np.int64), np.empty(jobs)
    for job in range(jobs):
        servers = claims.servers[claims.first[job] + wanted[job]]
        shares[job] = dominant_share(wanted[job], servers, claims.worker[job], claims.server[job], board.total)
        at = job
        while at > 0 and shares[order[at - 1]] < shares[job]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = job
    return order


@compiled
def _usable(claims: Claims, job: int, workers: int) -> int:
    """The largest number of workers up to this one that trains something; the smallest of all if there is none."""
    first = claims.first[job]
    for count in range(workers, 0, -1):
        if claims.together[first + count] > 0.0 or claims.apart[first + count] > 0.0:
            return count
    return _next_usable(claims, job, 0)


@compiled
def _next_usable(claims: Claims, job: int, workers: int) -> int:
    """The next number of workers that trains something; 0 if there is none."""
    first = claims.first[job]
    for count in range(workers + 1, claims.most[job] + 1):
        if claims.together[first + count] > 0.0 or claims.apart[first + count] > 0.0:
            return count
    return 0


@compiled
def _place_part(board: Board, wanted: Integers, part: float, order: Integers, moving: Flags, placing: Placing) -> bool:
    """Place a part of the wanted workers of every job that moves, all or (False) not all of them."""
    claims, free = board.claims, placing.free
    for machine in range(len(free)):
        for resource in range(len(board.total)):
            free[machine, resource] = board.capacity[machine, resource]
    for job in range(len(order)):
        for machine in range(len(free)):
            stays = not moving[job]
            placing.workers[job, machine] = board.held_workers[job, machine] if stays else 0
            placing.servers[job, machine] = board.held_servers[job, machine] if stays else 0
            if stays:
                take(free[machine], claims.worker[job], board.held_workers[job, machine])
                take(free[machine], claims.server[job], board.held_servers[job, machine])
    for job in order:
        if moving[job] and not _place_one(board, job, _usable(claims, job, int(part * wanted[job])), placing):
            return False
    return True


@compiled
def _place_one(board: Board, job: int, workers: int, placing: Placing) -> bool:
    claims, free = board.claims, placing.free
    worker, server, point = claims.worker[job], claims.server[job], claims.first[job] + workers
    servers, together, apart = claims.servers[point], claims.together[point], claims.apart[point]
    w, s = placing.workers[job], placing.servers[job]
    if together >= apart:
        only = _best_filled(free, worker, server, workers, servers, board.total)
        if only >= 0:
            w[only], s[only] = workers, servers
            take(free[only], worker, workers)
            take(free[only], server, servers)
            return True
    if apart <= 0.0 or not _deal_out(board, free, job, workers, servers, w, s):
        return False
    return together >= apart or _lies_apart(free, worker, server, w, s) or together > 0.0


@compiled
def _best_filled(free: Floats, worker: Floats, server: Floats, workers: int, servers: int, total: Floats) -> int:
    """Of the machines that hold all of it the one with least left, in shares of the cluster; -1: none does."""
    best, least = -1, np.inf
    for machine in range(len(free)):
        left = 0.0
        for resource in range(len(total)):
            remains = free[machine, resource] - workers * worker[resource] - servers * server[resource]
            if remains < 0.0:
                left = np.inf
                break
            if total[resource] > 0.0:
                left += remains / total[resource]
        if left < least:
            best, least = machine, left
    return best


@compiled
def _deal_out(board: Board, free: Floats, job: int, workers: int, servers: int, w: Integers, s: Integers) -> bool:
    """Each task where what is left is most like it, servers first; False where they do not all find room."""
    worker, server = board.claims.worker[job], board.claims.server[job]
    return _match(free, server, servers, board.total, s) and _match(free, worker, workers, board.total, w)


@compiled
def _match(free: Floats, demand: Floats, count: int, total: Floats, tasks: Integers) -> bool:
    for _ in range(count):
        best, most = -1, -1.0
        for machine in range(len(free)):
            if fits(free[machine], demand):
                like = _likeness(free[machine], demand, total)
                if like > most:
                    best, most = machine, like
        if best < 0:
            return False
        tasks[best] += 1
        take(free[best], demand, 1)
    return True


@compiled
def _likeness(left: Floats, demand: Floats, total: Floats) -> float:
    """The cosine of the angle between the two, in shares of the cluster, but for the length of the demand."""
    product, length = 0.0, 0.0
    for resource in range(len(total)):
        if total[resource] > 0.0:
            share = left[resource] / total[resource]
            product += share * demand[resource] / total[resource]
            length += share * share
    return product / math.sqrt(length) if length > 0.0 else 0.0


@compiled
def _lies_apart(free: Floats, worker: Floats, server: Floats, w: Integers, s: Integers) -> bool:
    """Whether a job is on several machines, once a task of it was moved if that is possible."""
    only = -1
    for machine in range(len(free)):
        if w[machine] + s[machine] > 0:
            if only >= 0:
                return True
            only = machine
    if w[only] + s[only] > 1:
        for machine in range(len(free)):
            if machine == only:
                continue
            if w[only] > 0 and fits(free[machine], worker):
                _move(free, worker, w, only, machine)
                return True
            if s[only] > 0 and fits(free[machine], server):
                _move(free, server, s, only, machine)
                return True
    return False


@compiled
def _move(free: Floats, demand: Floats, tasks: Integers, source: int, target: int) -> None:
    take(free[source], demand, -1)
    take(free[target], demand, 1)
    tasks[source] -= 1
    tasks[target] += 1


@compiled
def _use_up(board: Board, moving: Flags, turn: int, placing: Placing) -> float:
    """Add workers, with their servers, to the jobs that move; the utilisation, -1 where the fairness row is broken."""
    claims, total = board.claims, board.total
    jobs, resources = len(moving), len(total)
    workers, shares = np.zeros(jobs, dtype=np.int64), np.empty(jobs)
    following = np.zeros(jobs, dtype=np.int64)
    left = np.zeros(resources)
    for machine in range(len(placing.free)):
        for resource in range(resources):
            left[resource] += placing.free[machine, resource]
    loss = 0.0
    for job in range(jobs):
        for machine in range(len(placing.free)):
            workers[job] += placing.workers[job, machine]
        servers = claims.servers[claims.first[job] + workers[job]]
        shares[job] = dominant_share(workers[job], servers, claims.worker[job], claims.server[job], total)
        loss += abs(shares[job] - board.fair[job])
        if moving[job]:
            following[job] = _next_usable(claims, job, workers[job])
    while True:
        best, best_score = -1, -np.inf
        for job in range(jobs):
            if following[job] > 0:
                score = board.fair[job] - shares[job]
                if turn == _BY_USE:
                    score = _worth_adding(claims, job, workers[job], following[job], total, left)
                if score > best_score:
                    best, best_score = job, score
        if best < 0:
            break
        count, first = following[best], claims.first[best]
        before, after = claims.servers[first + workers[best]], claims.servers[first + count]
        share = dominant_share(count, after, claims.worker[best], claims.server[best], total)
        change = abs(share - board.fair[best]) - abs(shares[best] - board.fair[best])
        if change > 0.0 and loss + change > board.limit:
            following[best] = 0
            continue
        trained = _add(board, best, workers[best], count, placing)
        if trained > 0.0:
            take(left, claims.worker[best], count - workers[best])
            take(left, claims.server[best], after - before)
            workers[best], shares[best] = count, share
            loss += change
        following[best] = 0 if trained < 0.0 else _next_usable(claims, best, count)
    if loss > board.limit + _ROUNDING:
        return -1.0
    utilisation = 0.0
    for resource in range(resources):
        if total[resource] > 0.0:
            utilisation += 1.0 - left[resource] / total[resource]
    return utilisation


@compiled
def _worth_adding(claims: Claims, job: int, before: int, after: int, total: Floats, left: Floats) -> float:
    """What more workers and servers use of the cluster, over the largest part that they take of what is left."""
    first = claims.first[job]
    workers, servers = after - before, claims.servers[first + after] - claims.servers[first + before]
    used, part = 0.0, 0.0
    for resource in range(len(total)):
        demand = workers * claims.worker[job, resource] + servers * claims.server[job, resource]
        if demand > 0.0 and left[resource] > 0.0:
            used += demand / total[resource]
            part = max(part, demand / left[resource])
    return used / part if part > 0.0 else np.inf


@compiled
def _add(board: Board, job: int, before: int, after: int, placing: Placing) -> float:
    """Raise a job to more workers; what it then trains, 0 if that were less, -1 if they do not fit."""
    claims = board.claims
    worker, server, first = claims.worker[job], claims.server[job], claims.first[job]
    w, s, free = placing.workers[job], placing.servers[job], placing.free
    held_w, held_s = w.copy(), s.copy()
    samples = _samples(claims, job, before, w, s)
    more_servers = claims.servers[first + after] - claims.servers[first + before]
    trained = -1.0
    if _deal_out(board, free, job, after - before, more_servers, w, s):
        trained = _samples(claims, job, after, w, s)
    if trained >= samples:
        return trained
    for machine in range(len(free)):
        take(free[machine], worker, held_w[machine] - w[machine])
        take(free[machine], server, held_s[machine] - s[machine])
        w[machine], s[machine] = held_w[machine], held_s[machine]
    return min(0.0, trained)


@compiled
def _samples(claims: Claims, job: int, workers: int, w: Integers, s: Integers) -> float:
    """What a slot trains with this placement."""
    machines = 0
    for machine in range(len(w)):
        if w[machine] + s[machine] > 0:
            machines += 1
    point = claims.first[job] + workers
    trained: float = claims.together[point] if machines == 1 else claims.apart[point]
    return trained
