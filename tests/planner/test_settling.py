"""Plans made whole: the work is done, no slot could do with less, and nothing else has changed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.planner.settling import settle
from tests.support.slot_curves import CalendarCase, as_curves, calendars, cheapest

Classes = list[tuple[int, int, int]]
"""(segment, point or -1, slots)."""
ROOM = 100


@st.composite
def plans(draw: st.DrawFn) -> tuple[CalendarCase, Classes]:
    """Some point or none in every slot."""
    case = draw(calendars())
    segments, lengths, _ = case
    offsets = as_curves(segments).offsets
    chosen: Counter[tuple[int, int]] = Counter()
    for segment, length in enumerate(lengths):
        for _ in range(length):
            point = draw(st.integers(-1, len(segments[segment]) - 1))
            chosen[segment, int(offsets[segment]) + point if point >= 0 else -1] += 1
    return case, [(segment, point, count) for (segment, point), count in chosen.items()]


def settled(case: CalendarCase, classes: Classes, room: int = ROOM) -> Classes | None:
    segments, _, work = case
    points = as_curves(segments)
    arrays = [np.zeros(len(classes) + room, dtype=np.int64) for _ in range(3)]
    for index, entry in enumerate(classes):
        for array, value in zip(arrays, entry, strict=True):
            array[index] = value
    segment, point, count = arrays
    number = settle(segment, point, count, len(classes), points.offsets, points.samples, points.cost, work)
    if number < 0:
        return None
    return [entry for entry in zip(*(array[:number].tolist() for array in arrays), strict=True) if entry[2]]


def trained(case: CalendarCase, classes: Classes) -> float:
    samples = as_curves(case[0]).samples
    return sum(count * float(samples[point]) for _, point, count in classes if point >= 0)


def cost(case: CalendarCase, classes: Classes) -> float:
    costs = as_curves(case[0]).cost
    return sum(count * float(costs[point]) for _, point, count in classes if point >= 0)


@given(plans())
def test_the_work_is_done_unless_it_cannot_be(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    result = settled(case, classes)
    assert (result is None) == (cheapest(*case)[-1] == np.inf)
    if result is not None:
        assert trained(case, result) >= case[2]
        assert cost(case, result) >= cheapest(*case)[-1]


@given(plans())
def test_every_slot_keeps_its_segment(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    result = settled(case, classes)
    if result is None:
        return
    offsets = as_curves(case[0]).offsets
    slots: Counter[int] = Counter()
    for segment, point, count in result:
        assert count > 0
        assert point == -1 or offsets[segment] <= point < offsets[segment + 1]
        slots[segment] += count
    assert [slots[segment] for segment in range(len(case[1]))] == case[1]


@given(plans())
def test_no_slot_can_do_with_less(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    result = settled(case, classes)
    if result is None:
        return
    points = as_curves(case[0])
    done = trained(case, result)
    for segment, point, _ in result:
        if point >= 0:
            fewer = [0.0, *points.samples[points.offsets[segment] : point].tolist()]
            assert done - points.samples[point] + max(fewer) < case[2]


@given(plans())
def test_a_plan_that_does_the_work_becomes_no_dearer(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    if trained(case, classes) >= case[2]:
        result = settled(case, classes)
        assert result is not None
        assert cost(case, result) <= cost(case, classes)


@given(plans())
def test_what_is_settled_stays(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    result = settled(case, classes)
    if result is not None:
        assert settled(case, result) == result


@given(plans())
def test_without_room_a_plan_is_done_but_not_trimmed(plan: tuple[CalendarCase, Classes]) -> None:
    case, classes = plan
    if trained(case, classes) >= case[2]:
        assert settled(case, classes, room=0) == classes


@pytest.mark.parametrize(
    ("work", "before", "after"),
    [
        # The cheapest single change that does the rest: point 1 in the second segment, not point 1 in the first.
        (25, [(0, 0, 2), (1, -1, 1)], [(0, 0, 2), (1, 2, 1)]),
        # One that does the rest goes before two that would be cheaper.
        (20, [(0, -1, 2), (1, -1, 1)], [(0, -1, 1), (0, 1, 1), (1, -1, 1)]),
        # None does the rest: first the one that does most for its price (10 for 1), then the one that does the rest.
        (30, [(0, -1, 2), (1, -1, 1)], [(0, 0, 1), (0, 1, 1), (1, -1, 1)]),
        # Everything is needed.
        (55, [(0, -1, 2), (1, -1, 1)], [(0, 1, 2), (1, 3, 1)]),
        # Of what can go the dearest: the 15 of the second segment for 5, before one 10 of the first for 1.
        (20, [(0, 0, 2), (1, 3, 1)], [(0, 0, 2), (1, -1, 1)]),
        # One slot of two steps back.
        (10, [(0, 1, 2), (1, -1, 1)], [(0, -1, 1), (0, 0, 1), (1, -1, 1)]),
        (56, [(0, 1, 2), (1, 3, 1)], None),
    ],
)  # fmt: skip
def test_by_hand(work: float, before: Classes, after: Classes | None) -> None:
    # 10 samples for 1 or 20 for 4 in each of two slots, 5 for 2 or 15 for 5 in a third.
    case: CalendarCase = ([[(10, 1), (20, 4)], [(5, 2), (15, 5)]], [2, 1], work)
    result = settled(case, before)
    assert (None if result is None else sorted(result)) == (None if after is None else sorted(after))
