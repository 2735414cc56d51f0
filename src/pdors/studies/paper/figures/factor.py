"""The paper's randomised rounding over the pre-rounding gain G."""

from pdors.studies.paper.claims import BestAt, FarBelowTheory
from pdors.studies.paper.declaration import (
    Axis,
    BoundCurve,
    Figure,
    Line,
    Panel,
    RoundingCurve,
    Setting,
    policies,
)

NOTHING_PLACED = (
    "At every G but 1 hardly any question has a feasible draw: jobs then run on single machines alone, in many seeds "
    "none does, and a ratio to nothing is infinite. It would be finite if draws that miss their work were taken as "
    "solutions, as the text allows."
)

FACTOR = Figure(
    name="Factor_ApprRatio",
    title="Pre-rounding gain factor and what is reached",
    said="best at G = 1, and far below the theoretical bounds for every G",
    silent=(
        "the offline bound stands for the optimum, which nobody can compute at this size; of the theorems' bounds the "
        "lowest of all jobs, with delta = 1 where no delta gives this G; far: twice"
    ),
    setting=Setting(jobs=50, machines=100, slots=20),
    vary="gain",
    axis=Axis("pre-rounding gain G"),
    points=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2),
    quick_points=(0.2, 0.6, 1.0, 1.2),
    curves=(RoundingCurve(), RoundingCurve("paper"), *policies("pdors", "optimus"), BoundCurve()),
    panels=(
        Panel(
            axis=Axis("offline bound / total utility", logarithmic=True), ratio_of="bound",
            curves=("rounding", "rounding:paper", "pdors", "optimus"),
            lines=(Line(curve="rounding", column="theory_ratio", label="theory, default prices"),),
        ),
        Panel(
            axis=Axis("share of draws that are infeasible"), column="infeasible_draws",
            curves=("rounding", "rounding:paper"),
        ),
        Panel(
            axis=Axis("roundings per feasible one", logarithmic=True), column="rounds",
            curves=("rounding", "rounding:paper"),
        ),
    ),
    claims=(
        BestAt(text="the ratio is best at G = 1", curve="rounding", x=1.0),
        FarBelowTheory(
            text="the ratio is far below the theoretical bound for every G", curve="rounding", best="bound",
            bound="theory_ratio", cause=NOTHING_PLACED,
        ),
    ),
)  # fmt: skip
