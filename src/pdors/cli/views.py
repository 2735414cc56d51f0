"""The tables and sentences in which commands show their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from rich.table import Table

from pdors.cli.account import REASONS, Account
from pdors.cli.screen import MOST_ROWS, number, percent, table
from pdors.model.decision import Admitted, Decision, Decisions
from pdors.model.job import Instance, Job
from pdors.planner import Offer, Quote, WouldAdmit


def decisions_table(instance: Instance, decisions: Decisions) -> Table:
    return table(
        ("job", "arrival", "decision", "done by slot", "at most", "utility", "price", "payoff"),
        (_decision_row(job, decision) for job, decision in zip(instance.jobs, decisions.decisions, strict=True)),
        numeric=("arrival", "done by slot", "at most", "utility", "price", "payoff"),
    )


def _decision_row(job: Job, decision: Decision) -> tuple[str, ...]:
    if not isinstance(decision, Admitted):
        return (job.id, str(job.arrival), f"rejected: {decision.reason}", "", "", "", "", number(decision.payoff))
    peak = max(decision.schedule.runs, key=lambda run: run.placement.workers).placement
    return (
        job.id,
        str(job.arrival),
        "admitted",
        "" if decision.completion is None else str(decision.completion),
        counts(peak.workers, peak.servers),
        number(decision.utility),
        number(decision.price),
        number(decision.payoff),
    )


def decisions_summary(decisions: Decisions) -> Iterator[str]:
    jobs = len(decisions.decisions)
    reasons = Counter(decision.reason for decision in decisions.decisions if not isinstance(decision, Admitted))
    yield f"admitted {jobs - reasons.total()} of {jobs} jobs, total utility {number(decisions.total_utility)}"
    for reason, rejected in reasons.most_common():
        yield f"rejected {rejected} ({percent(rejected, jobs)}) for {reason}: {REASONS[reason]}"
    yield f"{decisions.seconds:.2f} seconds"


def account_summary(told: Account) -> Iterator[str]:
    yield f"{told.job.id}, arrived in slot {told.job.arrival}, {number(told.job.work)} samples"
    yield told.explanation
    if told.admitted is not None:
        yield f"utility {number(told.admitted.utility)}" + _paid(told)
    elif told.decision.payoff is not None:
        yield f"best payoff {number(told.decision.payoff)}"


def _paid(told: Account) -> str:
    return "" if told.price is None else f", price {number(told.price)}, payoff {number(told.decision.payoff)}"


def account_table(told: Account) -> Table:
    return table(
        ("slots", "workers + servers on", "in all", "where", "samples a slot", "trained"),
        (
            (
                str(stretch.first) if stretch.first == stretch.last else f"{stretch.first}-{stretch.last}",
                ", ".join(f"{machine}: {counts(*held)}" for machine, held in stretch.placement.items()),
                counts(stretch.workers, stretch.servers),
                "together" if stretch.together else "apart",
                number(stretch.samples_per_slot),
                percent(stretch.trained, 1),
            )
            for stretch in told.stretches
        ),
        numeric=("samples a slot", "trained"),
    )


def quote_document(answer: Quote) -> dict[str, object]:
    return {
        "job": answer.job_id,
        "options": [asdict(offer) for offer in answer.options],
        "best": None if answer.best is None else asdict(answer.best),
        "admitted": answer.admitted,
        "reason": answer.reason,
        "would_admit": {} if answer.would_admit is None else asdict(answer.would_admit),
    }


def quote_table(answer: Quote) -> Table:
    """Every option, or the best of them in order of completion where they are too many to read."""
    best = sorted(answer.options, key=lambda offer: offer.payoff, reverse=True)[:MOST_ROWS]
    shown = sorted(best, key=lambda offer: offer.completion)
    drawn = table(
        ("done by slot", "price", "utility", "payoff", ""),
        (_offer_row(offer, is_best=offer == answer.best) for offer in shown),
        numeric=("done by slot", "price", "utility", "payoff"),
    )
    if len(shown) < len(answer.options):
        drawn.caption = f"the {len(shown)} best of {len(answer.options)}"
    return drawn


def _offer_row(offer: Offer, *, is_best: bool) -> tuple[str, ...]:
    return (
        str(offer.completion),
        number(offer.price),
        number(offer.utility),
        number(offer.payoff),
        "<- best" if is_best else "",
    )


def quote_summary(answer: Quote) -> Iterator[str]:
    if answer.reason is not None:
        yield f"{answer.job_id} would be rejected: {REASONS[answer.reason]}"
    elif answer.best is not None:
        yield f"{answer.job_id} would be admitted: done by the end of slot {answer.best.completion}"
    if answer.would_admit is not None:
        yield from _ways_in(answer.would_admit)


def _ways_in(ways: WouldAdmit) -> Iterator[str]:
    if ways.priority_factor is not None:
        yield (
            f"it would get in with a utility {number(ways.priority_factor)} times as high (height "
            f"{number(ways.priority)}), done by slot {ways.priority_completion}"
        )
    if ways.extra_slots is not None:
        yield (
            f"it would get in with a utility that falls {ways.extra_slots} slots later, done by slot "
            f"{ways.latest_completion}"
        )
    if ways.epochs is not None:
        yield f"it would fit with at most {number(ways.epochs)} epochs"


def counts(workers: int, servers: int) -> str:
    """Workers, and servers where there are some."""
    return f"{workers} + {servers}" if servers else str(workers)
