"""What a reader says beside the instance: how much it read, used, left out and filled in.

Nothing is dropped without being counted: rows read = used + passed over + broken, and jobs found = used + left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field

from pdors.model.job import Instance


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A row that cannot be what it should be, and why."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


@dataclass(frozen=True, kw_only=True)
class TraceReport:
    """Rows and jobs in numbers, and in words what each number is of.

    `passed_over` counts rows, `left_out` jobs, by the reason; `filled` and `unused` give the rule for each name.
    """

    files: tuple[str, ...]
    files_not_read: dict[str, str]
    rows_read: int
    rows_used: int
    passed_over: dict[str, int]
    broken: tuple[BrokenRow, ...]
    jobs_asked: int
    jobs_found: int
    jobs_used: int
    left_out: dict[str, int]
    filled: dict[str, str]
    unused: dict[str, str]

    def document(self) -> dict[str, object]:
        """As plain data, for `--json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Trace:
    """What a reader gives: the instance, and the report on how it came about."""

    instance: Instance
    report: TraceReport


@dataclass
class Tally:
    """The counts of one reading while it goes on."""

    files: list[str] = field(default_factory=list)
    files_not_read: dict[str, str] = field(default_factory=dict)
    rows_read: int = 0
    rows_used: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    broken: list[BrokenRow] = field(default_factory=list)
    jobs_found: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    filled: dict[str, str] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)

    def leave_out(self, why: str, jobs: int = 1) -> None:
        if jobs:
            self.left_out[why] += jobs

    def trace(self, instance: Instance, jobs_asked: int) -> Trace:
        return Trace(
            instance,
            TraceReport(
                files=tuple(self.files),
                files_not_read=dict(self.files_not_read),
                rows_read=self.rows_read,
                rows_used=self.rows_used,
                passed_over=dict(self.passed_over),
                broken=tuple(self.broken),
                jobs_asked=jobs_asked,
                jobs_found=self.jobs_found,
                jobs_used=len(instance.jobs),
                left_out=dict(self.left_out),
                filled=dict(self.filled),
                unused=dict(self.unused),
            ),
        )
