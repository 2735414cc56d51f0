"""Total utility with more machines, synthetic jobs."""

from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, MACHINES, MORE_CAN_FINISH, PAPERS, TOTAL, above, gain_grows

JOB_FIXED = Figure(
    name="jobFixed",
    title="Total utility with increasing number of machines",
    said="PD-ORS significantly outperforms FIFO, DRF and Dorm, and its gain grows with the machines",
    silent="how many machines: 10 to 100",
    setting=Setting(jobs=50, slots=20),
    vary="machines",
    axis=MACHINES,
    points=(10, 20, 40, 60, 80, 100),
    quick_points=(10, 40, 100),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=(*above(*PAPERS), gain_grows("machines", *PAPERS, cause=MORE_CAN_FINISH)),
)
