"""Holds decisions against an instance: job by job, then machine by machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pdors.check.capacity import Loads
from pdors.check.decisions import (
    DOCUMENT_FIELDS,
    MOST_TASKS,
    REASONS,
    SLOT_FIELDS,
    Entry,
    has_fields,
    read_counts,
    read_entry,
)
from pdors.check.instance import TOLERANCE, Held, Instance, Job
from pdors.check.report import CheckReport, Findings, Kind, at, brief, label

WORTHLESS = 1e-100
"""Utilities closer than this are equal: far down the sigmoid, programs differ in where their exponential underflows."""


def check(instance: object, decisions: object) -> CheckReport:
    """Hold `decisions` against `instance`, both as parsed; an instance that cannot be read is a `DocumentError`.

    A violation is reported where it arises and nowhere else: a slot before the arrival is wrong as a slot, and what
    is trained in it still counts as work.
    """
    checker = _Checker(Instance(instance))
    checker.check_document(decisions)
    violations = tuple(checker.findings.violations)
    return CheckReport(ok=not violations, violations=violations, total_utility=checker.worth)


@dataclass(frozen=True, slots=True)
class _Trained:
    """What a schedule does: the samples it trains, and the last slot in which it has workers."""

    samples: float
    last_slot: int | None

    def finishes(self, job: Job) -> bool:
        return self.samples >= job.work * (1 - TOLERANCE)


class _Checker:
    """Goes through one document; `worth` adds up what the jobs that really finish are worth."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.findings = Findings()
        self.loads = Loads(instance)
        self.worth = 0.0

    def check_document(self, decisions: object) -> None:
        if not has_fields(decisions, DOCUMENT_FIELDS, "decisions", self.findings):
            return
        entries = [read_entry(entry, f"jobs[{index}]", self.findings) for index, entry in enumerate(decisions["jobs"])]
        for job, entry in self._matched(entries):
            if entry.admitted:
                self._check_admitted(job, entry)
            else:
                self._check_rejected(job, entry)
        if None not in entries:
            self._check_total(float(decisions["total_utility"]), sum(entry.utility for entry in entries if entry))
        self.loads.check_capacities(self.findings)

    def _matched(self, entries: list[Entry | None]) -> Iterator[tuple[Job, Entry]]:
        """Every job with its entry: there is one per job, in the order of the instance."""
        stated: dict[str, None] = {}
        for index, entry in enumerate(entries):
            if entry is None:
                continue
            job = self.instance.jobs.get(entry.id)
            if job is None:
                self.findings.flag(Kind.JOBS, f"jobs[{index}]", f"the instance has no job {label(entry.id)}")
            elif entry.id in stated:
                self.findings.flag(Kind.JOBS, f"jobs[{index}]", f"job {label(entry.id)} has an entry already")
            else:
                stated[entry.id] = None
                yield job, entry
        if None in entries:
            return
        missing = [job_id for job_id in self.instance.jobs if job_id not in stated]
        for job_id in missing:
            self.findings.flag(Kind.JOBS, at(job_id), "has no entry")
        if not missing:
            for found, expected in zip(stated, self.instance.jobs, strict=True):
                if found != expected:
                    message = f"stands where the order of the instance has job {label(expected)}"
                    self.findings.flag(Kind.JOBS, at(found), message)
                    break

    def _check_total(self, total: float, stated: float) -> None:
        if not _same(total, stated):
            message = f"total_utility is {total!r}, but the utilities add up to {stated!r}"
            self.findings.flag(Kind.TOTAL, "decisions", message)

    def _check_rejected(self, job: Job, entry: Entry) -> None:
        where = at(job.id)
        if entry.reason is None:
            self.findings.flag(Kind.ADMISSION, where, f"not admitted without a reason, expected {', '.join(REASONS)}")
        if entry.schedule:
            self.findings.flag(Kind.ADMISSION, where, f"not admitted, but {len(entry.schedule)} slots are scheduled")
        if entry.completion is not None:
            self.findings.flag(Kind.ADMISSION, where, f"not admitted, but its completion is {entry.completion}")
        if entry.utility != 0:
            self.findings.flag(Kind.UTILITY, where, f"not admitted, but its utility is {entry.utility!r}, expected 0")
        if entry.reason == "price" and entry.payoff is not None and entry.payoff > 0:
            self.findings.flag(Kind.PAYOFF, where, f"rejected by price at payoff {entry.payoff!r}, expected at most 0")

    def _check_admitted(self, job: Job, entry: Entry) -> None:
        where = at(job.id)
        if entry.reason is not None:
            self.findings.flag(Kind.ADMISSION, where, f"admitted, but with the reason {entry.reason}")
        trained = self._trained(job, entry.schedule)
        if trained is not None and trained.last_slot is not None and trained.finishes(job):
            self.worth += job.utility(trained.last_slot - job.arrival)
        if entry.completion is None:
            self._check_unfinished(job, entry, trained)
        elif 0 <= entry.completion < self.instance.slots:
            self._check_finished(job, entry, entry.completion, trained)
        else:
            message = f"completion is {brief(entry.completion)}, expected a slot from 0 to {self.instance.slots - 1}"
            self.findings.flag(Kind.COMPLETION, where, message)
        if entry.payoff is not None and entry.payoff > entry.utility and not _same(entry.payoff, entry.utility):
            message = f"payoff is {entry.payoff!r}, above the utility {entry.utility!r}: the price would be negative"
            self.findings.flag(Kind.PAYOFF, where, message)

    def _check_unfinished(self, job: Job, entry: Entry, trained: _Trained | None) -> None:
        """Without a completion: it did not finish, so it is worth nothing and was promised nothing."""
        where = at(job.id)
        if trained is not None and trained.finishes(job):
            message = f"completion is null, but {trained.samples:.12g} of {job.work:.12g} samples are trained"
            self.findings.flag(Kind.COMPLETION, where, message)
        if entry.payoff is not None:
            message = f"admitted at payoff {entry.payoff!r}, but completion is null: where prices admit, jobs finish"
            self.findings.flag(Kind.COMPLETION, where, message)
        if entry.utility != 0:
            self.findings.flag(Kind.UTILITY, where, f"utility is {entry.utility!r} without a completion, expected 0")

    def _check_finished(self, job: Job, entry: Entry, completion: int, trained: _Trained | None) -> None:
        where = at(job.id)
        if trained is not None and not trained.finishes(job):
            message = (
                f"completion is {completion}, but only {trained.samples:.12g} of {job.work:.12g} samples are trained"
            )
            self.findings.flag(Kind.WORK, where, message)
        if trained is not None and trained.last_slot != completion:
            last = (
                "no slot has workers"
                if trained.last_slot is None
                else f"the last slot with workers is {trained.last_slot}"
            )
            self.findings.flag(Kind.COMPLETION, where, f"completion is {completion}, but {last}")
        expected = job.utility(completion - job.arrival)
        if not _same(entry.utility, expected):
            message = f"utility is {entry.utility!r}, expected {expected!r} for {completion - job.arrival} slots"
            self.findings.flag(Kind.UTILITY, where, message)

    def _trained(self, job: Job, schedule: list[object]) -> _Trained | None:
        """Checks every slot and adds up what they train; None where a slot cannot be read."""
        samples, last_slot, readable = 0.0, None, True
        seen: set[int] = set()
        for index, value in enumerate(schedule):
            if not has_fields(value, SLOT_FIELDS, f"{at(job.id)}, schedule[{index}]", self.findings):
                readable = False
                continue
            slot = value["slot"]
            self._check_slot(job, slot, seen)
            held = self._held(job, slot, value["placement"])
            if held is None:
                readable = False
            elif held.workers:
                samples += self.instance.slot_seconds * job.speed.samples_per_second(held)
                last_slot = slot if last_slot is None else max(last_slot, slot)
        return _Trained(samples, last_slot) if readable else None

    def _check_slot(self, job: Job, slot: int, seen: set[int]) -> None:
        if not 0 <= slot < self.instance.slots:
            self.findings.flag(Kind.SLOT, at(job.id, slot), f"the slots are 0 to {self.instance.slots - 1}")
        elif slot < job.arrival:
            self.findings.flag(Kind.SLOT, at(job.id, slot), f"before the arrival in slot {job.arrival}")
        if slot in seen:
            self.findings.flag(Kind.SLOT, at(job.id, slot), "listed twice")
        seen.add(slot)

    def _held(self, job: Job, slot: int, placement: dict[str, object]) -> Held | None:
        """Checks and books one slot's placement; None where a count cannot be read."""
        workers = servers = machines = 0
        readable = True
        for name, value in placement.items():
            counts = read_counts(value)
            if counts is None:
                message = f"got {brief(value)}, expected [workers, servers], integers from 0 to {MOST_TASKS}"
                self.findings.flag(Kind.COUNT, at(job.id, slot, name), message)
                readable = False
                continue
            machine = self.instance.machines.get(name)
            if machine is None:
                self.findings.flag(Kind.MACHINE, at(job.id, slot, name), "no such machine")
            elif 0 <= slot < self.instance.slots:
                self.loads.add(job.number, slot, machine, *counts)
            if counts == (0, 0):
                self.findings.flag(Kind.COUNT, at(job.id, slot, name), "[0, 0] is listed, but holds nothing")
            else:
                workers, servers, machines = workers + counts[0], servers + counts[1], machines + 1
        if not readable:
            return None
        held = Held(workers, servers, one_machine=machines == 1)
        self._check_counts(job, slot, held, listed=len(placement))
        return held

    def _check_counts(self, job: Job, slot: int, held: Held, *, listed: int) -> None:
        where = at(job.id, slot)
        if listed == 0:
            self.findings.flag(Kind.COUNT, where, "listed, but holds nothing")
        if held.workers > job.batch:
            self.findings.flag(Kind.WORKERS, where, f"{held.workers} workers, the batch is {job.batch}")
        if broken := job.speed.broken_rule(held):
            kind, message = broken
            self.findings.flag(kind, where, message)
        elif held.servers and not held.workers:
            self.findings.flag(Kind.SERVERS, where, f"{held.servers} servers without workers, expected 0")


def _same(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=WORTHLESS)
