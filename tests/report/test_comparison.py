"""What the page is given to draw."""

from __future__ import annotations

import json
import math
from base64 import b64decode
from dataclasses import replace
from typing import Any

from pdors.model.decision import Reason
from pdors.model.job import Instance
from pdors.report.comparison import FULL_CELL, comparison_data, comparison_report
from tests.report.outcomes import CLUSTER, held, job, outcome, rejected, summary

ANSWERED = (
    (job("a", arrival=1), held("a", (2, 4, [(0, 2, 1)]), completion=3)),
    (job("b", arrival=2), rejected("b", Reason.PRICE)),
)
MADE = outcome(*ANSWERED, promises={"a": 4})


def data_of(*summaries: Any, **outcomes: Any) -> Any:
    made = comparison_data("title", MADE.instance, outcomes, summaries, {"seed": "1"})
    return json.loads(json.dumps(made, allow_nan=False))


def test_a_job_is_told_with_its_bar_its_promise_and_its_reason() -> None:
    data = data_of(summary("mine", 10.0), mine=MADE)
    assert data["jobs"] == {"id": ["a", "b"], "arrival": [1, 2], "work": [3600, 3600]}
    detail = data["details"]["mine"]
    assert detail["bars"] == [0, 2, 4, 2, 1]
    assert detail["jobs"]["decision"] == ["done", "rejected"]
    assert detail["jobs"]["reason"] == [None, "price"]
    assert (detail["jobs"]["promise"], detail["jobs"]["completion"]) == ([4, None], [3, None])


def test_cells_of_the_heat_map_are_bytes_row_by_row() -> None:
    data = data_of(summary("mine", 10.0), mine=MADE)
    cells = b64decode(data["details"]["mine"]["heat"])
    assert len(cells) == len(CLUSTER) * 6
    assert list(cells[:6]) == [0, 0, FULL_CELL // 2, FULL_CELL // 2, 0, 0]
    assert not any(cells[6:])


def test_summaries_keep_every_seed_and_what_has_no_number_is_null() -> None:
    odd = replace(summary("mine", 10.0, math.nan, bound=20.0), bounds=(20.0, None))
    [told] = data_of(odd)["summaries"]
    assert told["utilities"] == [10.0, None]
    assert told["bounds"] == [20.0, None]


def test_a_policy_has_one_colour_and_every_policy_has_one() -> None:
    data = data_of(summary("pdors", 1.0), summary("other", 1.0), mine=MADE)
    assert set(data["colours"]) == {"pdors", "other", "mine"}


def test_no_jobs_no_outcomes_and_no_summaries_are_a_page_too() -> None:
    empty = Instance(3, 60, CLUSTER, ())
    assert "<title>nothing</title>" in comparison_report("nothing", empty, {}, [], {})
    made = replace(outcome(), instance=empty)
    assert "fifo" in comparison_report("no jobs", empty, {"fifo": made}, [summary("fifo", 0.0, jobs=0)], {})
