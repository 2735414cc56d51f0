"""The answer to a job: admitted with a schedule and a promise, or rejected with a reason. Values, not exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pdors.model.schedule import Schedule


class Reason(StrEnum):
    """Why a job was not admitted."""

    PRICE = "price"
    """It fits, but its best payoff is not above 0."""
    INFEASIBLE = "infeasible"
    """It cannot finish before the horizon even on the empty cluster."""
    FULL = "full"
    """It cannot finish within what is left."""
    NO_ROUNDING = "no_rounding"
    """Randomised rounding found no integer placement."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """`completion` is the promise: the last slot in which the job trains; None: a policy without promises left it
    unfinished. `payoff` = utility - `price` (None where a policy has no prices)."""

    job_id: str
    schedule: Schedule
    completion: int | None
    utility: float
    payoff: float | None = None
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """`payoff` is the best that was possible, None where there is none."""

    job_id: str
    reason: Reason
    payoff: float | None = None


Decision = Admitted | Rejected


@dataclass(frozen=True)
class Decisions:
    """What one policy decided on one instance, one decision per job in the instance's order."""

    policy: str
    decisions: tuple[Decision, ...]
    seconds: float
    seed: int = 0
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def total_utility(self) -> float:
        return sum(decision.utility for decision in self.decisions if isinstance(decision, Admitted))

    def __getitem__(self, job_id: str) -> Decision:
        for decision in self.decisions:
            if decision.job_id == job_id:
                return decision
        raise KeyError(job_id)
