"""How many servers pay: more than the fewest make a job with slow links faster for little.

A job with W workers and S servers needs tau / W + o / F + 2 g / (b F S) seconds for a sample, at a price that is
proportional to W p_w + S p_s. The samples per price are most at

    W / S = sqrt( tau b(e) F p_s / (2 g p_w) )

whatever the number of workers; p_w and p_s count all resources alike, as shares of the cluster. The paper has S tied to
W by gamma, which is an upper limit of W / S.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pdors.model.cluster import Cluster
from pdors.model.job import Job
from pdors.model.speed import ParameterServerSpeed
from pdors.planner.calibration import shares_of

_MANY = 4.0
"""So many times the servers that pay, for a job that could not be done in time with fewer."""


def workers_per_server(job: Job, cluster: Cluster) -> float:
    """The W / S of the most samples per price; infinity where more servers than the fewest would not pay."""
    speed = job.speed
    if not isinstance(speed, ParameterServerSpeed) or speed.gradient_mb == 0:
        return math.inf
    worker, server = (float(shares_of(amounts, cluster).sum()) for amounts in (job.worker, job.server))
    if worker == 0 or server == 0:
        return math.inf
    computing = speed.sample_seconds * speed.external_mb_s * job.batch
    return math.sqrt(computing / (2 * speed.gradient_mb) * (server / worker))


def further_ratios(job: Job, cluster: Cluster) -> Iterator[float]:
    """Other W / S for a job that finds no room, or not enough time, with the one that pays: fewer servers, and more."""
    best = workers_per_server(job, cluster)
    if best < math.inf:
        yield math.inf
        yield best / _MANY
