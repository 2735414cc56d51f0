"""The default prices: what the jobs seen so far tell about how dear the cluster must be.

Resources are counted in shares of the whole cluster, so that GPUs, cores and gigabytes can be added. Each job seen is a
bid: what it is worth, and what it takes in the way of training that takes least.

    worth_i    u(shortest duration) / sum over r of a_ir     utility per share and slot
    a_ir       shares of resource r, times slots, that the work of job i takes

The ceiling of the prices is the worth of all but the best of the jobs. The floor of each resource is its clearing
price: jobs like those seen, coming as often as before until the horizon, ask at these prices for what is left,

    sum over i of n_i a_ir [worth of i above its price]  =  _USABLE * (what is left of r, in shares times slots)

n_i are the jobs like i that are still to come early enough. Between the two prices are exponential, as the paper has
them; the floor is kept within `LEAST_LOG_RATIO` and `MOST_LOG_RATIO` below the ceiling.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.cluster import Cluster
from pdors.model.job import WORK_TOLERANCE
from pdors.model.schedule import Schedule
from pdors.planner.calibration import bounds_per_amount, shares_of
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.room import fill_floats
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CEILING_QUANTILE = 0.95
"""The price of an exhausted resource is the worth of all but the best of the jobs seen."""
LEAST_LOG_RATIO, MOST_LOG_RATIO = math.log(4), math.log(1e4)
"""ln(U/L): jobs that are all worth the same can pay for machines until these are nearly full."""
_USABLE = 0.7
"""So much of what is left can be used: tasks do not fill machines to the brim, nor jobs all slots."""
_REMEMBERED = 128
"""Jobs by which the load is judged, the latest ones: it may change."""
_SLOTS_REMEMBERED = 16
"""But not fewer slots than these, which a rush could fill."""
_STEPS = 32
_LARGEST_STEP = 1.0
"""Of the search for the clearing prices, in logarithms."""
_FURTHEST_WORTH = 300.0
"""In logarithms: a job worth so many times the ceiling, or so little, can pay any price, or none."""


@dataclass(frozen=True, eq=False)
class Bid:
    """One job: when it came, the last slot but how many it needs at least, what it is worth and what it takes."""

    arrival: int
    duration: int
    log_worth: float
    takes: Floats

    @staticmethod
    def of(shape: JobShape, cluster: Cluster, slots: int) -> Bid | None:
        """None for a job that cannot finish, is worth nothing or takes nothing: it cannot pay, whatever the prices."""
        samples = np.maximum(shape.together, shape.apart)
        most, work = float(samples.max()), shape.work * (1 - WORK_TOLERANCE)
        if most * (slots - shape.job.arrival) < work:
            return None
        duration = math.ceil(work / most) - 1
        workers = np.flatnonzero(samples > 0)
        worker, server = shares_of(shape.job.worker, cluster), shares_of(shape.job.server, cluster)
        per_sample = (workers * worker.sum() + shape.servers[workers] * server.sum()) / samples[workers]
        best = int(workers[np.argmin(per_sample)])
        takes = shape.work / samples[best] * (best * worker + shape.servers[best] * server)
        least = float(takes.sum())
        log_worth = shape.job.utility.log_value(duration) - math.log(least) if least > 0 else FREE
        return Bid(shape.job.arrival, duration, log_worth, takes) if log_worth > FREE else None


class _Bids(NamedTuple):
    """Bids as columns, in the order in which they came."""

    arrival: Integers
    duration: Integers
    log_worth: Floats
    takes: Floats

    @staticmethod
    def none(resources: int) -> _Bids:
        return _Bids(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty((0, resources)))

    def followed_by(self, bid: Bid) -> _Bids:
        """The latest ones alone."""
        kept = slice(-_REMEMBERED + 1, None)
        return _Bids(
            np.append(self.arrival[kept], bid.arrival),
            np.append(self.duration[kept], bid.duration),
            np.append(self.log_worth[kept], bid.log_worth),
            np.vstack([self.takes[kept], bid.takes]),
        )


class MarketPrices:
    """A `PricePolicy`; a job does not move its own prices.

    Before any other job there is only the first one's own bid to go by. The jobs of a history count as having come
    right before slot 0, as far apart as they did.
    """

    def __init__(self, cluster: Cluster, slots: int, history: Iterable[JobShape] = ()) -> None:
        self._cluster = cluster
        self._slots = slots
        self._bids = _Bids.none(len(cluster.resources))
        self._arrivals = _Arrivals()
        self._commitments = _Commitments(len(cluster.resources))
        earlier = list(history)
        begin = -max((shape.job.arrival + 1 for shape in earlier), default=0)
        self._arrivals.begin = begin
        for shape in sorted(earlier, key=lambda shape: shape.job.arrival):
            bid = Bid.of(shape, cluster, slots)
            if bid is not None:
                self._remember(replace(bid, arrival=bid.arrival + begin))

    def bounds(self, shape: JobShape) -> PriceBounds:
        bids = self._bids
        if not len(bids.arrival):
            own = Bid.of(shape, self._cluster, self._slots)
            if own is None:
                return PriceBounds.free(len(self._cluster.resources))
            bids = bids.followed_by(own)
        log_worths = np.sort(bids.log_worth)
        ceiling = float(log_worths[min(len(log_worths) - 1, int(CEILING_QUANTILE * len(log_worths)))])
        clearing = self._clearing(bids, shape.job.arrival, ceiling)
        return bounds_per_amount((ceiling + clearing).tolist(), [ceiling] * len(clearing), self._cluster)

    def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
        bid = Bid.of(shape, self._cluster, self._slots)
        if bid is not None:
            self._remember(bid)
        if schedule is not None:
            self._commitments.add(shape, schedule, self._cluster)

    def _remember(self, bid: Bid) -> None:
        self._arrivals.count(bid.arrival)
        self._bids = self._bids.followed_by(bid)

    def _clearing(self, bids: _Bids, now: int, ceiling: float) -> Floats:
        """ln of the clearing price of each resource less that of the ceiling, within the two ratios."""
        value = np.exp(np.clip(bids.log_worth - ceiling, -_FURTHEST_WORTH, _FURTHEST_WORTH)) * bids.takes.sum(axis=1)
        left = np.maximum(self._slots - now - self._commitments.from_slot(now), 0.0)
        log_prices = np.full(bids.takes.shape[1], -MOST_LOG_RATIO / 2)
        clear(value, bids.takes, self._still_to_come(bids, now), _USABLE * left, log_prices)
        return log_prices

    def _still_to_come(self, bids: _Bids, now: int) -> Floats:
        """Of each bid how many like it will come early enough to finish, if all come as often as until now.

        The present slot is not over: whatever has come in it counts as one job.
        """
        present, before = bids.arrival >= now, self._arrivals.before(now)
        here = int(np.count_nonzero(present))
        past = len(present) - here
        of_present = (1 if past else 1 + before) / max(1, here)
        weight = np.where(present, of_present, before / max(1, past))
        slots = np.maximum(self._slots - now - bids.duration, 0)
        count: Floats = weight * slots / (now - self._arrivals.begin + 1)
        return count


class _Arrivals:
    """How many jobs came in each slot from `begin` on: the latest slots, and enough of them."""

    def __init__(self) -> None:
        self.begin = 0
        self._slots: deque[tuple[int, int]] = deque()
        self._jobs = 0

    def count(self, slot: int) -> None:
        if self._slots and self._slots[-1][0] == slot:
            self._slots[-1] = slot, self._slots[-1][1] + 1
        else:
            while self._may_forget(slot):
                self._jobs -= self._slots[0][1]
                self.begin = self._slots.popleft()[0] + 1
            self._slots.append((slot, 1))
        self._jobs += 1

    def _may_forget(self, now: int) -> bool:
        """Enough jobs, and enough slots for the present one to weigh little."""
        if not self._slots or self._jobs - self._slots[0][1] < _REMEMBERED:
            return False
        return now - self._slots[0][0] > _SLOTS_REMEMBERED

    def before(self, now: int) -> int:
        """Jobs in slots that are over."""
        last, jobs = self._slots[-1] if self._slots else (now, 0)
        return self._jobs - (jobs if last >= now else 0)


class _Commitments:
    """What admitted jobs take from some slot on, each spread evenly over the time from its first slot to its last."""

    def __init__(self, resources: int) -> None:
        self._starts: Floats = np.empty(0)
        self._stops: Floats = np.empty(0)
        self._rates: Floats = np.empty((0, resources))

    def add(self, shape: JobShape, schedule: Schedule, cluster: Cluster) -> None:
        worker, server = shares_of(shape.job.worker, cluster), shares_of(shape.job.server, cluster)
        runs = schedule.runs
        workers = sum(run.slots * run.placement.workers for run in runs)
        servers = sum(run.slots * run.placement.servers for run in runs)
        start, stop = runs[0].start, runs[-1].stop
        self._starts = np.append(self._starts, start)
        self._stops = np.append(self._stops, stop)
        self._rates = np.vstack([self._rates, (workers * worker + servers * server) / (stop - start)])

    def from_slot(self, now: int) -> Floats:
        """Shares times slots, of each resource."""
        live = self._stops > now
        if not live.all():
            self._starts, self._stops, self._rates = self._starts[live], self._stops[live], self._rates[live]
        left: Floats = (self._stops - np.maximum(self._starts, now)) @ self._rates
        return left


@compiled
def clear(value: Floats, takes: Floats, count: Floats, usable: Floats, log_prices: Floats) -> None:
    """Move the prices until the jobs that can pay take what is usable; of a job just at its price a half takes part."""
    prices, demand = np.empty(len(usable)), np.empty(len(usable))
    for step in range(_STEPS):
        for resource in range(len(usable)):
            prices[resource] = math.exp(log_prices[resource])
        fill_floats(demand, 0.0)
        for job in range(len(value)):
            price = 0.0
            for resource in range(len(usable)):
                price += takes[job, resource] * prices[resource]
            dearer = (price / value[job]) ** 2
            dearer *= dearer
            part = count[job] / (1.0 + dearer * dearer)
            for resource in range(len(usable)):
                demand[resource] += part * takes[job, resource]
        for resource in range(len(usable)):
            move = -_LARGEST_STEP
            if demand[resource] > 0.0 and usable[resource] > 0.0:
                excess = math.log(demand[resource] / usable[resource])
                move = min(_LARGEST_STEP, max(-_LARGEST_STEP, excess / (2 + step // 8)))
            elif demand[resource] > 0.0:
                move = _LARGEST_STEP
            log_prices[resource] = min(-LEAST_LOG_RATIO, max(-MOST_LOG_RATIO, log_prices[resource] + move))
