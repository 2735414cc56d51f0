"""PD-ORS and OASiS with more jobs."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import GAIN_PANELS, GAINERS, JOBS, above, gain_grows

UTILITY_COMP = Figure(
    name="UtilityComp_1",
    title="PD-ORS and OASiS with increasing number of jobs",
    said="PD-ORS outperforms OASiS by co-location, and the gap widens with the jobs",
    silent="how many jobs: 20 to 100",
    setting=Setting(machines=100, slots=20),
    vary="jobs",
    axis=JOBS,
    points=(20, 40, 60, 80, 100),
    quick_points=(20, 60, 100),
    curves=GAINERS,
    panels=GAIN_PANELS,
    claims=(*above("oasis"), gain_grows("jobs", "oasis")),
)
