"""The storage of the ledger: blocks of machines with what is used of them, shared between slots, copied on change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled

BLOCK = 64
"""Machines in a block."""
UNTOUCHED = -1
"""The block number that stands for a block with nothing committed."""
LEVELS = 4096
"""`level` is how full a machine is, floor(used / capacity * (LEVELS - 1)): a coarse, streamable lower bound."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Rows = NDArray[np.int32]
_GROWTH = 1.25


class Pool:
    """Blocks by number, each used by `owners[block]` rows.

    used    (block, resource, machine)  units committed
    level   (block, resource, machine)  how full, in LEVELS steps
    lowest  (block, resource)           the least full machine of the block
    """

    def __init__(self, capacity: Floats) -> None:
        machines, resources = capacity.shape
        self.machines = machines
        self.blocks_per_row = -(-machines // BLOCK)
        self.capacity: Floats = np.zeros((self.blocks_per_row, resources, BLOCK))
        padded = np.zeros((self.blocks_per_row * BLOCK, resources))
        padded[:machines] = capacity
        self.capacity[:] = padded.reshape(self.blocks_per_row, BLOCK, resources).transpose(0, 2, 1)
        self.used: Floats = np.zeros((0, resources, BLOCK))
        self.level: NDArray[np.uint16] = np.zeros((0, resources, BLOCK), dtype=np.uint16)
        self.lowest: NDArray[np.uint16] = np.zeros((0, resources), dtype=np.uint16)
        self.owners: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._spare: NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._spare_count = 0

    @property
    def nbytes(self) -> int:
        return self.used.nbytes + self.level.nbytes + self.lowest.nbytes + self.owners.nbytes + self._spare.nbytes

    def add(self, rows: Rows, first: Integers, last: Integers, offsets: Integers, machines: Integers, amounts: Floats,
            sign: int) -> tuple[int, int] | None:  # fmt: skip
        """Add `sign * amounts[k]` on `machines[k]` for k in offsets[i] .. offsets[i+1] to the rows first[i] .. last[i].

        Nothing is changed and (row, k) is returned where more than the capacity or less than nothing would result.
        """
        row, share = _find_unfit(rows, first, last, offsets, machines, amounts, sign, self.used, self.capacity)
        if row >= 0:
            return row, share
        self._ensure_spare(_count_new_blocks(rows, first, last, offsets, machines, self.owners))
        self._spare_count = _add(
            rows, first, last, offsets, machines, amounts, sign, self.capacity,
            self.used, self.level, self.lowest, self.owners, self._spare, self._spare_count,
        )  # fmt: skip
        return None

    def share(self, rows: Rows) -> None:
        """Count one more owner for each block of these rows."""
        np.add.at(self.owners, rows[rows != UNTOUCHED], 1)

    def drop(self, row: Rows) -> None:
        """Count one owner less for each block of the row."""
        self._spare_count = _drop(row, self.owners, self._spare, self._spare_count)

    def equal(self, left: Rows, right: Rows) -> bool:
        """Whether two rows hold the same amounts."""
        return bool(_equal(left, right, self.used))

    def dense(self, row: Rows) -> Floats:
        """The units used of one row, (machines, resources)."""
        resources = self.capacity.shape[1]
        table = np.zeros((self.blocks_per_row, resources, BLOCK))
        touched = row != UNTOUCHED
        table[touched] = self.used[row[touched]]
        return np.ascontiguousarray(table.transpose(0, 2, 1).reshape(-1, resources)[: self.machines])

    def _ensure_spare(self, needed: int) -> None:
        missing = needed - self._spare_count
        if missing <= 0:
            return
        old = len(self.owners)
        size = max(old + missing, int(old * _GROWTH))
        for name in ("used", "level", "lowest", "owners"):
            array = getattr(self, name)
            grown = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
            grown[:old] = array
            setattr(self, name, grown)
        spare = np.zeros(size, dtype=np.int32)
        spare[: self._spare_count] = self._spare[: self._spare_count]
        fresh = np.arange(size - 1, old - 1, -1, dtype=np.int32)
        spare[self._spare_count : self._spare_count + len(fresh)] = fresh
        self._spare, self._spare_count = spare, self._spare_count + len(fresh)


@compiled
def _find_unfit(rows: Rows, first: Integers, last: Integers, offsets: Integers, machines: Integers, amounts: Floats,
                sign: int, used: Floats, capacity: Floats) -> tuple[int, int]:  # fmt: skip
    for run in range(len(first)):
        for share in range(offsets[run], offsets[run + 1]):
            block, machine = machines[share] // BLOCK, machines[share] % BLOCK
            previous = -2
            for row in range(first[run], last[run]):
                number = rows[row, block]
                if number == previous:
                    continue
                previous = number
                for resource in range(amounts.shape[1]):
                    held = 0.0 if number < 0 else used[number, resource, machine]
                    held += sign * amounts[share, resource]
                    if held > capacity[block, resource, machine] or held < 0.0:
                        return row, share
    return -1, -1


@compiled
def _count_new_blocks(rows: Rows, first: Integers, last: Integers, offsets: Integers, machines: Integers,
                      owners: NDArray[np.int32]) -> int:  # fmt: skip
    """How many blocks `_add` takes at most."""
    count = 0
    for run in range(len(first)):
        seen = -1
        for share in range(offsets[run], offsets[run + 1]):
            block = machines[share] // BLOCK
            if block == seen:
                continue
            seen = block
            previous = -2
            for row in range(first[run], last[run]):
                number = rows[row, block]
                if number != previous and (number < 0 or owners[number] > 1):
                    count += 1
                previous = number
    return count


@compiled
def _add(rows: Rows, first: Integers, last: Integers, offsets: Integers, machines: Integers, amounts: Floats,
         sign: int, capacity: Floats, used: Floats, level: NDArray[np.uint16], lowest: NDArray[np.uint16],
         owners: NDArray[np.int32], spare: NDArray[np.int32], spare_count: int) -> int:  # fmt: skip
    resources = capacity.shape[1]
    for run in range(len(first)):
        begin = offsets[run]
        while begin < offsets[run + 1]:
            block = machines[begin] // BLOCK
            end = begin + 1
            while end < offsets[run + 1] and machines[end] // BLOCK == block:
                end += 1
            old, new = -2, -2
            for row in range(first[run], last[run]):
                number = rows[row, block]
                if number == old and new != old:
                    # The neighbour had the same block and got the same change: share its copy.
                    rows[row, block] = new
                    owners[new] += 1
                    if number >= 0:
                        owners[number] -= 1
                        if owners[number] == 0:
                            spare[spare_count] = number
                            spare_count += 1
                    continue
                old = number
                new = number
                if number < 0 or owners[number] > 1:
                    spare_count -= 1
                    new = spare[spare_count]
                    owners[new] = 1
                    rows[row, block] = new
                    for resource in range(resources):
                        for machine in range(BLOCK):
                            used[new, resource, machine] = used[number, resource, machine] if number >= 0 else 0.0
                    if number >= 0:
                        owners[number] -= 1
                for share in range(begin, end):
                    machine = machines[share] % BLOCK
                    for resource in range(resources):
                        used[new, resource, machine] += sign * amounts[share, resource]
                empty = True
                for resource in range(resources):
                    least = LEVELS - 1
                    for machine in range(BLOCK):
                        amount, room = used[new, resource, machine], capacity[block, resource, machine]
                        step = int(amount / room * (LEVELS - 1)) if room > 0.0 else LEVELS - 1
                        level[new, resource, machine] = step
                        least = min(least, step)
                        empty = empty and amount == 0.0
                    lowest[new, resource] = least
                if empty:
                    rows[row, block] = UNTOUCHED
                    owners[new] = 0
                    spare[spare_count] = new
                    spare_count += 1
                    new = old  # nothing to share: an equal neighbour is emptied on its own
                    old = -2
            begin = end
    return spare_count


@compiled
def _drop(row: Rows, owners: NDArray[np.int32], spare: NDArray[np.int32], spare_count: int) -> int:
    for block in range(len(row)):
        number = row[block]
        if number >= 0:
            owners[number] -= 1
            if owners[number] == 0:
                spare[spare_count] = number
                spare_count += 1
    return spare_count


@compiled
def _equal(left: Rows, right: Rows, used: Floats) -> bool:
    for block in range(len(left)):
        a, b = left[block], right[block]
        if a == b:
            continue
        if a < 0 or b < 0:
            return False
        for resource in range(used.shape[1]):
            for machine in range(BLOCK):
                if used[a, resource, machine] != used[b, resource, machine]:
                    return False
    return True
