"""The gain over OASiS with more jobs, few of them time-critical."""

from pdors.studies.paper.claims import SmallerGain
from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import (
    FEW_CRITICAL,
    GAIN_PANELS,
    GAIN_TOLD,
    GAINERS,
    JOBS,
    MIX_IS_NOT_ALL,
    gain_is_positive,
)

SERVER_FIXED_2 = Figure(
    name="serverFixed2",
    title="Gain over OASiS with increasing number of jobs, mix 30/69/1",
    said="the utility gain over OASiS is smaller with few time-critical jobs",
    silent=GAIN_TOLD,
    setting=Setting(machines=30, slots=80, mix=FEW_CRITICAL),
    vary="jobs",
    axis=JOBS,
    points=(20, 40, 60, 80, 100),
    quick_points=(20, 60, 100),
    curves=GAINERS,
    panels=GAIN_PANELS,
    claims=(
        gain_is_positive(),
        SmallerGain(text="the gain is smaller than with the mix 10/55/35", over="oasis", than="serverFixed1",
                    cause=MIX_IS_NOT_ALL, needs=("serverFixed1",)),
    ),
)  # fmt: skip
