"""How a run went over time, in few enough points to draw: use and price of each resource, and the jobs at hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdors.engine.outcome import Outcome
from pdors.model.decision import Admitted
from pdors.report.bins import Edges, Floats, means

MOST_POINTS = 400


@dataclass(frozen=True, eq=False)
class Course:
    """Means over bins of slots.

    use       share of the cluster, by resource                   (resources, bins)
    prices    mean price of a unit, NaN where there was none yet   (resources, bins), None: a policy without prices
    training  admitted jobs that hold workers                     (bins,)
    waiting   admitted jobs that are not done and hold none       (bins,)
    """

    use: Floats
    prices: Floats | None
    training: Floats
    waiting: Floats


def course_of(outcome: Outcome, bins: Edges) -> Course:
    training, waiting = _jobs_at_hand(outcome)
    total = np.maximum(outcome.instance.cluster.total, np.finfo(float).tiny)
    return Course(
        use=means(outcome.use() / total, bins).T,
        prices=_prices(outcome, bins),
        training=means(training, bins),
        waiting=means(waiting, bins),
    )


def _jobs_at_hand(outcome: Outcome) -> tuple[Floats, Floats]:
    """In each slot: the jobs that train, and those that have been admitted and wait."""
    slots = outcome.instance.slots
    present, training = np.zeros(slots + 1), np.zeros(slots + 1)
    for job, decision in outcome.answered():
        if not isinstance(decision, Admitted):
            continue
        present[job.arrival] += 1
        present[slots if decision.completion is None else decision.completion + 1] -= 1
        for run in decision.schedule.runs:
            if run.placement.workers:
                training[run.start] += 1
                training[run.stop] -= 1
    trained: Floats = training.cumsum()[:-1]
    at_hand: Floats = present.cumsum()[:-1]
    return trained, at_hand - trained


def _prices(outcome: Outcome, bins: Edges) -> Floats | None:
    """A price holds from its moment to the next one."""
    resources = outcome.instance.cluster.resources
    if all(moment.prices is None for moment in outcome.moments):
        return None
    told = np.full((len(outcome.moments) + 1, len(resources)), np.nan)
    for row, moment in enumerate(outcome.moments, start=1):
        if moment.prices is not None:
            told[row] = [moment.prices[resource] for resource in resources]
    slots = np.arange(outcome.instance.slots)
    holding = np.searchsorted([moment.slot for moment in outcome.moments], slots, side="right")
    return means(told[holding], bins).T
