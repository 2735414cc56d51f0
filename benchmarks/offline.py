"""Offline: the upper bound on the paper's workloads, and the optimum of small ones.

The bound is that of `pdors bound`, to a relative gap of 0.01%. The pooled bound takes all machines of a slot as one; it
is the same where machines are alike. `pdors plan` with its default prices is held against the bound, and on ten jobs in
ten slots against the optimum, each time over all seeds together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.clusters import paper_jobs
from benchmarks.results import Result
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance
from pdors.offline.bound import bound
from pdors.offline.optimum import optimum
from pdors.planning import plan

SEEDS, QUICK_SEEDS = 5, 2
OPTIMUM_SEEDS, QUICK_OPTIMUM_SEEDS = 10, 3
OPTIMUM_SECONDS, QUICK_OPTIMUM_SECONDS = 60.0, 10.0


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    jobs, machines, slots = (40, 15, 40) if quick else (100, 30, 80)
    seeds = range(1, 1 + (QUICK_SEEDS if quick else SEEDS))
    title = f"H={machines}, T={slots}, I={jobs}"
    results = []
    for name, alike in ((title, True), (f"{title}, three kinds of machines", False)):
        tell(f"bound, {name}")
        posed = [paper_jobs(jobs, machines, slots, seed=seed) for seed in seeds]
        posed = posed if alike else [_of_three_kinds(instance) for instance in posed]
        found = [bound(instance) for instance in posed]
        planned = sum(plan(instance).total_utility for instance in posed)
        results += [
            Result(f"{name}: bound, slowest", max(each.seconds for each in found), "s", 60),
            Result(f"{name}: gap of the bound, largest", 100 * max(each.gap for each in found), "%", 0.1),
            Result(f"{name}: bound / pooled bound, mean", float(np.mean([each.value / each.pooled for each in found])),
                   "", 1),
            Result(f"{name}: plan / bound", planned / sum(each.value for each in found)),
        ]  # fmt: skip
    return results + _optima(QUICK_OPTIMUM_SEEDS if quick else OPTIMUM_SEEDS,
                             QUICK_OPTIMUM_SECONDS if quick else OPTIMUM_SECONDS, tell)  # fmt: skip


def _optima(seeds: int, seconds: float, tell: Callable[[str], None]) -> list[Result]:
    results = []
    for machines in (10, 30):
        name = f"H={machines}, T=10, I=10"
        found, planned = [], 0.0
        for seed in range(1, seeds + 1):
            tell(f"optimum, {name}, seed {seed} of {seeds}")
            instance = paper_jobs(10, machines, 10, seed=seed)
            found.append(optimum(instance, time_limit=seconds))
            planned += plan(instance).total_utility
        taken = [each.decisions.seconds for each in found]
        best, limit = sum(each.value for each in found), sum(each.upper.value for each in found)
        proven = 100 * sum(each.proven for each in found) / len(found)
        results += [
            Result(f"{name}: optimum, median", float(np.median(taken)), "s"),
            Result(f"{name}: optimum, slowest", max(taken), "s"),
            Result(f"{name}: proven within {seconds:.0f} s", proven, "%"),
            Result(f"{name}: optimum / bound", best / limit),
            Result(f"{name}: plan / optimum", planned / best),
        ]
    return results


def _of_three_kinds(instance: Instance) -> Instance:
    """As many machines: a third of twice the GPUs, a third of half of everything, the others as they are."""
    (group,) = instance.cluster.groups
    third = len(instance.cluster) // 3
    gpus, *others = group.capacity
    groups = (
        MachineGroup("gpu", (2 * gpus, *others), third),
        MachineGroup("half", tuple(amount / 2 for amount in group.capacity), third),
        MachineGroup("m", group.capacity, len(instance.cluster) - 2 * third),
    )
    return Instance(instance.slots, instance.slot_seconds, Cluster(instance.cluster.resources, groups), instance.jobs)
