"""Any table: a column is what the map says, and the rest is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pdors.errors import DocumentError, ModelError
from pdors.model.job import Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility
from pdors.traces import columns
from pdors.traces.excerpt import Excerpt
from pdors.traces.report import Trace
from tests.traces.samples import TABLE, TABLE_MAP, write

EXCERPT = Excerpt(jobs=10, slots=6, slot_seconds=3600)


def read(*paths: Path, seed: int = 0, columns_of: dict[str, str] = TABLE_MAP) -> Trace:
    return columns.read(paths, EXCERPT, np.random.default_rng(seed), columns=columns_of, machines=3)


def speed(job: Job) -> ParameterServerSpeed:
    assert isinstance(job.speed, ParameterServerSpeed)
    return job.speed


def utility(job: Job) -> SigmoidUtility:
    assert isinstance(job.utility, SigmoidUtility)
    return job.utility


def test_mapped_columns_and_those_called_like_a_field(tmp_path: Path) -> None:
    """From midnight to the next one in 6 slots: 4 hours for each."""
    trace = read(write(tmp_path, "jobs.csv", TABLE))
    jobs = trace.instance.jobs
    assert [(job.id, job.arrival, job.epochs, job.samples, job.batch) for job in jobs] == [
        ("x", 0, 2, 100, 8), ("y", 3, 3, 200, 16), ("z", 5, 4, 300, 32),
    ]  # fmt: skip
    assert [speed(job).sample_seconds for job in jobs] == [0.5, 0.25, 0.125]
    urgencies = [utility(job).urgency for job in jobs]
    assert urgencies[0] >= 4
    assert urgencies[1] == 0
    assert 0.01 <= urgencies[2] <= 1
    assert len(trace.instance.cluster) == 3
    assert trace.report.unused == {}
    assert {"epochs", "batch", "sample_seconds", "class", "id"}.isdisjoint(trace.report.filled)
    assert {"gradient_mb", "worker_gpu", "priority", "critical_urgency"} <= trace.report.filled.keys()


def test_dates_that_do_not_say_where_are_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "jobs.csv", TABLE)
    here = read(path).instance
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert read(path).instance == here
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("delimiter", ["\t", ";"])
def test_other_delimiters(tmp_path: Path, delimiter: str) -> None:
    other = read(write(tmp_path, "other.csv", TABLE.replace(",", delimiter)))
    assert other.instance == read(write(tmp_path, "jobs.csv", TABLE)).instance


def _amount(task: str, place: int) -> Callable[[Job], float]:
    return lambda job: (job.worker if task == "worker" else job.server)[place]


PLACES: dict[str, Callable[[Job], float]] = {
    "epochs": lambda job: job.epochs,
    "samples": lambda job: job.samples,
    "batch": lambda job: job.batch,
    "sample_seconds": lambda job: speed(job).sample_seconds,
    "gradient_mb": lambda job: speed(job).gradient_mb,
    "workers_per_server": lambda job: speed(job).workers_per_server,
    "external_mb_s": lambda job: speed(job).external_mb_s,
    "internal_mb_s": lambda job: speed(job).internal_mb_s,
    **{
        f"{task}_{resource}": _amount(task, place)
        for task in ("worker", "server")
        for place, resource in enumerate(("gpu", "cpu", "memory_gb", "storage_gb"))
    },
    "priority": lambda job: utility(job).priority,
    "urgency": lambda job: utility(job).urgency,
    "target_slots": lambda job: utility(job).target,
}


def test_every_field_is_tested() -> None:
    assert {"id", "arrival", "class", *PLACES} == set(columns.FIELDS)


@pytest.mark.parametrize("field", PLACES)
def test_a_field_takes_effect_and_on_nothing_else(tmp_path: Path, field: str) -> None:
    plain = read(write(tmp_path, "plain.csv", "arrival\n1\n5\n"), columns_of={})
    told = read(write(tmp_path, "told.csv", "arrival,told\n1,7\n5,9\n"), columns_of={field: "told"})
    for before, after, value in zip(plain.instance.jobs, told.instance.jobs, (7, 9), strict=True):
        values = {name: place(after) for name, place in PLACES.items()}
        assert values.pop(field) == value
        # Of the two rates the other one keeps its ratio to the one that is told.
        other = {"external_mb_s": "internal_mb_s", "internal_mb_s": "external_mb_s"}.get(field)
        if other:
            ratio = speed(before).internal_mb_s / speed(before).external_mb_s
            assert values.pop(other) == pytest.approx(value * ratio if field == "external_mb_s" else value / ratio)
        assert values == {name: PLACES[name](before) for name in values}
    assert field in plain.report.filled or field in ("internal_mb_s", "urgency")
    assert field not in told.report.filled


def test_without_arrivals_and_ids(tmp_path: Path) -> None:
    trace = read(write(tmp_path, "jobs.csv", "epochs,note\n2,\n3,\n4,\n"), columns_of={})
    assert sorted(job.id for job in trace.instance.jobs) == ["job-0", "job-1", "job-2"]
    assert all(0 <= job.arrival < 6 for job in trace.instance.jobs)
    assert trace.report.filled["arrival"] == "drawn from 6 slots, odd and even ones as 1 to 2"
    assert trace.report.unused == {"note": "is no field of a job"}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("w,soon,1,1,1,1,0", 'arrival: got "soon", expected a number or a date'),
        ("w,1,0,1,1,1,0", 'epochs: got "0", expected a number of at least 1e-12'),
        ("w,1,1,1,0.5,1,0", 'batch: got "0.5", expected a whole number from 1 to 2147483647'),
        ("w,1,1,1,1,1,9", 'class: got "9", expected insensitive, sensitive, critical or 0 to 3'),
        ("x,1,1,1,1,1,0", 'the job "x" stands in a row before'),
    ],
)
def test_broken_rows(tmp_path: Path, row: str, why: str) -> None:
    report = read(write(tmp_path, "jobs.csv", f"{TABLE}{row}\n")).report
    assert [(row.line, row.why) for row in report.broken] == [(5, why)]


@pytest.mark.parametrize(
    ("text", "columns_of", "complaint"),
    [
        (TABLE, {"epochs": "x"}, r'header: got "job", "submitted", .*, expected the column "x" once'),
        ("a,a\n1,2\n", {"epochs": "a"}, r'header: got "a", "a", expected the column "a" once'),
        ("a,b\n1,2\n", {}, r'header: got "a", "b", expected a column mapped, or called like a field: id, arrival'),
        ("\n", {}, "file: got nothing in it, expected a table with a header"),
        ('a,"b\n1,2\n', {}, r"header: got .*, expected names of columns \(quotes: "),
    ],
)
def test_headers_that_do_not_fit(tmp_path: Path, text: str, columns_of: dict[str, str], complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        read(write(tmp_path, "jobs.csv", text), columns_of=columns_of)


def test_files_that_do_not_fit_each_other(tmp_path: Path) -> None:
    paths = write(tmp_path, "1.csv", "epochs,batch\n1,2\n"), write(tmp_path, "2.csv", "epochs\n1\n")
    with pytest.raises(DocumentError, match=r"header: got epochs, expected the fields of .*1.csv, batch, epochs"):
        read(*paths, columns_of={})


def test_maps() -> None:
    assert columns.parse_map(["arrival=submit time", "id=a=b"]) == {"arrival": "submit time", "id": "a=b"}
    for text in ("arrival", "arrival=", "color=red"):
        with pytest.raises(ModelError, match="expected FIELD=COLUMN; the fields are id, arrival, "):
            columns.parse_map([text])
    with pytest.raises(ModelError, match="map: got id twice, expected each field once"):
        columns.parse_map(["id=a", "id=b"])
