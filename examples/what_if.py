"""What would it take? A rejected job is quoted again with a higher value, and with more time, until it gets in."""

from dataclasses import replace
from pathlib import Path

from pdors import Instance, Job, quote, read_instance

instance = read_instance(Path(__file__).with_name("cluster.yaml"))


def with_job(changed: Job) -> Instance:
    return replace(instance, jobs=tuple(changed if job.id == changed.id else job for job in instance.jobs))


job = instance.job("class-project")
answer = quote(instance, job.id)
print(f"{job.id}, worth {job.utility.height:g}: rejected for {answer.reason}")

# The quote says at once what would admit it ...
ways = answer.would_admit
print(f"a worth of {ways.priority:.2f} would get it in, done by slot {ways.priority_completion}")

# ... and so does asking again.
for worth in (0.8, 1.0, 1.2, 1.4, 1.6):
    answer = quote(with_job(job.with_utility_scaled(worth / job.utility.height)), job.id)
    verdict = f"admitted, done by slot {answer.best.completion}" if answer.admitted else "rejected"
    print(f"  worth {worth:g}: {verdict}")

# Its deadline instead of its worth: how many slots later would it have to be?
for later in (4, 8, 12, 16):
    answer = quote(with_job(replace(job, utility=job.utility.delayed(later))), job.id)
    verdict = f"admitted, done by slot {answer.best.completion}" if answer.admitted else "rejected"
    print(f"  deadline later by {later}: {verdict}")
