"""Each kind of violation: a document that has it and no other, and its nearest neighbour that has none."""

import pytest

from pdors.check import Kind, check
from tests.support.check_documents import DROPPED, decisions_document, edited, instance_document

JOBS = decisions_document()["jobs"]
PS, RING, MEASURED, REJECTED = "jobs/0", "jobs/1", "jobs/2", "jobs/3"
FIRST_PS = f"{PS}/schedule/0/placement"
FIRST_RING = f"{RING}/schedule/0/placement"
HELD = f"{MEASURED}/schedule/0/placement"

# name: edits of the decisions that break a rule, the kinds of violation, words that name it; edits that keep it.
CASES = {
    "capacity": (
        {FIRST_RING: {"m-0": [5, 0], "m-1": [1, 0]}, "batch": 6},
        {Kind.CAPACITY},
        [
            "slot 0, machine m-0, gpu: 5 held by ring, capacity 4",
            "slot 0, machine m-0, cpu: 10 held by ring, capacity 8",
        ],
        {FIRST_RING: {"m-0": [4, 0], "m-1": [1, 0]}, "batch": 6},
    ),
    "capacity, of two jobs": (
        {f"{RING}/schedule/0": {"slot": 1, "placement": {"m-0": [2, 0]}}},
        {Kind.CAPACITY},
        ["slot 1, machine m-0, cpu: 9 held by ps, ring, capacity 8"],
        {f"{RING}/schedule/0": {"slot": 1, "placement": {"m-1": [2, 0]}}},
    ),
    "capacity, of servers alone": (
        {FIRST_PS: {"m-0": [2, 0], "m-1": [0, 9]}},
        {Kind.CAPACITY},
        ["slot 1, machine m-1, cpu: 9 held by ps, capacity 8"],
        {FIRST_PS: {"m-0": [2, 0], "m-1": [0, 8]}},  # 200 / (0.5 + (200 / (8*25)) * 2/8) = 267
    ),
    "arrival": (
        {f"{PS}/schedule/0/slot": 0},
        {Kind.SLOT},
        ["job ps, slot 0: before the arrival in slot 1"],
        {f"{PS}/schedule/0/slot": 2},
    ),
    "horizon": (
        {f"{RING}/schedule/1/slot": 10, f"{RING}/completion": 9},
        {Kind.SLOT},
        ["job ring, slot 10: the slots are 0 to 9"],
        {f"{RING}/schedule/1/slot": 9, f"{RING}/completion": 9},
    ),
    "negative slot": (
        {f"{RING}/schedule/0/slot": -1},
        {Kind.SLOT},
        ["job ring, slot -1: the slots are 0 to 9"],
        {f"{RING}/schedule/0/slot": 1},
    ),
    "slot twice": (
        {f"{PS}/schedule/0/slot": 3, f"{PS}/schedule/0/placement": {"big": [2, 1]}},
        {Kind.SLOT},
        ["job ps, slot 3: listed twice"],
        {f"{PS}/schedule/0/slot": 2, f"{PS}/schedule/0/placement": {"big": [2, 1]}},
    ),
    "batch": (
        {FIRST_RING: {"big": [5, 0]}},
        {Kind.WORKERS},
        ["job ring, slot 0: 5 workers, the batch is 4"],
        {FIRST_RING: {"big": [4, 0]}},
    ),
    "workers per server": (
        {FIRST_PS: {"m-0": [3, 1]}},
        {Kind.SERVERS},
        ["job ps, slot 1: 1 servers serve at most 2 workers, got 3"],
        {FIRST_PS: {"m-0": [3, 2]}},
    ),
    "no servers": (
        {FIRST_PS: {"m-0": [2, 0]}},
        {Kind.SERVERS, Kind.WORK},
        ["job ps, slot 1: 0 servers serve at most 0 workers, got 2", "only 200 of 400 samples are trained"],
        {FIRST_PS: {"m-0": [2, 1]}},
    ),
    "servers without workers": (
        {f"{PS}/schedule/2": {"slot": 5, "placement": {"m-0": [0, 1]}}},
        {Kind.SERVERS},
        ["job ps, slot 5: 1 servers without workers"],
        {f"{PS}/schedule/2": {"slot": 2, "placement": {"m-0": [1, 1]}}},
    ),
    "servers of a job that has none": (
        {FIRST_RING: {"m-0": [1, 1], "m-1": [1, 0]}},
        {Kind.SERVERS},
        ["job ring, slot 0: 1 servers, a job of kind allreduce has none"],
        {FIRST_RING: {"m-0": [1, 0], "big": [1, 0]}},
    ),
    "servers of a measured job": (
        {HELD: {"m-1": [1, 1], "big": [3, 0]}},
        {Kind.SERVERS},
        ["job measured, slot 2: 1 servers, a job of kind table has none"],
        {HELD: {"m-1": [2, 0], "big": [2, 0]}},
    ),
    "count that is not listed": (
        {HELD: {"big": [2, 0], "m-1": [1, 0]}},
        {Kind.WORKERS, Kind.WORK},
        ["job measured, slot 2: 3 workers across machines, measured there: 2, 4"],
        {HELD: {"big": [2, 0], "m-1": [2, 0]}},
    ),
    "count not measured on one machine": (
        {HELD: {"big": [4, 0]}},
        {Kind.WORKERS, Kind.WORK},
        ["job measured, slot 2: 4 workers on one machine, measured there: 1, 2"],
        {HELD: {"big": [3, 0], "m-0": [1, 0]}},
    ),
    "unknown machine": (
        {FIRST_PS: {"m": [2, 1]}},
        {Kind.MACHINE},
        ["job ps, slot 1, machine m: no such machine"],
        {FIRST_PS: {"m-1": [2, 1]}},
    ),
    "machine beyond its count": (
        {FIRST_PS: {"m-2": [2, 1]}},
        {Kind.MACHINE},
        ["job ps, slot 1, machine m-2: no such machine"],
        {FIRST_PS: {"big": [2, 1]}},
    ),
    "machine that holds nothing": (
        {FIRST_PS: {"m-0": [2, 1], "m-1": [0, 0]}},
        {Kind.COUNT},
        ["job ps, slot 1, machine m-1: [0, 0] is listed"],
        {FIRST_PS: {"m-0": [2, 1]}},
    ),
    "slot that holds nothing": (
        {f"{PS}/schedule/2": {"slot": 2, "placement": {}}},
        {Kind.COUNT},
        ["job ps, slot 2: listed, but holds nothing"],
        {f"{PS}/schedule/2": {"slot": 2, "placement": {"m-0": [1, 1]}}},
    ),
    "completion too early": (
        {f"{RING}/completion": 3, f"{RING}/utility": 10, "total_utility": 60},
        {Kind.COMPLETION},
        ["job ring: completion is 3, but the last slot with workers is 4"],
        {f"{RING}/completion": 3, f"{RING}/utility": 10, "total_utility": 60, f"{RING}/schedule/1/slot": 3},
    ),
    "completion too late": (
        {f"{RING}/completion": 5},
        {Kind.COMPLETION},
        ["job ring: completion is 5, but the last slot with workers is 4"],
        {f"{RING}/completion": 5, f"{RING}/schedule/1/slot": 5},
    ),
    "completion beyond the horizon": (
        {f"{RING}/completion": 10},
        {Kind.COMPLETION},
        ["job ring: completion is 10, expected a slot from 0 to 9"],
        {f"{RING}/completion": 4},
    ),
    "completion without workers": (
        {f"{RING}/schedule": []},
        {Kind.COMPLETION, Kind.WORK},
        ["job ring: completion is 4, but no slot has workers"],
        {f"{RING}/schedule": [{"slot": 4, "placement": {"m-0": [1, 0]}}]},
    ),
    "finished without a completion": (
        {f"{RING}/completion": None, f"{RING}/utility": 0, f"{RING}/payoff": None, "total_utility": 50},
        {Kind.COMPLETION},
        ["job ring: completion is null, but 160 of 160 samples are trained"],
        {
            f"{RING}/completion": None,
            f"{RING}/utility": 0,
            f"{RING}/payoff": None,
            "total_utility": 50,
            f"{RING}/schedule/1": DROPPED,
        },
    ),
    "payoff of a job that does not finish": (
        {f"{RING}/completion": None, f"{RING}/utility": 0, "total_utility": 50, f"{RING}/schedule/1": DROPPED},
        {Kind.COMPLETION},
        ["job ring: admitted at payoff 1.5, but completion is null"],
        {
            f"{RING}/completion": None,
            f"{RING}/utility": 0,
            "total_utility": 50,
            f"{RING}/schedule/1": DROPPED,
            f"{RING}/payoff": None,
        },
    ),
    "utility of a job that does not finish": (
        {f"{RING}/completion": None, f"{RING}/payoff": None, f"{RING}/schedule/1": DROPPED},
        {Kind.UTILITY},
        ["job ring: utility is 4.0 without a completion, expected 0"],
        {
            f"{RING}/completion": None,
            f"{RING}/payoff": None,
            f"{RING}/schedule/1": DROPPED,
            f"{RING}/utility": 0,
            "total_utility": 50,
        },
    ),
    "incomplete work": (
        {f"{PS}/schedule/0/placement": {"m-0": [1, 1]}},  # 100 / (0.5 + 2 * 1/8) = 133.3
        {Kind.WORK},
        ["job ps: completion is 3, but only 333.333333333 of 400 samples are trained"],
        {f"{PS}/schedule/0/placement": {"m-0": [2, 1]}},
    ),
    "apart is slower": (
        {FIRST_PS: {"m-0": [2, 0], "m-1": [0, 1]}},
        {Kind.WORK},
        ["job ps: completion is 3, but only 280 of 400 samples are trained"],
        {FIRST_PS: {"m-1": [2, 1]}},
    ),
    "together is faster": (  # 200 + 80 samples where 160 are asked for, so the first slot alone would do
        {
            f"{RING}/schedule/0/placement": {"m-0": [2, 0]},
            f"{RING}/schedule/1": DROPPED,
            f"{RING}/completion": None,
            f"{RING}/utility": 0,
            f"{RING}/payoff": None,
            "total_utility": 50,
        },
        {Kind.COMPLETION},
        ["job ring: completion is null, but 200 of 160 samples are trained"],
        {
            f"{RING}/schedule/1": DROPPED,
            f"{RING}/completion": None,
            f"{RING}/utility": 0,
            f"{RING}/payoff": None,
            "total_utility": 50,
        },
    ),
    "utility": (
        {f"{PS}/utility": 20.0001, "total_utility": 54.0001},
        {Kind.UTILITY},
        ["job ps: utility is 20.0001, expected 20.0 for 2 slots"],
        {f"{PS}/utility": 20.000000001, "total_utility": 54},
    ),
    "utility of a rejected job": (
        {f"{REJECTED}/utility": 1, "total_utility": 55},
        {Kind.UTILITY},
        ["job rejected: not admitted, but its utility is 1.0, expected 0"],
        {f"{REJECTED}/utility": 0.0},
    ),
    "total": (
        {"total_utility": 54.001},
        {Kind.TOTAL},
        ["total_utility is 54.001, but the utilities add up to 54.0"],
        {"total_utility": 54.0},
    ),
    "payoff above the utility": (
        {f"{MEASURED}/payoff": 30.001},
        {Kind.PAYOFF},
        ["job measured: payoff is 30.001, above the utility 30.0"],
        {f"{MEASURED}/payoff": 29.999},
    ),
    "admitted at no payoff": (
        {f"{MEASURED}/payoff": 0},
        {Kind.PAYOFF},
        ["job measured: admitted at payoff 0.0, expected above 0"],
        {f"{MEASURED}/payoff": None},
    ),
    "rejected at a payoff": (
        {f"{REJECTED}/payoff": 0.001},
        {Kind.PAYOFF},
        ["job rejected: rejected by price at payoff 0.001, expected at most 0"],
        {f"{REJECTED}/payoff": 0},
    ),
    "rejected with a schedule": (
        {f"{REJECTED}/schedule": [{"slot": 3, "placement": {"m-1": [1, 0]}}]},
        {Kind.ADMISSION},
        ["job rejected: not admitted, but 1 slots are scheduled"],
        {f"{REJECTED}/schedule": []},
    ),
    "rejected with a completion": (
        {f"{REJECTED}/completion": 3},
        {Kind.ADMISSION},
        ["job rejected: not admitted, but its completion is 3"],
        {f"{REJECTED}/completion": None},
    ),
    "rejected without a reason": (
        {f"{REJECTED}/reason": None},
        {Kind.ADMISSION},
        ["job rejected: not admitted without a reason, expected price, infeasible, full, no_rounding"],
        {f"{REJECTED}/reason": "full", f"{REJECTED}/payoff": None},
    ),
    "admitted with a reason": (
        {f"{PS}/reason": "full"},
        {Kind.ADMISSION},
        ["job ps: admitted, but with the reason full"],
        {f"{PS}/reason": None},
    ),
    "unknown reason": (
        {f"{REJECTED}/reason": "unlucky"},
        {Kind.FORMAT},
        ["jobs[3], job rejected: reason is 'unlucky', expected null or one of price, infeasible, full, no_rounding"],
        {f"{REJECTED}/reason": "no_rounding"},
    ),
    "missing job": (
        {REJECTED: DROPPED},
        {Kind.JOBS},
        ["job rejected: has no entry"],
        {},
    ),
    "unknown job": (
        {"jobs": [*JOBS, JOBS[3] | {"id": "stranger"}]},
        {Kind.JOBS},
        ["jobs[4]: the instance has no job stranger"],
        {},
    ),
    "job twice": (
        {"jobs": [*JOBS, JOBS[3]]},
        {Kind.JOBS},
        ["jobs[4]: job rejected has an entry already"],
        {"jobs": JOBS},
    ),
    "jobs in another order": (
        {"jobs": [JOBS[0], JOBS[2], JOBS[1], JOBS[3]]},
        {Kind.JOBS},
        ["job measured: stands where the order of the instance has job ring"],
        {"jobs": JOBS},
    ),
    "count that is no integer": (
        {FIRST_PS: {"m-0": [2.5, 2]}},
        {Kind.COUNT},
        ["job ps, slot 1, machine m-0: got [2.5, 2], expected [workers, servers]"],
        {FIRST_PS: {"m-0": [2.0, 1.0]}},
    ),
    "negative count": (
        {FIRST_RING: {"m-0": [1, 0], "m-1": [-1, 0]}},
        {Kind.COUNT},
        ["job ring, slot 0, machine m-1: got [-1, 0]"],
        {FIRST_RING: {"m-0": [1, 0], "m-1": [1, 0]}},
    ),
    "negative count of servers": (
        {FIRST_PS: {"m-0": [2, 2], "m-1": [1, -1]}},
        {Kind.COUNT},
        ["job ps, slot 1, machine m-1: got [1, -1]"],
        {FIRST_PS: {"m-0": [2, 1]}},
    ),
    "truth value for a number": (
        {f"{REJECTED}/payoff": False},
        {Kind.FORMAT},
        ["jobs[3], job rejected: payoff is False, expected a finite number or null"],
        {f"{REJECTED}/payoff": 0},
    ),
    "truth value for a count": (
        {FIRST_PS: {"m-0": [2, True]}},
        {Kind.COUNT},
        ["job ps, slot 1, machine m-0: got [2, True]"],
        {FIRST_PS: {"m-0": [2, 1]}},
    ),
    "three counts": (
        {FIRST_PS: {"m-0": [2, 1, 0]}},
        {Kind.COUNT},
        ["got [2, 1, 0], expected [workers, servers]"],
        {FIRST_PS: {"m-0": [2, 1]}},
    ),
    "slot that is no integer": (
        {f"{PS}/schedule/0/slot": 1.5},
        {Kind.FORMAT},
        ["job ps, schedule[0]: slot is 1.5, expected an integer"],
        {f"{PS}/schedule/0/slot": 1.0},
    ),
    "completion that is no integer": (
        {f"{PS}/completion": 3.5},
        {Kind.FORMAT},
        ["jobs[0], job ps: completion is 3.5, expected a slot or null"],
        {f"{PS}/completion": 3.0},
    ),
    "infinite payoff": (
        {f"{REJECTED}/payoff": float("-inf")},
        {Kind.FORMAT},
        ["jobs[3], job rejected: payoff is -inf, expected a finite number or null"],
        {f"{REJECTED}/payoff": -1e300},
    ),
    "unknown key": (
        {f"{PS}/color": "red"},
        {Kind.FORMAT},
        ["jobs[0], job ps: unknown keys color, expected only id"],
        {},
    ),
    "missing key": (
        {"seed": DROPPED},
        {Kind.FORMAT},
        ["decisions: the key seed is missing"],
        {"seed": 2**64},
    ),
    "another format": (
        {"format": "pdors/instance/1"},
        {Kind.FORMAT},
        ["decisions: format is 'pdors/instance/1', expected pdors/decisions/1"],
        {"format": "pdors/decisions/1"},
    ),
    "policy without a name": (
        {"policy": ""},
        {Kind.FORMAT},
        ["decisions: policy is '', expected a text that is not empty"],
        {"policy": "-"},
    ),
}


