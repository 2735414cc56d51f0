"""Algorithm 2: the schedule with the best payoff over all completion slots.

    payoff(d) = u(d - a) - Theta(d, V)

One forward pass of Algorithm 3 gives Theta for every d. Slots are looked at in order, in growing portions; as the
utility never rises, the search ends before the first slot whose utility less the least that the work can cost is at
most the best payoff in hand.

Of many segments far ones are first looked at coarsely (`coarse`); only what would be called full is then looked at
slot by slot. A job whose best payoff is hardly above 0 may so be rejected for its price.

    a, d  arrival, completion slot              -> job.arrival, completion
    u     utility of the duration d - a         -> utility
    V     samples to train                      -> shape.work
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pdors.errors import SolverError
from pdors.model.job import WORK_TOLERANCE
from pdors.model.ledger import LedgerView, Segments
from pdors.model.schedule import Run, Schedule
from pdors.planner.calendar import Calendar, WorkPlan
from pdors.planner.coarse import Coarse
from pdors.planner.keeping import cost_of_keeping
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotSolver

Floats = NDArray[np.float64]
Timeline = Segments | Coarse

PAYOFF_TOLERANCE = 1e-3
"""The grid pass is left out where it could raise the payoff by no more than this share of the utility."""
_PLACING_SAVES = 0.7
"""A plan placed on machines is cheaper than its curves say by less than this share; 0.45 is the most ever seen."""
_AS_GOOD = 1e-9
"""Relative; more than the rounding of a price."""
_FEW_SEGMENTS = 24
"""In more than so many the last few workers, and the last thousandths of a payoff, are looked for only if need be."""
_MANY_SEGMENTS, _MORE_PER_BLOCK = 100, 2
"""More than so many are looked at coarsely; of a large cluster more, as joining segments copies all of its blocks."""
_TRIED_AT_ONCE = 256
_FIRST_PORTION = 16
"""Segments looked at first; every further portion is twice as long."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The best schedule found; no schedule has a payoff above `payoff + error` at the prices of the curves.

    `price` is that of the segments that were looked at: of coarse ones, that of their fullest slots.
    """

    schedule: Schedule
    completion: int
    utility: float
    price: float
    error: float

    @property
    def payoff(self) -> float:
        return self.utility - self.price


@dataclass(frozen=True, slots=True)
class TooDear:
    """The work can be done, but whenever it is done it costs so much more than that is worth that none was placed."""

    payoff: float


@dataclass(frozen=True, slots=True)
class NoProposal:
    """The work cannot be done in time; `failures` counts slots to which the solver had no answer."""

    failures: int


@dataclass(frozen=True, eq=False)
class Question:
    """One job, the prices that hold for it, and the slots it may use: all that Algorithm 2 asks about.

    `coarsely`: many segments may be taken together.
    """

    shape: JobShape
    prices: PriceBounds
    view: LedgerView
    slots: int
    slot_seconds: float
    solver: SlotSolver
    coarsely: bool = True

    def segments(self) -> Segments:
        return self.view.segments(self.shape.job.arrival, self.slots)

    def utility(self, slots: int) -> Floats:
        """Of completion in each of the first so many slots."""
        return self.shape.job.utility.values(np.arange(slots))

    def slots_worth(self, least: float, most: int) -> int:
        """In so many slots, of the first `most`, the utility is above `least`: it never rises."""
        above, below = 0, most
        while above < below:
            tried = np.arange(above, below, max(1, (below - above) // _TRIED_AT_ONCE))
            known = int(np.count_nonzero(self.shape.job.utility.values(tried) > least))
            below = int(tried[known]) if known < len(tried) else below
            above = int(tried[known - 1]) + 1 if known else below
        return above


def propose(question: Question) -> Proposal | TooDear | NoProposal:
    """Algorithm 2.

    Over many segments the last few workers of each are first left out: they are dear to look for, and seldom used.
    """
    segments = question.segments()
    if len(segments) > _FEW_SEGMENTS:
        found = _search(question, _timeline(question, segments), thorough=False)
        if not isinstance(found, NoProposal):
            return found
    return _search(question, segments, thorough=True)


def _search(question: Question, timeline: Timeline, *, thorough: bool) -> Proposal | TooDear | NoProposal:
    calendar, looked_at = Calendar(question.shape.work, timeline.lengths), _LookedAt()
    least_price = _least_price(question)
    outlook, best = _Outlook(question.slots_worth(least_price, timeline.stop - int(timeline.starts[0]))), -np.inf
    for part in _portions(timeline, outlook):
        calendar.extend(_curves(question, part, calendar, thorough=thorough))
        looked_at.add(part)
        known = calendar.slots
        best = (question.utility(known) - calendar.price).max()
        outlook.slots = question.slots_worth(least_price + max(0.0, best), outlook.slots)
        if best > -np.inf and known >= outlook.slots:
            break
    utility = question.utility(calendar.slots)
    if not np.isfinite(calendar.price).any():
        return NoProposal(calendar.failures)
    if (utility <= (1 - _PLACING_SAVES) * calendar.bound).all():
        return TooDear(float((utility - calendar.price).max()))
    plan = _best_plan(calendar, utility, thorough=thorough)
    if plan is None:
        return NoProposal(calendar.failures)
    upper = float((utility - calendar.bound).max())
    return _placed(question, looked_at, calendar, plan, upper)


def price_every_completion(question: Question) -> Calendar:
    """The calendar of all slots to the horizon: `price[k]` is that of completing k slots after the arrival."""
    segments = question.segments()
    timeline = _timeline(question, segments)
    if timeline is not segments:
        calendar = _every_completion(question, timeline)
        if np.isfinite(calendar.price).any():
            return calendar
    return _every_completion(question, segments)


def _timeline(question: Question, segments: Segments) -> Timeline:
    many = _MANY_SEGMENTS + _MORE_PER_BLOCK * segments.rows.shape[1]
    return Coarse.of(segments) if question.coarsely and len(segments) > many else segments


def _every_completion(question: Question, timeline: Timeline) -> Calendar:
    calendar = Calendar(question.shape.work, timeline.lengths)
    for part in _portions(timeline, _Outlook(question.slots)):
        calendar.extend(_curves(question, part, calendar, thorough=True))
    return calendar


def _curves(question: Question, part: Segments, calendar: Calendar, *, thorough: bool) -> Curves:
    return question.solver.curves(question.shape, question.prices, part, calendar.marginal, thorough=thorough)


def _least_price(question: Question) -> float:
    """What the work costs if every machine is empty: no schedule costs less."""
    shape, at_floor = question.shape, question.prices.price(np.zeros(len(question.shape.worker)))
    counts = np.arange(shape.max_workers + 1)
    cost = counts * (at_floor @ np.array(shape.job.worker)) + shape.servers * (at_floor @ np.array(shape.job.server))
    samples = np.maximum(shape.together, shape.apart)
    trains = samples > 0
    return shape.work * (1 - WORK_TOLERANCE) * float((cost[trains] / samples[trains]).min(initial=np.inf))


@dataclass(slots=True)
class _Outlook:
    """How many slots may still pay; the search narrows it as it goes on."""

    slots: int


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """The parts of a timeline that curves were asked for, in order of time."""

    parts: list[Segments] = field(default_factory=list)
    begins: list[int] = field(default_factory=lambda: [0])

    def add(self, part: Segments) -> None:
        self.parts.append(part)
        self.begins.append(self.begins[-1] + len(part))

    def holding(self, segment: int) -> tuple[Segments, int]:
        """The part with this segment of the timeline, and its place there."""
        part = bisect_right(self.begins, segment) - 1
        return self.parts[part], segment - self.begins[part]


def _portions(timeline: Timeline, outlook: _Outlook) -> Iterator[Segments]:
    """Parts of growing length; none reaches beyond the outlook unless it begins there."""
    first, length = 0, _FIRST_PORTION
    offsets = timeline.starts - timeline.starts[0]
    while first < len(timeline):
        last = min(len(timeline), first + length)
        enough = int(np.searchsorted(offsets, outlook.slots, side="left"))
        if first < enough < last:
            last = enough
        yield timeline.part(first, last)
        first, length = last, 2 * length


def _best_plan(calendar: Calendar, utility: Floats, *, thorough: bool) -> WorkPlan | None:
    """The plan of the hull pass; if thorough, that of the grid where it could be better by more than the tolerance."""
    payoffs = utility - calendar.price
    best = int(np.argmax(payoffs))
    if payoffs[best] == -np.inf:
        return None
    plan = calendar.plan(best)
    payoff = payoffs[best] if plan is None else utility[plan.completion] - plan.price
    upper = float((utility - calendar.bound).max())
    if thorough and upper - payoff > PAYOFF_TOLERANCE * utility[best]:
        finer = calendar.plan_on_grid(utility, payoff)
        if finer is not None and (plan is None or utility[finer.completion] - finer.price > payoff):
            plan = finer
    return plan


def _placed(
    question: Question, looked_at: _LookedAt, calendar: Calendar, plan: WorkPlan, upper: float
) -> Proposal | NoProposal:
    """Put the plan on machines: the same point of the same segment always in the same way."""
    job = question.shape.job
    placed: dict[tuple[int, int, bool], PlacedSlot] = {}
    last: dict[tuple[int, bool], tuple[PlacedSlot, float]] = {}
    runs, price = [], 0.0
    for stretch in plan.stretches:
        workers, together = calendar.point(stretch.point)
        key = stretch.segment, workers, together
        slot = placed.get(key)
        if slot is None:
            on_curve = calendar.cost(stretch.point)
            segments, segment = looked_at.holding(stretch.segment)
            slot = _kept(question, segments, segment, last.get((workers, together)), on_curve)
            if slot is None:
                slot = question.solver.place(
                    question.shape, question.prices, segments, segment, workers, together=together
                )
            if slot is None:
                return NoProposal(calendar.failures + 1)
            placed[key] = slot
            last[workers, together] = slot, on_curve
        runs.append(Run(job.arrival + stretch.start, job.arrival + stretch.stop, slot.placement))
        price += (stretch.stop - stretch.start) * slot.cost
    schedule = Schedule(tuple(runs))
    if schedule.samples(job, question.slot_seconds) < job.work * (1 - WORK_TOLERANCE):
        raise SolverError(f"the schedule of job {job.id} trains less than its curves said")
    utility = job.utility.value(schedule.completion - job.arrival)
    return Proposal(schedule, schedule.completion, utility, price, max(0.0, upper - (utility - price)))


def _kept(
    question: Question, segments: Segments, segment: int, before: tuple[PlacedSlot, float] | None, on_curve: float
) -> PlacedSlot | None:
    """What the job held before, if held against the curve it is as good in this segment as it was there."""
    if before is None:
        return None
    held, on_curve_before = before
    cost = cost_of_keeping(held.placement, question.shape, question.prices, segments, segment, question.view.units)
    if cost is None or cost * on_curve_before > held.cost * on_curve * (1 + _AS_GOOD):
        return None
    return PlacedSlot(held.placement, cost)
