"""The gain over OASiS with more machines, few of the jobs time-critical."""

from pdors.studies.paper.claims import SmallerGain
from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import (
    FEW_CRITICAL,
    GAIN_PANELS,
    GAIN_TOLD,
    GAINERS,
    MACHINES,
    MIX_IS_NOT_ALL,
    gain_is_positive,
)

JOB_FIXED_2 = Figure(
    name="jobFixed2",
    title="Gain over OASiS with increasing number of machines, mix 30/69/1",
    said="the utility gain over OASiS is smaller with few time-critical jobs",
    silent=GAIN_TOLD,
    setting=Setting(jobs=100, slots=80, mix=FEW_CRITICAL),
    vary="machines",
    axis=MACHINES,
    points=(10, 20, 30, 40, 50),
    quick_points=(10, 30, 50),
    curves=GAINERS,
    panels=GAIN_PANELS,
    claims=(
        gain_is_positive(),
        SmallerGain(text="the gain is smaller than with the mix 10/55/35", over="oasis", than="jobFixed1",
                    cause=MIX_IS_NOT_ALL, needs=("jobFixed1",)),
    ),
)  # fmt: skip