def _check(edits):
    """The key `batch` is for the instance: the batch of the job called ring."""
    edits = dict(edits)
    batch = edits.pop("batch", 4)
    return check(
        edited(instance_document(), {"jobs/1/batch": batch}),
        edited(decisions_document(), edits),
    )


@pytest.mark.parametrize("name", CASES)
def test_what_breaks_a_rule_is_found_and_named(name):
    edits, kinds, messages, _ = CASES[name]
    report = _check(edits)
    assert not report.ok
    assert {violation.kind for violation in report.violations} == kinds
    found = "\n".join(map(str, report.violations))
    assert [message for message in messages if message not in found] == [], found


@pytest.mark.parametrize("name", CASES)
def test_the_nearest_document_that_keeps_the_rules_is_accepted(name):
    assert _check(CASES[name][3]).violations == ()


def test_every_kind_of_violation_has_a_case():
    assert set().union(*(kinds for _, kinds, _, _ in CASES.values())) == set(Kind)


def test_the_total_is_worked_out_anew():
    assert check(instance_document(), decisions_document()).total_utility == pytest.approx(54)
    lies = edited(decisions_document(), {f"{PS}/utility": 39, "total_utility": 73, f"{RING}/schedule/1": DROPPED})
    assert check(instance_document(), lies).total_utility == pytest.approx(20 + 30)


def test_what_ends_before_the_arrival_is_worth_nothing():
    instance = edited(instance_document(), {"jobs/0/samples": 50})
    early = edited(
        decisions_document(), {f"{PS}/schedule/1": DROPPED, f"{PS}/schedule/0/slot": 0, f"{PS}/completion": 0}
    )
    assert check(instance, early).total_utility == pytest.approx(4 + 30)


def test_the_report_as_a_document():
    report = check(instance_document(), edited(decisions_document(), {"total_utility": 1}))
    assert report.document() == {
        "ok": False,
        "violations": ["decisions: total_utility is 1.0, but the utilities add up to 54.0 [total]"],
        "total_utility": report.total_utility,
    }
