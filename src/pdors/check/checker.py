"""Holds decisions against an instance: job by job, then machine by machine."""

from __future__ import annotations

from collections.abc import Iterator

from pdors.check.decisions import DOCUMENT_FIELDS, REASONS, Entry, has_fields, read_entry
from pdors.check.instance import Instance, Job
from pdors.check.numeric import same_worth
from pdors.check.report import CheckReport, Findings, Kind, at, label
from pdors.check.training import Trained, Training
from pdors.errors import DocumentError


def check(instance: object, decisions: object, *, source: str = "instance") -> CheckReport:
    """Hold `decisions` against `instance`, both as parsed; an instance that cannot be read is a `DocumentError`.

    `source` is what that error calls the instance: the name of its file.

    A violation is reported where it arises and nowhere else: a slot before the arrival is wrong as a slot, and what
    is trained in it still counts as work.
    """
    try:
        checker = _Checker(Instance(instance))
    except DocumentError as error:
        raise DocumentError(source, error.problems) from None
    checker.check_document(decisions)
    violations = tuple(checker.findings.violations)
    return CheckReport(ok=not violations, violations=violations, total_utility=checker.worth)


class _Checker:
    """Goes through one document; `worth` adds up what the jobs that really finish are worth."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.findings = Findings()
        self.training = Training(instance, self.findings)
        self.worth = 0.0

    def check_document(self, decisions: object) -> None:
        if not has_fields(decisions, DOCUMENT_FIELDS, "decisions", self.findings):
            return
        entries = [read_entry(entry, index, self.findings) for index, entry in enumerate(decisions["jobs"])]
        for job, entry in self._matched(entries):
            if entry.admitted:
                self._check_admitted(job, entry)
            else:
                self._check_rejected(job, entry)
        if None not in entries:
            self._check_total(float(decisions["total_utility"]), sum(entry.utility for entry in entries if entry))
        self.training.loads.check_capacities(self.findings)

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
        if not same_worth(total, stated):
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
        if entry.reason is not None:
            self.findings.flag(Kind.ADMISSION, at(job.id), f"admitted, but with the reason {entry.reason}")
        trained = self.training.of(job, entry.schedule)
        if trained is not None:
            self.worth += trained.worth(job)
        if entry.completion is None:
            self._check_unfinished(job, entry, trained)
        elif 0 <= entry.completion < self.instance.slots:
            self._check_finished(job, entry, entry.completion, trained)
        else:
            message = f"completion is {entry.completion}, expected a slot from 0 to {self.instance.slots - 1}"
            self.findings.flag(Kind.COMPLETION, at(job.id), message)

    def _check_unfinished(self, job: Job, entry: Entry, trained: Trained | None) -> None:
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

    def _check_finished(self, job: Job, entry: Entry, completion: int, trained: Trained | None) -> None:
        where = at(job.id)
        if trained is not None:
            self._check_promise(job, completion, trained)
        expected = job.utility(completion - job.arrival)
        if not same_worth(entry.utility, expected):
            message = f"utility is {entry.utility!r}, expected {expected!r} for {completion - job.arrival} slots"
            self.findings.flag(Kind.UTILITY, where, message)
        if entry.payoff is None:
            return
        if entry.payoff <= 0:
            message = f"admitted at payoff {entry.payoff!r}, expected above 0: where there are prices, they decide"
            self.findings.flag(Kind.PAYOFF, where, message)
        elif entry.payoff > entry.utility and not same_worth(entry.payoff, entry.utility):
            message = f"payoff is {entry.payoff!r}, above the utility {entry.utility!r}: the price would be negative"
            self.findings.flag(Kind.PAYOFF, where, message)

    def _check_promise(self, job: Job, completion: int, trained: Trained) -> None:
        where = at(job.id)
        if not trained.finishes(job):
            samples = f"{trained.samples:.12g} of {job.work:.12g} samples"
            self.findings.flag(Kind.WORK, where, f"completion is {completion}, but only {samples} are trained")
        if trained.last_slot is None:
            self.findings.flag(Kind.COMPLETION, where, f"completion is {completion}, but no slot has workers")
        elif trained.last_slot != completion:
            message = f"completion is {completion}, but the last slot with workers is {trained.last_slot}"
            self.findings.flag(Kind.COMPLETION, where, message)
