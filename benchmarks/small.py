"""Small: peak memory of planning on a large and on a long cluster.

Each case runs in a process of its own, which reports by how much its resident memory has grown at its peak since before
the cluster was made, with code and libraries loaded. The dense array is what is committed as one float per machine,
slot and resource.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from benchmarks.results import ROOT, Result

DECISIONS = 20


def run(*, quick: bool, tell: Callable[[str], None]) -> list[Result]:
    machines, slots = (2_000, 96) if quick else (10_000, 288)
    tell("half of a large cluster")
    large = _measure(machines, slots, slots)
    dense = machines * slots * 4 * 8 / 1e6
    tell("long horizons")
    touched = 1_000
    short, long = (_measure(32, horizon, touched) for horizon in (2 * touched, 20 * touched))
    return [
        Result(f"{machines:,} machines, {slots} slots, half committed: peak", large["peak_mb"], "MB"),
        Result(f"{machines:,} machines, {slots} slots, half committed: ledger", large["ledger_mb"], "MB"),
        Result("the dense array of commitments", dense, "MB"),
        Result("peak / dense array", large["peak_mb"] / dense, "", 3),
        Result(f"32 machines, {touched:,} of {2 * touched:,} slots half committed: ledger", short["ledger_mb"], "MB"),
        Result(f"32 machines, {touched:,} of {20 * touched:,} slots half committed: ledger", long["ledger_mb"], "MB"),
        Result("ledger of the long horizon / of the short one", long["ledger_mb"] / short["ledger_mb"], "", 1),
        Result(f"{2 * touched:,} slots: peak", short["peak_mb"], "MB"),
        Result(f"{20 * touched:,} slots: peak", long["peak_mb"], "MB"),
    ]


def _measure(machines: int, slots: int, touched: int) -> dict[str, float]:
    case = json.dumps({"machines": machines, "slots": slots, "touched": touched})
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.small", case], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return dict(json.loads(answer.stdout))


def _in_a_process_of_its_own(machines: int, slots: int, touched: int) -> dict[str, float]:
    import resource
    from dataclasses import replace
    from pathlib import Path

    from benchmarks.clusters import commit_half, paper_cluster, paper_jobs
    from pdors.model.units import Units
    from pdors.planner.market import MarketPrices
    from pdors.planner.slot_fast import FastSlotSolver
    from tests.support.desk import Desk

    def decide(machines: int, slots: int, touched: int) -> Desk:
        cluster = paper_cluster(machines)
        posed = paper_jobs(DECISIONS, 1, slots, seed=1)
        solver = FastSlotSolver(Units(cluster))
        planner = Desk(cluster, slots, posed.slot_seconds, prices=MarketPrices(cluster, slots), solver=solver)
        commit_half(planner.ledger, touched)
        for job in posed.jobs:
            planner.admit(replace(job, arrival=0))
        return planner

    def resident_mb() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6

    decide(min(machines, 200), 10, 10)  # everything is loaded and compiled
    before = resident_mb()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    planner = decide(machines, slots, touched)
    status = Path("/proc/self/status").read_text()
    peak = next(int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("VmHWM"))
    return {"peak_mb": peak - before, "ledger_mb": planner.ledger.nbytes / 1e6}


if __name__ == "__main__":
    print(json.dumps(_in_a_process_of_its_own(**json.loads(sys.argv[1]))))
