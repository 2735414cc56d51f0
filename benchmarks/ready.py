"""Ready: what a user waits for, from the command to the prompt.

The first plan compiles the planner into an empty cache; the later ones find it there. `examples/cluster.yaml` is
planned.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.results import ROOT, Result

REPEATS = 7


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    repeats = 3 if quick else REPEATS
    plan = ("plan", "examples/cluster.yaml")
    with tempfile.TemporaryDirectory() as cache:
        tell("the first plan, which compiles")
        first = _seconds(plan, cache)
        tell("later plans and help")
        later = [_seconds(plan, cache) for _ in range(repeats)]
        helped = [_seconds(("--help",), cache) for _ in range(repeats)]
    return [
        Result("pdors --help: median", float(np.median(helped)), "s", 0.5),
        Result("first pdors plan, with compilation", first, "s", 10),
        Result("later pdors plan: median", float(np.median(later)), "s", 2),
    ]


def _seconds(arguments: tuple[str, ...], cache: str) -> float:
    pdors = Path(sys.executable).with_name("pdors")
    started = time.perf_counter()
    subprocess.run(
        [pdors, *arguments], cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": cache}, check=True, capture_output=True
    )
    return time.perf_counter() - started
