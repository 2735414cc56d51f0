"""Prices by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.planner.calibration import FixedPrices, PricePolicy, paper_bounds
from pdors.planner.market import MarketPrices
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape

PricesName = Literal["default", "paper"]


def price_policy(instance: Instance, prices: PricesName | PriceBounds, history: Iterable[Job] = ()) -> PricePolicy:
    """Those of the paper look at all jobs of the instance, the default ones at the history and at what has come."""
    if isinstance(prices, PriceBounds):
        return FixedPrices(prices)
    if prices == "paper":
        return FixedPrices(paper_bounds(instance))
    units = Units(instance.cluster)
    shapes = (JobShape.of(job, units, instance.slot_seconds) for job in history)
    return MarketPrices(instance.cluster, instance.slots, shapes)
