"""What the theory says of an instance, as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from rich.console import RenderableType

from pdors.cli.screen import FittedTable, number, percent, plural, printable, table
from pdors.offline.optimum import Optimum
from pdors.planner.tally import RoundingTally
from pdors.planner.theory import CHERNOFF_FROM
from pdors.studies.premises import power, premises
from pdors.studies.theory import Achieved, JobPrograms, Theory


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of every job's program, and when it says nothing."""

    words: str
    symbol: str
    value: Callable[[JobPrograms], float]
    is_void: Callable[[JobPrograms], bool] = lambda _one: False
    reason: str = ""


_HOLDS = {True: "holds", False: "FAILS", None: "open"}


def theory_page(told: Theory) -> Iterator[RenderableType]:
    yield "Prices: U for a resource that is exhausted, L for one that is untouched, in utility per unit and slot"
    yield price_table(told)
    yield from _constants(told)
    yield ""
    yield from _one_slot(told)
    yield ""
    yield from _all_jobs(told)
    yield ""
    yield from _achieved(told)
    yield ""
    yield premise_table(told)


def price_table(told: Theory) -> FittedTable:
    bounds = told.run.bounds
    columns = zip(
        told.instance.cluster.resources, bounds.log_ceiling, bounds.log_floor, told.whole.log_ratios, strict=True
    )
    return table(
        ("resource", "U", "L", "ln(U/L)"),
        ((printable(resource), power(high), power(low), number(ratio)) for resource, high, low, ratio in columns),
        numeric=("U", "L", "ln(U/L)"),
    )


def _constants(told: Theory) -> Iterator[str]:
    constants = told.constants
    if constants is not None:
        yield (
            f"mu = {power(constants.log_mu)}: the job with the least work ({printable(constants.smallest_job)}) takes "
            "1/mu of all that the cluster has up to the horizon"
        )
        yield (
            f"L = {power(constants.log_floor)} per slot and all of a resource, set by the worth of "
            f"{printable(constants.floor_job)} at the horizon"
        )
    elif told.prices == "paper":
        yield "no job can pay: everything is free, and there is no mu"
    else:
        yield "no mu: it is a constant of --prices paper"


