"""Random numbers of a job: its own, and always the same."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from pdors.planner.streams import stream_of

SEEDS, JOBS = (0, 1, 2**40), ("", "job-1", "job-2", "名前")
NUMBERS: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((),), ((0,), (1,), (2**33,)), ((0, 1), (1, 0), (0, 0), (1, 1)),
)  # fmt: skip
"""Of questions that have none, one and two."""


def drawn(seed: int, job_id: str, *numbers: int) -> list[int]:
    return stream_of(seed, job_id, *numbers).integers(0, 2**62, size=4).tolist()


def test_the_same_question_draws_the_same_in_any_order() -> None:
    questions = [(*question, *numbers) for question in product(SEEDS, JOBS) for kind in NUMBERS for numbers in kind]
    first = [drawn(*question) for question in questions]
    assert [drawn(*question) for question in reversed(questions)] == first[::-1]


@pytest.mark.parametrize("kind", NUMBERS)
def test_seeds_jobs_and_numbers_all_make_a_difference(kind: tuple[tuple[int, ...], ...]) -> None:
    streams = [set(drawn(seed, job, *numbers)) for seed, job, numbers in product(SEEDS, JOBS, kind)]
    for left, right in combinations(streams, 2):
        assert not left & right


def test_names_that_python_hashes_anew_in_every_process_draw_the_same() -> None:
    """What a run drew yesterday: a change here changes the decisions of every seed."""
    assert stream_of(0, "job-1").bit_generator.random_raw(3).tolist() == [
        3229142712174877172,
        1261959489823834474,
        16755566669642765367,
    ]


def test_drawing_from_one_stream_moves_no_other() -> None:
    other = drawn(3, "b")
    stream_of(3, "a").random(1000)
    stream = stream_of(3, "b")
    np.random.default_rng(3).random(10)
    assert stream.integers(0, 2**62, size=4).tolist() == other


def test_streams_of_many_jobs_are_spread_evenly() -> None:
    draws = np.array([stream_of(7, f"job-{number}").random() for number in range(2000)])
    assert np.abs(np.histogram(draws, bins=10, range=(0, 1))[0] - 200).max() < 60
    assert abs(np.corrcoef(draws[:-1], draws[1:])[0, 1]) < 0.08


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        stream_of(-1, "job")
