"""The rules that every answer of a policy is held against before it is committed."""

from __future__ import annotations

from pdors.errors import PolicyError
from pdors.model.decision import Admitted
from pdors.model.job import WORK_TOLERANCE, Job
from pdors.model.schedule import Placement
from pdors.policies.policy import Setting


def require_sound(policy: str, admitted: Admitted, job: Job, slot: int, setting: Setting) -> None:
    """A schedule in the slots to come that does all the work, and a promise and a utility that follow from it."""

    def wrong(what: str) -> PolicyError:
        return PolicyError(f"policy {policy}: the schedule of job {job.id} {what}")

    runs = admitted.schedule.runs
    if not runs:
        raise wrong("is empty")
    if runs[0].start < slot or runs[-1].stop > setting.slots:
        raise wrong(f"leaves the slots {slot} to {setting.slots - 1}")
    for run in runs:
        require_machines(policy, run.placement, job.id, len(setting.cluster))
        require_counts(policy, run.placement, job)
    if admitted.schedule.samples(job, setting.slot_seconds) < job.work * (1 - WORK_TOLERANCE):
        raise wrong("does not do all of its work")
    completion = admitted.schedule.completion
    if admitted.job_id != job.id or admitted.completion != completion:
        raise wrong(f"ends in slot {completion}, and the promise is {admitted.completion} for job {admitted.job_id}")
    if admitted.utility != job.utility.value(completion - job.arrival):
        raise wrong(f"is not worth {admitted.utility}")


def require_machines(policy: str, placement: Placement, job_id: str, machines: int) -> None:
    """Only such as there are; a placement has them in order."""
    if placement.shares and placement.shares[-1].machine >= machines:
        machine = placement.shares[-1].machine
        raise PolicyError(f"policy {policy}: machine {machine} for job {job_id}, expected 0 to {machines - 1}")


def require_counts(policy: str, placement: Placement, job: Job) -> None:
    """Workers up to the batch and, for jobs that have servers, enough of these."""
    workers, servers = placement.workers, placement.servers
    if not 0 < workers <= job.batch:
        raise PolicyError(f"policy {policy}: {workers} workers for job {job.id}, expected 1 to {job.batch}")
    least = job.speed.servers_for(workers)
    if servers < least or (servers and not job.needs_servers):
        expected = f"at least {least}" if job.needs_servers else "none"
        raise PolicyError(f"policy {policy}: {servers} servers for job {job.id}, expected {expected}")
