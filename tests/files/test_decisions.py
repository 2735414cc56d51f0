"""Decisions in and out: by hand, lossless, and held against their instance."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import DocumentError, ModelError
from pdors.files import decisions_document, parse_decisions, read_decisions, write_decisions
from tests.support.instances import decisions_for, instances, small_decisions, small_instance

INSTANCE = small_instance()
Document = dict[str, Any]


def document() -> Document:
    return deepcopy(decisions_document(small_decisions(), INSTANCE))


def problems_of(data: object) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_decisions(data, INSTANCE, "d.json")
    lines = str(caught.value).splitlines()
    assert all(line.startswith("d.json: ") for line in lines)
    return [line.removeprefix("d.json: ") for line in lines]


def test_the_document_by_hand() -> None:
    assert document() == {
        "format": "pdors/decisions/1",
        "policy": "pdors",
        "options": {"solver": "fast"},
        "seed": 7,
        "total_utility": 40.5,
        "seconds": 0.5,
        "jobs": [
            {
                "id": "job-0",
                "admitted": True,
                "completion": 2,
                "utility": 40.5,
                "payoff": 30.25,
                "reason": None,
                "schedule": [
                    {"slot": 1, "placement": {"m-0": [2, 1]}},
                    {"slot": 2, "placement": {"m-0": [2, 1]}},
                ],
            },
            {
                "id": "job-1",
                "admitted": True,
                "completion": None,
                "utility": 0,
                "payoff": None,
                "reason": None,
                "schedule": [{"slot": 3, "placement": {"m-0": [1, 0], "big": [3, 0]}}],
            },
            {
                "id": "job-2",
                "admitted": False,
                "completion": None,
                "utility": 0,
                "payoff": -1.5,
                "reason": "price",
                "schedule": [],
            },
        ],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a test."""
    return tmp_path_factory.mktemp("decisions")


@pytest.mark.parametrize("suffix", ["json", "yaml"])
@given(data=st.data())
def test_what_was_written_is_read_back_and_written_alike(folder: Path, suffix: str, data: st.DataObject) -> None:
    path, again = folder / f"d.{suffix}", folder / f"again.{suffix}"
    instance = data.draw(instances())
    decisions = data.draw(decisions_for(instance, wide=True))
    write_decisions(decisions, instance, path)
    assert read_decisions(path, instance) == decisions
    write_decisions(read_decisions(path, instance), instance, again)
    assert again.read_bytes() == path.read_bytes()


def test_decisions_are_written_with_their_own_instance_alone() -> None:
    first, second, third = small_decisions().decisions
    for others in ((first, second), (second, first, third), (first, second, third, third)):
        with pytest.raises(ModelError, match="one per job, in its order"):
            decisions_document(replace(small_decisions(), decisions=others), INSTANCE)


def test_slots_may_come_in_any_order_and_the_total_within_rounding() -> None:
    data = document()
    data["jobs"][0]["schedule"].reverse()
    data["total_utility"] *= 1 + 5e-10
    assert parse_decisions(data, INSTANCE, "d") == small_decisions()


REASONS = "one of price, infeasible, full, no_rounding"
UNKNOWN = "expected no such key; the keys here are"
TOP_KEYS = "format, policy, options, seed, seconds, total_utility, jobs"
JOB_KEYS = "id, admitted, completion, utility, reason, payoff, schedule"
WHOLE = "expected an integer of at least 0"
PLACE = "jobs[0].schedule[1].placement"
SCHEDULE = [{"slot": 1, "placement": {"m-0": [2, 1]}}]