def _one_slot(told: Theory) -> Iterator[RenderableType]:
    programs = told.programs
    if not programs:
        yield "One slot: no job can run on several machines, so nothing is ever rounded"
        return
    yield (
        f"One slot: the external programs of {plural(len(programs), 'job')} on the empty cluster, each with its most "
        f"workers; delta = {number(told.delta)}"
    )
    yield table(
        ("over the jobs", "symbol", "least", "median", "most", "void"),
        ((row.words, row.symbol, *map(_or_none, spread([row.value(one) for one in programs])), _void(row, programs))
         for row in _ROWS),
        numeric=("least", "median", "most"),
        spare=("symbol", "median"),
    )  # fmt: skip


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Least, median and most."""
    return min(values), median(values), max(values)


def _or_none(value: float) -> str:
    return number(value) if value < math.inf else "none"


def _void(row: Row, programs: Sequence[JobPrograms]) -> str:
    """For how many jobs what stands there is void, and why."""
    void = sum(row.is_void(one) for one in programs)
    return f"{void} of {len(programs)}: {row.reason}" if void else ""


def _least_delta(one: JobPrograms) -> float:
    least = one.favour_resources.least_delta
    return math.inf if least is None else least


def _says_nothing(one: JobPrograms) -> bool:
    return not one.favour_resources.cover_says_something


_ROWS: Sequence[Row] = (
    Row("rows that ask for tasks", "m", lambda one: one.sizes.cover_rows),
    Row("least they ask for, in tasks", "W_a", lambda one: one.sizes.cover_width),
    Row("rows of capacity", "r", lambda one: one.sizes.packing_rows),
    Row("least that fits into one, in tasks", "W_b", lambda one: one.sizes.packing_width),
    Row("Theorem 3: scaling", "G", lambda one: one.favour_resources.gain),
    Row("  cost over the linear program's", "3G/delta", lambda one: one.favour_resources.cost_ratio),
    Row("  chance of overfull machines, claimed", "delta/3", lambda one: one.favour_resources.chance_overfull_claimed,
        lambda one: not one.favour_resources.chernoff_holds, f"G is below {CHERNOFF_FROM}"),
    Row("  the same, proven", "", lambda one: one.favour_resources.chance_overfull_proven,
        lambda one: one.favour_resources.chance_overfull_proven >= 1, "no less than 1"),
    Row("  share of the tasks that is reached", "", lambda one: one.favour_resources.cover_reached,
        _says_nothing, "not above 0"),
    Row("  what delta has to exceed", "3m/exp(G W_a/2)", lambda one: one.favour_resources.delta_from,
        _says_nothing, "delta is too small"),
    Row("  least delta that exceeds its own", "", _least_delta,
        lambda one: one.favour_resources.least_delta is None, "none up to 1"),
    Row("Theorem 4: scaling", "G", lambda one: one.favour_work.gain),
    Row("  cost over the linear program's", "3G/delta", lambda one: one.favour_work.cost_ratio),
    Row("  chance of too few tasks", "delta/3", lambda one: one.favour_work.chance_short),
    Row("  fill of machines, times what is free", "", lambda one: one.favour_work.packing_reached,
        lambda one: one.favour_work.packing_reached > 1, "more than they hold"),
)  # fmt: skip


def _all_jobs(told: Theory) -> Iterator[RenderableType]:
    whole = told.whole
    yield (
        f"All jobs: Theorems 5 and 6 with epsilon = {number(whole.epsilon)}, the larger of 1 and ln(U/L), "
        f"and S = {told.draws} draws"
    )
    yield table(
        ("claimed", "Theorem 5\nfavour resources", "Theorem 6\nfavour work"),
        (
            (
                "competitive ratio, 6G epsilon/delta",
                number(whole.ratio_favour_resources) or "none",
                number(whole.ratio_favour_work) or "none",
            ),
            (
                "chance that it is not feasible, job with the most work",
                number(whole.failure_favour_resources),
                number(whole.failure_favour_work),
            ),
            (
                "the same, all jobs",
                number(whole.failure_all_favour_resources),
                number(whole.failure_all_favour_work),
            ),
        ),
        numeric=("Theorem 5\nfavour resources", "Theorem 6\nfavour work"),
    )
    yield from _standing(told, "5")
    yield from _standing(told, "6")


def _standing(told: Theory, theorem: str) -> Iterator[str]:
    """Whether the ratio can be relied on."""
    needed = [one.holds for one in premises(told) if theorem in one.theorems]
    if not all(needed):
        yield (
            f"Theorem {theorem} is void here: of its {len(needed)} premises {needed.count(False)} fail and "
            f"{needed.count(None)} cannot be told (below)"
        )


def _achieved(told: Theory) -> Iterator[str]:
    yield "Achieved: total utility, in the unit of the jobs' utilities"
    for run in told.runs:
        yield f"PD-ORS, {run.solver} solver: {number(run.total_utility)}, {_ratio(told, run)}"
        if run.rounding is not None:
            yield from _rounding(run.rounding)
    yield f"no schedules are worth more than {number(told.upper.value)} (bound of the linear relaxation)"
    if told.optimum is None:
        yield "the optimum was not sought: the ratios are held against the bound, and the true ones may be smaller"
    else:
        yield _optimum(told.optimum)


def _ratio(told: Theory, run: Achieved) -> str:
    ratio = told.achieved_ratio(run)
    if ratio is None:
        return "no finite ratio" if told.most else "as much as there was"
    return f"ratio {number(ratio)}" if told.most_is_optimum else f"ratio {number(ratio)} at most"


def _rounding(tally: RoundingTally) -> Iterator[str]:
    if not tally.questions:
        yield "  nothing was rounded"
        return
    yield (
        f"  {percent(tally.failures, tally.questions)} of {tally.questions} questions had no feasible draw; "
        f"{percent(tally.draws - tally.feasible_draws, tally.draws)} of {tally.draws} draws were not feasible"
    )
    if tally.ratio_mean is not None:
        yield (
            f"  the best draw cost {_more(tally.ratio_mean)} more than the linear program in the mean, "
            f"{_more(tally.ratio_most)} at most; 3G/delta bounds it, at the G of a theorem"
        )


def _more(ratio: float) -> str:
    return f"{100 * max(0.0, ratio - 1):.2f}%"


def _optimum(found: Optimum) -> str:
    if found.proven:
        return f"the optimum is {number(found.value)}"
    return f"the optimum is {number(found.value)} at least and {number(found.bound)} at most: the time was up"


def premise_table(told: Theory) -> FittedTable:
    return table(
        ("theorem", "premise", "", "why"),
        ((one.theorems, one.premise, _HOLDS[one.holds], printable(one.why)) for one in premises(told)),
    )
