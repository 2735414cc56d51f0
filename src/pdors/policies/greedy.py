"""Everybody who can finish is admitted, as early as can be: PD-ORS with all prices 0, to see what its prices are worth.

Algorithms 2 and 3 answer two questions in turn: by which slot the work can be done in what is left, and with which of
the schedules that end there the job takes least,

    sum over slots, machines and resources of (W alpha_r + S beta_r) / C_r   -> shares of the whole cluster, times slots

The second is Algorithm 2 at a price that is the same on every machine and never rises, for a job that is worth
something until that slot, and nothing after it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pdors.model.cluster import Cluster
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Job
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.alone import Alone
from pdors.planner.offers import Proposal, Question, price_every_completion, propose
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot_fast import FastSlotSolver
from pdors.policies.policy import Policy, Setting, View


class Greedy(Policy):
    """Decides at arrival and for good; what a job is worth decides nothing."""

    name = "greedy"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._alone = Alone(setting.cluster, setting.slots)
        self._solver = FastSlotSolver(Units(setting.cluster))
        self._shares = _price_of_a_share(setting.cluster)

    def decide(self, job: Job, view: View) -> Admitted | Rejected:
        setting = self.setting
        shape = JobShape.of(job, view.ledger.units, setting.slot_seconds)
        if not self._alone.could_finish(shape):
            return Rejected(job.id, Reason.INFEASIBLE)
        question = Question(
            shape, self._shares, view.ledger, setting.slots, setting.slot_seconds, self._solver, coarsely=False
        )
        found = _earliest(question)
        if found is None:
            return Rejected(job.id, Reason.FULL)
        utility = job.utility.value(found.completion - job.arrival)
        return Admitted(job.id, found.schedule, found.completion, utility)


def _earliest(question: Question) -> Proposal | None:
    """Of the schedules that end as early as possible the one that takes least."""
    taken = price_every_completion(question).price
    possible = np.flatnonzero(np.isfinite(taken))
    if not len(possible):
        return None
    duration = int(possible[0])
    just_enough = float(taken[duration]) or 1.0
    in_time = replace(question.shape.job, utility=DeadlineUtility(just_enough, duration))
    found = propose(replace(question, shape=replace(question.shape, job=in_time)))
    return found if isinstance(found, Proposal) else None


def _price_of_a_share(cluster: Cluster) -> PriceBounds:
    """The whole of a resource, on all machines together, costs 1 per slot."""
    log_price = tuple(-math.log(total) if total > 0 else FREE for total in cluster.total.tolist())
    return PriceBounds(log_price, log_price)
