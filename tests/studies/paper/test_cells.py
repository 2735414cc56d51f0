"""What single cells give."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdors.planner.rounding import Sizes
from pdors.studies.comparison import BoundRun, PolicyRun
from pdors.studies.paper.cells import FeasibilityRun, OptimumRun, RoundingRun, Timed, row_of
from pdors.studies.paper.google import FromGoogle, GoogleTrace
from pdors.studies.sources import Generated
from pdors.workloads.paper_settings import PaperWorkload
from pdors.workloads.ranges import Integers

SMALL = Generated(PaperWorkload(jobs=6, machines=6, slots=12, epochs=Integers(5, 20)))


def test_rows_have_no_times() -> None:
    runs = (PolicyRun(SMALL, "pdors", 5), BoundRun(SMALL, 5, 10.0), OptimumRun(SMALL, 5, 10.0))
    rows = [row_of(Timed(run)()["result"]) for run in runs]
    assert not any("seconds" in column for row in rows for column in row)
    policy, most, best = (row["total_utility"] for row in rows)
    assert policy is not None
    assert best is not None
    assert most is not None
    assert 0 < policy <= best * (1 + 1e-9) <= most * (1 + 2e-6)


def test_rejections_by_reason_add_up() -> None:
    row = row_of(PolicyRun(SMALL, "pdors", 5)())
    rejected = sum(row[f"rejected_{reason}"] or 0 for reason in ("price", "full", "infeasible"))
    assert rejected + (row["done"] or 0) == row["jobs"] == 6


def test_rounding_counts_and_claims() -> None:
    row = row_of(RoundingRun(SMALL, 5, 1.0, 20, "default")())
    assert (row["questions"] or 0) > 0
    assert 0 <= (row["failed_questions"] or 0) <= 1
    assert 0 < (row["infeasible_draws"] or 0) < 1
    assert (row["rounds"] or 0) == pytest.approx(1 / (1 - (row["infeasible_draws"] or 0)))
    assert (row["theory_ratio"] or 0) >= 6  # 6 G / delta with G = 1, delta at most 1, and epsilon 1 or more
    assert row["theory_applies"] == 0  # no delta up to 1 makes G = 1


def test_feasibility_falls_with_the_width() -> None:
    narrow, wide = (row_of(FeasibilityRun(Sizes(1, width, 401, 15), 0.05)()) for width in (30, 40))
    assert (wide["right_hand_side"] or 1) < (narrow["right_hand_side"] or 1)
    assert (wide["crossing"] or 1) < (narrow["crossing"] or 1)


def test_a_trace_as_a_source(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    rows = [f"{second}000000,{1000 + second},{second % 4}" for second in range(1, 60)]
    file.write_text("\n".join(["submit_us,job_id,scheduling_class", *rows]) + "\n")
    trace = GoogleTrace((file,))
    source = FromGoogle(trace, trace.digest, jobs=20, machines=7, slots=30, slot_seconds=3600)
    first, other = source.instance(1), source.instance(2)
    assert (len(first.jobs), len(first.cluster), first.slots) == (20, 7, 30)
    assert {job.id for job in first.jobs} != {job.id for job in other.jobs}
    assert str(tmp_path) not in source.identity + repr(trace.told())
    file.write_text(file.read_text() + "60000000,2000,1\n")
    assert GoogleTrace((file,)).digest != trace.digest
