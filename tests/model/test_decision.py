"""Answers to jobs, and all of them together."""

from __future__ import annotations

import pytest

from pdors.model.decision import Reason
from tests.support.instances import small_decisions


def test_the_total_counts_admitted_jobs_alone() -> None:
    assert small_decisions().total_utility == 40.5


def test_a_decision_is_found_by_its_job() -> None:
    assert small_decisions()["job-2"].payoff == -1.5
    with pytest.raises(KeyError, match="job-9"):
        small_decisions()["job-9"]


def test_the_reasons_are_the_words_that_documents_use() -> None:
    assert [str(reason) for reason in Reason] == ["price", "infeasible", "full", "no_rounding"]
