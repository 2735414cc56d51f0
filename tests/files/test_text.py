"""Files to data: what a file says, or one line on why it cannot be read."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pdors.errors import DocumentError
from pdors.files import instance_document, load_document, read_instance
from pdors.files.text import RawDocument, parse_raw
from tests.support.instances import json_data, small_instance

TEXTS = (
    json.dumps(instance_document(small_instance()), indent=1),
    yaml.safe_dump(instance_document(small_instance())),
    "a: &x {b: [1, *x]}\n? c\n: !t d\n",
)


def problem_of(read: Callable[[], object]) -> str:
    with pytest.raises(DocumentError) as caught:
        read()
    return str(caught.value)


@given(json_data())
def test_json_says_what_it_says(data: object) -> None:
    content = json.dumps(data).encode()
    assert parse_raw(content, "f.json") == RawDocument(data, "f.json", ())
    assert parse_raw(b"\xef\xbb\xbf" + content, "f") == RawDocument(data, "f", ())


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("f.json", '{"a": 1e3}', {"a": 1000}),
        ("f.json", "[1e999, -Infinity]", [math.inf, -math.inf]),  # whoever reads the data judges that
        ("f.yaml", "a: 1e3", {"a": 1000}),
        ("f.YML", "a: 1e3", {"a": 1000}),
        ("f", '{"a":\t1}', {"a": 1}),  # JSON, but no YAML because of the tab
        ("f", "a: [yes, 012]", {"a": ["yes", 12]}),
        ("f.txt", "{a: 1}", {"a": 1}),
        (".yaml", '{"a":\t1}', {"a": 1}),
    ],
)
def test_the_suffix_decides_and_without_one_both_are_tried(tmp_path: Path, name: str, text: str, data: object) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert load_document(path) == (data, str(path))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("f", b"", "f: document: got nothing, expected JSON or YAML"),
        ("f.json", b" \n\t", "f.json: document: got nothing, expected JSON or YAML"),
        ("f", b"\xef\xbb\xbf", "f: document: got nothing, expected JSON or YAML"),
        ("f.json", b'{"a": "\xff"}', "f.json: byte 7: got no UTF-8, expected text in UTF-8"),
        ("f.yaml", "a: 1".encode("utf-16"), "f.yaml: byte 0: got no UTF-8, expected text in UTF-8"),
        ("f.json", b'{"a": 1,\n "b": }', 'f.json: line 2, column 7: got "}", expected JSON (Expecting value)'),
        ("f.json", b'{"a": 1', "f.json: line 1, column 8: got the end, expected JSON (Expecting ',' delimiter)"),
        ("f.json", b'{"a": 1}\n{}', 'f.json: line 2, column 1: got "{}", expected JSON (Extra data)'),
        ("f.json", b"a: 1", 'f.json: line 1, column 1: got "a: 1", expected JSON (Expecting value)'),
        ("f", b'{"a": 1,\n "b": }}', 'f: line 2, column 7: got "}}", expected JSON (Expecting value)'),
        ("f", b"a: 1\nb: }", 'f: line 2, column 4: got "}", expected YAML (did not find expected node content)'),
        (
            "f.yaml",
            b"{a: 1}}",
            'f.yaml: line 1, column 7: got "}", expected YAML (did not find expected <document start>)',
        ),
        ("f.yml", b"a: 1\n---\n", 'f.yml: line 2, column 1: got "---", expected YAML (one document alone)'),
        ("f.json", b'"\\ud800"', 'f.json: document: got half a character ("\\ud800"), expected whole characters'),
        ("f.json", b'{"a\\udfff": 1}', 'f.json: document: got half a character ("\\udfff"), expected whole characters'),
    ],
)
def test_text_that_cannot_be_read(name: str, content: bytes, problem: str) -> None:
    assert problem_of(lambda: parse_raw(content, name)) == problem


@pytest.mark.parametrize("name", ["f.json", "f"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("levels", [33, 900, 100_000])
def test_lists_and_mappings_too_deep(name: str, opening: bytes, levels: int) -> None:
    content = levels * opening + b"0" + levels * (b"]" if opening == b"[" else b"}")
    assert problem_of(lambda: parse_raw(content, name)) == (
        f"{name}: document: got lists and mappings too deep, expected at most 32 levels"
    )


def test_numbers_with_too_many_digits() -> None:
    digits = b"1" + 5000 * b"0"
    assert problem_of(lambda: parse_raw(digits, "f.json")) == (
        "f.json: document: got a number of more than 4300 digits, expected numbers"
    )
    assert problem_of(lambda: parse_raw(digits, "f.yaml")) == (
        'f.yaml: line 1, column 1: got "10000000000000000000", expected YAML (a number of fewer digits)'
    )


def test_thirty_two_levels_are_read() -> None:
    assert parse_raw(32 * b"[" + 32 * b"]", "f.json").data == parse_raw(32 * b"[" + 32 * b"]", "f.yaml").data


def test_whole_characters_may_be_escaped_in_halves() -> None:
    assert parse_raw(b'"\\ud83d\\ude00 \\\\ud800"', "f.json").data == "\U0001f600 \\ud800"


@pytest.mark.parametrize("name", ["f.json", "f.yaml", "f"])
def test_every_key_that_stands_twice_is_named(name: str) -> None:
    text = '{"a": 1, "b": [{"c d": 1, "x": {}, "c d": 1, "x": {"e": 1, "e": 2}}], "a": 2}'
    document = parse_raw(text.encode(), name)
    assert [problem.path for problem in document.problems] == ["a", 'b[0]["c d"]', "b[0].x", "b[0].x.e"]
    assert str(document.problems[0]) == "a: got this key more than once, expected each key once"


def test_a_key_that_stands_twice_is_an_error_beside_all_others(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("slots: 1\nslots: 2\n")
    repeated = f"{path}: slots: got this key more than once, expected each key once"
    assert problem_of(lambda: load_document(path)) == repeated
    problems = problem_of(lambda: read_instance(path)).splitlines()
    assert problems[0] == repeated
    assert f"{path}: jobs: got nothing, expected a list" in problems


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing, file = tmp_path / "missing", tmp_path / "file"
    file.touch()
    assert problem_of(lambda: load_document(missing)) == f"{missing}: file: got nothing at this path, expected a file"
    assert problem_of(lambda: load_document(tmp_path)) == f"{tmp_path}: file: got a folder, expected a file"
    assert problem_of(lambda: load_document("a\0b")) == (
        '"a\\u0000b": file: got a path with a null character, expected a path'
    )
    below = file / "below"
    assert problem_of(lambda: load_document(below)) == (
        f"{below}: file: got Not a directory, expected a file that can be read"
    )


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"a: 1")))
    assert load_document("-") == ({"a": 1}, "standard input")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    assert problem_of(lambda: load_document("-")) == "standard input: document: got nothing, expected JSON or YAML"


def assert_one_line(error: DocumentError, source: str) -> None:
    assert len(error.problems) == 1
    assert str(error).startswith(source + ": ")
    assert str(error).isprintable()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A document cut off, with a piece of it gone, doubled or replaced, or anything else."""
    content = draw(st.sampled_from(TEXTS)).encode()
    first, last = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    piece = draw(
        st.sampled_from([b"", b"\n", b"\t", b"{", b"[", b"]", b'"', b"&a ", b"*a", b"- ", b": ", b"!x ", b"|", b"\0"])
        | st.binary(max_size=5)
        | st.just(2 * content[first:last])
    )
    return draw(
        st.sampled_from([content[:first], content[first:], content[:first] + piece + content[last:]])
        | st.binary(max_size=40)
        | st.text("[]{}:,-?&*!|>'\"%@# \n\tab01.e+\\", max_size=40).map(str.encode)
    )


@pytest.mark.parametrize("name", ["f.json", "f.yaml", "f"])
@settings(max_examples=300)
@given(damaged())
def test_any_bytes_are_read_or_explained_in_one_line(name: str, content: bytes) -> None:
    try:
        parse_raw(content, name)
    except DocumentError as error:
        assert_one_line(error, name)
