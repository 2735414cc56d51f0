"""The pool of blocks against dense rows, and its account of who uses which block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pdors.model.blocks import BLOCK, LEVELS, UNTOUCHED, Pool, Rows

MACHINES = BLOCK + 6
ROWS = 5
CAPACITY = np.full((MACHINES, 2), 10.0)
CAPACITY[3] = (0, 5)

Shares = dict[int, tuple[int, int]]
"""Units of the two resources by machine."""


def untouched() -> Rows:
    return np.full((ROWS, 2), UNTOUCHED, dtype=np.int32)


def add(pool: Pool, rows: Rows, first: int, last: int, shares: Shares, sign: int = 1) -> tuple[int, int] | None:
    ordered = sorted(shares.items())
    machines = np.array([machine for machine, _ in ordered], dtype=np.int64)
    amounts = np.array([amounts for _, amounts in ordered], dtype=np.float64).reshape(-1, 2)
    return pool.add(rows, np.array([first]), np.array([last]), np.array([0, len(ordered)]), machines, amounts, sign)


SHARES = st.dictionaries(
    st.sampled_from([0, 1, 3, BLOCK - 1, BLOCK, MACHINES - 1]), st.tuples(*[st.integers(0, 4)] * 2), min_size=1
)
STEPS = st.lists(
    st.tuples(st.sets(st.integers(0, ROWS), min_size=2, max_size=2).map(sorted), SHARES, st.sampled_from([1, 1, -1])),
    max_size=12,
)


@settings(max_examples=200)
@given(STEPS)
def test_rows_equal_dense_rows_and_owners_are_counted(steps: list[tuple[list[int], Shares, int]]) -> None:
    pool, rows, dense = Pool(CAPACITY), untouched(), np.zeros((ROWS, MACHINES, 2))
    for (first, last), shares, sign in steps:
        wanted = dense.copy()
        for machine, amounts in shares.items():
            wanted[first:last, machine] += sign * np.array(amounts)
        unfit = add(pool, rows, first, last, shares, sign)
        assert (unfit is None) == bool(((wanted >= 0) & (wanted <= CAPACITY)).all())
        dense = wanted if unfit is None else dense
        np.testing.assert_array_equal(np.stack([pool.dense(row) for row in rows]), dense)
        numbers, uses = np.unique(rows[rows != UNTOUCHED], return_counts=True)
        np.testing.assert_array_equal(pool.owners[numbers], uses)
        assert pool.owners.sum() == uses.sum(), "a block that no row has is free"
        assert [pool.equal(a, b) for a, b in pairwise(rows)] == [bool((a == b).all()) for a, b in pairwise(dense)]


def test_an_unfit_share_is_named() -> None:
    pool, rows = Pool(CAPACITY), untouched()
    assert add(pool, rows, 2, 3, {1: (8, 0)}) is None
    assert add(pool, rows, 0, 5, {0: (1, 1), 1: (3, 0)}) == (2, 1)
    assert add(pool, rows, 0, 5, {3: (1, 0)}) == (0, 0)


def test_rows_that_get_the_same_share_one_block() -> None:
    pool, rows = Pool(CAPACITY), untouched()
    add(pool, rows, 1, 4, {0: (1, 0)})
    assert len(set(rows[1:4, 0])) == 1
    assert (rows[:, 1] == UNTOUCHED).all()
    add(pool, rows, 2, 3, {0: (1, 0)})
    assert rows[1, 0] == rows[3, 0] != rows[2, 0]


def test_what_is_given_back_is_used_again() -> None:
    pool, rows = Pool(CAPACITY), untouched()
    sizes = []
    for _ in range(5):
        add(pool, rows, 0, ROWS, {0: (1, 1), MACHINES - 1: (2, 0)})
        sizes.append(pool.nbytes)
        add(pool, rows, 0, ROWS, {0: (1, 1), MACHINES - 1: (2, 0)}, -1)
        assert (rows == UNTOUCHED).all()
    assert len(set(sizes[1:])) == 1  # the first return takes a copy of a shared block to empty it


def test_levels_by_hand() -> None:
    pool, rows = Pool(CAPACITY), untouched()
    add(pool, rows, 0, 1, {0: (10, 5), 1: (0, 1)})
    block = rows[0, 0]
    assert pool.level[block, :, :4].tolist() == [[LEVELS - 1, 0, 0, LEVELS - 1], [2047, 409, 0, 0]]
    assert pool.lowest[block].tolist() == [0, 0], "a machine without the resource is full"
