"""The figures of the evaluation, in the order of the text, then those of larger sizes."""

from pdors.studies.paper.declaration import Figure
from pdors.studies.paper.figures.job_fixed import JOB_FIXED

FIGURES: tuple[Figure, ...] = (JOB_FIXED,)
BY_NAME = {figure.name: figure for figure in FIGURES}
