"""What a decision means for its job, stretch by stretch of equal slots."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pdors.model.decision import Admitted, Decision, Reason
from pdors.model.job import Instance, Job

REASONS = {
    Reason.PRICE: "it fits, but whatever its completion, its resources cost at least what it is worth",
    Reason.INFEASIBLE: "it cannot finish before the horizon, even with the whole cluster to itself",
    Reason.FULL: "it cannot finish within what earlier jobs have left",
    Reason.NO_ROUNDING: "randomised rounding found no integer placement of its work",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """The same placement in the slots `first` .. `last`; `trained` is the share of the work done after them."""

    first: int
    last: int
    placement: dict[str, tuple[int, int]]
    workers: int
    servers: int
    together: bool
    samples_per_slot: float
    trained: float


@dataclass(frozen=True, slots=True)
class Account:
    """A job, the decision on it, and where its work sits."""

    job: Job
    decision: Decision
    stretches: tuple[Stretch, ...]

    @property
    def admitted(self) -> Admitted | None:
        return self.decision if isinstance(self.decision, Admitted) else None

    @property
    def completion(self) -> int | None:
        return self.admitted.completion if self.admitted else None

    @property
    def reason(self) -> Reason | None:
        return None if isinstance(self.decision, Admitted) else self.decision.reason

    @property
    def price(self) -> float | None:
        """What it pays: utility less payoff."""
        if self.admitted is None or self.admitted.payoff is None:
            return None
        return self.admitted.utility - self.admitted.payoff

    @property
    def explanation(self) -> str:
        if self.reason is not None:
            return f"rejected: {REASONS[self.reason]}"
        if self.completion is None:
            return "admitted without a promise, and not finished within the horizon"
        return f"admitted: done by the end of slot {self.completion}"


def account(instance: Instance, job: Job, decision: Decision) -> Account:
    names = instance.cluster.machine_names
    stretches: list[Stretch] = []
    done = 0.0
    for run in decision.schedule.runs if isinstance(decision, Admitted) else ():
        samples = run.placement.samples(job, instance.slot_seconds)
        done += run.slots * samples
        stretches.append(
            Stretch(
                first=run.start,
                last=run.stop - 1,
                placement={names[share.machine]: (share.workers, share.servers) for share in run.placement.shares},
                workers=run.placement.workers,
                servers=run.placement.servers,
                together=run.placement.colocated,
                samples_per_slot=samples,
                trained=done / job.work,
            )
        )
    return Account(job, decision, tuple(stretches))


def account_document(told: Account) -> dict[str, object]:
    job = told.job
    return {
        "job": job.id,
        "admitted": told.admitted is not None,
        "arrival": job.arrival,
        "completion": told.completion,
        "utility": told.admitted.utility if told.admitted else 0.0,
        "price": told.price,
        "payoff": told.decision.payoff,
        "reason": told.reason,
        "explanation": told.explanation,
        "samples": job.work,
        "stretches": [asdict(stretch) for stretch in told.stretches],
    }
