"""What the analysis of the paper says: of one slot (Theorems 3 and 4), and of all jobs (Theorems 5 and 6).

`rounding` has the formulas of the lemmas for single rows. Here they are taken together for a program of given sizes,
turned round (which delta makes this G?), and carried on to the competitive ratio. A statement can be void: then the
number is there, and beside it what fails.

    delta    the promises of a lemma fail with this probability at most, 0 < delta <= 1
    G        what a fractional solution is scaled by                 -> gain
    S        roundings of one question                               -> draws
    epsilon  max over r of 1 and ln(U^r/L)                           -> epsilon
    T K E    slots times samples of all epochs, of a job             -> states, of the dynamic program as printed
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted
from pdors.model.job import Job
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import (
    FavourResources,
    FavourWork,
    Sizes,
    cost_ratio,
    cover_reached,
    cover_violation,
    least_useful_delta,
    packing_reached,
    packing_violation,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CHERNOFF_FROM = 0.5
"""The bound that Lemma 1 uses for the packing rows is proven from this G on."""


@dataclass(frozen=True, slots=True)
class FavouredResources:
    """Theorem 3 of one program. `cover_reached` at or below 0 says nothing, which is so for delta <= `delta_from`.

    chance_overfull  with which some machine holds too much: claimed (delta/3), and what can be proven
    cover_reached    share of the tasks asked for that a draw has at least, but for a chance of delta/3
    least_delta      the smallest delta that is above its own `delta_from`; None: there is none up to 1
    """

    gain: float
    cost_ratio: float
    chance_overfull_claimed: float
    chance_overfull_proven: float
    cover_reached: float
    delta_from: float
    least_delta: float | None

    @staticmethod
    def of(sizes: Sizes, delta: float) -> FavouredResources:
        gain = FavourResources(delta)(sizes)
        return FavouredResources(
            gain=gain,
            cost_ratio=cost_ratio(gain, delta),
            chance_overfull_claimed=delta / 3,
            chance_overfull_proven=packing_violation(gain, sizes.packing_rows, sizes.packing_width),
            cover_reached=cover_reached(gain, sizes.cover_rows, sizes.cover_width, delta),
            delta_from=feasibility_right_hand_side(delta, sizes),
            least_delta=least_meaningful_delta(sizes),
        )

    @property
    def chernoff_holds(self) -> bool:
        return self.gain >= CHERNOFF_FROM

    @property
    def cover_says_something(self) -> bool:
        return self.cover_reached > 0


@dataclass(frozen=True, slots=True)
class FavouredWork:
    """Theorem 4 of one program: the work is covered but for a chance of delta/3.

    packing_reached  how full a machine may be, as a share of what it has free, but for another delta/3
    """

    gain: float
    cost_ratio: float
    chance_short: float
    packing_reached: float

    @staticmethod
    def of(sizes: Sizes, delta: float) -> FavouredWork:
        gain = FavourWork(delta)(sizes)
        return FavouredWork(
            gain=gain,
            cost_ratio=cost_ratio(gain, delta),
            chance_short=cover_violation(gain, sizes.cover_rows, sizes.cover_width),
            packing_reached=packing_reached(gain, sizes.packing_rows, sizes.packing_width, delta),
        )


def feasibility_right_hand_side(delta: float, sizes: Sizes) -> float:
    """RHS of Remark 1, 3m / exp(G_delta W_a / 2) with the G_delta of Theorem 3: what delta has to exceed.

    It falls as delta rises, so that it meets the diagonal once: at `least_meaningful_delta`.
    """
    return least_useful_delta(FavourResources(delta)(sizes), sizes.cover_rows, sizes.cover_width)


def least_meaningful_delta(sizes: Sizes) -> float | None:
    """Where delta = 3m / exp(G_delta W_a / 2): above it Lemma 1 says something of the cover rows; None: not up to 1."""
    if feasibility_right_hand_side(1.0, sizes) >= 1:
        return None
    low, high = -600.0, 0.0  # ln delta
    while high - low > 1e-12:
        middle = (low + high) / 2
        if feasibility_right_hand_side(math.exp(middle), sizes) < math.exp(middle):
            high = middle
        else:
            low = middle
    return math.exp(high)


def delta_of_gain(gain: float, sizes: Sizes) -> float:
    """The delta for which a theorem gives this G: Theorem 3 up to G = 1, Theorem 4 above. Above 1 it is none.

    3r exp(-(1/G - 1)^2 G W_b / 3), or 3m exp(-(1 - 1/G)^2 G W_a / 2). Both theorems tie G to delta, so who chooses G
    has chosen delta. Near G = 1 it is 3r or 3m, and no theorem speaks of such a G.
    """
    if gain <= 1:
        return 3 * sizes.packing_rows * math.exp(-((1 / gain - 1) ** 2) * gain * sizes.packing_width / 3)
    return 3 * sizes.cover_rows * math.exp(-((1 - 1 / gain) ** 2) * gain * sizes.cover_width / 2)


def cost_ratio_of_gain(gain: float, sizes: Sizes) -> float | None:
    """3G / delta with the delta that makes this G (`delta_of_gain`); None where that is above 1.

    It is the bound to put beside what was measured at a fixed G. Where it is None there is no such bound; what holds
    at any G without a theorem is Markov's inequality, a cost above `cost_ratio(gain, delta)` times the linear
    program's with a probability of delta/3 at most, for whatever delta one likes.
    """
    delta = delta_of_gain(gain, sizes)
    if delta > 1:
        return None
    return cost_ratio(gain, delta) if delta > 0 else math.inf


def log_price_ratio(bounds: PriceBounds) -> Floats:
    """ln(U^r / L) per resource, as the constants are; 0 for a resource without a price, infinite where L is 0."""
    high, low = np.array(bounds.log_ceiling), np.array(bounds.log_floor)
    priced = high > -np.inf
    ratios: Floats = np.subtract(high, low, out=np.zeros(len(high)), where=priced)
    return ratios


def epsilon_of(log_ratios: Sequence[float] | Floats) -> float:
    """Theorems 5 and 6: max over r of 1 and ln(U^r / L)."""
    return max(1.0, *map(float, log_ratios))


def competitive_ratio(gain: float, delta: float, epsilon: float) -> float:
    """Theorems 5 and 6: 6 G epsilon / delta."""
    return 2 * cost_ratio(gain, delta) * epsilon


def claimed_failure(row_chance: float, draws: int, states: float) -> float:
    """1 - (1 - p^S)^states, the chance that the solution of Theorem 5 or 6 is not feasible.

    p is delta/3 in Theorem 5 and delta / (3 (H R + 1)) in Theorem 6, S the draws, states T K E. The theorems claim one
    minus it; so written, nothing is lost where it is tiny.
    """
    none = row_chance**draws
    if none == 0:
        return 0.0
    return -math.expm1(states * math.log1p(-none)) if none < 1 else 1.0


def log_initial_worth(bounds: PriceBounds, cluster: Cluster, slots: int) -> float:
    """ln D_0 = T sum of p[0] C, all that the cluster has at the first prices. The proof needs D_0 <= OPT / 2."""
    total = cluster.total
    priced = (total > 0) & np.isfinite(bounds.base)
    if not priced.any():
        return -math.inf
    return math.log(slots) + float(np.logaddexp.reduce(bounds.base[priced] + np.log(total[priced])))


def log_step_epsilon(slope: float, share: float) -> float:
    """ln((exp(k x) - 1) / x): the least epsilon of Definition 1 for one job that takes the share x of a machine.

    The price rises by exp(k x) at once, k = ln(U/L). Definition 2 and Lemma 10 take x for infinitely small, where
    this is ln k; at x = 1 it is ln(U/L - 1), and no logarithm is left in the ratio.
    """
    grown = slope * share
    return (grown if grown > 40 else math.log(math.expm1(grown))) - math.log(share)


@dataclass(frozen=True, slots=True)
class LargestStep:
    """The step of one job in one slot on one machine that needs the largest epsilon; `log_epsilon` is its logarithm."""

    job: str
    machine: int
    resource: int
    share: float
    log_epsilon: float


def largest_step(answers: Sequence[tuple[Job, Admitted]], cluster: Cluster, slope: Floats) -> LargestStep | None:
    """Over all that was admitted; None where nothing paid."""
    worst: LargestStep | None = None
    for job, admitted in answers:
        share, machine = _largest_shares(job, admitted, cluster)
        for resource in np.flatnonzero((share > 0) & (slope > 0)).tolist():
            needed = log_step_epsilon(float(slope[resource]), float(share[resource]))
            if worst is None or needed > worst.log_epsilon:
                worst = LargestStep(job.id, int(machine[resource]), resource, float(share[resource]), needed)
    return worst


def _largest_shares(job: Job, admitted: Admitted, cluster: Cluster) -> tuple[Floats, Integers]:
    """The largest part that the job takes of a machine in a slot, and of which one, per resource."""
    held = {share for run in admitted.schedule.runs for share in run.placement.shares}
    if not held:
        return np.zeros(len(cluster.resources)), np.zeros(len(cluster.resources), dtype=np.int64)
    machine, workers, servers = np.array(sorted((one.machine, one.workers, one.servers) for one in held)).T
    taken = np.outer(workers, job.worker) + np.outer(servers, job.server)
    capacity = cluster.capacity[machine]
    shares = np.divide(taken, capacity, out=np.zeros(taken.shape), where=capacity > 0)
    largest = shares.argmax(axis=0)
    return shares[largest, np.arange(shares.shape[1])], machine[largest]
