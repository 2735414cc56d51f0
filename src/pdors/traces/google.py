"""The Google cluster trace of 2011 (`clusterdata-2011-2`): arrivals and urgencies, and with task events demands.

A job arrives where its first submission says. Its scheduling class is its class of urgency as in section 5 of the
paper: 0 is time-insensitive, 1 and 2 are time-sensitive, 3 is time-critical. Requests are fractions of the largest
machine, which here is the paper's. All that the trace does not have comes from the paper's ranges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pdors.model.job import Instance, Job
from pdors.traces.excerpt import Arrival, Excerpt
from pdors.traces.filling import SPEED, URGENCIES, WORK, Filling, paper_machines, told_machines
from pdors.traces.report import Tally, Trace
from pdors.traces.row import Row, Skip
from pdors.traces.sources import Format, tables
from pdors.traces.table import unusable
from pdors.workloads.paper_settings import RESOURCES, PaperWorkload

JOB_EVENTS = Format(
    "job events",
    ("time", "missing_info", "job_id", "event_type", "user", "scheduling_class", "job_name", "logical_job_name"),
    has_header=False,
)
TASK_EVENTS = Format(
    "task events",
    (
        "time", "missing_info", "job_id", "task_index", "machine_id", "event_type", "user",
        "scheduling_class", "priority", "cpu_request", "memory_request", "disk_request", "different_machines",
    ),
    has_header=False,
)  # fmt: skip
JOB_TABLE = Format("one row per job", ("submit_us", "job_id", "scheduling_class"))
REQUEST_TABLE = Format(
    "requests of jobs",
    ("first_submit_us", "job_id", "num_tasks", "scheduling_class", "cpu_request_mean", "mem_request_mean"),
)
_FORMATS = (JOB_EVENTS, TASK_EVENTS, REQUEST_TABLE, JOB_TABLE)

_SUBMIT = 0
_LAST_EVENT = 8
_BEFORE_THE_TRACE = 0
_AFTER_THE_TRACE = 2**63 - 1
_CLASS_OF = (0, 1, 1, 2)
"""The place in the paper's classes of each scheduling class."""
_LARGEST_ID = 2**64
_DECIMALS = 6

_OTHER_EVENTS = Skip("events other than a submission")
_OTHER_JOBS = Skip("tasks of jobs that are left out")
_AGAIN = Skip("further submissions of the same job or task")

