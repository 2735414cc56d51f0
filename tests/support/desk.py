"""A planner with a ledger of its own, to which it commits what it admits: Algorithm 1 without an engine."""

from __future__ import annotations

from collections.abc import Iterable

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted, Decision, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.planner.admission import Planner
from pdors.planner.calibration import PricePolicy
from pdors.planner.offers import Proposal, Question
from pdors.planner.prices import PriceBounds
from pdors.planner.pricing import PricesName, price_policy
from pdors.planner.quotes import Quote
from pdors.planner.slot import SlotSolver
from pdors.policies.pdors import PaperSolver, PdOrs, SolverName
from pdors.policies.policy import Setting


class Desk:
    def __init__(
        self, cluster: Cluster, slots: int, slot_seconds: float, *, prices: PricePolicy, solver: SlotSolver
    ) -> None:
        self.ledger = Ledger(cluster)
        self.planner = Planner(cluster, slots, slot_seconds, prices=prices, solver=solver)

    def admit(self, job: Job) -> Decision:
        decision = self.planner.decide(job, self.ledger)
        if isinstance(decision, Admitted):
            self.ledger.reserve(job, decision.schedule)
        return decision

    def quote(self, job: Job) -> Quote:
        return self.planner.quote(job, self.ledger)

    def question(self, job: Job) -> Question:
        return self.planner.question(job, self.ledger)

    def answer(self, question: Question) -> Proposal | Rejected:
        return self.planner.answer(question)

    def could_finish_alone(self, question: Question) -> bool:
        return self.planner.could_finish(question)


def desk_for(
    instance: Instance,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName | PriceBounds = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
) -> Desk:
    """The planner that `pdors.plan` runs, on the empty cluster of the instance."""
    setting = Setting(instance.cluster, instance.slots, instance.slot_seconds, seed)
    desk = Desk.__new__(Desk)
    desk.ledger = Ledger(instance.cluster)
    desk.planner = PdOrs(setting, solver=solver, prices=price_policy(instance, prices, history)).planner
    return desk
