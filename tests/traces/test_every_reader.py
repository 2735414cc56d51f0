"""What holds for every reader, whatever stands in the files."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors import plan, read_instance, write_instance
from pdors.check import check
from pdors.errors import DocumentError, PdorsError
from pdors.files import decisions_document, instance_document, load_document, parse_instance
from pdors.traces.excerpt import Arrivals, Excerpt
from pdors.traces.report import Trace
from tests.traces.readers import CASES, Case, require_counts_that_add_up, write_files

EXCERPT = Excerpt(jobs=5, slots=12, slot_seconds=600)


def read(case: Case, paths: list[Path], seed: int = 0, excerpt: Excerpt = EXCERPT) -> Trace:
    return case.read(paths, excerpt, np.random.default_rng(seed))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("arrivals", get_args(Arrivals))
def test_instances_can_be_written_read_and_planned(tmp_path: Path, name: str, arrivals: Arrivals) -> None:
    excerpt = replace(EXCERPT, arrivals=arrivals, slots={"scaled": 12, "recorded": 400}[arrivals])
    trace = read(CASES[name], write_files(CASES[name], tmp_path), excerpt=excerpt)
    require_counts_that_add_up(trace.report)
    path = tmp_path / "instance.json"
    write_instance(trace.instance, path)
    assert read_instance(path) == trace.instance
    decisions = decisions_document(plan(trace.instance), trace.instance)
    assert check(load_document(path)[0], decisions).violations == ()


@pytest.mark.parametrize("name", CASES)
def test_same_seed_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    """Wherever the files are, and compressed or not."""
    case = CASES[name]
    paths = write_files(case, tmp_path / "a")
    packed = [path.relative_to(tmp_path / "a") for path in paths]
    for path in packed:
        (tmp_path / "b" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "b" / path).write_bytes(gzip.compress((tmp_path / "a" / path).read_bytes()))
    documents = [
        json.dumps(instance_document(read(case, given, seed).instance))
        for given, seed in ((paths, 1), (paths, 1), ([tmp_path / "b" / path for path in packed], 1))
    ]
    assert documents[0] == documents[1] == documents[2]


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("elasticflow")])
def test_another_seed_draws_anew(tmp_path: Path, name: str) -> None:
    paths = write_files(CASES[name], tmp_path)
    assert read(CASES[name], paths, 1).instance != read(CASES[name], paths, 2).instance


@pytest.mark.parametrize("name", CASES)
def test_reports_are_plain_data(tmp_path: Path, name: str) -> None:
    report = read(CASES[name], write_files(CASES[name], tmp_path)).report
    document = json.loads(json.dumps(report.document(), allow_nan=False))
    assert set(document["files"]) == {str(tmp_path / file) for file in CASES[name].files}
    assert document["rows_used"] == report.rows_used


GARBAGE = st.sampled_from(
    [
        "",
        " ",
        "0",
        "-1",
        "1",
        "0.5",
        "1e18",
        "1e-30",
        "-0",
        "nan",
        "inf",
        "9" * 400,
        "1e999",
        "NaN",
        "x",
        '"',
        "é",
        "\x00",
    ]
) | st.text(max_size=5)


@st.composite
def broken_text(draw: st.DrawFn, text: str) -> str:
    """The text with some fields and lines lost, repeated or replaced by whatever."""
    lines = [line.split(",") for line in text.splitlines()]
    for _ in range(draw(st.integers(0, 6))):
        header_too = draw(st.integers(0, 9)) == 0  # rarely, or most of the files would be refused as a whole
        line = draw(st.integers(0 if header_too else min(1, len(lines) - 1), len(lines) - 1))
        match draw(st.sampled_from(["field", "field", "field", "lose", "add", "repeat", "drop"])):
            case "field":
                if lines[line]:
                    lines[line][draw(st.integers(0, len(lines[line]) - 1))] = draw(GARBAGE)
            case "lose":
                lines[line] = lines[line][:-1]
            case "add":
                lines[line] = [*lines[line], draw(GARBAGE)]
            case "repeat":
                lines.insert(line, list(lines[line]))
            case "drop":
                lines[line] = []
    return "\n".join(map(",".join, lines)) + draw(st.sampled_from(["", "\n", "\n\n"]))


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_any_garbage_gives_an_error_or_counts_that_add_up(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    broken = Case(case.read, {file: data.draw(broken_text(text)) for file, text in case.files.items()})
    load = data.draw(st.sampled_from([0.5, 1, 3]))
    arrivals: Arrivals = data.draw(st.sampled_from(get_args(Arrivals)))
    slot_seconds = data.draw(st.sampled_from([1e-3, 600, 1e9]))
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(broken, Path(folder))
        excerpt = replace(EXCERPT, load=load, arrivals=arrivals, slot_seconds=slot_seconds)
        try:
            trace = read(broken, paths, excerpt=excerpt)
        except PdorsError:
            return
    require_counts_that_add_up(trace.report)
    document = json.loads(json.dumps(instance_document(trace.instance)))
    assert parse_instance(document, "trace") == trace.instance


@pytest.mark.parametrize("name", CASES)
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_other_files_are_refused_by_name(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        path.write_bytes(content)
        with pytest.raises(DocumentError, match=re.escape(str(path))):
            read(CASES[name], [path])
