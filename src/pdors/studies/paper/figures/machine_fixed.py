"""Total utility with more jobs, synthetic jobs."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, JOBS, PAPERS, TOTAL, above, gain_grows

HARDLY_SCARCE = (
    "Up to 80 jobs there is room on 100 machines for most of the jobs that can finish, and DRF is level with PD-ORS. "
    "With 100 jobs PD-ORS turns some away for price; DRF turns nobody away, and gets more done, worth less each."
)

MACHINE_FIXED = Figure(
    name="machineFixed",
    title="Total utility with increasing number of jobs",
    said="PD-ORS significantly outperforms FIFO, DRF and Dorm, and its gain grows with the jobs",
    silent="how many jobs: 20 to 100",
    setting=Setting(machines=100, slots=20),
    vary="jobs",
    axis=JOBS,
    points=(20, 40, 60, 80, 100),
    quick_points=(20, 60, 100),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=(*above(*PAPERS, cause=HARDLY_SCARCE), gain_grows("jobs", *PAPERS, cause=HARDLY_SCARCE)),
)
