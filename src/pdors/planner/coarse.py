"""Time looked at more coarsely the further it lies ahead: many segments taken together as few.

Slots are cut into cells, of one slot each at first and of twice as many whenever that is at most a `_FINENESS`-th of
the time that has passed since the first slot. Where the state of the cluster changes within a cell, the cell counts as
one segment, in which every machine is as full as it is in its fullest slot. What fits there fits in all of its slots,
for no more than it costs there. All cells begin at multiples of their length, whatever the first slot is: so plans made
this way change what is committed at few slots, and later ones find few segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.model.blocks import UNTOUCHED
from pdors.model.ledger import Segments

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = NDArray[np.int32]
Levels = NDArray[np.uint16]

_FINENESS = 8


@dataclass(frozen=True, eq=False)
class Coarse:
    """Segments that are made when they are asked for: segment k takes `first[k]` .. `last[k]` of the fine ones."""

    fine: Segments
    starts: Integers
    first: Integers
    last: Integers

    @staticmethod
    def of(fine: Segments) -> Coarse:
        begin, changes = int(fine.starts[0]), fine.starts[1:]
        cells = _cells(begin, int(fine.starts[-1]))
        within = np.searchsorted(cells, changes, side="right") - 1
        is_cut = cells[within] < changes
        bounds = np.unique(np.concatenate([cells[within], cells[within[is_cut] + 1]]))
        starts = np.concatenate([[begin], bounds[(bounds > begin) & (bounds < fine.stop)]])
        stops = np.append(starts[1:], fine.stop)
        first = np.searchsorted(fine.starts, starts, side="right") - 1
        last = np.searchsorted(fine.starts, stops, side="left") - 1
        return Coarse(fine, starts, first, last)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def stop(self) -> int:
        return self.fine.stop

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts, append=self.stop)

    def part(self, first: int, last: int) -> Segments:
        stop = int(self.starts[last]) if last < len(self) else self.stop
        fine, of, to = self.fine, self.first[first:last], self.last[first:last]
        if (of == to).all():
            return replace(fine, starts=self.starts[first:last], stop=stop, rows=fine.rows[of])
        rows = np.empty((last - first, fine.rows.shape[1]), dtype=np.int32)
        blocks = _number_blocks(fine.rows, of, to, rows)
        used = np.empty((blocks, *fine.used.shape[1:]))
        level = np.empty((blocks, *fine.level.shape[1:]), dtype=np.uint16)
        lowest = np.empty((blocks, *fine.lowest.shape[1:]), dtype=np.uint16)
        _fill_blocks(fine.rows, of, to, rows, fine.used, fine.level, used, level, lowest)
        return Segments(self.starts[first:last], stop, rows, used, level, lowest)


def _cells(begin: int, last: int) -> Integers:
    """Where cells begin, up to the one after that which holds slot `last`."""
    parts, at, length = [], begin, 1
    while at <= last:
        stop = begin + 2 * length * _FINENESS
        stop += -stop % (2 * length)
        parts.append(np.arange(at, stop, length))
        at, length = stop, 2 * length
    return np.append(np.concatenate(parts), at)


@compiled
def _number_blocks(fine: Rows, first: Integers, last: Integers, rows: Rows) -> int:
    """Write the number of every block of the coarse segments; how many there are. Blocks alike have one number."""
    blocks = 0
    for block in range(rows.shape[1]):
        before = UNTOUCHED
        for segment in range(len(rows)):
            number = fine[first[segment], block]
            alike = True
            for row in range(first[segment] + 1, last[segment] + 1):
                alike = alike and fine[row, block] == number
            if not alike:
                rows[segment, block] = blocks
                blocks += 1
                before = UNTOUCHED
            elif number == UNTOUCHED:
                rows[segment, block] = UNTOUCHED
                before = UNTOUCHED
            elif number == before:
                rows[segment, block] = rows[segment - 1, block]
            else:
                rows[segment, block] = blocks
                blocks += 1
                before = number
    return blocks


@compiled
def _fill_blocks(fine: Rows, first: Integers, last: Integers, rows: Rows, fine_used: Floats, fine_level: Levels,
                 used: Floats, level: Levels, lowest: Levels) -> None:  # fmt: skip
    """The most that is used of each machine over the fine segments."""
    resources, machines = used.shape[1], used.shape[2]
    filled = -1
    for block in range(rows.shape[1]):
        for segment in range(len(rows)):
            new = rows[segment, block]
            if new <= filled:
                continue
            filled = new
            before = UNTOUCHED
            is_first = True
            for row in range(first[segment], last[segment] + 1):
                number = fine[row, block]
                if number in (UNTOUCHED, before):
                    continue
                before = number
                for resource in range(resources):
                    for machine in range(machines):
                        amount, step = fine_used[number, resource, machine], fine_level[number, resource, machine]
                        if is_first or amount > used[new, resource, machine]:
                            used[new, resource, machine] = amount
                        if is_first or step > level[new, resource, machine]:
                            level[new, resource, machine] = step
                is_first = False
            for resource in range(resources):
                lowest[new, resource] = level[new, resource].min()
