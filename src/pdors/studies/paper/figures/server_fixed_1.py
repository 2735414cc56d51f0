"""The gain over OASiS with more jobs, a third of them time-critical."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import GAIN_PANELS, GAIN_TOLD, GAINERS, JOBS, MANY_CRITICAL, gain_is_positive

SERVER_FIXED_1 = Figure(
    name="serverFixed1",
    title="Gain over OASiS with increasing number of jobs, mix 10/55/35",
    said="PD-ORS has a utility gain over OASiS",
    silent=GAIN_TOLD,
    setting=Setting(machines=30, slots=80, mix=MANY_CRITICAL),
    vary="jobs",
    axis=JOBS,
    points=(20, 40, 60, 80, 100),
    quick_points=(20, 60, 100),
    curves=GAINERS,
    panels=GAIN_PANELS,
    claims=(gain_is_positive(),),
)
