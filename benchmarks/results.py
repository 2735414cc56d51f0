"""What a benchmark measured, held against what is wanted, and where it was measured."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Result:
    """One figure; `wanted` is the bound that it should keep, `at_least` that it is a lower one."""

    what: str
    measured: float
    unit: str = ""
    wanted: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool:
        if self.wanted is None:
            return True
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    def cells(self) -> tuple[str, str, str, str]:
        if self.wanted is None:
            return self.what, _figure(self.measured, self.unit), "", ""
        sign = "≥" if self.at_least else "≤"
        return (
            self.what,
            _figure(self.measured, self.unit),
            f"{sign} {_figure(self.wanted, self.unit)}",
            "yes" if self.holds else "**no**",
        )


def _figure(value: float, unit: str) -> str:
    number = f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
    return f"{number} {unit}".rstrip()


def table(results: list[Result]) -> str:
    rows = [("", "measured", "wanted", "holds"), ("---",) * 4, *(result.cells() for result in results)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def circumstances() -> str:
    """Date, commit, machine and versions, in one line."""
    return (
        f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}, commit {_commit()}, {_processor()}, {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}, numpy {np.__version__}"
    )


def _commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607 - the git of whoever measures

    try:
        # What the figures depend on; the page with the figures itself may be about to change.
        changed = git("status", "--porcelain", "--", "src", "benchmarks", "tests/support")
        return git("rev-parse", "--short=10", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
