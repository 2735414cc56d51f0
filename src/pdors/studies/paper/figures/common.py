"""What several figures have in common."""

from pdors.studies.paper.claims import Better, Claim, GainGrows
from pdors.studies.paper.declaration import Axis, BoundCurve, Curve, Panel, both_prices, policies
from pdors.workloads.paper_settings import Mix

UTILITY = Axis("total utility")
MACHINES = Axis("machines H")
JOBS = Axis("jobs I")
GAIN = Axis("gain over OASiS", "% of OASiS")

EVERYONE: tuple[Curve, ...] = (
    *both_prices("pdors", "oasis"), *policies("elasticflow", "optimus", "dorm", "drf", "fifo"), BoundCurve(),
)  # fmt: skip
TOTAL = Panel(axis=UTILITY)

GAINERS: tuple[Curve, ...] = (*both_prices("pdors", "oasis"), *policies("optimus"), BoundCurve())
GAIN_PANELS = (
    TOTAL,
    Panel(axis=GAIN, gain_over="oasis", curves=("pdors", "pdors:paper", "optimus")),
)

GAIN_TOLD = "the gain is normalised by the mean of OASiS over the seeds, point by point"
SAMPLED = "jobs sampled from the trace at random, submissions scaled into the horizon"
MANY_CRITICAL = Mix(10, 55, 35)
FEW_CRITICAL = Mix(30, 69, 1)

MORE_CAN_FINISH = (
    "Part of what PD-ORS is ahead by is jobs that can finish in time with more servers than the fewest alone: the "
    "others call them infeasible. There are such jobs at every point, so the gain does not rise with the axis alone."
)
MIX_IS_NOT_ALL = (
    "With fewer time-critical jobs both policies reach other totals, and the gain relative to that of OASiS changes by "
    "less than it varies from seed to seed."
)
PAPERS = ("fifo", "drf", "dorm")
"""The baselines of the paper's first comparison."""
NAMES = {"fifo": "FIFO", "drf": "DRF", "dorm": "Dorm", "oasis": "OASiS"}


def above(*others: str, cause: str = "") -> tuple[Claim, ...]:
    """A claim for each."""
    return tuple(Better(text=f"PD-ORS is above {NAMES[other]}", others=(other,), cause=cause) for other in others)


FEW_DONE = "Where the machines finish a handful of jobs only, one job more or less decides a seed: see the jobs done."


def gain_is_positive(cause: str = FEW_DONE) -> Claim:
    return Better(text="the gain over OASiS is positive", others=("oasis",), cause=cause)


def gain_grows(along: str, *others: str, cause: str = "") -> Claim:
    names = " and ".join(", ".join(NAMES[other] for other in others).rsplit(", ", 1))
    over = names if len(others) == 1 else f"the best of {names}"
    text, unit = f"the gain over {over} grows with the {along}", f"utility per {along[:-1]}"
    return GainGrows(text=text, others=others, unit=unit, cause=cause)
