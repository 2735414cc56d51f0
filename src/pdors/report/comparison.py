"""What a report shows of a comparison: summaries over all seeds, and every decision of one."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from pdors.engine.outcome import Outcome
from pdors.model.job import Instance
from pdors.report.bars import bars_of
from pdors.report.bins import Edges, Floats, edges
from pdors.report.course import MOST_POINTS, Course, course_of
from pdors.report.heat import Grid, cells
from pdors.report.page import page
from pdors.report.palette import colours

FULL_CELL = 250
"""A cell of the heat map is one byte: this many parts of all."""

_JOB_COLUMNS = {
    "decision": "decision", "reason": "reason", "promise": "promise_slot", "start": "start_slot",
    "completion": "completion_slot", "duration": "duration_slots", "utility": "utility", "price": "price",
    "payoff": "payoff", "workerSlots": "worker_slots", "serverSlots": "server_slots", "changes": "changes",
}  # fmt: skip


@dataclass(frozen=True)
class PolicySummary:
    """One policy over all seeds.

    `utilities` and `bounds` have one entry per seed, a bound being what no schedule could exceed, or None. `jobs`,
    `done`, `by_target` (done by the target or deadline of its utility) and `rejections` (by reason) are totals over the
    seeds. A job that is not done counts the whole horizon in `median_training_slots`. `use` is the mean share of each
    resource that was held. The rest are quantiles of what a decision took, in seconds.
    """

    policy: str
    utilities: tuple[float, ...]
    bounds: tuple[float | None, ...]
    jobs: int
    done: int
    by_target: int
    median_training_slots: float
    use: Mapping[str, float]
    decision_p50_s: float
    decision_p99_s: float
    rejections: Mapping[str, int]


def comparison_report(
    title: str,
    instance: Instance,
    outcomes: Mapping[str, Outcome],
    summaries: Sequence[PolicySummary],
    facts: Mapping[str, str],
) -> str:
    """One HTML file.

    `instance` and `outcomes`, by policy, are one seed in every detail; `summaries` are all seeds; `facts` say how the
    comparison was made.
    """
    return page(title, comparison_data(title, instance, outcomes, summaries, facts))


def comparison_data(
    title: str,
    instance: Instance,
    outcomes: Mapping[str, Outcome],
    summaries: Sequence[PolicySummary],
    facts: Mapping[str, str],
) -> dict[str, object]:
    """What the page draws, as JSON has it."""
    grid, points = Grid.of(instance), edges(instance.slots, MOST_POINTS)
    names = dict.fromkeys([*(summary.policy for summary in summaries), *outcomes])
    return {
        "title": title,
        "version": version("pdors"),
        "facts": list(facts.items()),
        "slots": instance.slots,
        "slotSeconds": instance.slot_seconds,
        "resources": list(instance.cluster.resources),
        "machines": len(instance.cluster),
        "colours": {name: [colour.light, colour.dark] for name, colour in colours(names).items()},
        "summaries": [_summary(summary) for summary in summaries],
        "jobs": {
            "id": [job.id for job in instance.jobs],
            "arrival": [job.arrival for job in instance.jobs],
            "work": _numbers(job.work for job in instance.jobs),
        },
        "heat": {
            "machines": grid.machines.tolist(),
            "slots": grid.slots.tolist(),
            "names": grid.names(instance.cluster),
            "full": FULL_CELL,
        },
        "points": points.tolist(),
        "details": {name: _detail(outcome, grid, points) for name, outcome in outcomes.items()},
    }


def _summary(summary: PolicySummary) -> dict[str, object]:
    return {
        "policy": summary.policy,
        "utilities": _numbers(summary.utilities),
        "bounds": _numbers(summary.bounds),
        "jobs": summary.jobs,
        "done": summary.done,
        "byTarget": summary.by_target,
        "medianSlots": _number(summary.median_training_slots),
        "use": {resource: _number(share) for resource, share in summary.use.items()},
        "decisionSeconds": [_number(summary.decision_p50_s), _number(summary.decision_p99_s)],
        "rejections": dict(summary.rejections),
    }


def _detail(outcome: Outcome, grid: Grid, points: Edges) -> dict[str, object]:
    bars, joined = bars_of(outcome)
    columns = outcome.per_job()
    return {
        "seed": outcome.decisions.seed,
        "bars": [number for bar in bars for number in (bar.job, bar.start, bar.stop, bar.workers, bar.servers)],
        "joined": joined,
        "jobs": {name: [_plain(value) for value in columns[column]] for name, column in _JOB_COLUMNS.items()},
        "heat": b64encode(np.rint(cells(outcome, grid) * FULL_CELL).astype(np.uint8).tobytes()).decode(),
        "course": _course(course_of(outcome, points), outcome.instance.cluster.resources),
    }


def _course(course: Course, resources: Sequence[str]) -> dict[str, object]:
    return {
        "use": _rows(course.use, resources),
        "prices": None if course.prices is None else _rows(course.prices, resources),
        "training": _numbers(course.training.tolist()),
        "waiting": _numbers(course.waiting.tolist()),
    }


def _rows(table: Floats, names: Sequence[str]) -> dict[str, list[float | None]]:
    return {name: _numbers(row) for name, row in zip(names, table.tolist(), strict=True)}


def _numbers(values: Iterable[float | None]) -> list[float | None]:
    return [_number(value) for value in values]


def _number(value: float | None) -> float | None:
    """Five significant digits are more than a screen shows; JSON has no infinity."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def _plain(value: object) -> object:
    return _number(value) if isinstance(value, float) else value
