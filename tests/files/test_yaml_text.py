"""The YAML 1.2 core schema, with PyYAML's parser in C and with the one in Python."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pdors.files import yaml_text
from pdors.files.yaml_text import UnreadableYamlError, parse_yaml, plain_scalar
from tests.support.instances import json_data

DEPTH = 8


LOADERS = {"c": getattr(yaml, "CSafeLoader", yaml.SafeLoader), "python": yaml.SafeLoader}


@pytest.fixture(params=LOADERS.values(), ids=LOADERS, autouse=True)
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "_Loader", request.param)


def read(text: str) -> object:
    return parse_yaml(text, dict, DEPTH)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        ("0", 0), ("-19", -19), ("+12", 12), ("012", 12), ("0o17", 15), ("0x1fF", 511),
        ("0.", 0.0), ("-0.0", -0.0), (".5", 0.5), ("+12e03", 12000.0), ("-2E+05", -2e5), ("1e5", 1e5),
        ("1e999", math.inf),        (".inf", math.inf), ("-.Inf", -math.inf), ("+.INF", math.inf),
        # Texts, whatever YAML 1.1 takes them for.
        *((word, word) for word in ("nULL", "yes", "no", "on", "off", "y", "tRUE")),
        *((word, word) for word in ("1_000", "12:30", "0b1", "-0x1F", "+0o7", "0o8", "1e", "e5", ".", "+", "1.5.2")),
        *((word, word) for word in ("2026-01-31", "nan", "inf", "-.nan", ".iNF", "٣", "=", "<<")),
    ],
)  # fmt: skip
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    result = plain_scalar(text)
    assert (result, type(result)) == (value, type(value))
    assert read(f"- {text}") == [value]


def test_nan_is_a_number() -> None:
    assert math.isnan(plain_scalar(".NaN"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: '1'\nb: \"null\"\nc: |\n  1\n", {"a": "1", "b": "null", "c": "1\n"}),
        ("1: a\nnull: b\n~: c\n0x1: d", {"1": "a", "null": "b", "~": "c", "0x1": "d"}),  # keys are texts as they stand
        ("base: &b {x: 1}\nmore: {<<: *b, y: 2}", {"base": {"x": 1}, "more": {"<<": {"x": 1}, "y": 2}}),
        ("a: &n 5\nb: *n\nc: [*n, &n 6, *n]", {"a": 5, "b": 5, "c": [5, 6, 6]}),
        ("%YAML 1.2\n---\na: 1\n...\n", {"a": 1}),
        ("# nothing but\n--- # an empty document", None),
    ],
)
def test_documents_by_hand(text: str, data: object) -> None:
    assert read(text) == data


@pytest.mark.parametrize(
    ("text", "reason", "rest"),
    [
        ("# only a comment", "no document in it", ""),
        ("a: 1\n---\nb: 2", "one document alone", "---\nb: 2"),
        ("a: !!python/name:os.system x", "no tags", "!!python/name:os.system x"),
        ("a: !t {}", "no tags", "!t {}"),
        ("? [a, b]\n: 1", "a text as the key", "[a, b]\n: 1"),
        ("? {a: b}\n: 1", "a text as the key", "{a: b}\n: 1"),
        ("a: &k b\n*k : 1", "a text as the key", "*k : 1"),
        ("a: *b", "an anchor before its alias", "*b"),
        ("a: &a [1, *a]", "an anchor before its alias", "*a]"),
        ("- " * 9 + "1", "at most 8 levels", "1"),
        ("{a: " * 9 + "1", "at most 8 levels", "1"),
        pytest.param("a: " + 5000 * "1", "a number of fewer digits", 5000 * "1", id="digits"),
        ("a: 1\nb: \0", "no such characters", "\0"),
        ("a: \x07", "no such characters", "\x07"),
    ],
)
def test_what_a_document_may_not_use(text: str, reason: str, rest: str) -> None:
    with pytest.raises(UnreadableYamlError) as caught:
        read(text)
    assert caught.value.reason == reason
    assert text[caught.value.index :] == rest


@pytest.mark.parametrize(("opening", "closing"), [("{a: ", "}"), ("[", "]")])
def test_the_greatest_depth_is_read(opening: str, closing: str) -> None:
    assert read(DEPTH * opening + "1" + DEPTH * closing)


def test_places_are_counted_in_characters() -> None:
    with pytest.raises(UnreadableYamlError) as caught:
        read("# \U0001f600é\r\na: *b")
    assert caught.value.index == 9


def test_aliases_of_aliases_do_not_grow_without_bound() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(UnreadableYamlError, match="aliases for at most 100000 values"):
        read("\n".join(lines))


def test_mappings_are_made_from_all_their_pairs() -> None:
    assert parse_yaml("a: 1\na: {b: 2, b: 3}", list, DEPTH) == [("a", 1), ("a", [("b", 2), ("b", 3)])]


@given(json_data().map(lambda data: json.dumps(data, ensure_ascii=False)).filter(str.isprintable))
def test_json_is_yaml(text: str) -> None:
    assert parse_yaml(text, dict, 32) == json.loads(text)


def assert_in(text: str, error: UnreadableYamlError) -> None:
    assert 0 <= error.index <= len(text)
    assert error.reason


@given(st.text("[]{}:,-?&*!|>'\"%@# \n\tab01.e+\\xuU", max_size=30) | st.text(max_size=30))
def test_any_text_is_read_or_refused_at_a_place_in_it(text: str) -> None:
    try:
        read(text)
    except UnreadableYamlError as error:
        assert_in(text, error)
