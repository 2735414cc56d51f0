"""Prices: what they make of the paper's workloads, held against the offline bound.

Total utility as a share of what `pdors bound` gives, mean and worst over ten seeds; H machines, I jobs and T slots.
"Printed" has the paper's constants, which look at all jobs; "whole ratio" the default's ceiling and a ten-thousandth of
it as the floor, whatever the load; "default" knows what has come; "with a history" was told the jobs of another seed
before. Jobs have as many servers as pay, or the fewest. "In hindsight" knows all jobs: those worth most for what they
take are planned first, each in what is then left, at next to no price. That is no bound, but what a simple rule gets
that need not guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.clusters import paper_jobs
from benchmarks.results import Result
from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Schedule
from pdors.model.units import Units
from pdors.offline.bound import bound
from pdors.planner.admission import Planner
from pdors.planner.calibration import FixedPrices, PricePolicy, bounds_per_amount
from pdors.planner.market import MOST_LOG_RATIO, Bid, MarketPrices
from pdors.planner.prices import PriceBounds
from pdors.planner.servers import workers_per_server
from pdors.planner.shape import JobShape
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planning import plan

SIZES = {(20, 50, 20): 0.85, (100, 100, 20): 0.95, (30, 100, 80): 0.90}
"""Machines, jobs and slots, and what share of the bound the default prices should reach."""
QUICK_SIZES = {(10, 25, 20): 0.85}
FIRST_SEED, SEEDS, QUICK_SEEDS = 200, 10, 2
PAST = 1000
"""The history of a seed is the jobs of the seed that comes so much later."""
_LITTLE = 5.0
"""In logarithms: the price in hindsight, the same at any load, is so far below what the least job can pay."""


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    sizes = QUICK_SIZES if quick else SIZES
    seeds = range(FIRST_SEED, FIRST_SEED + (QUICK_SEEDS if quick else SEEDS))
    results = []
    for (machines, jobs, slots), wanted in sizes.items():
        name = f"H={machines}, I={jobs}, T={slots}"
        shares: dict[str, list[float]] = {}
        for seed in seeds:
            tell(f"prices, {name}, seed {seed}")
            instance = paper_jobs(jobs, machines, slots, seed=seed)
            past = paper_jobs(jobs, machines, slots, seed=seed + PAST).jobs
            limit = bound(instance).value
            in_order, known = instance.in_arrival_order(), (instance.cluster, instance.slots)
            for way, total in {
                "printed": plan(instance, prices="paper").total_utility,
                "whole ratio, fewest servers": planned(instance, in_order, WholeRatio(*known), more_servers=False),
                "default, fewest servers": planned(instance, in_order, MarketPrices(*known), more_servers=False),
                "default": plan(instance).total_utility,
                "default with a history": plan(instance, history=past).total_utility,
                "in hindsight": in_hindsight(instance),
            }.items():
                shares.setdefault(way, []).append(total / limit)
        for way, reached in shares.items():
            held = wanted if way == "default" else None
            results += [
                Result(f"{name}: {way}, mean", float(np.mean(reached)), wanted=held, at_least=True),
                Result(f"{name}: {way}, worst", min(reached)),
            ]
    return results


def in_hindsight(instance: Instance) -> float:
    """The jobs worth most for what they take are planned first, all of them known."""
    cluster, units = instance.cluster, Units(instance.cluster)
    bids = []
    for job in instance.jobs:
        shape = JobShape.of(job, units, instance.slot_seconds, workers_per_server=workers_per_server(job, cluster))
        bid = Bid.of(shape, cluster, instance.slots)
        if bid is not None:
            bids.append((bid.log_worth, job))
    bids.sort(key=lambda pair: -pair[0])
    least = [bids[-1][0] - _LITTLE if bids else 0.0] * len(cluster.resources)
    prices = FixedPrices(bounds_per_amount(least, least, cluster))
    return planned(instance, [job for _, job in bids], prices, more_servers=True)


class WholeRatio:
    """The default's ceiling with a floor that is always as low as it may be."""

    def __init__(self, cluster: Cluster, slots: int) -> None:
        self._market = MarketPrices(cluster, slots)

    def bounds(self, shape: JobShape) -> PriceBounds:
        ceiling = self._market.bounds(shape).log_ceiling
        return PriceBounds(tuple(high - MOST_LOG_RATIO for high in ceiling), ceiling)

    def learn(self, shape: JobShape, schedule: Schedule | None) -> None:
        self._market.learn(shape, schedule)


def planned(instance: Instance, jobs: Iterable[Job], prices: PricePolicy, *, more_servers: bool) -> float:
    """The utility of deciding the jobs in this order."""
    ledger, total = Ledger(instance.cluster), 0.0
    planner = Planner(instance.cluster, instance.slots, instance.slot_seconds, prices=prices,
                      solver=FastSlotSolver(Units(instance.cluster)), more_servers=more_servers)  # fmt: skip
    for job in jobs:
        decision = planner.decide(job, ledger)
        if isinstance(decision, Admitted):
            ledger.reserve(job, decision.schedule)
            total += decision.utility
    return total
