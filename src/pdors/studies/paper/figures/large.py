"""The two utility figures at larger sizes, beyond those of the paper."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, JOBS, MACHINES, PAPERS, TOTAL, above, gain_grows

JOB_FIXED_LARGE = Figure(
    name="jobFixed_large",
    title="Total utility with up to 1,000 machines",
    said="nothing: beyond the paper's sizes, the claims of jobFixed asked again",
    silent="500 jobs, so that the machines are wanted",
    setting=Setting(jobs=500, slots=20),
    vary="machines",
    axis=MACHINES,
    points=(100, 250, 500, 1000),
    quick_points=(100, 200),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=(*above(*PAPERS, "oasis"), gain_grows("machines", *PAPERS)),
    beyond=True,
)

MACHINE_FIXED_LARGE = Figure(
    name="machineFixed_large",
    title="Total utility with up to 1,000 jobs",
    said="nothing: beyond the paper's sizes, the claims of machineFixed asked again",
    setting=Setting(machines=100, slots=20),
    vary="jobs",
    axis=JOBS,
    points=(100, 250, 500, 1000),
    quick_points=(100, 200),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=(*above(*PAPERS, "oasis"), gain_grows("jobs", *PAPERS)),
    beyond=True,
)
