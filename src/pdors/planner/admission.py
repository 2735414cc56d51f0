"""Algorithm 1: every job is answered as it arrives, once and for good.

1. take the prices that hold for the job
2. find the schedule with the best payoff (Algorithm 2)
3. admit if and only if that payoff is above 0; the schedule is then reserved, so that prices rise
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import Job
from pdors.model.ledger import LedgerView
from pdors.planner.alone import Alone
from pdors.planner.calibration import PricePolicy
from pdors.planner.offers import NoProposal, Proposal, Question, TooDear, propose
from pdors.planner.prices import PriceBounds
from pdors.planner.quotes import Quote, make_quote
from pdors.planner.servers import further_ratios, workers_per_server
from pdors.planner.shape import JobShape
from pdors.planner.slot import SlotSolver


class Planner:
    """Algorithm 1 on one cluster, slots 0 .. `slots - 1`. It commits to nothing: who asks reserves what is admitted.

    `bounds` are the prices that held for the last decision. With `more_servers` jobs get as many as pay (`servers`),
    else the fewest that their speed asks for.
    """

    def __init__(
        self, cluster: Cluster, slots: int, slot_seconds: float, *, prices: PricePolicy, solver: SlotSolver,
        more_servers: bool = False,
    ) -> None:  # fmt: skip
        self._slots = slots
        self._slot_seconds = slot_seconds
        self._prices = prices
        self._solver = solver
        self._cluster = cluster
        self._more_servers = more_servers
        self.alone = Alone(cluster, slots, solver)
        self.bounds: PriceBounds | None = None

    def decide(self, job: Job, ledger: LedgerView) -> Decision:
        """Steps 1 to 3 but for the reservation, and learn from the job for the prices of later ones."""
        question = self.question(job, ledger)
        self.bounds = question.prices
        answer = self.answer(question)
        if isinstance(answer, Rejected):
            self._prices.learn(question.shape, None)
            return answer
        self._prices.learn(question.shape, answer.schedule)
        return Admitted(job.id, answer.schedule, answer.completion, answer.utility, answer.payoff, answer.price)

    def quote(self, job: Job, ledger: LedgerView) -> Quote:
        """What the job would be answered now."""
        return make_quote(self.question(job, ledger), self.answer)

    def question(self, job: Job, ledger: LedgerView) -> Question:
        """What Algorithm 2 is asked for this job as the cluster stands."""
        ratio = workers_per_server(job, self._cluster) if self._more_servers else math.inf
        shape = JobShape.of(job, ledger.units, self._slot_seconds, workers_per_server=ratio)
        return Question(shape, self._prices.bounds(shape), ledger, self._slots, self._slot_seconds, self._solver)

    def answer(self, question: Question) -> Proposal | Rejected:
        """The schedule that would be admitted, or why there is none."""
        job = question.shape.job
        found: Proposal | TooDear | NoProposal | None = None
        for shape in self._shapes_in_time(question):
            found = propose(replace(question, shape=shape))
            if not isinstance(found, NoProposal):
                break
        if found is None:
            return Rejected(job.id, Reason.INFEASIBLE)
        if isinstance(found, NoProposal):
            return Rejected(job.id, Reason.NO_ROUNDING if found.failures else Reason.FULL)
        if isinstance(found, TooDear) or found.payoff <= 0:
            return Rejected(job.id, Reason.PRICE, found.payoff)
        return found

    def could_finish(self, question: Question) -> bool:
        """Whether the job could be done before the horizon with the cluster to itself."""
        return next(self._shapes_in_time(question), None) is not None

    def _shapes_in_time(self, question: Question) -> Iterator[JobShape]:
        """The job with the servers that pay, and then with fewer or more, as far as it could finish like that."""
        job = question.shape.job
        if self.alone.could_finish(question.shape):
            yield question.shape
        for ratio in further_ratios(job, self._cluster) if self._more_servers else ():
            shape = JobShape.of(job, question.view.units, self._slot_seconds, workers_per_server=ratio)
            if self.alone.could_finish(shape):
                yield shape
