"""What must hold of every policy on the same jobs: one sentence for each property that does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pdors.check import check
from pdors.engine import Outcome, simulate
from pdors.files import decisions_document, instance_document
from pdors.model.job import Instance
from pdors.offline.bound import bound
from pdors.offline.optimum import optimum
from pdors.policies.registry import POLICY_NAMES, find_policy

_NOISE = 1e-9
_SOLVER_GAP = 1e-6
"""Relative: how close a proven optimum is."""


def broken_contest(
    instance: Instance, *, policies: Sequence[str] = POLICY_NAMES, bound_seconds: float = 2.0,
    optimum_seconds: float | None = None,
) -> Iterator[str]:  # fmt: skip
    """Decisions pass the check, promises are kept, and nobody beats the bound.

    With `optimum_seconds` the optimum lies between the bound and everybody; unproven, its own bound stands for it.
    """
    most = bound(instance, time_limit=bound_seconds).value * (1 + _NOISE) + _NOISE
    if optimum_seconds is not None:
        best = optimum(instance, time_limit=optimum_seconds)
        report = check(instance_document(instance), decisions_document(best.decisions, instance))
        yield from (f"optimum: {violation}" for violation in report.violations)
        if best.value > min(most, best.bound):
            yield f"optimum: {best.value}, of at most {best.bound}, and the bound {most}"
        most = min(most, (best.value if best.proven else best.bound) * (1 + _SOLVER_GAP) + _NOISE)
    for policy in policies:
        outcome = simulate(instance, find_policy(policy), record_prices=False)
        report = check(instance_document(instance), decisions_document(outcome.decisions, instance))
        yield from (f"{policy}: {violation}" for violation in report.violations)
        yield from (f"{policy}: {sentence}" for sentence in _broken_promises(outcome))
        if report.total_utility > most:
            yield f"{policy}: total utility {report.total_utility} above {most}"


def _broken_promises(outcome: Outcome) -> Iterator[str]:
    for job, decision in outcome.answered():
        promise = outcome.promises.get(job.id)
        completion = getattr(decision, "completion", None)
        if promise is not None and (completion is None or completion > promise):
            yield f"{job.id} was promised slot {promise}: {decision}"
