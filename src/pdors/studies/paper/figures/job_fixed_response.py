"""Total utility with more machines, jobs as in the Google trace."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, MACHINES, PAPERS, SAMPLED, TOTAL, above

JOB_FIXED_RESPONSE = Figure(
    name="jobFixed_response",
    title="Total utility with increasing number of machines, Google arrivals",
    said="PD-ORS outperforms the other policies, OASiS included",
    silent=f"how many machines: 10 to 50; {SAMPLED}",
    setting=Setting(jobs=100, slots=80, google=True),
    vary="machines",
    axis=MACHINES,
    points=(10, 20, 30, 40, 50),
    quick_points=(10, 30, 50),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=above(*PAPERS, "oasis"),
)
