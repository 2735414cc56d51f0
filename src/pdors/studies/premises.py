"""What the theorems need, and whether this instance and this run give it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pdors.planner.prices import FREE
from pdors.planner.theory import CHERNOFF_FROM
from pdors.studies.theory import Theory

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """`holds` is None where nobody knows."""

    theorems: str
    premise: str
    holds: bool | None
    why: str


def premises(told: Theory) -> tuple[Premise, ...]:
    """Those of one slot, if any job has an external program, then those of all jobs."""
    of_one_slot = (*_of_theorem_3(told), *_of_theorem_4(told)) if told.programs else ()
    return (*of_one_slot, *_of_prices(told), *_of_steps(told), *_of_the_solver(told))


def power(log: float) -> str:
    """exp(log) in four digits, or as a power of ten where no float reaches."""
    return f"{math.exp(log):.4g}" if -700 < log < 700 else "0" if log == FREE else f"10^{log / math.log(10):.0f}"


def _of_theorem_3(told: Theory) -> Iterator[Premise]:
    claims = [one.favour_resources for one in told.programs]
    sound = sum(claim.chernoff_holds for claim in claims)
    proven = max(claim.chance_overfull_proven for claim in claims)
    weaker = (
        "nothing is proven" if proven >= 1 else f"a chance of {proven:.3g} is proven in place of {told.delta / 3:.3g}"
    )
    yield Premise(
        theorems="3, 5",
        premise=f"G is at least {CHERNOFF_FROM}",
        holds=sound == len(claims),
        why=f"so for {sound} of {len(claims)} jobs"
        + ("" if sound == len(claims) else f"; below it the proof's bound is void: of overfull machines {weaker}"),
    )
    meaningful = sum(claim.cover_says_something for claim in claims)
    yield Premise(
        theorems="3, 5",
        premise="delta is above 3m / exp(G W_a / 2)",
        holds=meaningful == len(claims),
        why=f"so for {meaningful} of {len(claims)} jobs, each with its most workers"
        + ("" if meaningful == len(claims) else "; else the share of the work that is promised is not above 0"),
    )
    best = max(0.0, *(claim.cover_reached for claim in claims))
    yield Premise(
        theorems="3, 5",
        premise="all of the work is promised",
        holds=best >= 1,
        why=f"{best:.3g} of the tasks asked for at best; a draw with fewer trains too little, and is no solution",
    )


def _of_theorem_4(told: Theory) -> Iterator[Premise]:
    least = min(one.favour_work.packing_reached for one in told.programs)
    yield Premise(
        theorems="4, 6",
        premise="machines are promised not to be overfull",
        holds=least <= 1,
        why=f"up to {least:.3g} times what is free is what the job with the best promise is promised",
    )


def _of_prices(told: Theory) -> Iterator[Premise]:
    whole, achieved = told.whole, told.run.total_utility
    fixed = told.prices == "paper"
    yield Premise(
        theorems="5, 6",
        premise="U and L are the same for all jobs",
        holds=fixed,
        why="the paper's constants look at all jobs, later ones too: that is not online"
        if fixed
        else "the default prices are learnt from job to job; shown are those of the last decision",
    )
    widest = max(whole.log_ratios)
    if widest > whole.epsilon * (1 + 1e-12):
        printed = "infinite, as a job is worth nothing at the horizon" if widest == math.inf else f"{widest:.4g}"
        yield Premise(
            theorems="5, 6",
            premise="the prices are those of the constants",
            holds=False,
            why=f"ln(U/L) is {printed}; prices have it cut at {whole.epsilon:.4g}",
        )
    first = whole.log_initial_worth
    yield Premise(
        theorems="5, 6",
        premise="the whole cluster at its first prices, D_0, is worth half the optimum at most",
        holds=True if _at_most(first, achieved / 2) else None if _at_most(first, told.most / 2) else False,
        why=f"D_0 is {power(first)}; half of what was achieved is {achieved / 2:.4g}, of the bound {told.most / 2:.4g}",
    )


def _at_most(log: float, value: float) -> bool:
    return log == FREE or (value > 0 and log <= math.log(value))


def _of_steps(told: Theory) -> Iterator[Premise]:
    step, cluster = told.whole.step, told.instance.cluster
    if step is not None:
        yield Premise(
            theorems="5, 6",
            premise="a job takes next to nothing of a machine",
            holds=step.log_epsilon <= math.log(told.whole.epsilon) + _ROUNDING,
            why=f"{step.job} takes {100 * step.share:.3g}% of the {cluster.resources[step.resource]} of "
            f"{cluster.machine_names[step.machine]} at once; Definition 1 then needs an epsilon of "
            f"{power(step.log_epsilon)} in place of {told.whole.epsilon:.4g}",
        )


def _of_the_solver(told: Theory) -> Iterator[Premise]:
    yield Premise(
        theorems="5, 6",
        premise="Algorithm 2 finds the schedule with the best payoff",
        holds=None,
        why="the proof needs a lambda that no schedule's payoff exceeds, and gets that of the schedule found",
    )
    tally = told.run.rounding
    if tally is None:
        yield Premise(
            theorems="3, 4, 5, 6",
            premise="slots are placed by rounding",
            holds=False,
            why="the fast solver draws nothing, so nothing is claimed of it; --solver paper is Algorithm 4",
        )
        return
    yield from (_of_the_gain(told, *theorems) for theorems in (("3", "5", "resources"), ("4", "6", "work")))
    if tally.questions:
        yield Premise(
            theorems="5, 6",
            premise="questions without a feasible draw are as rare as claimed",
            holds=not tally.failures,
            why=f"{tally.failures} of {tally.questions} questions had none",
        )


def _of_the_gain(told: Theory, theorem: str, of_all: str, favours: str) -> Premise:
    used = told.run.outcome.decisions.options
    return Premise(
        theorems=f"{theorem}, {of_all}",
        premise=f"what is rounded is scaled by the G of Theorem {theorem}",
        holds=used["gain"] == f"favour-{favours}" and used["delta"] == told.delta,
        why=f"it was scaled by {used['gain']}; --gain favour-{favours} is that G",
    )
