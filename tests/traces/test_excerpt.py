"""Which jobs are taken, and when they arrive."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.traces.excerpt import SAMPLED_AWAY, TOO_EARLY, TOO_LATE, Arrival, Excerpt
from pdors.traces.report import Tally

TIMES = [100.0, 250.0, 130.0, 400.0, 160.0]


def excerpt(**settings: object) -> Excerpt:
    return Excerpt(**({"jobs": 9, "slots": 10, "slot_seconds": 60} | settings))  # type: ignore[arg-type]


def take(chosen: Excerpt, times: list[float], seed: int = 0) -> tuple[list[Arrival], dict[str, int]]:
    tally = Tally()
    return chosen.take(times, np.random.default_rng(seed), tally), dict(tally.left_out)


def test_scaled_into_all_slots() -> None:
    """From 100 to 400 s in 10 slots: 30 s for each."""
    taken, left_out = take(excerpt(), TIMES)
    assert [(arrival.index, arrival.slot) for arrival in taken] == [(0, 0), (2, 1), (4, 2), (1, 5), (3, 9)]
    assert [arrival.seconds for arrival in taken] == [0, 60, 120, 300, 540]
    assert left_out == {}


def test_load_presses_together() -> None:
    """Twice as fast: 60 s for a slot. Half as fast: 15 s, and what comes after 250 s is too late."""
    assert [arrival.slot for arrival in take(excerpt(load=2), TIMES)[0]] == [0, 0, 1, 2, 4]
    taken, left_out = take(excerpt(load=0.5), TIMES)
    assert [arrival.slot for arrival in taken] == [0, 2, 4]
    assert left_out == {TOO_LATE: 2}


def test_recorded_seconds() -> None:
    """A job arrives in the first slot that begins after its submission."""
    taken, left_out = take(excerpt(arrivals="recorded", slots=3), TIMES)
    assert taken == [Arrival(0, 0, 0), Arrival(2, 1, 30), Arrival(4, 1, 60)]
    assert left_out == {TOO_LATE: 2}
    taken, left_out = take(excerpt(arrivals="recorded", slots=4, start=50), TIMES)
    assert taken == [Arrival(4, 1, 10), Arrival(1, 2, 100)]
    assert left_out == {TOO_EARLY: 2, TOO_LATE: 1}
    assert take(excerpt(arrivals="recorded", load=2), TIMES)[0][-1] == Arrival(3, 3, 150)


def test_a_larger_sample_has_the_jobs_of_a_smaller_one() -> None:
    times = list(map(float, range(100)))
    small, large = ({arrival.index for arrival in take(excerpt(jobs=jobs), times)[0]} for jobs in (10, 30))
    assert len(small) == 10
    assert small < large
    assert small != {arrival.index for arrival in take(excerpt(jobs=10), times, seed=1)[0]}


def test_slots_that_were_drawn() -> None:
    tally = Tally()
    taken = excerpt(load=2).take_drawn([9, 4, 5, 0], np.random.default_rng(0), tally)
    assert taken == [Arrival(3, 0, 0), Arrival(1, 2, 120), Arrival(2, 2, 120), Arrival(0, 4, 240)]
    assert excerpt(load=0.5).take_drawn([9, 4, 5, 0], np.random.default_rng(0), tally)[1:] == [Arrival(1, 8, 480)]
    assert tally.left_out == {TOO_LATE: 2}


@given(
    times=st.lists(st.floats(0, 1e15, allow_subnormal=False), min_size=1, max_size=40),
    jobs=st.integers(1, 50),
    slots=st.integers(1, 2**31 - 1) | st.integers(1, 30),
    load=st.floats(0.01, 100),
    arrivals=st.sampled_from(["scaled", "recorded"]),
    seed=st.integers(0, 9),
)
def test_any_times(times: list[float], jobs: int, slots: int, load: float, arrivals: str, seed: int) -> None:
    taken, left_out = take(excerpt(jobs=jobs, slots=slots, load=load, arrivals=arrivals), times, seed)
    assert len(taken) + sum(left_out.values()) == len(times)
    assert len({arrival.index for arrival in taken}) == len(taken) <= jobs
    assert all(0 <= arrival.slot < slots for arrival in taken)
    by_time = [(times[arrival.index], arrival.index) for arrival in taken]
    assert by_time == sorted(by_time)
    assert [arrival.slot for arrival in taken] == sorted(arrival.slot for arrival in taken)
    if arrivals == "recorded":
        # Submitted in the slot before, or at its end; a start that is not rounded would show here.
        assert all((arrival.slot - 1) * 60 <= arrival.seconds * (1 + 1e-12) for arrival in taken)
        assert all(arrival.seconds <= arrival.slot * 60 * (1 + 1e-12) for arrival in taken)
    else:
        assert taken[0].slot == 0
        assert left_out.get(SAMPLED_AWAY, 0) == max(len(times) - jobs, 0)
        if load >= 1 and len({time for time, _ in by_time}) > 1:
            assert taken[-1].slot == math.ceil(slots / load) - 1


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"jobs": 0}, "jobs: got 0, expected 1 to 2147483647"),
        ({"slots": 2**31}, "slots: got 2147483648, expected 1 to 2147483647"),
        ({"slot_seconds": math.nan}, "slot_seconds: got nan, expected 0.001 to 1e+09"),
        ({"load": 0}, "load: got 0, expected 1e-06 to 1e+06"),
        ({"start": -1, "arrivals": "recorded"}, "start: got -1, expected 0 to 1e+18"),
        ({"start": 5}, "start: got 5, expected none where arrivals are scaled"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ModelError) as caught:
        excerpt(**settings)
    assert str(caught.value) == complaint


def test_a_start_after_which_nothing_comes() -> None:
    with pytest.raises(ModelError, match="start: got 1000, and no job arrives within 10 slots from there"):
        take(excerpt(arrivals="recorded", start=1000), TIMES)
