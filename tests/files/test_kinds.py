"""Speeds and utilities in documents: every kind in and out, and what is wrong with each."""

from __future__ import annotations

import math

import pytest

from pdors.errors import DocumentError
from pdors.files import instance_document, parse_instance
from pdors.files.kinds import speed_document, utility_document
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility
from tests.support.instances import small_instance

Document = dict[str, object]

RATES: Document = {"sample_seconds": 0.5, "gradient_mb": 50, "internal_mb_s": 100, "external_mb_s": 10}
RING: Document = {"kind": "allreduce"} | RATES
PS: Document = {"kind": "ps", "workers_per_server": 2.5} | RATES
TABLE: Document = {"kind": "table", "workers": [1, 2, 4], "internal": [210, 400.5, None], "external": [None, 330, 610]}
SIGMOID: Document = {"kind": "sigmoid", "priority": 50, "urgency": 0.5, "target": -6}
DEADLINE: Document = {"kind": "deadline", "value": 20, "deadline": 4}
STEPS: Document = {"kind": "table", "after": [0, 2.5, 6], "value": [30, 10, 10]}


def read(key: str, value: object) -> Speed | Utility:
    """The speed or utility of the first job, read from this."""
    document = instance_document(small_instance())
    document["jobs"][0][key] = value  # type: ignore[index]
    job = parse_instance(document, "i").jobs[0]
    return job.speed if key == "speed" else job.utility


def problems_of(key: str, value: object) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        read(key, value)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("document", "speed"),
    [
        (PS, ParameterServerSpeed(0.5, 50, 2.5, 100, 10)),
        (PS | {"step_overhead_seconds": 0.25}, ParameterServerSpeed(0.5, 50, 2.5, 100, 10, 0.25)),
        (PS | {"gradient_mb": 0, "external_mb_s": 1000}, ParameterServerSpeed(0.5, 0, 2.5, 100, 1000)),
        (RING, AllReduceSpeed(0.5, 50, 100, 10)),
        (RING | {"step_overhead_seconds": 0.25}, AllReduceSpeed(0.5, 50, 100, 10, 0.25)),
        (TABLE, TableSpeed((1, 2, 4), (210, 400.5, None), (None, 330, 610))),
        ({"kind": "table", "workers": [2], "internal": [7]}, TableSpeed((2,), (7,))),
    ],
)
def test_speeds_in_and_out(document: Document, speed: Speed) -> None:
    assert read("speed", document) == speed
    assert speed_document(speed) == document


@pytest.mark.parametrize(
    ("document", "utility"),
    [
        (SIGMOID, SigmoidUtility(50, 0.5, -6)),
        (DEADLINE, DeadlineUtility(20, 4)),
        (DEADLINE | {"late_value": 20}, DeadlineUtility(20, 4, 20)),
        (STEPS, TableUtility((0, 2.5, 6), (30, 10, 10))),
    ],
)
def test_utilities_in_and_out(document: Document, utility: Utility) -> None:
    assert read("utility", document) == utility
    assert utility_document(utility) == document


def without(document: Document, key: str) -> Document:
    return {name: value for name, value in document.items() if name != key}


COLUMN = "a list of 3, one entry per worker count"
POSITIVE = "a finite number above 0"
NOT_NEGATIVE = "a finite number of at least 0"
RING_KEYS = "kind, sample_seconds, gradient_mb, internal_mb_s, external_mb_s, step_overhead_seconds"


