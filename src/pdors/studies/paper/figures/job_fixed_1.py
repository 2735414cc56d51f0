"""The gain over OASiS with more machines, a third of the jobs time-critical."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import (
    GAIN_PANELS,
    GAIN_TOLD,
    GAINERS,
    MACHINES,
    MANY_CRITICAL,
    gain_is_positive,
)

JOB_FIXED_1 = Figure(
    name="jobFixed1",
    title="Gain over OASiS with increasing number of machines, mix 10/55/35",
    said="PD-ORS has a utility gain over OASiS",
    silent=GAIN_TOLD,
    setting=Setting(jobs=100, slots=80, mix=MANY_CRITICAL),
    vary="machines",
    axis=MACHINES,
    points=(10, 20, 30, 40, 50),
    quick_points=(10, 30, 50),
    curves=GAINERS,
    panels=GAIN_PANELS,
    claims=(gain_is_positive(),),
)
