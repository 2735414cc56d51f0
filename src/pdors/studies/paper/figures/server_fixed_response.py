"""Total utility with more jobs, jobs as in the Google trace."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, JOBS, PAPERS, SAMPLED, TOTAL, above

SERVER_FIXED_RESPONSE = Figure(
    name="serverFixed_response",
    title="Total utility with increasing number of jobs, Google arrivals",
    said="PD-ORS outperforms the other policies, OASiS included",
    silent=f"how many jobs: 20 to 100; {SAMPLED}",
    setting=Setting(machines=30, slots=80, google=True),
    vary="jobs",
    axis=JOBS,
    points=(20, 40, 60, 80, 100),
    quick_points=(20, 60, 100),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=above(*PAPERS, "oasis"),
)