@pytest.mark.parametrize(
    ("document", "place", "got", "expected"),
    [
        (None, "", "null", "a mapping"),
        ([PS], "", "a list of 1", "a mapping"),
        ({}, ".kind", "nothing", "one of ps, allreduce, table"),
        (PS | {"kind": "PS"}, ".kind", '"PS"', "one of ps, allreduce, table"),
        (PS | {"kind": ["ps"]}, ".kind", "a list of 1", "one of ps, allreduce, table"),
        *((without(PS, key), f".{key}", "nothing", POSITIVE) for key in PS if key not in ("kind", "gradient_mb")),
        *((PS | {key: 0}, f".{key}", "0", POSITIVE) for key in PS if key not in ("kind", "gradient_mb")),
        *((RING | {key: 0}, f".{key}", "0", POSITIVE) for key in RING if key not in ("kind", "gradient_mb")),
        (without(PS, "gradient_mb"), ".gradient_mb", "nothing", NOT_NEGATIVE),
        (RING | {"gradient_mb": -1}, ".gradient_mb", "-1", NOT_NEGATIVE),
        (PS | {"step_overhead_seconds": -0.5}, ".step_overhead_seconds", "-0.5", NOT_NEGATIVE),
        (RING | {"step_overhead_seconds": None}, ".step_overhead_seconds", "null", NOT_NEGATIVE),
        (PS | {"sample_seconds": math.inf}, ".sample_seconds", "Infinity", POSITIVE),
        (PS | {"sample_seconds": True}, ".sample_seconds", "true", POSITIVE),
        (PS | {"sample_seconds": "1"}, ".sample_seconds", '"1"', POSITIVE),
        (RING | {"workers_per_server": 2}, ".workers_per_server", "2", f"no such key; the keys here are {RING_KEYS}"),
        (TABLE | {"workers": []}, ".workers", "a list of 0", "a list with at least one worker count"),
        (TABLE | {"workers": [0, 2, 4]}, ".workers[0]", "0", "an integer of at least 1"),
        (TABLE | {"workers": [1, 1, 4]}, ".workers[1]", "1", "an integer of at least 2"),
        (TABLE | {"workers": [1, 4, 2]}, ".workers[2]", "2", "an integer of at least 5"),
        (TABLE | {"workers": [1, 2.5, 4]}, ".workers[1]", "2.5", "an integer of at least 2"),
        (without(TABLE, "internal"), ".internal", "nothing", "a list"),
        (TABLE | {"internal": [1, 2]}, ".internal", "a list of 2", COLUMN),
        (TABLE | {"external": [1, 2, 3, 4]}, ".external", "a list of 4", COLUMN),
        (TABLE | {"external": None}, ".external", "null", "a list"),
        (TABLE | {"internal": [1, 0, 2]}, ".internal[1]", "0", POSITIVE),
        (TABLE | {"external": [1, 2, math.nan]}, ".external[2]", "NaN", POSITIVE),
    ],
)  # fmt: skip
def test_what_can_be_wrong_with_a_speed(document: object, place: str, got: str, expected: str) -> None:
    assert problems_of("speed", document) == [f"jobs[0].speed{place}: got {got}, expected {expected}"]


@pytest.mark.parametrize(
    ("document", "place", "got", "expected"),
    [
        (7, "", "7", "a mapping"),
        ({"kind": "linear"}, ".kind", '"linear"', "one of sigmoid, deadline, table"),
        *((without(SIGMOID, key), f".{key}", "nothing", NOT_NEGATIVE) for key in ("priority", "urgency")),
        *((SIGMOID | {key: -1}, f".{key}", "-1", NOT_NEGATIVE) for key in ("priority", "urgency")),
        (without(SIGMOID, "target"), ".target", "nothing", "a finite number"),
        (SIGMOID | {"target": -math.inf}, ".target", "-Infinity", "a finite number"),
        (SIGMOID | {"deadline": 3}, ".deadline", "3", "no such key; the keys here are kind, priority, urgency, target"),
        (DEADLINE | {"value": -1}, ".value", "-1", NOT_NEGATIVE),
        (DEADLINE | {"deadline": None}, ".deadline", "null", "a finite number"),
        (DEADLINE | {"late_value": -1}, ".late_value", "-1", "a finite number of at least 0 and of at most 20.0"),
        (DEADLINE | {"late_value": 20.5}, ".late_value", "20.5", "a finite number of at least 0 and of at most 20.0"),
        (STEPS | {"after": []}, ".after", "a list of 0", "a list with at least one duration"),
        (STEPS | {"value": []}, ".value", "a list of 0", "a list with at least one value"),
        (STEPS | {"value": [3]}, ".value", "a list of 1", "a list of 3, one entry per entry of after"),
        (STEPS | {"after": [0, 0, 6]}, ".after[1]", "0", "a finite number above 0.0"),
        (STEPS | {"after": [0, 7, 6]}, ".after[2]", "6", "a finite number above 7.0"),
        (STEPS | {"after": [2**53, 2**53 + 1, 1e16]}, ".after[1]", "9007199254740993",
         "a finite number above 9007199254740992.0"),
        (STEPS | {"value": [10, 11, 0]}, ".value[1]", "11", "a finite number of at least 0 and of at most 10.0"),
        (STEPS | {"value": [10, 0, -1]}, ".value[2]", "-1", "a finite number of at least 0 and of at most 0.0"),
        (STEPS | {"value": [10, math.nan, 0]}, ".value[1]", "NaN", "a finite number of at least 0 and of at most 10.0"),
    ],
)  # fmt: skip
def test_what_can_be_wrong_with_a_utility(document: object, place: str, got: str, expected: str) -> None:
    assert problems_of("utility", document) == [f"jobs[0].utility{place}: got {got}, expected {expected}"]
