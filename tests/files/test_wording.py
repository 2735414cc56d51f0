"""How problems name places and values: short, on one line, whatever stands there."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.files.wording import at_index, at_key, shown
from tests.support.instances import ODD_NAMES, json_data


@pytest.mark.parametrize(
    ("path", "key", "place"),
    [
        ("", "jobs", "jobs"),
        ("jobs[3]", "worker", "jobs[3].worker"),
        ("a", "m-0_b", "a.m-0_b"),
        ("a", "größe", "a.größe"),
        ("a", "0", 'a["0"]'),
        ("a", "-x", 'a["-x"]'),
        ("a", "a b", 'a["a b"]'),
        ("a", "b.c", 'a["b.c"]'),
        ("a", "", 'a[""]'),
        ("a", "two\nlines", 'a["two\\nlines"]'),
        ("", 'say "so"', '["say \\"so\\""]'),
    ],
)
def test_a_place_is_named_so_that_it_cannot_be_misread(path: str, key: str, place: str) -> None:
    assert at_key(path, key) == place
    assert at_index(place, 2) == place + "[2]"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        ({}, "an empty mapping"),
        ({"a": 1}, "a mapping"),
        ([1, 2], "a list of 2"),
        ((1, 2), "a tuple"),
        (10**59, "1" + 59 * "0"),
        (-(10**59), "-1" + 55 * "0" + "..."),
        (-(10**60), "an integer of more than 60 digits"),
        ("naïve", '"naïve"'),
        ("\x85", '"\\u0085"'),
        ("\ud800", '"\\ud800"'),
        (100 * "x", '"' + 56 * "x" + "..."),
    ],
)
def test_values_by_hand(value: object, words: str) -> None:
    assert shown(value) == words


@given(json_data() | st.text() | st.sampled_from(ODD_NAMES))
def test_any_value_is_shown_on_one_short_line(value: object) -> None:
    assert len(shown(value)) <= 60
    assert shown(value).isprintable()
    assert at_key("a", value).isprintable()
