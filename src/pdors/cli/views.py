"""The tables and sentences in which commands show their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from pdors.cli.account import REASONS, Account
from pdors.cli.screen import MOST_ROWS, FittedTable, number, number_at_least, percent, plural, printable, table
from pdors.model.decision import Admitted, Decision, Decisions
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement
from pdors.planner import Offer, Quote, WouldAdmit


def decisions_table(instance: Instance, decisions: Decisions) -> FittedTable:
    numeric = ("arrival\nslot", "done by\nslot", "most workers\n+ servers", "utility", "price", "payoff")
    return table(
        ("job", "arrival\nslot", "decision", "done by\nslot", "most workers\n+ servers", "utility", "price", "payoff"),
        (_decision_row(job, decision) for job, decision in zip(instance.jobs, decisions.decisions, strict=True)),
        numeric=numeric,
        spare=("arrival\nslot", "most workers\n+ servers", "payoff", "price", "utility"),
    )


def _decision_row(job: Job, decision: Decision) -> tuple[str, ...]:
    if not isinstance(decision, Admitted):
        return (job.id, str(job.arrival), f"rejected: {decision.reason}", "", "", "", "", number(decision.payoff))
    peak = max((run.placement for run in decision.schedule.runs), key=lambda held: held.workers, default=Placement(()))
    return (
        job.id,
        str(job.arrival),
        "unfinished" if decision.completion is None else "admitted",
        "" if decision.completion is None else str(decision.completion),
        counts(peak.workers, peak.servers),
        number(decision.utility),
        number(decision.price),
        number(decision.payoff),
    )


def decisions_summary(decisions: Decisions) -> Iterator[str]:
    jobs = len(decisions.decisions)
    reasons = Counter(decision.reason for decision in decisions.decisions if not isinstance(decision, Admitted))
    unfinished = sum(isinstance(made, Admitted) and made.completion is None for made in decisions.decisions)
    left = f", {unfinished} of them unfinished" if unfinished else ""
    yield f"admitted {jobs - reasons.total()} of {jobs} jobs{left}, total utility {number(decisions.total_utility)}"
    for reason, rejected in reasons.most_common():
        yield f"rejected {rejected} ({percent(rejected, jobs)}) for {reason}: {REASONS[reason]}"
    if "rounding_questions" in decisions.options:
        questions, failures = decisions.options["rounding_questions"], decisions.options["rounding_failures"]
        yield f"rounding failed for {failures} of {questions} questions (a number of workers in a slot)"
    yield f"decided in {decisions.seconds:.2f} seconds"


def account_summary(told: Account) -> Iterator[str]:
    yield f"{printable(told.job.id)}, arrived in slot {told.job.arrival}, {number(told.job.work)} samples"
    yield told.explanation
    if told.admitted is not None:
        yield f"utility {number(told.admitted.utility)}" + _paid(told)
    elif told.decision.payoff is not None:
        yield f"best payoff {number(told.decision.payoff)}"


def _paid(told: Account) -> str:
    return "" if told.price is None else f", price {number(told.price)}, payoff {number(told.decision.payoff)}"


def account_table(told: Account) -> FittedTable:
    return table(
        ("slots", "workers + servers on", "in all", "where", "samples\nper slot", "trained"),
        (
            (
                str(stretch.first) if stretch.first == stretch.last else f"{stretch.first}-{stretch.last}",
                ", ".join(f"{machine}: {counts(*held)}" for machine, held in stretch.placement.items()),
                counts(stretch.workers, stretch.servers),
                "together" if stretch.together else "apart",
                number(stretch.samples_per_slot),
                percent(min(stretch.trained, 1), 1),
            )
            for stretch in told.stretches
        ),
        numeric=("in all", "samples\nper slot", "trained"),
        spare=("samples\nper slot", "where", "in all"),
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


def quote_table(answer: Quote) -> FittedTable:
    """Every option, or the best of them in order of completion where they are too many to read."""
    best = sorted(answer.options, key=lambda offer: offer.payoff, reverse=True)[:MOST_ROWS]
    shown = sorted(best, key=lambda offer: offer.completion)
    left_out = len(answer.options) - len(shown)
    return table(
        ("done by\nslot", "price", "utility", "payoff", ""),
        (_offer_row(offer, is_best=offer == answer.best) for offer in shown),
        numeric=("done by\nslot", "price", "utility", "payoff"),
        spare=("utility",),
        caption=f"the {len(shown)} best of {len(answer.options)}" if left_out else "",
    )


def _offer_row(offer: Offer, *, is_best: bool) -> tuple[str, ...]:
    return (
        str(offer.completion),
        number(offer.price),
        number(offer.utility),
        number(offer.payoff),
        "<- best" if is_best else "",
    )


def quote_summary(answer: Quote) -> Iterator[str]:
    job = printable(answer.job_id)
    if answer.reason is not None:
        yield f"{job} would be rejected: {REASONS[answer.reason]}"
    elif answer.best is not None:
        yield f"{job} would be admitted: done by the end of slot {answer.best.completion}"
    if answer.would_admit is not None:
        yield from _ways_in(answer.would_admit)


def _ways_in(ways: WouldAdmit) -> Iterator[str]:
    if ways.priority_factor is not None and ways.priority is not None:
        yield (
            f"it would get in if it were worth {number_at_least(ways.priority_factor)} times as much "
            f"({number_at_least(ways.priority)} at best), done by the end of slot {ways.priority_completion}"
        )
    if ways.extra_slots is not None:
        yield (
            f"it would get in if its utility fell {plural(ways.extra_slots, 'slot')} later, "
            f"done by the end of slot {ways.latest_completion}"
        )
    if ways.epochs is not None:
        yield f"it would fit with at most {plural(ways.epochs, 'epoch')}"


def counts(workers: int, servers: int) -> str:
    """Workers, and servers where there are some."""
    return f"{workers} + {servers}" if servers else str(workers)
