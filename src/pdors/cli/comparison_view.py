"""A comparison as a table and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from pdors.cli.screen import FittedTable, number, percent, table
from pdors.model.job import Instance
from pdors.report import PolicySummary, comparison_report
from pdors.studies.comparison import Comparison, mean_of, spread_of


def comparison_table(made: Comparison) -> FittedTable:
    """The best policy first."""
    order = sorted(made.measures, key=lambda policy: -(mean_of(_totals(made, policy)) or 0.0))
    columns = (
        "policy", "total\nutility", "spread\n(sd)", "of the\nbound", "jobs\ndone", "in\ntime",
        "median training\nslots", "use of the\nscarcest", "decision ms\np50", "decision ms\np99",
    )  # fmt: skip
    spare = ("use of the\nscarcest", "decision ms\np50", "spread\n(sd)", "median training\nslots")
    return table(columns, (_row(made, policy) for policy in order), numeric=columns[1:], spare=spare)


def comparison_summary(made: Comparison) -> Iterator[str]:
    seeds, jobs = len(made.seeds), sum(found.jobs for found in next(iter(made.measures.values())))
    yield f"{jobs} jobs over {seeds} seed{'' if seeds == 1 else 's'}; a job that is not done counts the whole horizon"
    if any(made.bounds):
        yield f"no schedule is worth more than {number(mean_of(made.bounds))} (mean of the offline bounds)"


def comparison_html(made: Comparison, instance: Instance, facts: Mapping[str, str]) -> str:
    """`instance` is that of the first seed."""
    summaries = [_summary(made, policy) for policy in made.measures]
    return comparison_report("Comparison of policies", instance, made.outcomes, summaries, facts)


def _summary(made: Comparison, policy: str) -> PolicySummary:
    found = made.measures[policy]
    rejections: Counter[str] = Counter()
    for one in found:
        rejections.update(one.rejections)
    return PolicySummary(
        policy=policy,
        utilities=tuple(_totals(made, policy)),
        bounds=made.bounds,
        jobs=sum(one.jobs for one in found),
        done=sum(one.done for one in found),
        by_target=sum(one.done_in_time for one in found),
        median_training_slots=mean_of(one.median_training_slots for one in found) or 0.0,
        use={resource: mean_of(one.use[resource] for one in found) or 0.0 for resource in found[0].use},
        decision_p50_s=mean_of(one.decision_p50_seconds for one in found) or 0.0,
        decision_p99_s=mean_of(one.decision_p99_seconds for one in found) or 0.0,
        rejections=rejections,
    )


def _row(made: Comparison, policy: str) -> tuple[str, ...]:
    found = made.measures[policy]
    jobs = sum(one.jobs for one in found)
    share = mean_of(made.of_bound(policy))
    return (
        policy,
        number(mean_of(_totals(made, policy))),
        number(spread_of(_totals(made, policy))),
        "" if share is None else percent(share, 1),
        percent(sum(one.done for one in found), jobs),
        percent(sum(one.done_in_time for one in found), jobs),
        number(mean_of(one.median_training_slots for one in found)),
        percent(mean_of(max(one.use.values()) for one in found) or 0.0, 1),
        number(1e3 * (mean_of(one.decision_p50_seconds for one in found) or 0.0)),
        number(1e3 * (mean_of(one.decision_p99_seconds for one in found) or 0.0)),
    )


def _totals(made: Comparison, policy: str) -> list[float]:
    return [found.total_utility for found in made.measures[policy]]
