"""What is drawn over time, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.engine.outcome import Moment
from pdors.report.bins import edges
from pdors.report.course import course_of
from tests.report.outcomes import SLOTS, held, job, outcome, rejected

EVERY_SLOT = edges(SLOTS, SLOTS)


def test_use_is_a_share_of_the_cluster() -> None:
    made = outcome((job("a"), held("a", (0, 3, [(0, 2, 1)]))))
    course = course_of(made, EVERY_SLOT)
    assert course.use[0] == pytest.approx([2 / 8] * 3 + [0] * 3)  # 2 of 4 + 2 + 2 gpu
    assert course.use[1] == pytest.approx([4 / 24] * 3 + [0] * 3)  # 2 x 1 + 1 x 2 of 3 x 8 cpu
    assert course_of(made, edges(SLOTS, 3)).use[0] == pytest.approx([2 / 8, 1 / 8, 0])


def test_a_job_waits_from_its_arrival_on_whenever_it_holds_no_workers_and_is_not_done() -> None:
    made = outcome(
        (job("done", arrival=1), held("done", (2, 3, [(0, 1, 0)]), (4, 5, [(0, 1, 0)]), completion=4)),
        (job("left", arrival=3), held("left", (4, 5, [(1, 1, 0)]))),
        (job("never", arrival=5), held("never")),
        (job("no"), rejected("no")),
    )
    course = course_of(made, EVERY_SLOT)
    assert course.training.tolist() == [0, 0, 1, 0, 2, 0]
    assert course.waiting.tolist() == [0, 1, 0, 2, 0, 2]


def test_prices_hold_from_their_moment_to_the_next() -> None:
    moments = [Moment(1, 0, {"gpu": 1.0, "cpu": 0.5}), Moment(4, 0, {"gpu": 3.0, "cpu": 0.5})]
    made = outcome((job("a"), rejected("a")), moments=moments)
    prices = course_of(made, EVERY_SLOT).prices
    assert prices is not None
    np.testing.assert_equal(prices[0], [np.nan, 1, 1, 1, 3, 3])
    np.testing.assert_equal(prices[1], [np.nan, 0.5, 0.5, 0.5, 0.5, 0.5])


def test_a_policy_without_prices_has_none() -> None:
    assert course_of(outcome((job("a"), rejected("a")), moments=[Moment(0, 1, None)]), EVERY_SLOT).prices is None
