"""What is run beside policies and bounds; each cell as JSON, with the seconds that it took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pdors.offline.optimum import optimum
from pdors.studies.runs import Result, Run
from pdors.studies.sources import Source

Row = Mapping[str, float | None]
"""What one cell gave, flat, without anything that differs from run to run."""


@dataclass(frozen=True)
class Timed:
    """A run, and the seconds of the process that it takes."""

    run: Run

    @property
    def identity(self) -> str:
        return f"timed {self.run.identity}"

    def __call__(self) -> Result:
        started = time.process_time()
        result = self.run()
        return {"result": result, "seconds": time.process_time() - started}


@dataclass(frozen=True)
class OptimumRun:
    """The offline optimum of one seed's jobs; where it is not proven in time, `bound` is what none exceeds."""

    source: Source
    seed: int
    time_limit: float

    @property
    def identity(self) -> str:
        return repr((self.source.identity, self.seed, "optimum", self.time_limit))

    def __call__(self) -> Result:
        found = optimum(self.source.instance(self.seed), time_limit=self.time_limit)
        return {"total_utility": found.value if found.proven else found.bound, "proven": float(found.proven)}


_TIMES = ("seconds", "decision_p50_seconds", "decision_p99_seconds")


def row_of(result: Result) -> Row:
    """Any cell's numbers under one set of names; what a run took is left out."""
    if "bound" in result:
        return {"total_utility": result["bound"], "bound_gap": result["gap"]}
    measures: dict[str, Any] = dict(result.get("measures", result))
    for time_taken in _TIMES:
        measures.pop(time_taken, None)
    use = measures.pop("use", {})
    rejections = measures.pop("rejections", {})
    row = measures | {f"use_{name}": share for name, share in use.items()}
    if use:
        row["use_of_scarcest"] = max(use.values())
        row |= {f"rejected_{reason}": rejections.get(reason, 0) for reason in ("price", "full", "infeasible")}
    return row
