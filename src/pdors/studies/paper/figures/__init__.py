"""The figures of the evaluation, in the order of the text, then those of larger sizes."""

from pdors.studies.paper.declaration import Figure
from pdors.studies.paper.figures.actual_time import ACTUAL_TIME
from pdors.studies.paper.figures.factor import FACTOR
from pdors.studies.paper.figures.g_delta import G_DELTA
from pdors.studies.paper.figures.job_fixed import JOB_FIXED
from pdors.studies.paper.figures.job_fixed_1 import JOB_FIXED_1
from pdors.studies.paper.figures.job_fixed_2 import JOB_FIXED_2
from pdors.studies.paper.figures.job_fixed_response import JOB_FIXED_RESPONSE
from pdors.studies.paper.figures.large import JOB_FIXED_LARGE, MACHINE_FIXED_LARGE
from pdors.studies.paper.figures.machine_fixed import MACHINE_FIXED
from pdors.studies.paper.figures.ratio import RATIO
from pdors.studies.paper.figures.server_fixed_1 import SERVER_FIXED_1
from pdors.studies.paper.figures.server_fixed_2 import SERVER_FIXED_2
from pdors.studies.paper.figures.server_fixed_response import SERVER_FIXED_RESPONSE
from pdors.studies.paper.figures.utility_comp import UTILITY_COMP

FIGURES: tuple[Figure, ...] = (
    G_DELTA, JOB_FIXED, MACHINE_FIXED, UTILITY_COMP, ACTUAL_TIME, RATIO, FACTOR, JOB_FIXED_RESPONSE,
    SERVER_FIXED_RESPONSE, JOB_FIXED_1, JOB_FIXED_2, SERVER_FIXED_1, SERVER_FIXED_2, JOB_FIXED_LARGE,
    MACHINE_FIXED_LARGE,
)  # fmt: skip
BY_NAME = {figure.name: figure for figure in FIGURES}
