"""The workloads of Pollux and Sia: jobs of seven applications, of which step times and epochs were measured.

speed      measured, see `profiles`; without profiles as the paper draws it
work       the epochs of the application's run at the job's global batch, without one as the paper draws it
utility    the traces have none: a sigmoid as the paper draws it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pdors.model.job import Instance, Job
from pdors.traces.excerpt import Arrival, Excerpt
from pdors.traces.filling import SPEED, WORK, Filling, told_machines
from pdors.traces.names import Names
from pdors.traces.nodes import Nodes
from pdors.traces.profiles import EPOCHS, PLACEMENTS, SCALABILITY, Profile, read_profiles
from pdors.traces.report import Tally, Trace
from pdors.traces.row import Row
from pdors.traces.sources import Format, tables
from pdors.traces.table import Table, unusable
from pdors.workloads.paper_settings import Mix, PaperWorkload

JOBS = Format("jobs", ("name", "time", "application", "num_replicas", "batch_size"))
PUBLISHED = Nodes(16, 4)
"""The cluster of Pollux's evaluation."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    submitted: float
    application: str
    batch: int


def read(
    paths: Iterable[Path],
    excerpt: Excerpt,
    rng: np.random.Generator,
    *,
    profiles: Path | None = None,
    hardware: str = "aws",
    nodes: Nodes = PUBLISHED,
    mix: Mix = PaperWorkload.mix,
) -> Trace:
    """An instance on these nodes; `paths` are files of jobs and of profiles, or folders of them."""
    paths, tally = list(paths), Tally()
    sampling, drawing = rng.spawn(2)
    formats = (JOBS, PLACEMENTS, SCALABILITY, EPOCHS)
    sources = tables(paths if profiles is None else [*paths, profiles], formats, tally)
    measured = read_profiles(sources, hardware, tally)
    names, rows = Names(), list[_Row]()
    for table in sources[JOBS]:
        rows += table.read(_job_parser(table, names), tally)
    tally.jobs_found = len(rows)
    if measured:
        rows = _measured(rows, measured, tally)
    if not rows:
        got = f"{tally.jobs_found} without step times" if tally.jobs_found else "none"
        raise unusable(", ".join(map(str, paths)), "jobs", got, f"{JOBS}, of applications with profiles")
    arrivals = excerpt.take([row.submitted for row in rows], sampling, tally)
    filling = Filling(len(arrivals), excerpt, drawing, mix=mix)
    jobs = tuple(
        _job(rows[arrival.index], arrival, measured, filling.job(index)) for index, arrival in enumerate(arrivals)
    )
    tally.unused["num_replicas"] = "how many GPUs a job gets is for the scheduler"
    tally.filled |= told_machines(nodes.cluster)
    if not measured:
        tally.filled |= filling.told(*SPEED, *WORK)
    elif any(measured[rows[arrival.index].application].run(1) is None for arrival in arrivals):
        tally.filled |= {name: f"of jobs without a run {rule}" for name, rule in filling.told(*WORK).items()}
    tally.filled |= filling.told("priority", "target_slots") | filling.told_classes()
    return tally.trace(Instance(excerpt.slots, excerpt.slot_seconds, nodes.cluster, jobs), excerpt.jobs)


def _job_parser(table: Table, names: Names) -> Callable[[Row], _Row]:
    def parse(row: Row) -> _Row:
        row.integer("num_replicas", least=1)
        return _Row(
            submitted=row.number("time", least=0),
            application=row.text("application"),
            batch=row.integer("batch_size", least=1),
            name=names.take(row.text("name"), table),
        )

    return parse


def _measured(rows: list[_Row], profiles: dict[str, Profile], tally: Tally) -> list[_Row]:
    """The jobs of which it is known how fast they train."""
    trainable = {(row.application, row.batch): False for row in rows}
    for application, batch in trainable:
        trainable[application, batch] = application in profiles and profiles[application].speed(batch) is not None
    kept = [row for row in rows if trainable[row.application, row.batch]]
    tally.leave_out("have no step times of their application and batch", len(rows) - len(kept))
    return kept


def _job(row: _Row, arrival: Arrival, profiles: dict[str, Profile], filled: Job) -> Job:
    profile = profiles.get(row.application, Profile())
    job = replace(
        filled,
        id=row.name,
        arrival=arrival.slot,
        batch=row.batch,
        speed=profile.speed(row.batch) or filled.speed,
        worker=(1.0,),
        server=(0.0,),
    )
    run = profile.run(row.batch)
    return job if run is None else replace(job, epochs=run.epochs, samples=run.iterations * row.batch / run.epochs)
