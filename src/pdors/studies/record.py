"""An outcome as JSON and back, so that one process can run a policy and another one draw it."""

from __future__ import annotations

from typing import Any

from pdors.engine import Moment, Outcome
from pdors.files import decisions_document, parse_decisions
from pdors.model.job import Instance


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    return {
        "decisions": decisions_document(outcome.decisions, outcome.instance),
        "promises": dict(outcome.promises),
        "moments": [[moment.slot, moment.queue, moment.prices] for moment in outcome.moments],
        "decision_seconds": dict(outcome.decision_seconds),
    }


def parse_outcome(document: dict[str, Any], instance: Instance) -> Outcome:
    return Outcome(
        instance=instance,
        decisions=parse_decisions(document["decisions"], instance, "a kept run"),
        promises=document["promises"],
        moments=tuple(Moment(slot, queue, prices) for slot, queue, prices in document["moments"]),
        decision_seconds=document["decision_seconds"],
    )
