"""How full each machine is over time: the share of its scarcest resource, binned to what a screen can show.

Worked out machine by machine from the runs of the decisions, so that a large cluster over a long horizon never becomes
a dense table of machines, slots and resources.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from pdors.engine.outcome import Outcome
from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted
from pdors.model.job import Instance
from pdors.report.bins import Edges, Floats, edges

MOST_MACHINES = 200
MOST_SLOTS = 400


@dataclass(frozen=True, eq=False)
class Grid:
    """The bins of machines and of slots that the cells of all policies share."""

    machines: Edges
    slots: Edges

    @staticmethod
    def of(instance: Instance, most_machines: int = MOST_MACHINES, most_slots: int = MOST_SLOTS) -> Grid:
        return Grid(edges(len(instance.cluster), most_machines), edges(instance.slots, most_slots))

    def names(self, cluster: Cluster) -> list[tuple[str, str]]:
        """The first and the last machine of each bin."""
        names = cluster.machine_names
        first, last = self.machines[:-1].tolist(), (self.machines[1:] - 1).tolist()
        return [(names[left], names[right]) for left, right in zip(first, last, strict=True)]


def cells(outcome: Outcome, grid: Grid) -> Floats:
    """The mean share over each bin, (machines, slots); the share of a machine is the largest of its resources'."""
    totals = np.zeros((len(grid.machines) - 1, len(grid.slots) - 1))
    capacity = outcome.instance.cluster.capacity
    for machine, held in _held(outcome).items():
        row = int(np.searchsorted(grid.machines, machine, side="right")) - 1
        totals[row] += _share_over(held, capacity[machine], grid.slots)
    means: Floats = totals / np.outer(np.diff(grid.machines), np.diff(grid.slots))
    return means


_Held = list[tuple[int, int, Floats]]
"""From slot, before slot, so much of each resource."""


def _held(outcome: Outcome) -> dict[int, _Held]:
    """By machine."""
    held: dict[int, _Held] = defaultdict(list)
    for job, decision in outcome.answered():
        if not isinstance(decision, Admitted):
            continue
        worker, server = np.array(job.worker), np.array(job.server)
        for run in decision.schedule.runs:
            for share in run.placement.shares:
                held[share.machine].append((run.start, run.stop, share.workers * worker + share.servers * server))
    return held


def _share_over(held: _Held, capacity: Floats, slots: Edges) -> Floats:
    """The sum over the slots of each bin of one machine's share."""
    starts, stops, amounts = (np.array(column) for column in zip(*held, strict=True))
    times = np.unique(np.concatenate([starts, stops, slots[[0, -1]]]))
    change = np.zeros((len(times), len(capacity)))
    np.add.at(change, np.searchsorted(times, starts), amounts)
    np.subtract.at(change, np.searchsorted(times, stops), amounts)
    used = change.cumsum(axis=0)[:-1]
    share = np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0).max(axis=1).clip(0, 1)
    until = np.concatenate([[0.0], np.cumsum(share * np.diff(times))])
    sums: Floats = np.diff(np.interp(slots, times, until))
    return sums
