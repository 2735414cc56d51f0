"""The bars of a gantt chart: the stretches of slots in which a job holds workers, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdors.engine.outcome import Outcome
from pdors.model.decision import Admitted
from pdors.model.schedule import Run

MOST_BARS = 30_000
"""Of one policy; above that a job's neighbouring bars become one with the mean of their workers."""


@dataclass(frozen=True, slots=True)
class Bar:
    """`job` is the number of the job in the instance; it holds the slots `start` .. `stop - 1`."""

    job: int
    start: int
    stop: int
    workers: int
    servers: int

    @property
    def slots(self) -> int:
        return self.stop - self.start


def bars_of(outcome: Outcome, most: int = MOST_BARS) -> tuple[list[Bar], bool]:
    """Every stretch with its own counts; or, and then True, one bar for all that touch, where there are too many."""
    found = [
        bar
        for job, decision in enumerate(outcome.decisions.decisions)
        if isinstance(decision, Admitted)
        for bar in _of_job(job, decision.schedule.runs)
    ]
    if len(found) <= most:
        return found, False
    return list(_joined(found)), True


def _of_job(job: int, runs: Iterable[Run]) -> Iterator[Bar]:
    """Runs that differ in nothing but their machines are one bar; servers alone are none."""
    last: Bar | None = None
    for run in runs:
        workers, servers = run.placement.workers, run.placement.servers
        if not workers:
            continue
        if last and last.stop == run.start and (last.workers, last.servers) == (workers, servers):
            last = Bar(job, last.start, run.stop, workers, servers)
            continue
        if last:
            yield last
        last = Bar(job, run.start, run.stop, workers, servers)
    if last:
        yield last


def _joined(bars: Iterable[Bar]) -> Iterator[Bar]:
    touching: list[Bar] = []
    for bar in bars:
        if touching and (touching[-1].job, touching[-1].stop) != (bar.job, bar.start):
            yield _mean(touching)
            touching = []
        touching.append(bar)
    if touching:
        yield _mean(touching)


def _mean(bars: list[Bar]) -> Bar:
    slots = sum(bar.slots for bar in bars)
    workers = round(sum(bar.slots * bar.workers for bar in bars) / slots)
    servers = round(sum(bar.slots * bar.servers for bar in bars) / slots)
    return Bar(bars[0].job, bars[0].start, bars[-1].stop, max(1, workers), servers)
