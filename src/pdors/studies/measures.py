"""What one run is judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from pdors.engine import Outcome
from pdors.model.decision import Admitted
from pdors.model.utility import DeadlineUtility, SigmoidUtility, Utility


@dataclass(frozen=True)
class Measures:
    """`done_in_time` counts jobs that reach the target or deadline of their utility; `use` is the mean share held.

    The training time of a job is completion - arrival in slots; one that is not done by the horizon T counts T.
    """

    total_utility: float
    jobs: int
    done: int
    done_in_time: int
    median_training_slots: float
    use: Mapping[str, float]
    rejections: Mapping[str, int]
    decision_p50_seconds: float
    decision_p99_seconds: float
    seconds: float

    def document(self) -> dict[str, object]:
        return asdict(self)


def measure(outcome: Outcome) -> Measures:
    instance = outcome.instance
    durations = {
        job.id: decision.completion - job.arrival
        for job, decision in outcome.answered()
        if isinstance(decision, Admitted) and decision.completion is not None
    }
    reasons = Counter(decision.reason.value for _, decision in outcome.answered() if not isinstance(decision, Admitted))
    waited = list(outcome.decision_seconds.values()) or [0.0]
    share = outcome.use().mean(axis=0) / np.maximum(instance.cluster.total, np.finfo(float).tiny)
    return Measures(
        total_utility=outcome.total_utility,
        jobs=len(instance.jobs),
        done=len(durations),
        done_in_time=sum(in_time(job.utility, durations[job.id]) for job in instance.jobs if job.id in durations),
        median_training_slots=float(np.median([durations.get(job.id, instance.slots) for job in instance.jobs] or [0])),
        use=dict(zip(instance.cluster.resources, share.tolist(), strict=True)),
        rejections=dict(sorted(reasons.items())),
        decision_p50_seconds=float(np.quantile(waited, 0.5)),
        decision_p99_seconds=float(np.quantile(waited, 0.99)),
        seconds=outcome.decisions.seconds,
    )


def in_time(utility: Utility, duration: int) -> bool:
    """Whether a duration reaches the sigmoid's target, the deadline, or all that a table has to give."""
    match utility:
        case SigmoidUtility():
            return duration <= utility.target
        case DeadlineUtility():
            return duration <= utility.deadline
        case _:
            return utility.value(duration) == utility.height
