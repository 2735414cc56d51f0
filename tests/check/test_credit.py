"""Speeds, utilities and comparisons of the checker against numbers worked out by hand."""

import math
import sys

import pytest

from pdors.check import Kind, check
from pdors.check.node import Node
from pdors.check.speed import Held, read_speed
from pdors.check.utility import read_utility
from tests.support.check_documents import decisions_document, edited, instance_document

SLOT = {"slot": 3, "placement": {"m-0": [2, 1]}}
ITERATION = {"sample_seconds": 0.25, "gradient_mb": 50, "internal_mb_s": 100, "external_mb_s": 25}
PS = ITERATION | {"kind": "ps", "workers_per_server": 2}
RING = ITERATION | {"kind": "allreduce"}
TABLE = {"kind": "table", "workers": [1, 2, 4], "internal": [2, 3.5, None], "external": [None, 3, 5]}


@pytest.mark.parametrize(
    ("speed", "batch", "held", "per_second"),
    [
        (PS, 4, Held(1, 1, one_machine=True), 1 / (0.25 + (100 / 100) * 1 / 4)),  # 2
        (PS, 4, Held(1, 1, one_machine=False), 1 / (0.25 + (100 / 25) * 1 / 4)),  # 0.8
        (PS, 4, Held(4, 2, one_machine=True), 4 / (0.25 + (100 / (2 * 100)) * 4 / 4)),  # 5.333
        (PS, 4, Held(4, 4, one_machine=True), 8),  # 4 / (0.25 + 0.25): more servers than needed help
        (PS | {"step_overhead_seconds": 2}, 4, Held(2, 1, one_machine=True), 2 / (0.25 + (2 + 1) * 2 / 4)),
        (PS | {"gradient_mb": 0}, 4, Held(2, 1, one_machine=False), 8),
        (PS | {"external_mb_s": 200}, 4, Held(2, 1, one_machine=False), 2 / (0.25 + 0.5 * 2 / 4)),
        (PS, 4, Held(2, 0, one_machine=True), 0),
        (RING, 4, Held(1, 0, one_machine=True), 4),
        (RING | {"gradient_mb": 1.7e308}, 4, Held(1, 0, one_machine=True), 4),
        (RING, 4, Held(2, 0, one_machine=True), 2 / (0.25 + (100 / (2 * 100)) * 2 / 4)),  # 4
        (RING, 4, Held(4, 0, one_machine=False), 4 / (0.25 + (300 / (4 * 25)) * 4 / 4)),
        (RING | {"step_overhead_seconds": 1}, 4, Held(2, 0, one_machine=True), 2 / (0.25 + (1 + 0.5) * 2 / 4)),  # 2
        (TABLE, 4, Held(2, 0, one_machine=True), 3.5),
        (TABLE, 4, Held(2, 0, one_machine=False), 3),
        (TABLE, 4, Held(3, 0, one_machine=False), 0),
        (TABLE, 4, Held(4, 0, one_machine=True), 0),
        ({"kind": "table", "workers": [2], "internal": [3]}, 4, Held(2, 0, one_machine=False), 3),
    ],
)
def test_samples_per_second(speed, batch, held, per_second):
    assert read_speed(Node("", speed), batch).samples_per_second(held) == pytest.approx(per_second, rel=1e-12)


SIGMOID = {"kind": "sigmoid", "priority": 40, "urgency": 0.5, "target": 6}
STEPS = {"kind": "table", "after": [1, 2.5], "value": [9, 4]}


