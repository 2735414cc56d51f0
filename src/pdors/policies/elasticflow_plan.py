"""Progressive filling on machines: the slots, workers and machines that every promise needs to be kept.

A job gets, in every slot from now on, what trains most with at most x workers of what is left there, x the smallest
number that does the work in time: its minimum satisfactory share. What it gets is placed, and credited as placed, so a
plan is kept by doing what it says. In its last slot it gets no more than it needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.policies.elasticflow_fit import Scaling, most_together, place_apart, place_together, share_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROUNDING = 1e-12
"""What is left of the work, as a share of it, that is no more than an error of the sums."""
_FIRST_SIZE = 16


class Plan(NamedTuple):
    """Run k takes the slots starts[k] .. stops[k] - 1; its tasks are the entries offsets[k] .. offsets[k + 1].

    samples  what a slot trains        machines, workers, servers  of each entry
    share    its dominant share
    """

    starts: Integers
    stops: Integers
    samples: Floats
    share: Floats
    offsets: Integers
    machines: Integers
    workers: Integers
    servers: Integers

    def current(self, slot: int) -> int:
        """The run of a slot, -1 if there is none."""
        run = int(np.searchsorted(self.starts, slot, side="right")) - 1
        return run if run >= 0 and slot < self.stops[run] else -1

    def next_change(self, slot: int) -> int:
        """The first slot after this one that begins or ends a run; there is one as long as the plan is not done."""
        changes = np.concatenate([self.starts, self.stops])
        return int(changes[changes > slot].min())

    def cost_per_sample(self, slot: int) -> float:
        """Dominant share times slots for a sample, from this slot on."""
        slots = np.maximum(self.stops - np.maximum(self.starts, slot), 0)
        return float(slots @ self.share) / float(slots @ self.samples)


class Timeline:
    """What all plans leave on every machine from a slot on, in segments in which nothing changes; the last never ends.

    Segment k starts in starts[k] and leaves free[rows[k]]; there are `count` of them.
    """

    def __init__(self, now: int, capacity: Floats, weight: Floats) -> None:
        self._weight = weight
        self._count = 1
        self._starts = np.full(_FIRST_SIZE, now, dtype=np.int64)
        self._rows = np.zeros(_FIRST_SIZE, dtype=np.int64)
        self._free = np.empty((_FIRST_SIZE, *capacity.shape))
        self._free[0] = capacity

    def occupy(self, scaling: Scaling, plan: Plan) -> None:
        """Take what a plan needs from the first slot of this timeline on."""
        needed = self._count + 2 * len(plan.starts)
        while needed > len(self._starts):
            self._starts, self._rows = np.tile(self._starts, 2), np.tile(self._rows, 2)
            self._free = np.concatenate([self._free, np.empty_like(self._free)])
        self._count = _occupy(self._starts, self._rows, self._free, self._count, scaling, plan)

    def fill(self, scaling: Scaling, work: float, deadline: int) -> Plan | None:
        """Plan and take the minimum satisfactory share that trains so many samples by the end of the deadline."""
        plan = fill_up(self._starts, self._rows, self._free, self._count, self._weight, scaling, work, deadline)
        if not len(plan.starts):
            return None
        self.occupy(scaling, plan)
        return plan


@compiled
def fill_up(starts: Integers, rows: Integers, free: Floats, count: int, weight: Floats, scaling: Scaling, work: float,
            deadline: int) -> Plan:  # fmt: skip
    """Progressive filling of one job; a plan without runs where the work cannot be done in time."""
    machines = free.shape[1]
    w, s = np.zeros(machines, dtype=np.int64), np.zeros(machines, dtype=np.int64)
    segments = 0
    while segments < count and starts[segments] <= deadline:
        segments += 1
    lengths, reach = np.empty(segments, dtype=np.int64), np.empty((segments, 2), dtype=np.int64)
    for segment in range(segments):
        stop = starts[segment + 1] if segment + 1 < segments else deadline + 1
        lengths[segment] = stop - starts[segment]
        reach[segment, 0] = most_together(free[rows[segment]], scaling)
        reach[segment, 1] = -1
    cap = _smallest_share(rows, free, weight, scaling, lengths, reach, work, w, s)
    starts_of, stops = np.empty(segments + 1, dtype=np.int64), np.empty(segments + 1, dtype=np.int64)
    samples, share = np.empty(segments + 1), np.empty(segments + 1)
    offsets = np.zeros(segments + 2, dtype=np.int64)
    entries = np.empty((3, (segments + 1) * machines), dtype=np.int64)
    runs, left = 0, work if cap > 0 else 0.0
    segment, slot = 0, starts[0]
    while left > _ROUNDING * work and segment < segments:
        if slot == starts[segment] + lengths[segment]:
            segment += 1
            if segment < segments:
                slot = starts[segment]
            continue
        workers, is_apart, rate = _best_with(scaling, reach[segment], cap)
        slots = starts[segment] + lengths[segment] - slot
        if rate <= 0.0:
            slot += slots
            continue
        if left < rate:
            workers, is_apart, rate = _least_for(scaling, reach[segment], cap, left)
            slots = 1
        elif left < slots * rate:
            slots = int(left / rate)
        here = free[rows[segment]]
        if is_apart:
            place_apart(here, weight, scaling, workers, w, s)
        else:
            for machine in range(machines):
                w[machine] = s[machine] = 0
            machine = place_together(here, weight, scaling, workers)
            w[machine], s[machine] = workers, scaling.servers[workers]
        at = offsets[runs]
        for machine in range(machines):
            if w[machine] + s[machine] > 0:
                entries[0, at], entries[1, at], entries[2, at] = machine, w[machine], s[machine]
                at += 1
        starts_of[runs], stops[runs], samples[runs] = slot, slot + slots, rate
        share[runs] = share_of(scaling, weight, workers)
        runs += 1
        offsets[runs] = at
        left -= slots * rate
        slot += slots
    if left > _ROUNDING * work:
        runs = 0
    end = offsets[runs]
    return Plan(
        starts_of[:runs].copy(), stops[:runs].copy(), samples[:runs].copy(), share[:runs].copy(),
        offsets[: runs + 1].copy(), entries[0, :end].copy(), entries[1, :end].copy(), entries[2, :end].copy(),
    )  # fmt: skip


@compiled
def _smallest_share(rows: Integers, free: Floats, weight: Floats, scaling: Scaling, lengths: Integers, reach: Integers,
                    work: float, w: Integers, s: Integers) -> int:  # fmt: skip
    """The least number of workers that, where they can be had, do the work; 0 if none do. Notes how many fit apart."""
    most = len(scaling.servers) - 1
    low, high = 1, most + 1
    while low < high:
        cap = (low + high) // 2
        trained = 0.0
        for segment in range(len(lengths)):
            _, _, rate = _best_with(scaling, reach[segment], cap)
            if reach[segment, 1] < 0 and scaling.apart[scaling.best_apart[cap]] > rate:
                useful = scaling.best_apart[most]
                reach[segment, 1] = place_apart(free[rows[segment]], weight, scaling, useful, w, s)
                _, _, rate = _best_with(scaling, reach[segment], cap)
            trained += lengths[segment] * rate
        if trained >= work:
            high = cap
        else:
            low = cap + 1
    return low if low <= most else 0


@compiled
def _best_with(scaling: Scaling, reach: Integers, cap: int) -> tuple[int, bool, float]:
    """The workers, at most `cap`, that train most, whether they lie apart, and what they train."""
    alone = scaling.best_together[min(cap, reach[0])]
    spread = scaling.best_apart[min(cap, max(reach[1], 0))]
    if scaling.apart[spread] > scaling.together[alone]:
        return spread, True, scaling.apart[spread]
    return alone, False, scaling.together[alone]


@compiled
def _least_for(scaling: Scaling, reach: Integers, cap: int, work: float) -> tuple[int, bool, float]:
    """The fewest workers, of at most `cap` that suffice, that do the work in one slot."""
    low, high = 1, cap
    while low < high:
        middle = (low + high) // 2
        _, _, rate = _best_with(scaling, reach, middle)
        if rate >= work:
            high = middle
        else:
            low = middle + 1
    return _best_with(scaling, reach, low)


@compiled
def _occupy(starts: Integers, rows: Integers, free: Floats, count: int, scaling: Scaling, plan: Plan) -> int:
    """Subtract a plan; the number of segments there are then."""
    now = starts[0]
    for run in range(len(plan.starts)):
        if plan.stops[run] <= now:
            continue
        first, count = _split(starts, rows, free, count, max(plan.starts[run], now))
        last, count = _split(starts, rows, free, count, plan.stops[run])
        for segment in range(first, last):
            for entry in range(plan.offsets[run], plan.offsets[run + 1]):
                for resource in range(free.shape[2]):
                    amount = plan.workers[entry] * scaling.worker[resource]
                    amount += plan.servers[entry] * scaling.server[resource]
                    free[rows[segment], plan.machines[entry], resource] -= amount
    return count


@compiled
def _split(starts: Integers, rows: Integers, free: Floats, count: int, slot: int) -> tuple[int, int]:
    """The segment that starts in this slot, made if there is none, and how many there are then."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if starts[middle] < slot:
            low = middle + 1
        else:
            high = middle
    if low < count and starts[low] == slot:
        return low, count
    for segment in range(count, low, -1):
        starts[segment], rows[segment] = starts[segment - 1], rows[segment - 1]
    starts[low], rows[low] = slot, count
    before = rows[low - 1]
    for machine in range(free.shape[1]):
        for resource in range(free.shape[2]):
            free[count, machine, resource] = free[before, machine, resource]
    return low, count + 1
