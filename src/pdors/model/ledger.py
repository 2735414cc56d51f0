"""What is committed, per machine, resource and slot: the only mutable state of the model.

Time is cut into segments, stretches of slots in which the state of the whole cluster is the same; the last segment
has no end. Machines are cut into blocks of `BLOCK`. A segment is a row of block numbers, `UNTOUCHED` where nothing is
committed; equal blocks of neighbouring segments are the same block, copied when one of them changes. So memory and
time grow with what is committed: a machine, slot or horizon that nothing touches costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError, OverbookingError
from pdors.model import blocks
from pdors.model.blocks import UNTOUCHED
from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.model.schedule import Schedule
from pdors.model.units import Units

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FORGOTTEN_AT_ONCE = 64
"""Segments of the past that are worth the copying of those to come."""


@dataclass(frozen=True)
class Segments:
    """The segments that meet a range of slots: `starts[k]` is the first slot of segment k within the range.

    `rows` are (segments, blocks) numbers into `used` (block, resource, machine within the block) and `level`.
    """

    starts: Integers
    stop: int
    rows: NDArray[np.int32]
    used: Floats
    level: NDArray[np.uint16]
    lowest: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts, append=self.stop)

    def part(self, first: int, last: int) -> Segments:
        """The segments `first` .. `last - 1`."""
        stop = int(self.starts[last]) if last < len(self) else self.stop
        return replace(self, starts=self.starts[first:last], stop=stop, rows=self.rows[first:last])


class LedgerView(Protocol):
    """What a policy may see of the ledger."""

    @property
    def cluster(self) -> Cluster: ...
    @property
    def units(self) -> Units: ...
    def segments(self, start: int, stop: int) -> Segments: ...
    def used(self, slot: int) -> Floats: ...


class Ledger:
    """Reservations of all jobs on one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.units = Units(cluster)
        self._pool = blocks.Pool(self.units.capacity)
        self._starts: Integers = np.zeros(1, dtype=np.int64)
        self._rows: NDArray[np.int32] = np.full((1, self._pool.blocks_per_row), UNTOUCHED, dtype=np.int32)

    def reserve(self, job: Job, schedule: Schedule) -> None:
        """Commit the schedule, all of it or (raising `OverbookingError`) nothing."""
        self._apply(job, schedule, +1)

    def release(self, job: Job, schedule: Schedule) -> None:
        """Give back what was reserved, all of it or (raising `OverbookingError`) nothing."""
        self._apply(job, schedule, -1)

    def reserve_amounts(self, start: int, stop: int, amounts: Floats) -> None:
        """Commit `amounts` (machines, resources), in units, in the slots `start` .. `stop - 1`, or nothing of it."""
        machines = np.flatnonzero(amounts.any(axis=1))
        if len(machines):
            bounds = np.array([start]), np.array([stop])
            self._commit(*bounds, np.array([0, len(machines)]), machines, amounts[machines], +1)

    def forget(self, slot: int) -> None:
        """Let go of what lies before the slot, from time to time: what is over costs no memory."""
        past = self._segment_of(slot)
        if past < _FORGOTTEN_AT_ONCE:
            return
        for row in self._rows[:past]:
            self._pool.drop(row)
        self._starts, self._rows = self._starts[past:].copy(), self._rows[past:].copy()

    def segments(self, start: int, stop: int) -> Segments:
        """The state in the slots `start` .. `stop - 1`, read-only, valid until the next reserve or release."""
        first, last = self._segment_of(start), self._segment_of(max(start, stop - 1))
        starts = self._starts[first : last + 1].copy()
        starts[0] = start
        pool = self._pool
        return Segments(starts, stop, self._rows[first : last + 1], pool.used, pool.level, pool.lowest)

    def used(self, slot: int) -> Floats:
        """What is committed in one slot, in units, (machines, resources)."""
        return self._pool.dense(self._rows[self._segment_of(slot)])

    @property
    def segment_count(self) -> int:
        return len(self._starts)

    @property
    def nbytes(self) -> int:
        return self._pool.nbytes + self._rows.nbytes + self._starts.nbytes

    def _segment_of(self, slot: int) -> int:
        segment = int(np.searchsorted(self._starts, slot, side="right")) - 1
        if segment < 0:
            raise ModelError(f"what was committed in slot {slot} is forgotten")
        return segment

    def _apply(self, job: Job, schedule: Schedule, sign: int) -> None:
        runs = schedule.runs
        if not runs:
            return
        worker, server = self.units.demand(job.worker), self.units.demand(job.server)
        shares = [share for run in runs for share in run.placement.shares]
        machines = np.array([share.machine for share in shares], dtype=np.int64)
        counts = np.array([(share.workers, share.servers) for share in shares], dtype=np.float64)
        amounts = counts[:, :1] * worker + counts[:, 1:] * server
        offsets = np.cumsum([0, *(len(run.placement.shares) for run in runs)])
        starts, stops = np.array([run.start for run in runs]), np.array([run.stop for run in runs])
        self._commit(starts, stops, offsets, machines, amounts, sign)

    def _commit(
        self, starts: Integers, stops: Integers, offsets: Integers, machines: Integers, amounts: Floats, sign: int
    ) -> None:
        """Add `sign * amounts[k]` to `machines[k]` in the slots starts[i] .. stops[i]; offsets tell the k of each i."""
        self._segment_of(int(starts[0]))
        self._split(np.union1d(starts, stops))
        first, last = np.searchsorted(self._starts, starts), np.searchsorted(self._starts, stops)
        unfit = self._pool.add(self._rows, first, last, offsets, machines, amounts, sign)
        slot = None if unfit is None else int(self._starts[unfit[0]])
        if unfit is not None or sign < 0:
            self._merge(int(first[0]), int(last[-1]))
        if unfit is not None:
            verb, lack = ("reserve", "more than it has left") if sign > 0 else ("release", "more than is reserved")
            name = self.cluster.machine_names[int(machines[unfit[1]])]
            raise OverbookingError(f"cannot {verb} on machine {name} in slot {slot}: {lack}")

    def _split(self, slots: Integers) -> None:
        """Let a segment start at each of these slots."""
        segment = np.searchsorted(self._starts, slots, side="right") - 1
        within = self._starts[segment] != slots
        if within.any():
            segment = segment[within]
            self._pool.share(self._rows[segment])
            self._starts = np.insert(self._starts, segment + 1, slots[within])
            self._rows = np.insert(self._rows, segment + 1, self._rows[segment], axis=0)

    def _merge(self, first: int, last: int) -> None:
        """Join neighbours of the segments `first` .. `last` that have become equal."""
        doomed = [
            segment
            for segment in range(max(1, first), min(last + 1, len(self._starts)))
            if self._pool.equal(self._rows[segment - 1], self._rows[segment])
        ]
        if doomed:
            for segment in doomed:
                self._pool.drop(self._rows[segment])
            self._starts = np.delete(self._starts, doomed)
            self._rows = np.delete(self._rows, doomed, axis=0)
