"""What must hold of every plan, whatever the instance: one sentence for each property that does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.check import check
from pdors.files import decisions_document, instance_document
from pdors.model.decision import Admitted, Decision, Decisions, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.planner.offers import Proposal, Question
from pdors.planner.quotes import Quote, WouldAdmit
from pdors.planning import PricesName, SolverName, plan
from tests.support.desk import Desk, desk_for

Floats = NDArray[np.float64]

SLIGHTLY_LESS = 0.99
"""At so much of the factor that a quote names, the job is still refused."""
_NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class Setting:
    """How an instance is planned."""

    solver: SolverName = "fast"
    prices: PricesName = "default"
    seed: int = 0

    def plan(self, instance: Instance) -> Decisions:
        return plan(instance, solver=self.solver, prices=self.prices, seed=self.seed)

    def planner(self, instance: Instance) -> Desk:
        return desk_for(instance, solver=self.solver, prices=self.prices, seed=self.seed)

    @property
    def draws(self) -> bool:
        """Whether answers depend on random numbers, which depend on the job and the slot."""
        return self.solver == "paper"

    def __str__(self) -> str:
        return f"solver {self.solver}, prices {self.prices}"


SETTINGS = tuple(Setting(solver, prices) for solver in ("fast", "paper") for prices in ("default", "paper"))


def broken_properties(instance: Instance, setting: Setting) -> Iterator[str]:
    decisions = setting.plan(instance)
    yield from _violations(instance, decisions)
    yield from _unlike(outcome(decisions, instance), outcome(setting.plan(instance), instance), "planned again")
    yield from _order_of_file(instance, decisions, setting)
    if not setting.draws:
        yield from _new_ids(instance, decisions, setting)
    for decision in decisions.decisions:
        yield from _payoff(decision)
    yield from _as_they_arrive(instance, decisions, setting)


def broken_advice_on_epochs(instance: Instance, setting: Setting) -> Iterator[str]:
    """So many epochs as a quote says would fit before the horizon must do so, as the cluster then stands."""
    planner = setting.planner(instance)
    for job in instance.in_arrival_order():
        ways = planner.quote(job).would_admit
        if ways is not None and ways.epochs is not None:
            fewer = _answer(planner, planner.question(job), epochs=ways.epochs)
            if isinstance(fewer, Rejected) and fewer.reason is not Reason.PRICE:
                yield f"{job.id}: {fewer.reason} with the {ways.epochs} epochs that would fit"
        planner.admit(job)


def outcome(decisions: Decisions, instance: Instance) -> str:
    """The document as it is written, without the time it took."""
    document = decisions_document(decisions, instance)
    del document["seconds"]
    return json.dumps(document)


def contents(ledger: Ledger, slots: int) -> Floats:
    return np.array([ledger.used(slot) for slot in range(slots)])


def _violations(instance: Instance, decisions: Decisions) -> Iterator[str]:
    report = check(instance_document(instance), decisions_document(decisions, instance))
    yield from map(str, report.violations)
    if not np.isclose(report.total_utility, decisions.total_utility, rtol=_NOISE, atol=0):
        yield f"total utility {decisions.total_utility} is {report.total_utility} for the checker"


def _unlike(expected: object, found: object, when: str) -> Iterator[str]:
    if expected != found:
        yield f"{when}: {found} instead of {expected}"


def _order_of_file(instance: Instance, decisions: Decisions, setting: Setting) -> Iterator[str]:
    """Jobs that arrive in different slots may stand in any order."""
    latest_first = tuple(sorted(instance.jobs, key=lambda job: -job.arrival))
    again = setting.plan(replace(instance, jobs=latest_first))
    for job in instance.jobs:
        yield from _unlike(decisions[job.id], again[job.id], f"{job.id}, latest jobs first in the file")


def _new_ids(instance: Instance, decisions: Decisions, setting: Setting) -> Iterator[str]:
    names = [str(len(instance.jobs) - number) for number in range(len(instance.jobs))]
    renamed = tuple(replace(job, id=name) for job, name in zip(instance.jobs, names, strict=True))
    again = setting.plan(replace(instance, jobs=renamed))
    for old, new in zip(decisions.decisions, again.decisions, strict=True):
        yield from _unlike(old, replace(new, job_id=old.job_id), f"{old.job_id} by another id")


def _payoff(decision: Decision) -> Iterator[str]:
    payoff = decision.payoff
    if isinstance(decision, Admitted):
        if not (payoff is not None and payoff > 0 and decision.price is not None and decision.price >= 0):
            yield f"{decision.job_id}: admitted at payoff {payoff}, price {decision.price}"
    elif (payoff is not None) != (decision.reason is Reason.PRICE) or (payoff or 0) > 0:
        yield f"{decision.job_id}: rejected, {decision.reason} at payoff {payoff}"


def _as_they_arrive(instance: Instance, decisions: Decisions, setting: Setting) -> Iterator[str]:
    """The jobs one by one: alone, quoted, decided, and what the ledger then holds."""
    planner, empty = setting.planner(instance), setting.planner(instance)
    held = np.zeros((instance.slots, *instance.cluster.capacity.shape))
    for job in instance.in_arrival_order():
        decision = decisions[job.id]
        yield from _alone(job, decision, empty, setting)
        quote = planner.quote(job)
        if not np.array_equal(contents(planner.ledger, instance.slots), held):
            yield f"{job.id}: its quote has changed the ledger"
        yield from _quote(quote, decision)
        if quote.would_admit is not None:
            yield from _ways_in(planner, planner.question(job), quote.would_admit)
        yield from _unlike(decision, planner.admit(job), f"{job.id}, admitted one by one after quotes")
        if isinstance(decision, Admitted):
            _add_demand(held, job, decision, planner.ledger)
    if not np.array_equal(contents(planner.ledger, instance.slots), held):
        yield "the ledger does not hold what was admitted"


def _alone(job: Job, decision: Decision, empty: Desk, setting: Setting) -> Iterator[str]:
    """Infeasible is what could not finish alone, whatever came before; what could has room on an empty cluster."""
    question = empty.question(job)
    possible = empty.could_finish_alone(question)
    if possible == (isinstance(decision, Rejected) and decision.reason is Reason.INFEASIBLE):
        yield f"{job.id}: {decision}, although alone it could {'' if possible else 'not '}finish"
    answer = empty.answer(question)
    if possible and not setting.draws and isinstance(answer, Rejected) and answer.reason is not Reason.PRICE:
        yield f"{job.id}: {answer.reason} on the empty cluster, although it could finish"


def _quote(quote: Quote, decision: Decision) -> Iterator[str]:
    if isinstance(decision, Rejected):
        yield from _unlike((False, decision.reason), (quote.admitted, quote.reason), f"{decision.job_id}, quoted")
        return
    promised = (True, None, decision.completion, decision.price, decision.utility, decision.payoff)
    best = quote.best
    told = best and (quote.admitted, quote.reason, best.completion, best.price, best.utility, best.payoff)
    yield from _unlike(promised, told, f"{decision.job_id}, quoted")
    if best not in quote.options:
        yield f"{decision.job_id}: its best option is none of its options"


def _ways_in(planner: Desk, question: Question, ways: WouldAdmit) -> Iterator[str]:
    job, utility = question.shape.job, question.shape.job.utility
    factor, delay = ways.priority_factor, ways.extra_slots
    if factor is not None:
        if isinstance(_answer(planner, question, utility=utility.scaled(factor)), Rejected):
            yield f"{job.id}: refused at {factor} times its utility"
        if isinstance(_answer(planner, question, utility=utility.scaled(SLIGHTLY_LESS * factor)), Proposal):
            yield f"{job.id}: admitted at {SLIGHTLY_LESS} of {factor} times its utility"
    if delay is not None and isinstance(_answer(planner, question, utility=utility.delayed(delay)), Rejected):
        yield f"{job.id}: refused with a utility {delay} slots later"


def _answer(planner: Desk, question: Question, **changes: object) -> Proposal | Rejected:
    """To the job with other fields, at the prices of the question."""
    job = replace(question.shape.job, **changes)  # type: ignore[arg-type]  # fields of a job
    return planner.answer(replace(question, shape=replace(question.shape, job=job)))


def _add_demand(held: Floats, job: Job, decision: Admitted, ledger: Ledger) -> None:
    worker, server = ledger.units.demand(job.worker), ledger.units.demand(job.server)
    for slot, placement in decision.schedule.by_slot():
        for share in placement.shares:
            held[slot, share.machine] += share.workers * worker + share.servers * server
