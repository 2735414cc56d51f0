"""What a job would be told, before it is submitted: every completion slot with its price, and what would get it in."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.model.decision import Reason, Rejected
from pdors.model.utility import Utility
from pdors.planner.calendar import Calendar
from pdors.planner.offers import Proposal, Question, price_every_completion

Floats = NDArray[np.float64]

FACTOR_PRECISION = 1e-3
"""A factor this much smaller than the one quoted is refused."""
_LARGEST_FACTOR = 1e12
_NOISE = 1e-12
"""Sums of the same prices in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Completing in slot `completion`: payoff = utility - price."""

    completion: int
    price: float
    utility: float
    payoff: float


@dataclass(frozen=True, slots=True)
class WouldAdmit:
    """What would get a rejected job in, each way on its own; None where that way does not exist.

    priority_factor      the smallest factor on its utility with which it is admitted at the prices as they stand
    priority             the priority (or value) that this makes
    priority_completion  the promise it then has
    extra_slots          the fewest slots by which its utility would have to fall later, with the same effect
    latest_completion    the promise it then has
    epochs               how many of its epochs would fit before the horizon
    """

    priority_factor: float | None = None
    priority: float | None = None
    priority_completion: int | None = None
    extra_slots: int | None = None
    latest_completion: int | None = None
    epochs: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """The answer to a job that has not been submitted; `would_admit` is there for one that would be rejected."""

    job_id: str
    options: tuple[Offer, ...]
    best: Offer | None
    admitted: bool
    reason: Reason | None = None
    would_admit: WouldAdmit | None = None


Answer = Callable[[Question], Proposal | Rejected]


def make_quote(question: Question, ask: Answer) -> Quote:
    """Price every completion slot and decide, without committing; `ask` is that of Algorithm 1 to a question."""
    job = question.shape.job
    decision = ask(question)
    if question.slots <= job.arrival:
        return Quote(job.id, (), None, admitted=False, reason=Reason.INFEASIBLE, would_admit=WouldAdmit())
    calendar = price_every_completion(question)
    prices = calendar.prices_on_grid()
    options = _options(question, prices)
    if isinstance(decision, Proposal):
        best = Offer(decision.completion, decision.price, decision.utility, decision.payoff)
        by_completion = {option.completion: option for option in options} | {best.completion: best}
        return Quote(job.id, tuple(by_completion[slot] for slot in sorted(by_completion)), best, admitted=True)
    best_option = max(options, key=lambda option: option.payoff, default=None)
    would_admit = _ways_in(question, ask, calendar, prices, options)
    return Quote(job.id, options, best_option, admitted=False, reason=decision.reason, would_admit=would_admit)


def _options(question: Question, prices: Floats) -> tuple[Offer, ...]:
    """Every completion slot in which something of the cheapest plan trains; in others it would be done before."""
    arrival = question.shape.job.arrival
    utility = question.shape.job.utility.values(np.arange(len(prices)))
    before = np.concatenate([[np.inf], prices[:-1]])
    cheaper = np.flatnonzero(prices < before * (1 - _NOISE))
    return tuple(
        Offer(arrival + slot, price, worth, worth - price)
        for slot, price, worth in zip(
            cheaper.tolist(), prices[cheaper].tolist(), utility[cheaper].tolist(), strict=True
        )
    )


def _ways_in(
    question: Question, ask: Answer, calendar: Calendar, prices: Floats, options: tuple[Offer, ...]
) -> WouldAdmit:
    if not options:
        epochs = math.floor(calendar.most_samples() / question.shape.job.samples * (1 + 1e-12))
        return WouldAdmit(epochs=epochs if epochs >= 1 else None)
    utility = question.shape.job.utility
    raised = _smallest_factor(question, ask, options)
    patient = _fewest_extra_slots(question, ask, prices)
    return WouldAdmit(
        priority_factor=raised and raised[0],
        priority=raised and raised[0] * utility.height,
        priority_completion=raised and raised[1].completion,
        extra_slots=patient and patient[0],
        latest_completion=patient and patient[1].completion,
    )


def _smallest_factor(question: Question, ask: Answer, options: tuple[Offer, ...]) -> tuple[float, Proposal] | None:
    """Bisection from the price per utility of the options, each step a whole decision."""
    refused = 1.0
    factor = min((option.price / option.utility for option in options if option.utility > 0), default=math.inf)
    answer: Proposal | Rejected | None = None
    while factor < _LARGEST_FACTOR:
        factor *= 1 + FACTOR_PRECISION / 2
        answer = ask(_with_utility(question, question.shape.job.utility.scaled(factor)))
        if isinstance(answer, Proposal):
            break
        refused = max(refused, factor)
        factor *= 1.1
    if not isinstance(answer, Proposal):
        return None
    trial = factor / (1 + FACTOR_PRECISION)
    while factor / refused > 1 + FACTOR_PRECISION:
        smaller = ask(_with_utility(question, question.shape.job.utility.scaled(trial)))
        if isinstance(smaller, Proposal):
            factor, answer = trial, smaller
        else:
            refused = trial
        trial = math.sqrt(factor * refused)
    return factor, answer


def _fewest_extra_slots(question: Question, ask: Answer, prices: Floats) -> tuple[int, Proposal] | None:
    """The least delay of the utility, up to the horizon, that whole decisions agree to; looked for where the options
    begin to pay.
    """
    utility, durations = question.shape.job.utility, np.arange(len(prices))

    def agreed(delay: int) -> Proposal | None:
        answer = ask(_with_utility(question, utility.delayed(delay)))
        return answer if isinstance(answer, Proposal) else None

    refused, delay = 0, question.slots
    while delay - refused > 1:
        middle = (refused + delay) // 2
        if (utility.values(durations - middle) > prices).any():
            delay = middle
        else:
            refused = middle
    last = min(delay + 3, question.slots)
    while (found := agreed(delay)) is None and delay < last:
        delay += 1
    while found and delay > 1 and (earlier := agreed(delay - 1)):
        delay, found = delay - 1, earlier
    return (delay, found) if found else None


def _with_utility(question: Question, utility: Utility) -> Question:
    job = replace(question.shape.job, utility=utility)
    return replace(question, shape=replace(question.shape, job=job))
