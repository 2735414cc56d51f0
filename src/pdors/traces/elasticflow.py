"""The traces of ElasticFlow (ASPLOS 2023): jobs with deadlines, and measured tables of how fast each model trains.

speed      iterations/s of the table for the job's model and batch x batch; without one, only what it ran with:
           its GPUs, at iterations / duration
work       iterations x batch samples: an iteration is an epoch
utility    its value until the last slot that ends by the deadline
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pdors.model.job import Instance, Job
from pdors.model.speed import TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.traces.excerpt import Arrival, Excerpt
from pdors.traces.filling import told_machines
from pdors.traces.names import Names
from pdors.traces.nodes import Nodes
from pdors.traces.report import Tally, Trace
from pdors.traces.row import LARGEST_COUNT, Row, RowError, as_count, as_number, shown
from pdors.traces.sources import Format, tables
from pdors.traces.table import Table, unusable

JOBS = Format(
    "jobs",
    (
        "job_id", "submission_time|submit_time", "num_iteration|real_iteration", "model_name", "deadline|ddl",
        "batch_size", "num_gpu", "real_duration|duration",
    ),
)  # fmt: skip
_BATCH = "global_batch_size"
THROUGHPUTS = Format("throughputs of a model", (_BATCH,))
_NOT_MEASURED = ("", "0", "nan")
_SECONDS_PER_HOUR = 3600

Throughputs = dict[tuple[str, int], dict[int, float]]
"""Iterations per second by model and global batch, then by GPUs; a count that did not run is not there."""

PUBLISHED = Nodes(16, 8)
"""The cluster of their evaluation, and the nodes on which its throughputs were measured."""


@dataclass(frozen=True, slots=True)
class _Row:
    job_id: str
    submitted: float
    seconds_left: float
    iterations: float
    model: str
    batch: int
    gpus: int
    duration: float

    @property
    def gpu_hours(self) -> float:
        return self.gpus * self.duration / _SECONDS_PER_HOUR


def read(
    paths: Iterable[Path],
    excerpt: Excerpt,
    rng: np.random.Generator,
    *,
    throughputs: Path | None = None,
    nodes: Nodes = PUBLISHED,
    measured_within: int = PUBLISHED.gpus,
    value: float | None = None,
) -> Trace:
    """An instance on these nodes; `paths` are files of jobs and of throughputs, or folders of them.

    The throughputs of up to `measured_within` GPUs were measured on one node, and hold there alone; those of more, only
    between nodes. A job whose deadline is kept is worth `value`, or by default the GPU hours that it took.
    """
    paths, tally = list(paths), Tally()
    sources = tables(paths if throughputs is None else [*paths, throughputs], (JOBS, THROUGHPUTS), tally)
    measured: Throughputs = {}
    for table in sources[THROUGHPUTS]:
        measured |= _throughputs(table, measured, tally)
    names, rows = Names(), list[_Row]()
    for table in sources[JOBS]:
        rows += table.read(_job_parser(table, names), tally)
    if not rows:
        raise unusable(", ".join(map(str, paths)), "jobs", "none", str(JOBS))
    tally.jobs_found = len(rows)
    arrivals = excerpt.take([row.submitted for row in rows], rng, tally)
    tally.filled |= told_machines(nodes.cluster) | {
        "value": "the GPU hours that the job took" if value is None else f"{value:g} for every job"
    }
    taken = [rows[arrival.index] for arrival in arrivals]
    jobs = tuple(
        Job(
            id=row.job_id,
            arrival=arrival.slot,
            epochs=row.iterations,
            samples=row.batch,
            batch=row.batch,
            speed=_speed(row, measured.get((row.model, row.batch)), measured_within),
            worker=(1.0,),
            server=(0.0,),
            utility=DeadlineUtility(row.gpu_hours if value is None else value, _deadline(row, arrival, excerpt)),
        )
        for row, arrival in zip(taken, arrivals, strict=True)
    )
    _tell(tally, taken, jobs, measured)
    return tally.trace(Instance(excerpt.slots, excerpt.slot_seconds, nodes.cluster, jobs), excerpt.jobs)


def _throughputs(table: Table, known: Throughputs, tally: Tally) -> Throughputs:
    """What one file tells of its model, which is its name."""
    counts = {name: count for name in table.columns if (count := as_count(name)) is not None}
    if not counts or len(set(counts.values())) != table.width - 1:
        raise unusable(table.path, "header", ", ".join(map(shown, table.columns)), f"{_BATCH}, then numbers of GPUs")
    found: Throughputs = {}

    def parse(row: Row) -> None:
        key = table.stem, row.integer(_BATCH, least=1)
        if key in known or key in found:
            raise RowError(f"{_BATCH}: {key[1]} of {key[0]} stands in a row before")
        rates = {count: _rate(row, name) for name, count in counts.items()}
        found[key] = {count: rate for count, rate in sorted(rates.items()) if rate is not None}

    for _ in table.read(parse, tally):
        pass
    return found


def _rate(row: Row, column: str) -> float | None:
    text = row.optional_text(column)
    if text.lower() in _NOT_MEASURED or as_number(text) == 0:
        return None
    return row.number(column, above=0)


def _job_parser(table: Table, names: Names) -> Callable[[Row], _Row]:
    def parse(row: Row) -> _Row:
        submitted = row.number("submission_time", least=0)
        return _Row(
            submitted=submitted,
            seconds_left=row.number("deadline", least=submitted) - submitted,
            iterations=row.number("num_iteration", above=0),
            model=row.text("model_name"),
            batch=row.integer("batch_size", least=1),
            gpus=row.integer("num_gpu", least=1),
            duration=row.number("real_duration", above=0),
            job_id=names.take(row.text("job_id"), table),
        )

    return parse


def _deadline(row: _Row, arrival: Arrival, excerpt: Excerpt) -> int:
    """The longest duration d with which the end of slot `arrival.slot + d` is not past the deadline."""
    ends = math.floor((arrival.seconds + row.seconds_left) / excerpt.slot_seconds)
    return min(ends - arrival.slot - 1, LARGEST_COUNT)


def _speed(row: _Row, measured: dict[int, float] | None, measured_within: int) -> TableSpeed:
    """Samples per second by GPUs: on one node up to as many as it has, between nodes above."""
    rates = measured or {row.gpus: row.iterations / row.duration}
    samples = {count: rate * row.batch for count, rate in rates.items()}
    return TableSpeed(
        workers=tuple(samples),
        internal=tuple(rate if count <= measured_within else None for count, rate in samples.items()),
        external=tuple(rate if count > measured_within else None for count, rate in samples.items()),
    )


def _tell(tally: Tally, rows: list[_Row], jobs: tuple[Job, ...], measured: Throughputs) -> None:
    unmeasured = sum(not measured.get((row.model, row.batch)) for row in rows)
    if unmeasured:
        tally.filled["speed"] = f"without throughputs ({unmeasured} of the jobs) as it ran, on its number of GPUs alone"
    if unmeasured < len(rows):
        tally.unused["num_gpu"] = "where throughputs are measured, how many GPUs a job gets is for the scheduler"
    hopeless = sum(job.utility.value(0) == 0 for job in jobs)
    tally.filled["deadline"] = f"whole slots, rounded down; too early for any schedule: {hopeless} of the jobs"
