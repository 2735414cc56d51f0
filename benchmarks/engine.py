"""Engine: how many jobs a second a policy is run on, jobs as they arrive in slots of a minute.

The paper's jobs with one to five epochs on 32 machines over three days: about as much work as the machines can do.
Seconds are those of the process, so that what else runs on the machine does not count. The long run is that of 100,000
jobs with ten to fifty epochs on 1,500 machines over 60 days, of which the first jobs are run, in a process of its own:
what all would take at this rate, and the peak memory so far. Reading is that of ten megabytes of job and task events as
the Google trace publishes them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.clusters import minutes_workload
from benchmarks.results import ROOT, Result
from pdors.engine import simulate
from pdors.model.job import Instance
from pdors.policies.registry import POLICY_NAMES, find_policy
from pdors.workloads.paper import generate
from pdors.workloads.ranges import Integers

WANTED = {"fifo": 1000.0, "drf": 1000.0, "pdors": 400.0}
_SLOW = {"dorm", "optimus", "elasticflow"}
"""They plan anew again and again: a tenth of the jobs."""


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    results = []
    for policy in POLICY_NAMES:
        tell(policy)
        jobs = (100 if quick else 1000) // (10 if policy in _SLOW else 1)
        _timed(policy, _jobs(max(20, jobs // 10), 1))
        seconds, _ = _timed(policy, _jobs(jobs, 3))
        results.append(
            Result(f"{policy}, {jobs:,} jobs: jobs per second", jobs / seconds, "", WANTED.get(policy), at_least=True)
        )
    tell("the beginning of a long run")
    first = 300 if quick else 2_000
    case = json.dumps({"jobs": 100_000, "machines": 1_500, "days": 60, "first": first})
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.engine", case], cwd=ROOT, capture_output=True, text=True, check=True
    )
    long = json.loads(answer.stdout)
    title = f"pdors, first {first:,} of 100,000 jobs on 1,500 machines over 60 days"
    tell("reading")
    return [
        *results,
        Result(f"{title}: all at this rate", long["seconds"] / first * 100_000 / 60, "minutes", 30),
        Result(f"{title}: peak memory", long["peak_mb"] / 1e3, "GB", 4),
        Result(f"{title}: admitted", long["admitted"]),
        Result("Google job and task events, 10 MB: reading", _reading(1 if quick else 10), "s", 2),
    ]


def _jobs(count: int, days: int) -> Instance:
    return generate(minutes_workload(count, 32, days, epochs=Integers(1, 5)), np.random.default_rng(0))


def _timed(policy: str, instance: Instance) -> tuple[float, float]:
    """Seconds of this process, and the total utility."""
    started = time.process_time()
    outcome = simulate(instance, find_policy(policy), record_prices=False)
    return time.process_time() - started, outcome.total_utility


def _long_run(jobs: int, machines: int, days: int, first: int) -> dict[str, float]:
    import resource

    workload = minutes_workload(jobs, machines, days, epochs=Integers(10, 50))
    instance = generate(workload, np.random.default_rng(0))
    instance = replace(instance, jobs=instance.jobs[:first])
    started = time.process_time()
    outcome = simulate(instance, find_policy("pdors"), record_prices=False)
    seconds = time.process_time() - started
    admitted = sum(hasattr(decision, "schedule") for decision in outcome.decisions.decisions)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {"seconds": seconds, "peak_mb": peak, "admitted": admitted}


def _reading(megabytes: int) -> float:
    """A part of its own in the format of the trace: job events, and ten task events for each."""
    from pdors.traces import google
    from pdors.traces.excerpt import Excerpt

    with tempfile.TemporaryDirectory() as folder:
        jobs, tasks = Path(folder, "job_events.csv"), Path(folder, "task_events.csv")
        rng = np.random.default_rng(0)
        with jobs.open("w") as job_file, tasks.open("w") as task_file:
            job = 6_000_000_000
            while job_file.tell() + task_file.tell() < megabytes * 1e6:
                job += 1
                at, user = int(rng.integers(1, 10**12)), f"{int(rng.integers(2**62)):044x}"
                for event in (0, 1, 4):
                    job_file.write(f"{at + event},,{job},{event},{user},{job % 4},{user},{user}\n")
                for task in range(10):
                    task_file.write(f"{at},,{job},{task},,0,{user},{job % 4},2,0.0249,0.0333,0.0004,0\n")
        excerpt = Excerpt(jobs=100, slots=80, slot_seconds=3600, load=1, arrivals="scaled", start=0)
        started = time.process_time()
        google.read([jobs, tasks], excerpt, rng, machines=30)
        return time.process_time() - started


if __name__ == "__main__":
    print(json.dumps(_long_run(**json.loads(sys.argv[1]))))
