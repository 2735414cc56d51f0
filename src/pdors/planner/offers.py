"""Algorithm 2: the schedule with the best payoff over all completion slots.

    payoff(d) = u(d - a) - Theta(d, V)

One forward pass of Algorithm 3 gives Theta for every d. Slots are looked at in order, in growing portions; as the
utility never rises, the search ends before the first slot whose utility less the least that the work can cost is at
most the best payoff in hand.

    a, d  arrival, completion slot              -> job.arrival, completion
    u     utility of the duration d - a         -> utility
    V     samples to train                      -> shape.work
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.errors import SolverError
from pdors.model.job import WORK_TOLERANCE
from pdors.model.ledger import LedgerView, Segments
from pdors.model.schedule import Run, Schedule
from pdors.planner.calendar import Calendar, WorkPlan
from pdors.planner.keeping import cost_of_keeping
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotSolver

Floats = NDArray[np.float64]

PAYOFF_TOLERANCE = 1e-3
"""The grid pass is left out where it could raise the payoff by no more than this share of the utility."""
_PLACING_SAVES = 0.7
"""A plan placed on machines is cheaper than its curves say by less than this share; 0.45 is the most ever seen."""
_AS_GOOD = 1e-9
"""Relative; more than the rounding of a price."""
_FEW_SEGMENTS = 100
_FIRST_PORTION = 16
"""Segments looked at first; every further portion is twice as long."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The best schedule found; no schedule has a payoff above `payoff + error` at the prices of the curves."""

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
    """One job, the prices that hold for it, and the slots it may use: all that Algorithm 2 asks about."""

    shape: JobShape
    prices: PriceBounds
    view: LedgerView
    slots: int
    slot_seconds: float
    solver: SlotSolver


def propose(question: Question) -> Proposal | TooDear | NoProposal:
    """Algorithm 2.

    Over many segments the last few workers of each are first left out: they are dear to look for, and seldom used.
    """
    segments = _segments(question)
    if len(segments) > _FEW_SEGMENTS:
        found = _search(question, segments, thorough=False)
        if not isinstance(found, NoProposal):
            return found
    return _search(question, segments, thorough=True)


def _search(question: Question, segments: Segments, *, thorough: bool) -> Proposal | TooDear | NoProposal:
    calendar = Calendar(question.shape.work, segments.lengths)
    utility, least_price = _utility(question), _least_price(question)
    outlook, best = _Outlook(_slots_above(utility, least_price)), -np.inf
    for portion in _portions(question, segments, calendar, outlook, thorough=thorough):
        calendar.extend(portion)
        known = calendar.slots
        best = (utility[:known] - calendar.price).max()
        outlook.slots = _slots_above(utility, least_price + max(0.0, best))
        if best > -np.inf and known >= outlook.slots:
            break
    utility = utility[: calendar.slots]
    if not np.isfinite(calendar.price).any():
        return NoProposal(calendar.failures)
    if (utility <= (1 - _PLACING_SAVES) * calendar.bound).all():
        return TooDear(float((utility - calendar.price).max()))
    plan = _best_plan(calendar, utility)
    if plan is None:
        return NoProposal(calendar.failures)
    upper = float((utility - calendar.bound).max())
    return _placed(question, segments, calendar, plan, upper)


def price_every_completion(question: Question) -> Calendar:
    """The calendar of all slots to the horizon: `price[k]` is that of completing k slots after the arrival."""
    segments = _segments(question)
    calendar = Calendar(question.shape.work, segments.lengths)
    for portion in _portions(question, segments, calendar, _Outlook(question.slots), thorough=True):
        calendar.extend(portion)
    return calendar


def _segments(question: Question) -> Segments:
    return question.view.segments(question.shape.job.arrival, question.slots)


def _utility(question: Question) -> Floats:
    job = question.shape.job
    return job.utility.values(np.arange(question.slots - job.arrival))


def _least_price(question: Question) -> float:
    """What the work costs if every machine is empty: no schedule costs less."""
    shape, at_floor = question.shape, question.prices.price(np.zeros(len(question.shape.worker)))
    counts = np.arange(shape.max_workers + 1)
    cost = counts * (at_floor @ np.array(shape.job.worker)) + shape.servers * (at_floor @ np.array(shape.job.server))
    samples = np.maximum(shape.together, shape.apart)
    trains = samples > 0
    return shape.work * (1 - WORK_TOLERANCE) * float((cost[trains] / samples[trains]).min(initial=np.inf))


def _slots_above(utility: Floats, least: float) -> int:
    """The utility never rises: in so many slots it is above `least`."""
    return int(np.searchsorted(-utility, -least, side="left"))


@dataclass(slots=True)
class _Outlook:
    """How many slots may still pay; the search narrows it as it goes on."""

    slots: int


def _portions(
    question: Question, segments: Segments, calendar: Calendar, outlook: _Outlook, *, thorough: bool
) -> Iterator[Curves]:
    """Curves of all segments; a portion does not reach beyond the outlook unless it begins there."""
    first, length = 0, _FIRST_PORTION
    offsets = segments.starts - segments.starts[0]
    while first < len(segments):
        last = min(len(segments), first + length)
        enough = int(np.searchsorted(offsets, outlook.slots, side="left"))
        if first < enough < last:
            last = enough
        part = segments.part(first, last)
        yield question.solver.curves(question.shape, question.prices, part, calendar.marginal, thorough=thorough)
        first, length = last, 2 * length


def _best_plan(calendar: Calendar, utility: Floats) -> WorkPlan | None:
    """The plan of the hull pass, and that of the grid where it could be better by more than the tolerance."""
    payoffs = utility - calendar.price
    best = int(np.argmax(payoffs))
    if payoffs[best] == -np.inf:
        return None
    plan = calendar.plan(best)
    payoff = payoffs[best] if plan is None else utility[plan.completion] - plan.price
    upper = float((utility - calendar.bound).max())
    if upper - payoff > PAYOFF_TOLERANCE * utility[best]:
        finer = calendar.plan_on_grid(utility, payoff)
        if finer is not None and (plan is None or utility[finer.completion] - finer.price > payoff):
            plan = finer
    return plan


def _placed(
    question: Question, segments: Segments, calendar: Calendar, plan: WorkPlan, upper: float
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
            slot = _kept(question, segments, stretch.segment, last.get((workers, together)), on_curve)
            if slot is None:
                slot = question.solver.place(
                    question.shape, question.prices, segments, stretch.segment, workers, together=together
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