_FILLED = (
    *WORK, "batch", *SPEED, *(f"{task}_{name}" for task in ("worker", "server") for name in RESOURCES),
    "priority", *URGENCIES, "target_slots",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Submission:
    job_id: str
    microseconds: int
    scheduling_class: int


@dataclass(frozen=True, slots=True)
class _Requests:
    """What a job asks for: its tasks, and the mean request of one, None where none is stated."""

    tasks: int
    cpu: float | None
    memory: float | None


def read(paths: Iterable[Path], excerpt: Excerpt, rng: np.random.Generator, *, machines: int) -> Trace:
    """An instance on `machines` machines of the paper; `paths` are parts of the trace, or folders of them."""
    paths = list(paths)
    sampling, drawing = rng.spawn(2)
    tally = Tally()
    sources = tables(paths, _FORMATS, tally)
    submissions = _Submissions()
    for table in sources[JOB_EVENTS]:
        submissions.add(table.read(submissions.of_event, tally))
    for table in sources[JOB_TABLE]:
        submissions.add(table.read(submissions.of_job_row, tally))
    for table in sources[REQUEST_TABLE]:
        submissions.add(table.read(submissions.of_request_row, tally))
    found = submissions.within_the_trace(tally)
    if not found:
        raise unusable(", ".join(map(str, paths)), "jobs", "none that arrives within the trace", "at least one")
    arrivals = excerpt.take([submission.microseconds / 1e6 for submission in found], sampling, tally)
    taken = [found[arrival.index] for arrival in arrivals]
    tasks = _Tasks({submission.job_id for submission in taken})
    for table in sources[TASK_EVENTS]:
        for index, cpu, memory in table.read(tasks.of_event, tally):
            tasks.add(index, cpu, memory)
    cluster = paper_machines(machines)
    filling = Filling(len(taken), excerpt, drawing, mix=PaperWorkload.mix)
    tally.filled |= told_machines(cluster) | filling.told(*_FILLED)
    requests = submissions.requests | tasks.requests()
    jobs = [
        _job(arrival, submission, filling.job(index, _CLASS_OF[submission.scheduling_class]))
        for index, (arrival, submission) in enumerate(zip(arrivals, taken, strict=True))
    ]
    if sources[TASK_EVENTS] or sources[REQUEST_TABLE]:
        jobs = _with_requests(jobs, requests, cluster.groups[0].capacity, tally)
    return tally.trace(Instance(excerpt.slots, excerpt.slot_seconds, cluster, tuple(jobs)), excerpt.jobs)


class _Submissions:
    """The first submission of each job, from whichever file."""

    def __init__(self) -> None:
        self._first: dict[str, _Submission] = {}
        self.requests: dict[str, _Requests] = {}

    def add(self, submissions: Iterable[_Submission]) -> None:
        for submission in submissions:
            known = self._first.get(submission.job_id)
            if known is None or submission.microseconds < known.microseconds:
                self._first[submission.job_id] = submission

    def of_event(self, row: Row) -> _Submission | Skip:
        event = row.integer("event_type", least=0, most=_LAST_EVENT)
        submission = _submission(row, "time")
        if event != _SUBMIT:
            return _OTHER_EVENTS
        known = self._first.get(submission.job_id)
        return _AGAIN if known is not None and known.microseconds <= submission.microseconds else submission

    def of_job_row(self, row: Row) -> _Submission:
        return _submission(row, "submit_us")

    def of_request_row(self, row: Row) -> _Submission:
        submission = _submission(row, "first_submit_us")
        self.requests[submission.job_id] = _Requests(
            row.integer("num_tasks", least=1),
            row.optional_number("cpu_request_mean", least=0),
            row.optional_number("mem_request_mean", least=0),
        )
        return submission

    def within_the_trace(self, tally: Tally) -> list[_Submission]:
        """Without the jobs of which only this is known: they were there before, or came after."""
        tally.jobs_found = len(self._first)
        found = [job for job in self._first.values() if _BEFORE_THE_TRACE < job.microseconds < _AFTER_THE_TRACE]
        tally.leave_out("were submitted before the trace begins or after it ends", len(self._first) - len(found))
        return sorted(found, key=lambda job: (job.microseconds, job.job_id))


class _Tasks:
    """The requests of the tasks of some jobs, as they were first submitted."""

    def __init__(self, jobs: set[str]) -> None:
        self._tasks: dict[str, dict[int, tuple[float | None, float | None]]] = {job: {} for job in jobs}

    def of_event(self, row: Row) -> tuple[tuple[str, int], float | None, float | None] | Skip:
        event = row.integer("event_type", least=0, most=_LAST_EVENT)
        row.integer("time", least=0, most=_AFTER_THE_TRACE)
        job_id = str(row.integer("job_id", least=0, most=_LARGEST_ID))
        task = row.integer("task_index", least=0)
        cpu = row.optional_number("cpu_request", least=0)
        memory = row.optional_number("memory_request", least=0)
        if event != _SUBMIT:
            return _OTHER_EVENTS
        if job_id not in self._tasks:
            return _OTHER_JOBS
        return _AGAIN if task in self._tasks[job_id] else ((job_id, task), cpu, memory)

    def add(self, index: tuple[str, int], cpu: float | None, memory: float | None) -> None:
        job_id, task = index
        self._tasks[job_id][task] = cpu, memory

    def requests(self) -> dict[str, _Requests]:
        return {job: _mean(list(tasks.values())) for job, tasks in self._tasks.items() if tasks}


def _mean(tasks: list[tuple[float | None, float | None]]) -> _Requests:
    cpu = [cpu for cpu, _ in tasks if cpu is not None]
    memory = [memory for _, memory in tasks if memory is not None]
    return _Requests(len(tasks), sum(cpu) / len(cpu) if cpu else None, sum(memory) / len(memory) if memory else None)


def _submission(row: Row, time: str) -> _Submission:
    return _Submission(
        job_id=str(row.integer("job_id", least=0, most=_LARGEST_ID)),
        microseconds=row.integer(time, least=0, most=_AFTER_THE_TRACE),
        scheduling_class=row.integer("scheduling_class", least=0, most=len(_CLASS_OF) - 1),
    )


def _job(arrival: Arrival, submission: _Submission, filled: Job) -> Job:
    return replace(filled, id=submission.job_id, arrival=arrival.slot)


def _with_requests(
    jobs: list[Job], requests: dict[str, _Requests], machine: tuple[float, ...], tally: Tally
) -> list[Job]:
    """CPUs and memory of a worker as the mean task asks, and the samples handed out by the number of tasks."""
    sized = [index for index, job in enumerate(jobs) if job.id in requests]
    samples = sorted(jobs[index].samples for index in sized)
    by_size = sorted(sized, key=lambda index: (requests[jobs[index].id].tasks, index))
    resized = list(jobs)
    asking: Counter[str] = Counter()
    for index, size in zip(by_size, samples, strict=True):
        job = jobs[index]
        asked = requests[job.id]
        worker = list(job.worker)
        for resource, request in (("cpu", asked.cpu), ("memory_gb", asked.memory)):
            if request:
                place = RESOURCES.index(resource)
                worker[place] = round(request * machine[place], _DECIMALS)
                asking[resource] += 1
        resized[index] = replace(job, worker=tuple(worker), samples=size)
    tally.filled["samples"] += f"; with tasks ({len(sized)} of the jobs) more for more tasks"
    for resource in ("cpu", "memory_gb"):
        name, others = f"worker_{resource}", len(jobs) - asking[resource]
        rest = f"; without one ({others} of the jobs) {tally.filled[name]}" if others else ""
        tally.filled[name] = f"the mean request of the tasks, as a part of the machine{rest}"
    return resized
