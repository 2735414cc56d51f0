"""The bars of a gantt chart, by hand."""

from __future__ import annotations

from pdors.report.bars import Bar, bars_of
from tests.report.outcomes import held, job, outcome, rejected


def test_a_job_has_a_bar_for_each_stretch_with_its_own_counts() -> None:
    moves = held(
        "moves",
        (0, 1, [(0, 2, 0)]),
        (1, 2, [(1, 1, 0), (2, 1, 0)]),  # elsewhere, but as many
        (2, 3, [(0, 3, 1)]),
        (4, 6, [(0, 3, 1)]),  # after a pause
    )
    bars, joined = bars_of(outcome((job("no"), rejected("no")), (job("moves"), moves)))
    assert bars == [Bar(1, 0, 2, 2, 0), Bar(1, 2, 3, 3, 1), Bar(1, 4, 6, 3, 1)]
    assert not joined


def test_servers_alone_are_no_bar() -> None:
    waits = held("waits", (0, 2, [(0, 0, 1)]), (2, 3, [(0, 1, 1)]))
    assert bars_of(outcome((job("waits"), waits)))[0] == [Bar(0, 2, 3, 1, 1)]


def test_too_many_bars_become_one_for_all_that_touch_with_the_mean_over_slots() -> None:
    grows = held("grows", (0, 3, [(0, 1, 0)]), (3, 4, [(0, 3, 2)]), (5, 6, [(0, 4, 0)]))
    other = held("other", (4, 5, [(1, 2, 0)]))
    bars, joined = bars_of(outcome((job("grows"), grows), (job("other"), other)), most=3)
    # (3 slots x 1 + 1 slot x 3) / 4 slots = 1.5 workers, and to the even one of the two whole numbers beside it
    assert bars == [Bar(0, 0, 4, 2, 0), Bar(0, 5, 6, 4, 0), Bar(1, 4, 5, 2, 0)]
    assert joined
