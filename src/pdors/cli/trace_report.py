"""What `pdors trace` says of a reading to a person."""

from __future__ import annotations

from pdors.cli.screen import plural, printable
from pdors.traces.report import TraceReport

_BROKEN_ROWS_SHOWN = 5
_FILES_SHOWN = 5


def report_lines(report: TraceReport) -> list[str]:
    """The report for a person; of long lists the beginning."""
    lines = [f"read {plural(report.rows_read, 'row')} of {plural(len(report.files), 'file')}: {report.rows_used} used"]
    lines += [f"  {count} passed over: {why}" for why, count in report.passed_over.items()]
    if report.broken:
        lines.append(f"  {len(report.broken)} broken")
        lines += [f"    {printable(str(row))}" for row in report.broken[:_BROKEN_ROWS_SHOWN]]
        lines += _rest(len(report.broken) - _BROKEN_ROWS_SHOWN, "    ")
    if report.files_not_read:
        not_read = [f"  {printable(path)}: {why}" for path, why in report.files_not_read.items()]
        lines += [f"did not read {plural(len(not_read), 'file')}", *not_read[:_FILES_SHOWN]]
        lines += _rest(len(not_read) - _FILES_SHOWN, "  ")
    asked = f"; {report.jobs_asked} were asked for" if report.jobs_used < report.jobs_asked else ""
    lines.append(f"took {report.jobs_used} of {plural(report.jobs_found, 'job')}{asked}")
    lines += [f"  {count} left out: {why}" for why, count in report.left_out.items()]
    lines += _rules("filled in", report.filled) + _rules("not used", report.unused)
    return lines


def _rest(others: int, indent: str) -> list[str]:
    return [f"{indent}... and {others} more"] if others > 0 else []


def _rules(title: str, rules: dict[str, str]) -> list[str]:
    width = max(map(len, rules), default=0)
    lines = [f"  {printable(name):{width}}  {rule}" for name, rule in rules.items()]
    return [f"{title}:", *lines] if lines else []