@pytest.mark.parametrize(
    ("utility", "duration", "worth"),
    [
        (SIGMOID, 6, 20),
        (SIGMOID, 0, 40 / (1 + math.exp(-3))),
        (SIGMOID, 8, 40 / (1 + math.e)),
        (SIGMOID | {"urgency": 0}, 10**9, 20),
        (SIGMOID, 1006, 40 * math.exp(-500)),
        (SIGMOID, 2006, 0),
        (SIGMOID | {"urgency": 1e300}, 10**9, 0),
        (SIGMOID | {"target": -1e300, "urgency": 1e300}, 0, 0),
        ({"kind": "deadline", "value": 7, "deadline": 3}, 3, 7),
        ({"kind": "deadline", "value": 7, "deadline": 3}, 4, 0),
        ({"kind": "deadline", "value": 7, "deadline": 2.5, "late_value": 1.5}, 3, 1.5),
        (STEPS, 0, 9),
        (STEPS, 2, 9),
        (STEPS, 3, 4),
        (STEPS | {"after": [0, 2]}, 2, 4),
    ],
)
def test_worth_of_a_duration(utility, duration, worth):
    assert read_utility(Node("", utility))(duration) == pytest.approx(worth, rel=1e-12, abs=0)


def capacity_case(capacity, demand, workers):
    """A job of `workers` workers on machine m-0, alone."""
    instance = edited(
        instance_document(),
        {
            "machines/0/capacity": {"gpu": capacity},
            "jobs": [instance_document()["jobs"][1] | {"batch": 10**6, "worker": {"gpu": demand}, "samples": 1e-3}],
        },
    )
    entry = decisions_document()["jobs"][1] | {"schedule": [{"slot": 4, "placement": {"m-0": [workers, 0]}}]}
    return instance, edited(decisions_document(), {"jobs": [entry], "total_utility": 4})


@pytest.mark.parametrize(
    ("capacity", "demand", "workers"),
    [
        (0.3, 0.1, 3),  # 3 * 0.1 = 0.30000000000000004 in floats
        (1, 0.1, 10),
        (1, 1 / 3, 3),
        (0.7, 0.7 / 100_000, 100_000),
        (0, 0, 100_000),
        (1e300, 1e299, 10),
        (1e-300, 1e-301, 10),
    ],
)
def test_what_just_fits_is_accepted_and_one_worker_more_is_not(capacity, demand, workers):
    assert check(*capacity_case(capacity, demand, workers)).violations == ()
    if demand > 0:
        report = check(*capacity_case(capacity, demand, workers + 1))
        assert [violation.kind for violation in report.violations] == [Kind.CAPACITY]


@pytest.mark.parametrize(
    ("capacity", "demand", "workers"),
    [(0, 1e-300, 1), (1, 1 + 1e-8, 1), (sys.float_info.max, sys.float_info.max, 2)],
)
def test_what_is_above_the_capacity_does_not_fit(capacity, demand, workers):
    report = check(*capacity_case(capacity, demand, workers))
    assert [violation.kind for violation in report.violations] == [Kind.CAPACITY]


@pytest.mark.parametrize(("gamma", "ok"), [(2 - 1e-6, False), (2 - 1e-8, False), (2 - 1e-10, True)])
def test_servers_serve_their_workers_up_to_a_billionth(gamma, ok):
    report = check(edited(instance_document(), {"jobs/0/speed/workers_per_server": gamma}), decisions_document())
    assert {violation.kind for violation in report.violations} == (set() if ok else {Kind.SERVERS})


@pytest.mark.parametrize(("share", "ok"), [(1 + 1e-6, False), (1 + 1.1e-9, False), (1 + 0.9e-9, True), (1, True)])
def test_work_is_complete_up_to_a_billionth(share, ok):
    instance = edited(instance_document(), {"jobs/0/samples": 100 * share})
    report = check(instance, decisions_document())
    assert [violation.kind for violation in report.violations] == ([] if ok else [Kind.WORK])


def test_utilities_that_no_float_can_tell_from_nothing_are_the_same():
    instance = edited(instance_document(), {"jobs/0/utility/urgency": 700, "jobs/0/utility/target": 1})
    decisions = edited(decisions_document(), {"jobs/0/utility": 0, "jobs/0/payoff": None, "total_utility": 34})
    assert check(instance, decisions).violations == ()


def test_slots_may_be_listed_in_any_order():
    decisions = decisions_document()
    decisions["jobs"][0]["schedule"].reverse()
    assert check(instance_document(), decisions).ok
