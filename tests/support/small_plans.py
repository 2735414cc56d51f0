"""Questions to Algorithm 2 that are small enough to try every schedule, and the trying.

Loads, free amounts and prices are kept here in plain arrays beside the ledger, so that the answers owe nothing to the
planner: every placement of every slot is listed, priced by L (U/L)^(rho/C), and every combination over the slots is
looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pdors.model.cluster import Amounts, Cluster, MachineGroup
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.ledger import Ledger, Segments
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from pdors.planner.offers import Question
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotSolver
from pdors.planner.slot_dense import dense_problem

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SLOT_SECONDS = 3600.0


@dataclass(frozen=True, eq=False)
class SmallPlan:
    """A job to be planned on a few machines over a few slots; `used` (slots, machines, resources) in amounts."""

    ledger: Ledger
    used: Floats
    job: Job
    prices: PriceBounds

    @property
    def slots(self) -> int:
        return len(self.used)

    @property
    def shape(self) -> JobShape:
        return JobShape.of(self.job, self.ledger.units, SLOT_SECONDS)

    def question(self, solver: SlotSolver) -> Question:
        return Question(self.shape, self.prices, self.ledger, self.slots, SLOT_SECONDS, solver)

    def price_of(self, schedule: Schedule) -> float:
        worker, server = np.array(self.job.worker), np.array(self.job.server)
        return sum(
            float((share.workers * worker + share.servers * server) @ self.price(slot)[share.machine])
            for slot, placement in schedule.by_slot()
            for share in placement.shares
        )

    def price(self, slot: int) -> Floats:
        """Q per machine and resource, as it is printed; these bounds neither under- nor overflow."""
        floor, ceiling = np.exp(self.prices.log_floor), np.exp(self.prices.log_ceiling)
        price: Floats = floor * (ceiling / floor) ** (self.used[slot] / self.ledger.cluster.capacity)
        return price

    def cheapest(self) -> Floats:
        """Theta(d, V) for every completion slot d from the arrival on, by trying every schedule."""
        work, cost = np.zeros(1), np.zeros(1)
        least = []
        needed = self.job.work * (1 - WORK_TOLERANCE / 2)
        for slot in range(self.job.arrival, self.slots):
            samples, price = self._choices(slot)
            work = np.minimum(np.add.outer(work, np.append(samples, 0.0)).ravel(), self.job.work)
            cost = np.add.outer(cost, np.append(price, 0.0)).ravel()
            least.append(cost[work >= needed].min(initial=np.inf))
        return np.array(least)

    def most_samples(self) -> float:
        return float(sum(self._choices(slot)[0].max(initial=0.0) for slot in range(self.job.arrival, self.slots)))

    def _choices(self, slot: int) -> tuple[Floats, Floats]:
        """(samples, price) of every placement of one slot, without those that train no more for no less."""
        price = self.price(slot)
        free = self.ledger.cluster.capacity - self.used[slot]
        counts = all_placements(free, np.array(self.job.worker), np.array(self.job.server), self.job)
        amounts = counts[:, :, 0] @ (price @ self.job.worker) + counts[:, :, 1] @ (price @ self.job.server)
        samples = samples_of(counts, self.job)
        best = undominated(samples, amounts)
        return samples[best], amounts[best]


def all_placements(free: Floats, worker: Floats, server: Floats, job: Job) -> Integers:
    """Every (workers, servers) per machine with at most F workers and just their servers that trains something."""
    of_machine = [_fitting(room, worker, server, job) for room in free]
    index = np.indices([len(pairs) for pairs in of_machine]).reshape(len(free), -1)
    tried = np.stack([pairs[at] for pairs, at in zip(of_machine, index, strict=True)], axis=1)
    workers, servers = tried[:, :, 0].sum(axis=1), tried[:, :, 1].sum(axis=1)
    needed = np.array([job.speed.servers_for(count) for count in range(job.batch + 1)])
    tried = tried[(workers <= job.batch) & (servers == needed[np.minimum(workers, job.batch)])]
    return tried[samples_of(tried, job) > 0]


def samples_of(placements: Integers, job: Job) -> Floats:
    counts = range(job.batch + 1)
    apart, together = (
        np.array([job.samples_in_slot(w, job.speed.servers_for(w), SLOT_SECONDS, colocated=one) for w in counts])
        for one in (False, True)
    )
    workers, machines = placements[:, :, 0].sum(axis=1), np.count_nonzero(placements.any(axis=2), axis=1)
    return np.where(machines == 1, together[workers], apart[workers])


def best_payoff(utility: Utility, cheapest: Floats) -> float:
    """Of any schedule, minus infinity if there is none."""
    return float((utility.values(np.arange(len(cheapest))) - cheapest).max(initial=-np.inf))


def undominated(samples: Floats, cost: Floats) -> Integers:
    """Those that train more than every cheaper one, by rising samples."""
    kept: list[int] = []
    for index in np.lexsort((-samples, cost)).tolist():
        if not kept or samples[index] > samples[kept[-1]]:
            kept.append(index)
    return np.array(kept, dtype=np.int64)


def _fitting(room: Floats, worker: Floats, server: Floats, job: Job) -> Integers:
    most_servers = job.speed.servers_for(job.batch)
    pairs = np.array(list(product(range(job.batch + 1), range(most_servers + 1))))
    return pairs[(pairs @ np.array([worker, server]) <= room).all(axis=1)]


class ExactSlotSolver:
    """A `SlotSolver` that tries every placement, so that what is left is the error of Algorithm 3."""

    def __init__(self, units: Units) -> None:
        self._units = units

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,
    ) -> Curves:
        curves = Curves.empty()
        for segment in range(len(segments)):
            counts, samples, cost = self._points(shape, prices, segments, segment)
            curves = curves.followed_by(
                Curves(
                    offsets=np.array([0, len(counts)]),
                    workers=counts[:, :, 0].sum(axis=1),
                    together=np.count_nonzero(counts.any(axis=2), axis=1) == 1,
                    samples=samples,
                    cost=cost,
                )
            )
        return curves

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        counts, _, cost = self._points(shape, prices, segments, segment)
        for tasks, price in zip(counts, cost, strict=True):
            if tasks[:, 0].sum() == workers and (np.count_nonzero(tasks.any(axis=1)) == 1) == together:
                shares = ((machine, *count) for machine, count in enumerate(tasks.tolist()))
                return PlacedSlot(Placement.of(shares), float(price))
        return None

    def _points(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int
    ) -> tuple[Integers, Floats, Floats]:
        problem = dense_problem(shape, prices, segments, segment, self._units)
        counts = all_placements(problem.free, problem.worker, problem.server, shape.job)
        samples = samples_of(counts, shape.job)
        cost = counts[:, :, 0] @ problem.worker_price + counts[:, :, 1] @ problem.server_price
        best = undominated(samples, cost)
        return counts[best], samples[best], cost[best]


def small_plan(seed: int) -> SmallPlan:
    """1 to 3 machines with uneven loads, up to 5 slots, a job of at most 5 workers that may just fit or not at all.

    Its ledger is a new one every time.
    """
    drawn = _drawn(seed)
    return plan_of(drawn.ledger.cluster, drawn.job, drawn.prices, drawn.used)


@cache
def cheapest_of(seed: int) -> Floats:
    """`cheapest` of the plan of this seed."""
    return _drawn(seed).cheapest()


@cache
def _drawn(seed: int) -> SmallPlan:
    rng = np.random.default_rng(seed)
    resources, machines, slots = (int(rng.integers(1, most + 1)) for most in (2, 3, 5))
    capacity = rng.integers(4, 13, size=(machines, resources)).astype(np.float64)
    names = ("gpu", "cpu")[:resources]
    cluster = Cluster(names, tuple(MachineGroup(f"m-{k}", tuple(row)) for k, row in enumerate(capacity.tolist())))
    level = rng.choice([0.0, 0.3, 0.6, 0.9])
    used = np.floor(capacity * rng.beta(0.2 + 3 * level, 0.2 + 3 * (1 - level), size=(slots, machines, resources)))
    if rng.random() < 0.3:
        used[1:] = used[0]
    case = plan_of(cluster, _job(rng, slots, resources), _prices(rng, resources), used)
    most = case.most_samples()
    if most == 0:
        return case
    share = rng.choice([rng.uniform(0.02, 0.9), rng.uniform(0.9, 1.1), 1.0], p=[0.8, 0.15, 0.05])
    case = replace(case, job=replace(case.job, samples=float(most * share)))
    prices = case.cheapest()
    usual = float(prices[np.isfinite(prices)].mean()) if np.isfinite(prices).any() else 1.0
    return replace(case, job=replace(case.job, utility=_utility(rng, usual)))


def plan_of(cluster: Cluster, job: Job, prices: PriceBounds, used: Floats) -> SmallPlan:
    """`used` amounts are committed to a fresh ledger."""
    ledger = Ledger(cluster)
    for slot, of_slot in enumerate(used):
        for machine, amounts in enumerate(of_slot.tolist()):
            if any(amounts):
                filler = filler_job(tuple(amounts))
                ledger.reserve(filler, Schedule((Run(slot, slot + 1, Placement.of([(machine, 1, 0)])),)))
    return SmallPlan(ledger, used, job, prices)


def filler_job(amounts: Amounts) -> Job:
    speed = AllReduceSpeed(1, 0, 1, 1)
    return Job("filler", 0, 1, 1, 1, speed, amounts, (0.0,) * len(amounts), SigmoidUtility(1, 0, 1))


def _job(rng: np.random.Generator, slots: int, resources: int) -> Job:
    speed = _speed(rng)
    worker, server = rng.integers(1, 4, size=resources), rng.integers(0, 4, size=resources)
    if not isinstance(speed, ParameterServerSpeed):
        server[:] = 0
    return Job(
        id="job",
        arrival=int(rng.integers(0, slots)) if rng.random() < 0.3 else 0,
        epochs=1,
        samples=1,
        batch=int(rng.integers(1, 6)),
        speed=speed,
        worker=tuple(worker.astype(float).tolist()),
        server=tuple(server.astype(float).tolist()),
        utility=SigmoidUtility(1, 0, 1),
    )


def _speed(rng: np.random.Generator) -> Speed:
    external = float(rng.uniform(5, 100))
    internal = external * float(rng.choice([1.0, rng.uniform(2, 20), rng.uniform(0.5, 1)], p=[0.1, 0.7, 0.2]))
    seconds, gradient = float(rng.uniform(0.1, 1)), float(rng.uniform(0, 60))
    match rng.choice(["ps", "allreduce", "table"], p=[0.7, 0.15, 0.15]):
        case "ps":
            return ParameterServerSpeed(seconds, gradient, float(rng.choice([0.5, 1, 1.5, 2, 10])), internal, external)
        case "allreduce":
            return AllReduceSpeed(seconds, gradient, internal, external)
        case _:
            return TableSpeed((1, 2, 4), (1.0, 1.7, None), (1.0, float(rng.choice([1.2, 1.9])), 2.5))


def _prices(rng: np.random.Generator, resources: int) -> PriceBounds:
    ceiling = rng.uniform(-1, 1, size=resources)
    floor = ceiling - rng.uniform(0.5, 9, size=resources)
    return PriceBounds(tuple(floor.tolist()), tuple(ceiling.tolist()))


def _utility(rng: np.random.Generator, price: float) -> Utility:
    worth = price * float(rng.uniform(0.5, 4))
    match rng.choice(["sigmoid", "deadline", "table"]):
        case "sigmoid":
            return SigmoidUtility(worth, float(rng.choice([0, 0.5, 3])), float(rng.uniform(0, 4)))
        case "deadline":
            return DeadlineUtility(worth, float(rng.integers(0, 4)), float(rng.choice([0.0, worth / 2])))
        case _:
            return TableUtility((0, 1, 3), (worth, worth * 0.7, worth * 0.2))
