"""Algorithm 1: every job is answered as it arrives, once and for good.

1. take the prices that hold for the job
2. find the schedule with the best payoff (Algorithm 2)
3. admit if and only if that payoff is above 0: commit the schedule, so that prices rise; else reject
"""

from __future__ import annotations

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.ledger import Ledger
from pdors.planner.calibration import PricePolicy
from pdors.planner.offers import NoProposal, Proposal, Question, TooDear, propose
from pdors.planner.prices import PriceBounds
from pdors.planner.quotes import Quote, make_quote
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver
from pdors.planner.slot_fast import FastSlotSolver


class Planner:
    """Algorithm 1 on one cluster, slots 0 .. `slots - 1`; what it admits it commits to its ledger."""

    def __init__(
        self, cluster: Cluster, slots: int, slot_seconds: float, *, prices: PricePolicy, solver: SlotSolver
    ) -> None:
        self.ledger = Ledger(cluster)
        self._slots = slots
        self._slot_seconds = slot_seconds
        self._prices = prices
        self._solver = solver
        self._empty = Ledger(cluster)
        self._sure_solver = FastSlotSolver(self._empty.units)

    def admit(self, job: Job) -> Decision:
        """Decide, commit what was decided, and learn from the job for the prices of later ones."""
        question = self.question(job)
        answer = self.answer(question)
        self._prices.learn(question.shape)
        if isinstance(answer, Rejected):
            return answer
        self.ledger.reserve(job, answer.schedule)
        return Admitted(job.id, answer.schedule, answer.completion, answer.utility, answer.payoff, answer.price)

    def quote(self, job: Job) -> Quote:
        """What the job would be answered now, without committing."""
        return make_quote(self.question(job), self.answer)

    def question(self, job: Job) -> Question:
        """What Algorithm 2 is asked for this job as the cluster stands."""
        shape = JobShape.of(job, self.ledger.units, self._slot_seconds)
        return Question(shape, self._prices.bounds(shape), self.ledger, self._slots, self._slot_seconds, self._solver)

    def answer(self, question: Question) -> Proposal | Rejected:
        """The schedule that would be admitted, or why there is none; commits to nothing."""
        job = question.shape.job
        if not self.could_finish_alone(question):
            return Rejected(job.id, Reason.INFEASIBLE)
        found = propose(question)
        if isinstance(found, NoProposal):
            return Rejected(job.id, Reason.NO_ROUNDING if found.failures else Reason.FULL)
        if isinstance(found, TooDear) or found.payoff <= 0:
            return Rejected(job.id, Reason.PRICE, found.payoff)
        return found

    def could_finish_alone(self, question: Question) -> bool:
        """Whether the job could finish before the horizon on the empty cluster, where rounding may fail as well."""
        shape, slots = question.shape, question.slots - question.shape.job.arrival
        needed = shape.work * (1 - WORK_TOLERANCE)
        if slots <= 0 or slots * max(shape.together.max(), shape.apart.max()) < needed:
            return False
        return any(slots * self._most_samples(shape, solver) >= needed for solver in (self._solver, self._sure_solver))

    def _most_samples(self, shape: JobShape, solver: SlotSolver) -> float:
        """The most that one slot of the empty cluster trains."""
        free = PriceBounds.free(len(self._empty.cluster.resources))
        return float(solver.curves(shape, free, self._empty.segments(0, 1)).samples.max(initial=0.0))
