"""Total utility with more jobs, synthetic jobs."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, JOBS, MORE_CAN_FINISH, PAPERS, TOTAL, above, gain_grows

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
    claims=(*above(*PAPERS), gain_grows("jobs", *PAPERS, cause=MORE_CAN_FINISH)),
)