@pytest.mark.parametrize(
    ("keys", "value", "problem"),
    [
        (["format"], "pdors/instance/1", 'format: got "pdors/instance/1", expected pdors/decisions/1'),
        (["policy"], "", 'policy: got "", expected a text that is not empty'),
        (["options"], [], "options: got a list of 0, expected a mapping"),
        (["options", "x"], [math.inf], "options.x[0]: got Infinity, expected data with finite numbers"),
        (["seed"], -1, "seed: got -1, expected an integer of at least 0"),
        (["seed"], None, "seed: got null, expected an integer of at least 0"),
        (["seconds"], -0.5, "seconds: got -0.5, expected a finite number of at least 0"),
        (["total_utility"], 40, "total_utility: got 40, expected the sum of the jobs' utilities, 40.5"),
        (["total_utility"], math.nan, "total_utility: got NaN, expected a finite number of at least 0"),
        (["jobs"], {}, "jobs: got an empty mapping, expected a list"),
        (["jobs"], [], 'jobs: got nothing for "job-0" and 2 more, expected one entry per job of the instance'),
        (["more"], 1, f"more: got 1, {UNKNOWN} {TOP_KEYS}"),
        (["jobs", 0, "admitted"], 1, "jobs[0].admitted: got 1, expected true or false"),
        (["jobs", 0, "completion"], 10, "jobs[0].completion: got 10, expected an integer of at most 9"),
        (["jobs", 0, "completion"], None, "jobs[0].utility: got 40.5, expected 0, as the job does not complete"),
        (["jobs", 0, "utility"], -1, "jobs[0].utility: got -1, expected a finite number of at least 0"),
        (["jobs", 0, "payoff"], "1", 'jobs[0].payoff: got "1", expected a finite number'),
        (["jobs", 0, "payoff"], -math.inf, "jobs[0].payoff: got -Infinity, expected a finite number"),
        (["jobs", 0, "reason"], "price", 'jobs[0].reason: got "price", expected null, as the job is admitted'),
        (["jobs", 0, "price"], 1, f"jobs[0].price: got 1, {UNKNOWN} {JOB_KEYS}"),
        (["jobs", 2, "reason"], None, f"jobs[2].reason: got null, expected {REASONS}, as the job is not admitted"),
        (["jobs", 2, "reason"], "late", f'jobs[2].reason: got "late", expected {REASONS}'),
        (["jobs", 2, "completion"], 3, "jobs[2].completion: got 3, expected null, as the job is not admitted"),
        (["jobs", 2, "utility"], 3, "jobs[2].utility: got 3, expected 0, as the job does not complete"),
        (["jobs", 2, "schedule"], SCHEDULE,
         "jobs[2].schedule: got a list of 1, expected an empty list, as the job is not admitted"),
        (["jobs", 0, "schedule"], None, "jobs[0].schedule: got null, expected a list"),
        (["jobs", 0, "schedule", 1, "slot"], 1,
         "jobs[0].schedule[1].slot: got 1, expected each slot once (jobs[0].schedule[0].slot has it)"),
        (["jobs", 0, "schedule", 1, "slot"], 10,
         "jobs[0].schedule[1].slot: got 10, expected an integer of at most 9"),
        (["jobs", 0, "schedule", 1, "to"], 3,
         f"jobs[0].schedule[1].to: got 3, {UNKNOWN} slot, placement"),
        (["jobs", 0, "schedule", 1, "placement"], {},
         f"{PLACE}: got an empty mapping, expected at least one machine that holds something"),
        (["jobs", 0, "schedule", 1, "placement"], [], f"{PLACE}: got a list of 0, expected a mapping"),
        (["jobs", 0, "schedule", 1, "placement", "m-2"], [1, 0],
         f"{PLACE}.m-2: got a list of 2, expected the name of a machine"),
        (["jobs", 0, "schedule", 1, "placement", "m-0"], [1],
         f"{PLACE}.m-0: got a list of 1, expected [workers, servers]"),
        (["jobs", 0, "schedule", 1, "placement", "m-0"], {"workers": 1},
         f"{PLACE}.m-0: got a mapping, expected [workers, servers]"),
        (["jobs", 0, "schedule", 1, "placement", "m-0"], [1, -1],
         f"{PLACE}.m-0[1]: got -1, expected an integer of at least 0"),
        (["jobs", 0, "schedule", 1, "placement", "m-0"], [0.5, True],
         f"{PLACE}.m-0[0]: got 0.5, {WHOLE}\n{PLACE}.m-0[1]: got true, {WHOLE}"),
        (["jobs", 0, "schedule", 1, "placement", "m-0"], [0, 0],
         f"{PLACE}.m-0: got a list of 2, expected workers or servers: machines that hold nothing are left out"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_line(keys: list[Any], value: object, problem: str) -> None:
    data = document()
    container: Any = data
    for key in keys[:-1]:
        container = container[key]
    container[keys[-1]] = value
    assert problems_of(data) == problem.splitlines()


def test_a_missing_key_is_named() -> None:
    for path, part in (("", lambda data: data), ("jobs[1].", lambda data: data["jobs"][1])):
        for key in part(document()):
            data = document()
            del part(data)[key]
            assert problems_of(data)[0].startswith(f"{path}{key}: got nothing, expected ")


@pytest.mark.parametrize(
    ("ids", "problems"),
    [
        (["job-0", "job-1"], ['jobs: got nothing for "job-2", expected one entry per job of the instance']),
        (["job-1", "job-0", "job-2"],
         ['jobs[0].id: got "job-1", expected "job-0": the jobs in the order of the instance']),
        (["job-0", "job-1", "job-1"],
         ['jobs[2].id: got "job-1", expected one that stands once (jobs[1].id has it)',
          'jobs: got nothing for "job-2", expected one entry per job of the instance']),
        (["job-0", "job-1", "job-2", "job-3"], ['jobs[3].id: got "job-3", expected the id of a job of the instance']),
    ],
)  # fmt: skip
def test_there_is_one_entry_per_job_in_the_order_of_the_instance(ids: list[str], problems: list[str]) -> None:
    rejected = document()["jobs"][2]
    data = document() | {"total_utility": 0, "jobs": [rejected | {"id": job_id} for job_id in ids]}
    assert problems_of(data) == problems


def test_everything_that_is_wrong_is_said_at_once_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    data = document() | {"seed": 0.5}
    data["jobs"][0] |= {"completion": -1, "schedule": [7]}
    path.write_text(json.dumps(data)[:-1] + ', "seed": 0.5}')
    with pytest.raises(DocumentError) as caught:
        read_decisions(path, INSTANCE)
    assert str(caught.value).splitlines() == [
        f"{path}: seed: got this key more than once, expected each key once",
        f"{path}: seed: got 0.5, expected an integer of at least 0",
        f"{path}: jobs[0].completion: got -1, expected an integer of at least 0",
        f"{path}: jobs[0].schedule[0]: got 7, expected a mapping",
    ]
