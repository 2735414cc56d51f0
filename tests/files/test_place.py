"""Checked reading: what counts as a number, a text or a list, and that no document whatever breaks a reader."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdors.errors import DocumentError, Problem
from pdors.files import decisions_document, instance_document, parse_decisions, parse_instance
from pdors.files.place import Fields, Place, read_document
from pdors.files.text import RawDocument
from tests.support.instances import instances, json_data, names, small_decisions, small_instance

INSTANCE = small_instance()
INSTANCE_DOCUMENT = instance_document(INSTANCE)
DECISIONS_DOCUMENT = decisions_document(small_decisions(), INSTANCE)

ODD_VALUES = (
    None, True, False, "", "1", "\ud800", [], {}, [[]], 0, -1, 0.5, -0.0, 1e-320, 1e308, math.nan, math.inf, -math.inf,
    2**31, 2**53 - 1, 2**53, 2**53 + 1, 10**30, 10**400, -(10**400), 10**4000,
)  # fmt: skip
"""What a document can say instead of what is expected there."""


def read(value: object, how: Callable[[Place], object]) -> tuple[object, list[str]]:
    """What was read, and the problems in words."""
    problems: list[Problem] = []
    return how(Place(value, "a.b", problems)), [str(problem) for problem in problems]


@pytest.mark.parametrize("value", [3, 3.0, 1e3, 2**53 - 1, 0])
def test_an_integer_may_be_written_in_any_notation(value: float) -> None:
    number, problems = read(value, lambda place: place.integer(least=0))
    assert not problems
    assert number == value
    assert type(number) is int


@pytest.mark.parametrize(
    ("value", "how", "problem"),
    [
        (True, lambda place: place.number(), "a.b: got true, expected a finite number"),
        ("1", lambda place: place.number(), 'a.b: got "1", expected a finite number'),
        (None, lambda place: place.number(), "a.b: got null, expected a finite number"),
        (math.nan, lambda place: place.number(), "a.b: got NaN, expected a finite number"),
        (-math.inf, lambda place: place.number(), "a.b: got -Infinity, expected a finite number"),
        (10**400, lambda place: place.number(), "a.b: got an integer of more than 60 digits, expected a finite number"),
        (0, lambda place: place.number(above=0), "a.b: got 0, expected a finite number above 0"),
        (-0.5, lambda place: place.number(least=0), "a.b: got -0.5, expected a finite number of at least 0"),
        (3, lambda place: place.number(least=0, most=2.5),
         "a.b: got 3, expected a finite number of at least 0 and of at most 2.5"),
        (False, lambda place: place.integer(least=0), "a.b: got false, expected an integer of at least 0"),
        (1.5, lambda place: place.integer(least=0), "a.b: got 1.5, expected an integer of at least 0"),
        (0, lambda place: place.integer(least=1), "a.b: got 0, expected an integer of at least 1"),
        (math.inf, lambda place: place.integer(least=0), "a.b: got Infinity, expected an integer of at least 0"),
        (9, lambda place: place.integer(least=0, most=8), "a.b: got 9, expected an integer of at most 8"),
        (2**53, lambda place: place.integer(least=0),
         "a.b: got 9007199254740992, expected an integer of at most 9007199254740991"),
        ("", lambda place: place.text(), 'a.b: got "", expected a text that is not empty'),
        (7, lambda place: place.text(), "a.b: got 7, expected a text that is not empty"),
        ("x", lambda place: place.new_text({"x": "a.a"}), 'a.b: got "x", expected one that stands once (a.a has it)'),
        ("v2", lambda place: place.exactly("v1"), 'a.b: got "v2", expected v1'),
        (["p"], lambda place: place.choice(["p", "q"]), "a.b: got a list of 1, expected one of p, q"),
        ("r", lambda place: place.choice(["p", "q"]), 'a.b: got "r", expected one of p, q'),
        (1, lambda place: place.truth(), "a.b: got 1, expected true or false"),
        (1, lambda place: place.or_null(Place.text), "a.b: got 1, expected a text that is not empty"),
        ({}, lambda place: place.items(), "a.b: got an empty mapping, expected a list"),
        ([], lambda place: place.items(at_least_one="thing"),
         "a.b: got a list of 0, expected a list with at least one thing"),
        ([1], lambda place: place.entries(), "a.b: got a list of 1, expected a mapping"),
        (None, lambda place: place.record(lambda fields: fields), "a.b: got null, expected a mapping"),
        ({"x": [0, math.nan]}, lambda place: place.json_data(),
         "a.b.x[1]: got NaN, expected data with finite numbers"),
    ],
)  # fmt: skip
def test_what_is_not_as_expected_is_one_problem(value: object, how: Callable[[Place], object], problem: str) -> None:
    assert read(value, how)[1] == [problem]


@given(st.integers(2**53, 2**53 + 8), st.integers(2**53, 2**53 + 8))
def test_bounds_hold_for_the_float_that_is_returned(value: int, bound: int) -> None:
    """Beyond 2**53 an integer and its float differ, and it is the float that the model sees."""
    number, problems = read(value, lambda place: place.number(above=float(bound)))
    assert bool(problems) == (float(value) <= float(bound))
    assert problems or number == float(value)


@pytest.mark.parametrize("value", [0, 1.25, 2.5])
def test_a_number_may_be_one_of_its_bounds(value: float) -> None:
    assert read(value, lambda place: place.number(least=0, most=2.5)) == (value, [])


def test_null_is_read_where_it_may_stand() -> None:
    assert read(None, lambda place: place.or_null(Place.text)) == (None, [])


def test_a_mapping_with_a_problem_makes_nothing_and_the_reading_goes_on() -> None:
    made: list[tuple[float, float]] = []

    def pair(fields: Fields) -> object:
        return fields.build(lambda a, b: made.append((a, b)), fields("a").number(), fields("b").number())

    data = [{"a": "x", "c": 1}, {"a": 1, "b": 2}, 3]
    problems = read(data, lambda place: [item.record(pair) for item in place.items()])[1]
    assert problems == [
        'a.b[0].a: got "x", expected a finite number',
        "a.b[0].b: got nothing, expected a finite number",
        "a.b[0].c: got 1, expected no such key; the keys here are a, b",
        "a.b[2]: got 3, expected a mapping",
    ]
    assert made == [(1.0, 2.0)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([], "f: document: got a list of 0, expected a mapping"),
        ("text", 'f: document: got "text", expected a mapping'),
        ({"format": "other/1", "more": 1}, 'f: format: got "other/1", expected mine/1'),
    ],
)
def test_a_document_of_another_format_is_held_to_no_other_rule(data: object, problem: str) -> None:
    def reader(fields: Fields) -> str:
        return fields.build(str, fields("format").exactly("mine/1"))

    assert read_document(RawDocument({"format": "mine/1"}, "f", ()), "mine/1", reader) == "mine/1"
    with pytest.raises(DocumentError) as caught:
        read_document(RawDocument(data, "f", ()), "mine/1", reader)
    assert str(caught.value) == problem


def nodes(data: object) -> Iterator[tuple[dict[str, object] | list[object], str | int]]:
    """Every value of a document, as the container it stands in and its key there."""
    if isinstance(data, dict | list):
        for key in list(data) if isinstance(data, dict) else range(len(data)):
            yield data, key  # type: ignore[misc]
            yield from nodes(data[key])  # type: ignore[call-overload]


@st.composite
def mutated(draw: st.DrawFn, documents: st.SearchStrategy[dict[str, object]]) -> dict[str, object]:
    """A document with up to three values changed, removed, added or taken from elsewhere in it."""
    data = deepcopy(draw(documents))
    for _ in range(draw(st.integers(1, 3))):
        places = list(nodes(data))
        container, key = draw(st.sampled_from(places))
        other, other_key = draw(st.sampled_from(places))
        value = draw(
            st.sampled_from(ODD_VALUES) | json_data() | st.just(deepcopy(other[other_key]))  # type: ignore[index]
        )
        match draw(st.sampled_from(["change", "change", "remove", "add"])):
            case "change":
                container[key] = value  # type: ignore[index]
            case "remove":
                del container[key]  # type: ignore[arg-type]
            case _ if isinstance(container, list):
                container.append(value)
            case _:
                container[draw(names())] = value  # type: ignore[index]
        if not data:
            break
    return data


def assert_one_line_each(error: DocumentError, source: str) -> None:
    lines = str(error).splitlines()
    assert len(lines) == len(error.problems) >= 1
    for line, problem in zip(lines, error.problems, strict=True):
        assert line.startswith(f"{source}: {problem.path}: got ")
        assert problem.value
        assert problem.expected


@settings(max_examples=200)
@given(mutated(st.just(INSTANCE_DOCUMENT) | instances(max_jobs=2).map(instance_document)))
def test_any_change_of_an_instance_is_read_or_explained(data: dict[str, object]) -> None:
    try:
        instance = parse_instance(data, "i.json")
    except DocumentError as error:
        assert_one_line_each(error, "i.json")
    else:
        assert parse_instance(instance_document(instance), "again") == instance


@settings(max_examples=200)
@given(mutated(st.just(DECISIONS_DOCUMENT)))
def test_any_change_of_decisions_is_read_or_explained(data: dict[str, object]) -> None:
    try:
        decisions = parse_decisions(data, INSTANCE, "d.json")
    except DocumentError as error:
        assert_one_line_each(error, "d.json")
    else:
        assert parse_decisions(decisions_document(decisions, INSTANCE), INSTANCE, "again") == decisions


@given(json_data() | st.sampled_from(ODD_VALUES))
def test_any_data_is_read_or_explained(data: object) -> None:
    for parse in (parse_instance, lambda data, source: parse_decisions(data, INSTANCE, source)):
        with pytest.raises(DocumentError) as caught:
            parse(data, "any")
        assert_one_line_each(caught.value, "any")
