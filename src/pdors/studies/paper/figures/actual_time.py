"""Median of the actual training time."""

from pdors.studies.paper.claims import Better
from pdors.studies.paper.declaration import Axis, Figure, Panel, Setting, both_prices, policies
from pdors.studies.paper.figures.common import MACHINES

ALL_ARE_T = (
    "No policy gets half of the jobs done: a third to a half cannot finish even alone, and of the others there are "
    "more than the machines can do. The median job is one that is not done, and counts T under every policy. How many "
    "are done is in the second panel."
)

ACTUAL_TIME = Figure(
    name="actual_time",
    title="Median of actual training time",
    said="PD-ORS has the smallest median training time, also smaller than that of OASiS",
    silent="a job that is rejected counts T like one that is not done",
    setting=Setting(jobs=100, machines=30, slots=80),
    vary="nothing",
    axis=MACHINES,
    points=(30,),
    quick_points=(30,),
    curves=(*both_prices("pdors", "oasis"), *policies("elasticflow", "optimus", "dorm", "drf", "fifo")),
    panels=(
        Panel(axis=Axis("median training time", "slots"), column="median_training_slots", kind="bars"),
        Panel(axis=Axis("jobs done by T"), column="done", kind="bars"),
    ),
    claims=(
        Better(
            text="PD-ORS has a smaller median training time than FIFO, DRF and Dorm",
            others=("fifo", "drf", "dorm"), column="median_training_slots", sign=-1, unit="slots saved",
            cause=ALL_ARE_T,
        ),
        Better(
            text="PD-ORS has a smaller median training time than OASiS",
            others=("oasis",), column="median_training_slots", sign=-1, unit="slots saved",
            cause=ALL_ARE_T,
        ),
    ),
)  # fmt: skip
