"""Total utility with more machines, synthetic jobs."""

from pdors.studies.paper.claims import Better, GainGrows
from pdors.studies.paper.declaration import Figure, Setting
from pdors.studies.paper.figures.common import EVERYONE, MACHINES, PAPERS, TOTAL

JOB_FIXED = Figure(
    name="jobFixed",
    title="Total utility with increasing number of machines",
    said="PD-ORS is above FIFO, DRF and Dorm, and its gain grows with the machines",
    silent="the machines: 10 to 100",
    setting=Setting(jobs=50, slots=20),
    vary="machines",
    axis=MACHINES,
    points=(10, 20, 40, 60, 80, 100),
    quick_points=(10, 40, 100),
    curves=EVERYONE,
    panels=(TOTAL,),
    claims=(
        *(Better(text=f"PD-ORS is above {name}", others=(policy,))
          for policy, name in zip(PAPERS, ("FIFO", "DRF", "Dorm"), strict=True)),
        GainGrows(text="the gain over the best of FIFO, DRF and Dorm grows with the machines", others=PAPERS,
                  unit="utility per machine"),
    ),
)  # fmt: skip
