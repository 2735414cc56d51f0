"""An upper bound on the total utility of every schedule, by the dual of R-DMLRS.

For any prices p >= 0 of the groups' resources, a set of schedules that keeps the capacities is worth at most

    sum of all p C  +  sum over jobs of max(0, the most that a schedule of the job is worth above its price)

as its total price is at most the first sum. The prices are sought by a few steps along subgradients, and then by
column generation: the restricted master proposes prices, the pricing step answers them, halfway to the best known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import Instance
from pdors.offline.machines import Group, alike, pooled
from pdors.offline.master import Master
from pdors.offline.relaxation import Column, JobRelaxation
from pdors.readiness import seconds_getting_ready

Floats = NDArray[np.float64]

DEFAULT_SECONDS = 60.0
DEFAULT_GAP = 1e-4
_STEPS = 120
_PATIENCE = 5
_POOLED_SHARE = 0.3
"""Of the time limit, where the pooled relaxation has to be solved on its own."""


@dataclass(frozen=True, eq=False)
class Proof:
    """Prices and payoffs that are dual feasible: `value` = sum of `prices` + sum of `payoffs`.

    prices   price of all of a resource in a slot in one of `groups`   (groups, slots, resources)
    payoffs  what no schedule of the job is worth above its price      (jobs,)
    """

    groups: tuple[Group, ...]
    prices: Floats
    payoffs: Floats

    @property
    def value(self) -> float:
        return float(self.prices.sum()) + float(sum(self.payoffs.tolist()))


@dataclass(frozen=True, eq=False)
class UpperBound:
    """`value` bounds every schedule; no prices could bring it below `relaxation`, so it is exact up to `gap`.

    `pooled` is the bound with all machines of a slot as one.
    """

    value: float
    relaxation: float
    pooled: float
    proof: Proof
    iterations: int
    seconds: float

    @property
    def gap(self) -> float:
        """Relative to the value."""
        return max(0.0, 1 - self.relaxation / self.value) if self.value > 0 else 0.0


def bound(
    instance: Instance,
    *,
    time_limit: float = DEFAULT_SECONDS,
    gap: float = DEFAULT_GAP,
    on_progress: Callable[[float, float], None] | None = None,
) -> UpperBound:
    """The best bound found within `time_limit` seconds, or the first within `gap`; at any limit it is valid.

    `on_progress` is told the bound, and what it cannot fall below, each time one of them is better.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # beyond all floats; prices that are no numbers are not kept
        return _bound(instance, time_limit, gap, on_progress)


def _bound(
    instance: Instance, time_limit: float, gap: float, on_progress: Callable[[float, float], None] | None
) -> UpperBound:
    started = time.perf_counter()
    ready = seconds_getting_ready()
    tell = on_progress or (lambda _value, _least: None)
    by_kind, as_one = alike(instance.cluster), pooled(instance.cluster)
    if len(by_kind) == 1:
        search = _Search(instance, by_kind, tell)
        started += seconds_getting_ready() - ready
        search.run(started + time_limit, gap)
        least_pooled, iterations = search.value, search.iterations
    else:
        of_pool = _Search(instance, as_one, tell)
        started += seconds_getting_ready() - ready
        of_pool.run(started + _POOLED_SHARE * time_limit, gap)
        search = _Search(instance, by_kind, tell)
        search.consider(_split(of_pool.prices, as_one[0], by_kind))
        search.run(started + time_limit, gap)
        least_pooled, iterations = of_pool.value, of_pool.iterations + search.iterations
    proof = Proof(search.groups, search.prices, search.payoffs)
    seconds = time.perf_counter() - started
    value = proof.value
    return UpperBound(value, min(search.least, value), max(least_pooled, value), proof, iterations, seconds)


class _Search:
    """Looks for the prices with the least bound; `value`, `prices` and `payoffs` are the best known."""

    def __init__(self, instance: Instance, groups: tuple[Group, ...], tell: Callable[[float, float], None]) -> None:
        self.groups = groups
        self.iterations = 0
        self.least = 0.0
        self.prices = np.zeros((len(groups), instance.slots, len(instance.cluster.resources)))
        self._tell = tell
        self._jobs = [JobRelaxation(number, job, instance, groups) for number, job in enumerate(instance.jobs)]
        self.value = np.inf
        self.payoffs = np.zeros(len(self._jobs))
        columns = self.consider(self.prices)
        self._scale = max((column.worth for column in columns), default=0.0)
        if self._scale > 0:
            self._master = Master(self.prices.size, len(self._jobs), self._scale)
            self._master.add(columns)

    def consider(self, prices: Floats) -> list[Column]:
        """Keep these prices if they are the best so far; the columns that answer them."""
        self.iterations += 1
        answers = [job.payoff(prices) for job in self._jobs]
        payoffs = np.maximum(0.0, np.array([payoff for payoff, _ in answers]))
        value = float(prices.sum()) + float(payoffs.sum())
        if value < self.value:
            self.value, self.prices, self.payoffs = value, prices, payoffs
            self._tell(self.value, self.least)
        return [job.column(prices, slot) for job, (payoff, slot) in zip(self._jobs, answers, strict=True) if payoff > 0]

    def run(self, deadline: float, gap: float) -> None:
        if self._scale > 0:
            self._follow_subgradients(deadline)
            self._generate_columns(deadline, gap)

    def _follow_subgradients(self, deadline: float) -> None:
        """Steps of Polyak's length towards a value that is guessed closer and closer, with some momentum."""
        length, waited = 0.1, 0
        at, direction = self.prices, np.zeros_like(self.prices)
        for step in range(_STEPS):
            if time.perf_counter() > deadline:
                return
            known = self.value
            columns = self.consider(at)
            self._master.add(columns)
            unused = 1 - self._used(columns)
            direction = 0.7 * direction + 0.3 * unused if step else unused
            norm = float((direction**2).sum())
            if norm == 0:
                return
            waited = 0 if self.value < known else waited + 1
            if waited == _PATIENCE:
                at, length, waited = self.prices, 0.7 * length, 0
            at = np.maximum(0.0, at - length * self.value / norm * direction)

    def _used(self, columns: list[Column]) -> Floats:
        used = np.zeros(self.prices.size)
        for column in columns:
            used[column.row] += column.usage
        return used.reshape(self.prices.shape)

    def _generate_columns(self, deadline: float, gap: float) -> None:
        while (left := deadline - time.perf_counter()) > 0:
            answer = self._master.solve(left)
            if answer is None:
                return
            if answer.value > self.least:
                self.least = answer.value
                self._tell(self.value, self.least)
            if self.value - self.least <= gap * self.value:
                return
            proposed = answer.prices.reshape(self.prices.shape)
            share, improving = 0.5, list[Column]()
            while not improving and share >= 0 and time.perf_counter() < deadline:
                columns = self.consider(share * self.prices + (1 - share) * proposed)
                improving = [
                    column
                    for column in columns
                    if column.worth - column.price(proposed) > answer.payoffs[column.job] + 1e-9 * self._scale
                ]
                share = share / 2 if share > 0.1 else share - 0.1 if share <= 0 else 0.0
            if not improving:
                return
            self._master.add(improving)


def _split(prices: Floats, whole: Group, groups: tuple[Group, ...]) -> Floats:
    """The same price for each unit, for groups instead of all machines as one."""
    shares = [np.divide(group.total, whole.total, out=np.zeros_like(whole.total), where=whole.total > 0)
              for group in groups]  # fmt: skip
    return np.array([prices[0] * share for share in shares])
