"""OASiS (Bao et al., "Online Job Scheduling in Distributed Machine Learning Clusters", INFOCOM 2018).

The forerunner of PD-ORS: prices decide at arrival and for good, but workers and parameter servers live on two disjoint
pools of machines with a family of prices each. A job with servers never trains on one machine, so its rate is always
b(e). Who shares no machine does not compete for one, which makes the placement of a slot exact (`oasis_slots`); all
else is Algorithms 1 to 3 as PD-ORS has them.

Decided here, as the text has one cluster per kind and no jobs of other kinds:

- half of the machines, dealt by size, are for workers (`oasis_pools`)
- S = max(1, ceil(W / gamma)) and W <= F, as everywhere in this package
- the default prices are those of PD-ORS, calibrated on each pool (`oasis_prices`)
- jobs without servers run on the worker machines, at b(i) where one machine holds all of their workers
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pdors.model.cluster import Cluster
from pdors.model.decision import Decision
from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.planner.admission import Planner
from pdors.planner.alone import Alone
from pdors.planner.prices import PriceBounds
from pdors.planner.pricing import PricesName
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.policies.oasis_pools import WORKER_SHARE, Pools
from pdors.policies.oasis_prices import PoolBounds, PoolPrices, fixed_prices, printed_prices, seen_prices
from pdors.policies.oasis_slots import PoolSlotSolver
from pdors.policies.policy import Policy, Setting, View


class Oasis(Policy):
    """Decides at arrival; `prices` defaults to those calibrated by the jobs seen so far.

    `worker_share` defaults to `usual_share`, which a subclass may set.
    """

    name = "oasis"
    usual_share = WORKER_SHARE

    def __init__(
        self, setting: Setting, *, worker_share: float | None = None, prices: PoolPrices | None = None
    ) -> None:
        super().__init__(setting)
        self._worker_share = self.usual_share if worker_share is None else worker_share
        self.pools = Pools.of(setting.cluster, self._worker_share)
        solver = PoolSlotSolver(Units(setting.cluster), self.pools)
        prices = prices or seen_prices(self.pools, setting)
        self.planner = Planner(setting.cluster, setting.slots, setting.slot_seconds, prices=prices, solver=solver)
        self.planner.alone = _EmptyPools(setting.cluster, setting.slots, solver)

    @classmethod
    def at_prices(
        cls, setting: Setting, instance: Instance, prices: PricesName | PriceBounds, history: Iterable[Job]
    ) -> Oasis:
        pools = Pools.of(setting.cluster, cls.usual_share)
        if isinstance(prices, PriceBounds):
            return cls(setting, prices=fixed_prices(pools, prices, prices))
        found = printed_prices(pools, instance) if prices == "paper" else seen_prices(pools, setting, history)
        return cls(setting, prices=found)

    def decide(self, job: Job, view: View) -> Decision:
        return self.planner.decide(job, view.ledger)

    def prices(self, view: View) -> Mapping[str, float] | None:
        """The mean over all machines, each at the prices of its pool and by its capacity."""
        bounds = self.planner.bounds
        if not isinstance(bounds, PoolBounds):
            return None
        cluster, units = self.setting.cluster, view.ledger.units
        fraction = view.ledger.used(view.slot) / np.maximum(units.capacity, 1)
        price = bounds.price_on(np.arange(len(cluster)), fraction)
        weight = cluster.capacity / np.maximum(cluster.total, np.finfo(float).tiny)
        return dict(zip(cluster.resources, (price * weight).sum(axis=0).tolist(), strict=True))

    def options(self) -> Mapping[str, object]:
        return {"worker_share": self._worker_share}


class _EmptyPools(Alone):
    """What could finish on the empty cluster, but not on its empty pools, cannot finish."""

    def __init__(self, cluster: Cluster, slots: int, solver: SlotSolver) -> None:
        super().__init__(cluster, slots)
        self._pools = solver

    def _most_samples(self, shape: JobShape, solver: SlotSolver) -> float:  # noqa: ARG002 - that of the whole cluster
        return super()._most_samples(shape, self._pools)
