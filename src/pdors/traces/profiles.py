"""Measured step times of the applications of Pollux (OSDI 2021) and Sia (SOSP 2023), and what they make of a job.

A step is one pass of a worker over its local batch and the synchronisation after it. With the global batch B and W
workers each has B / W samples of it. What is known then:

    B / W between two local batches that were measured   both times interpolated linearly
    B / W above the largest                              k equal passes, k the fewest that are small enough; all but the
                                                         last without synchronisation: step + (k - 1)(step - sync)
    B / W below the smallest                             nothing: W workers cannot be had

Workers on one node are as fast as on one node; apart, as in the slowest of the measured ways to be so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field

from pdors.model.speed import TableSpeed
from pdors.traces.report import Tally
from pdors.traces.row import Row, RowError, as_count, shown
from pdors.traces.sources import Format
from pdors.traces.table import Table, unusable

PLACEMENTS = Format("step times by placement", ("placement", "local_bsz", "step_time", "sync_time"))
SCALABILITY = Format("step times by nodes", ("num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"))
EPOCHS = Format("epochs of a run", ("progress", "iteration", "metric"))


@dataclass(frozen=True, slots=True, order=True)
class Layout:
    """So many workers on these nodes: `31` is three on one and one on another, `6 nodes` any six; one sign is one."""

    workers: int
    nodes: str

    @property
    def colocated(self) -> bool:
        return len(self.nodes) == 1


@dataclass(frozen=True, slots=True)
class Step:
    seconds: float
    sync: float


@dataclass(frozen=True, slots=True)
class Run:
    """A training to the end: its epochs, and the iterations in all of them."""

    epochs: int
    iterations: int


@dataclass(frozen=True)
class Profile:
    """All that was measured of one application; steps go by the local batch, runs by the global one."""

    steps: dict[Layout, dict[float, Step]] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)

    def add(self, layout: Layout, local: float, step: Step) -> None:
        """Of two measurements of the same the slower one holds."""
        known = self.steps.setdefault(layout, {})
        if local not in known or known[local].seconds < step.seconds:
            known[local] = step

    def speed(self, batch: int) -> TableSpeed | None:
        """Samples per second at this global batch; None if no number of workers can train it."""
        slowest: dict[tuple[int, bool], float] = {}
        for layout, steps in self.steps.items():
            seconds = iteration_seconds(steps, batch / layout.workers) if layout.workers <= batch else None
            if seconds is not None:
                key = layout.workers, layout.colocated
                slowest[key] = max(slowest.get(key, 0.0), seconds)
        counts = sorted({workers for workers, _ in slowest})

        def rate(workers: int, *, colocated: bool) -> float | None:
            return batch / slowest[workers, colocated] if (workers, colocated) in slowest else None

        if not counts:
            return None
        return TableSpeed(
            workers=tuple(counts),
            internal=tuple(rate(workers, colocated=True) for workers in counts),
            external=tuple(rate(workers, colocated=False) for workers in counts),
        )

    def run(self, batch: int) -> Run | None:
        """The run at this global batch, or as many epochs and samples of the one at the nearest by ratio."""
        if not self.runs:
            return None
        nearest = min(self.runs, key=lambda known: (abs(math.log(known / batch)), known))
        run = self.runs[nearest]
        return run if nearest == batch else Run(run.epochs, math.ceil(run.iterations * nearest / batch))


def iteration_seconds(steps: dict[float, Step], local: float) -> float | None:
    """What an iteration takes with this local batch, or None where it is too small to be known."""
    measured = sorted(steps)
    passes = max(1, math.ceil(local / measured[-1]))
    part = local / passes
    if part < measured[0]:
        return None
    above = min(bisect_left(measured, part), len(measured) - 1)
    below = max(above - 1, 0)
    low, high = measured[below], measured[above]
    share = 1.0 if low == high else (part - low) / (high - low)
    seconds = steps[low].seconds * (1 - share) + steps[high].seconds * share
    sync = steps[low].sync * (1 - share) + steps[high].sync * share
    return seconds + (passes - 1) * (seconds - sync)


def read_profiles(sources: dict[Format, list[Table]], hardware: str, tally: Tally) -> dict[str, Profile]:
    """Profiles by application, which is the name of their folder.

    Step times are those of one hardware, `placements-aws.csv` those of `aws`; files without such a name hold for all.
    """
    profiles: dict[str, Profile] = {}
    fitting = _of_hardware([*sources[PLACEMENTS], *sources[SCALABILITY]], hardware, tally)
    for table in fitting:
        profile = profiles.setdefault(table.path.resolve().parent.name, Profile())
        parse = _placement if table in sources[PLACEMENTS] else _scalability
        for layout, local, step in table.read(parse, tally):
            profile.add(layout, local, step)
    for table in sources[EPOCHS]:
        profile = profiles.setdefault(table.path.resolve().parent.name, Profile())
        profile.runs[_global_batch(table)] = _run(table, tally)
    return profiles


def _of_hardware(tables: list[Table], hardware: str, tally: Tally) -> list[Table]:
    named = {table.path: table.stem.partition("-")[2] for table in tables}
    fitting = [table for table in tables if named[table.path] in ("", hardware)]
    if tables and not fitting:
        others = ", ".join(sorted(set(named.values())))
        raise unusable(tables[0].path.parent.parent, "hardware", f"step times of {others} alone", hardware)
    for table in tables:
        if table not in fitting:
            tally.files_not_read[str(table.path)] = f"step times of {named[table.path]}, expected {hardware}"
    return fitting


def _placement(row: Row) -> tuple[Layout, float, Step]:
    nodes = row.text("placement")
    if not (nodes.isascii() and nodes.isdigit() and "0" not in nodes):
        raise RowError(f"placement: got {shown(nodes)}, expected the GPUs on each node as in 224")
    return Layout(sum(map(int, nodes)), nodes), *_step(row)


def _scalability(row: Row) -> tuple[Layout, float, Step]:
    nodes = row.integer("num_nodes", least=1)
    workers = row.integer("num_replicas", least=nodes)
    return Layout(workers, "1" if nodes == 1 else f"{nodes} nodes"), *_step(row)


def _step(row: Row) -> tuple[float, Step]:
    local = row.number("local_bsz", above=0)
    seconds = row.number("step_time", above=0)
    return local, Step(seconds, row.number("sync_time", least=0, most=seconds))


def _run(table: Table, tally: Tally) -> Run:
    """A row is an epoch; iterations are counted from the beginning of the run."""
    iterations = 0

    def parse(row: Row) -> None:
        nonlocal iterations
        iterations = row.integer("iteration", least=iterations + 1)

    epochs = sum(1 for _ in table.read(parse, tally))
    return Run(epochs, iterations)


def _global_batch(table: Table) -> int:
    batch = as_count(table.stem.partition("-")[2])
    if batch is None:
        raise unusable(table.path, "file name", shown(table.path.name), "one with the global batch, validation-128.csv")
    return batch
