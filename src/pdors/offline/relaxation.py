"""What an upper bound lets a job do: any mixture of the points of its slots, up to all of its work, by some slot.

    p[g, t, r]  price of all of resource r in group g of machines in slot t, normalised by its total   -> prices
    u(d)        utility of completing in slot d                                                        -> worth
    lambda      max over d of u(d) - least price of all the work by slot d                             -> payoff

The price of a point is below that of every placement of it: apart, each task is at the group where it is cheapest;
together, all of it is in the group of a machine that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.job import Instance, Job
from pdors.offline.machines import Group, most_in_all
from pdors.offline.paces import most_that_fit, ways, work_needed
from pdors.offline.points import Points, Region, points_of
from pdors.offline.pricing import buy_work

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

APART = -1
"""In place of a group: on several machines, of any groups."""
_NOTHING = 1e-12
_ROUNDING = 1e-9
"""Utilities are raised by this share, far above the noise of floats, so that payoffs are never too low."""


@dataclass(frozen=True, eq=False)
class Column:
    """A mixture of schedules of one job: what it is worth, and what it uses.

    `usage[k]` is the share of all of a resource in a group and slot: number `row[k]` of (group, slot, resource).
    """

    job: int
    worth: float
    row: Integers
    usage: Floats

    def price(self, prices: Floats) -> float:
        return float(self.usage @ prices.ravel()[self.row])


class JobRelaxation:
    """One job as the bound sees it."""

    def __init__(self, number: int, job: Job, instance: Instance, groups: tuple[Group, ...]) -> None:
        self._number = number
        self.arrival = job.arrival
        self._work = work_needed(job)
        durations = np.arange(max(0, instance.slots - job.arrival))
        worth = job.utility.values(durations)
        self.worth: Floats = worth[: int(np.count_nonzero(worth > 0))]
        self._shape = (len(groups), instance.slots, len(instance.cluster.resources))
        worker, server = np.array(job.worker), np.array(job.server)
        self._worker, self._hosts_worker = _shares(worker, groups)
        self._server, self._hosts_server = _shares(server, groups)
        self._collect(job, instance, groups)

    def payoff(self, prices: Floats) -> tuple[float, int]:
        """The most that the job is worth above its price, and the slot, counted from the arrival, that it comes from.

        Minus infinity where it cannot be done.
        """
        slots = len(self.worth)
        if not slots or not len(self._samples):
            return -np.inf, 0
        cost, _, _ = self._costs(prices)
        spent = np.empty(slots)
        buy_work(self._samples, cost, self._work, slots, spent, *self._scratch(slots))
        gained = self.worth * (1 + _ROUNDING) - spent
        best = int(np.argmax(gained))
        return float(gained[best]), best

    def column(self, prices: Floats, last: int) -> Column:
        """The cheapest mixture that does all the work by slot `last`, counted from the arrival."""
        slots = last + 1
        cost, worker_at, server_at = self._costs(prices)
        spent = np.empty(slots)
        price, length, origin = self._scratch(slots)
        size = buy_work(self._samples, cost, self._work, slots, spent, price, length, origin)
        slot, before, point = origin[:size].T
        share = np.ones(size)
        share[0] -= (length[:size].sum() - self._work) / length[0]
        groups, all_slots, resources = self._shape
        usage = np.zeros((groups, slots, resources))
        self._use(usage, slot, point, share, worker_at, server_at)
        further = before >= 0
        self._use(usage, slot[further], before[further], -share[further], worker_at, server_at)
        group, slot, resource = np.nonzero(usage > _NOTHING)
        row = (group * all_slots + self.arrival + slot) * resources + resource
        return Column(self._number, float(self.worth[last]), row, usage[group, slot, resource])

    def _collect(self, job: Job, instance: Instance, groups: tuple[Group, ...]) -> None:
        """All points, by rising samples."""
        found: list[tuple[Points, int]] = []
        for way in ways(job, instance.slot_seconds):
            if way.together:
                for number, group in enumerate(groups):
                    for kind in group.kinds:
                        region = Region.on_one_machine(np.array(job.worker), np.array(job.server), kind)
                        found.append((points_of(way, region), number))
            elif len(instance.cluster) > 1:
                found.append((points_of(way, _whole_cluster(job, instance.cluster)), APART))
        samples = np.concatenate([points.capped(self._work) for points, _ in found] or [np.empty(0)])
        order = np.argsort(samples, kind="stable")
        self._samples = samples[order]
        self._workers = np.concatenate([points.workers for points, _ in found] or [np.empty(0)])[order]
        self._servers = np.concatenate([points.servers for points, _ in found] or [np.empty(0)])[order]
        groups_of = [np.full(len(points.samples), group) for points, group in found] or [np.empty(0, dtype=np.int64)]
        self._group: Integers = np.concatenate(groups_of)[order]

    def _costs(self, prices: Floats) -> tuple[Floats, Integers, Integers]:
        """The price of each point in each slot of interest, and the groups where tasks apart are cheapest."""
        seen = prices[:, self.arrival : self.arrival + len(self.worth)]
        worker = np.einsum("gtr,gr->gt", seen, self._worker)
        server = np.einsum("gtr,gr->gt", seen, self._server)
        worker_at = np.where(self._hosts_worker[:, None], worker, np.inf).argmin(axis=0)
        server_at = np.where(self._hosts_server[:, None], server, np.inf).argmin(axis=0)
        slots = np.arange(len(self.worth))
        by_group_worker = np.vstack([worker, worker[worker_at, slots]])
        by_group_server = np.vstack([server, server[server_at, slots]])
        cost = by_group_worker.T[:, self._group] * self._workers + by_group_server.T[:, self._group] * self._servers
        return np.ascontiguousarray(cost), worker_at, server_at

    def _use(
        self, usage: Floats, slot: Integers, point: Integers, share: Floats, worker_at: Integers, server_at: Integers
    ) -> None:
        group = self._group[point]
        for shares, tasks, cheapest in ((self._worker, self._workers, worker_at),
                                        (self._server, self._servers, server_at)):  # fmt: skip
            where = np.where(group == APART, cheapest[slot], group)
            np.add.at(usage, (where, slot), (share * tasks[point])[:, None] * shares[where])

    def _scratch(self, slots: int) -> tuple[Floats, Floats, Integers]:
        room = slots * len(self._samples) + 1
        return np.empty(room), np.empty(room), np.empty((room, 3), dtype=np.int64)


def _shares(demand: Floats, groups: tuple[Group, ...]) -> tuple[Floats, NDArray[np.bool_]]:
    """What one task takes of each group, (groups, resources), and which groups have a machine that holds one."""
    totals = np.array([group.total for group in groups])
    hosts = np.array([max(most_that_fit(demand, kind) for kind in group.kinds) >= 1 for group in groups])
    return np.divide(demand, totals, out=np.zeros_like(totals), where=totals > 0), hosts


def _whole_cluster(job: Job, cluster: Cluster) -> Region:
    worker, server = np.array(job.worker), np.array(job.server)
    return Region(worker, server, cluster.total, most_in_all(worker, cluster), most_in_all(server, cluster))
