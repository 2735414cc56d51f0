"""Data to files: what was written is read back, with the same bytes every time, and no half of a file is left."""

from __future__ import annotations

import math
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import DocumentError, ModelError
from pdors.files import load_document, output
from pdors.files.output import plain, write_document
from tests.support.instances import ODD_NAMES, json_data, names

DOCUMENTS = st.dictionaries(names(), json_data(), max_size=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples of a test."""
    return tmp_path_factory.mktemp("documents")


@pytest.mark.parametrize("name", ["d.json", "d.yaml", "d"])
@given(document=DOCUMENTS)
def test_what_was_written_is_read_back(folder: Path, name: str, document: dict[str, object]) -> None:
    path = folder / name
    write_document(document, path)
    content = path.read_bytes()
    data, _ = load_document(path)
    assert data == document
    write_document(dict(data), path)  # type: ignore[call-overload]
    assert path.read_bytes() == content


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_odd_names_are_kept_as_keys_and_as_values(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"d.{suffix}"
    document = {"list": list(ODD_NAMES), "keys": {name: name for name in ODD_NAMES}}
    write_document(document, path)  # type: ignore[arg-type]
    assert load_document(path)[0] == document


def test_yaml_1_1_reads_the_same(tmp_path: Path) -> None:
    """What other tools take `yes` and 0x1F for does not matter either."""
    path = tmp_path / "d.yaml"
    document = {"list": [*ODD_NAMES, 1e16, 1.5, 12, True, None]}
    write_document(document, path)  # type: ignore[arg-type]
    assert yaml.safe_load(path.read_text("utf-8")) == document


@pytest.mark.parametrize("leaf", [1e16, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 2**53, 10**30, -1.5e-300])
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_numbers_are_kept_to_the_last_bit(tmp_path: Path, suffix: str, leaf: float) -> None:
    path = tmp_path / f"d.{suffix}"
    write_document({"x": leaf}, path)
    (value,) = load_document(path)[0].values()  # type: ignore[attr-defined]
    assert (value, type(value)) == (leaf, type(leaf))


def test_json_has_a_line_per_key_and_per_entry_of_a_list_of_mappings(tmp_path: Path) -> None:
    write_document({"a": [1, 2], "b": [{"c": 1}, {"d": {"e": []}}], "f": []}, tmp_path / "d.json")
    assert (tmp_path / "d.json").read_text() == (
        '{\n  "a": [1, 2],\n  "b": [\n    {"c": 1},\n    {"d": {"e": []}}\n  ],\n  "f": []\n}\n'
    )


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (3.0, 3), (-0.0, 0), (0.5, 0.5), (2.0**53, 2.0**53), (2.0**53 - 1, 2**53 - 1), (-7.0, -7),
        (np.float64(4), 4), (np.int64(5), 5),
    ],
)  # fmt: skip
def test_whole_numbers_are_written_without_a_fraction(number: float, written: float) -> None:
    assert (plain(number), type(plain(number))) == (written, type(written))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_not_written(number: float) -> None:
    with pytest.raises(ModelError, match=f"finite numbers alone, got {number}"):
        plain(number)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "d.json"
    write_document({"a": 1}, path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output.Path, "replace", fail)
    with pytest.raises(DocumentError) as caught:
        write_document({"a": 2}, path)
    assert str(caught.value) == f"{path}: file: got No space left on device, expected a file that can be written"
    assert load_document(path)[0] == {"a": 1}
    assert os.listdir(tmp_path) == ["d.json"]  # noqa: PTH208  # with hidden files


@pytest.mark.parametrize(("name", "reason"), [("missing/d.json", "No such file"), (".", "Is a directory")])
def test_where_no_file_can_be_written(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=f"^{re.escape(str(tmp_path / name))}: file: got {reason}"):
        write_document({}, tmp_path / name)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    write_document({"a": 1}, link)
    assert link.is_symlink()
    assert load_document(target)[0] == {"a": 1}


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write_document({"a": 1}, pipe)
    reader.join(timeout=10)
    assert read == ['{\n  "a": 1\n}\n']
    assert pipe.is_fifo()
