"""The competitive ratio against the exact offline optimum."""

from pdors.studies.paper.claims import EveryRatioWithin, RatioWithin
from pdors.studies.paper.declaration import Axis, Figure, OptimumCurve, Panel, Setting, both_prices, policies

FEW_FINISH = (
    "Of ten jobs in ten slots one or two can finish, so one that is turned away, or ends a slot later, is much of the "
    "optimum, which knows all ten beforehand."
)

RATIO = Figure(
    name="ratio",
    title="Offline optimum / total utility, I=10, T=10",
    said="the offline optimum is 1.0 to 1.4 times what PD-ORS reaches",
    silent="how many machines: 10. Instances in which no job can finish in ten slots have no ratio",
    setting=Setting(jobs=10, machines=10, slots=10),
    vary="nothing",
    axis=Axis("machines H"),
    points=(10,),
    quick_points=(10,),
    curves=(OptimumCurve(), *both_prices("pdors"), *policies("oasis", "optimus")),
    panels=(
        Panel(
            axis=Axis("share of instances up to this ratio"), along=Axis("optimum / total utility", logarithmic=True),
            kind="distribution", curves=("pdors", "pdors:paper", "oasis", "optimus"), ratio_of="optimum",
            shade=(1.0, 1.4),
        ),
    ),
    claims=(
        RatioWithin(text="the ratio is between 1.0 and 1.4 on average", best="optimum", cause=FEW_FINISH),
        EveryRatioWithin(text="the ratio is between 1.0 and 1.4 in every instance", best="optimum", cause=FEW_FINISH),
    ),
    many_instances=True,
)  # fmt: skip
