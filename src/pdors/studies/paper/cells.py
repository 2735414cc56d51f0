"""What is run beside policies and bounds; each cell as JSON, with the seconds that it took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pdors.offline.optimum import optimum
from pdors.planner.pricing import PricesName
from pdors.planner.rounding import Sizes, cost_ratio
from pdors.planner.theory import (
    competitive_ratio,
    delta_of_gain,
    epsilon_of,
    feasibility_right_hand_side,
    least_meaningful_delta,
)
from pdors.policies.pdors import PaperSolver
from pdors.studies.measures import measure
from pdors.studies.runs import Result, Run
from pdors.studies.sources import Source
from pdors.studies.theory import achieve, job_programs

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


@dataclass(frozen=True)
class RoundingRun:
    """PD-ORS with the paper's solver at one G: what it reaches, how rounding went, and what the theorems claim.

    Both theorems tie G to a delta, and claim nothing where that is above 1. `theory_applies` is the share of jobs for
    whose program it is not; of those the lowest bound is taken, and where there is none that of delta = 1, the least
    that the theorems could claim: nothing is easier to exceed.
    """

    source: Source
    seed: int
    gain: float
    draws: int
    prices: PricesName

    @property
    def identity(self) -> str:
        return repr((self.source.identity, self.seed, "rounding", self.gain, self.draws, self.prices))

    def __call__(self) -> Result:
        instance = self.source.instance(self.seed)
        solver = PaperSolver(gain=self.gain, draws=self.draws)
        made = achieve(instance, solver=solver, prices=self.prices, seed=self.seed)
        deltas = [delta_of_gain(self.gain, program.sizes) for program in job_programs(instance, 1.0)]
        most = max((delta for delta in deltas if delta <= 1), default=1.0)
        tally = made.rounding
        counts: Result = {} if tally is None else {
            "questions": tally.questions,
            "failed_questions": tally.failed_questions,
            "infeasible_draws": tally.failed_draws,
            "rounds": tally.draws / tally.feasible_draws if tally.feasible_draws else None,
            "cost_over_lp": tally.ratio_mean,
            "cost_over_lp_most": tally.ratio_most if tally.priced else None,
        }  # fmt: skip
        return {
            "measures": measure(made.outcome).document() | counts | {
                "theory_ratio": competitive_ratio(self.gain, most, epsilon_of(made.bounds.slope)),
                "theory_cost_ratio": cost_ratio(self.gain, most),
                "theory_applies": sum(delta <= 1 for delta in deltas) / max(len(deltas), 1),
            }
        }  # fmt: skip


@dataclass(frozen=True)
class FeasibilityRun:
    """Remark 1: the right-hand side 3m / exp(G W_a / 2) at one delta, and where it meets the diagonal."""

    sizes: Sizes
    delta: float

    @property
    def identity(self) -> str:
        return repr((self.sizes, self.delta, "feasibility"))

    def __call__(self) -> Result:
        crossing = least_meaningful_delta(self.sizes)
        return {"right_hand_side": feasibility_right_hand_side(self.delta, self.sizes), "crossing": crossing}


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
