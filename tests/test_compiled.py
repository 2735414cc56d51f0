"""Compiled functions: compiled once, kept on disk, and compiled again when any of the code they are made of changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from pdors.compiled import compiled, compiled_step

Integers = NDArray[np.int64]

MODULE = """\
from pdors.compiled import compiled

@compiled
def twice(number: int) -> int:
    return 2 * number
"""
PROGRAM = """\
from pdors.readiness import when_compiling_starts
from small import twice
with when_compiling_starts(lambda: print("compiling")):
    print(twice(21))
"""


def test_a_function_is_compiled_until_there_is_a_copy_on_disk(tmp_path: Path) -> None:
    source, cache = tmp_path / "small.py", tmp_path / "cache"
    source.write_text(MODULE)
    cache.mkdir()

    def run() -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        ).stdout.split()  # fmt: skip

    assert run() == ["compiling", "42"]
    assert run() == ["42"]
    source.write_text(MODULE.replace("2 *", "3 *"))
    assert run() == ["compiling", "63"]
    assert run() == ["63"]


def test_a_step_works_on_the_arrays_of_its_caller_and_makes_none() -> None:
    @compiled_step
    def double(row: Integers) -> int:
        for index in range(len(row)):
            row[index] *= 2
        return len(row)

    @compiled
    def double_all(table: Integers) -> int:
        count = 0
        for index in range(len(table)):
            count += double(table[index])
        return count

    table = np.arange(6).reshape(3, 2)
    assert double_all(table) == 6
    assert table.tolist() == [[0, 2], [4, 6], [8, 10]]

    @compiled_step
    def make(size: int) -> int:
        return len(np.zeros(size))

    with pytest.raises(NumbaError, match="Only accept returning of array passed"):
        make(3)
