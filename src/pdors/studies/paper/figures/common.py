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

PAPERS = ("fifo", "drf", "dorm")
"""The baselines of the paper's first comparison."""
NAMES = {"fifo": "FIFO", "drf": "DRF", "dorm": "Dorm", "oasis": "OASiS"}


def above(*others: str, cause: str = "") -> tuple[Claim, ...]:
    """A claim for each."""
    return tuple(Better(text=f"PD-ORS is above {NAMES[other]}", others=(other,), cause=cause) for other in others)


def gain_is_positive(cause: str = "") -> Claim:
    return Better(text="the gain over OASiS is positive", others=("oasis",), cause=cause)


def gain_grows(along: str, *others: str, cause: str = "") -> Claim:
    names = " and ".join(", ".join(NAMES[other] for other in others).rsplit(", ", 1))
    over = names if len(others) == 1 else f"the best of {names}"
    text, unit = f"the gain over {over} grows with the {along}", f"utility per {along[:-1]}"
    return GainGrows(text=text, others=others, unit=unit, cause=cause)
