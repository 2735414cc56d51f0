"""Plans of random instances: accepted as they are, refused with any one thing changed."""

import copy
import math

import pytest

from pdors.check import Kind, check
from pdors.files import decisions_document, instance_document
from pdors.planning import plan
from tests.support.random_instances import random_instance

PLANS = 60


@pytest.fixture(scope="module")
def plans():
    """(instance, decisions) as documents."""
    instances = [random_instance(seed) for seed in range(PLANS)]
    return [(instance_document(instance), decisions_document(plan(instance), instance)) for instance in instances]


def test_every_plan_is_accepted(plans):
    assert [violation for documents in plans for violation in check(*documents).violations] == []
    assert sum(entry["admitted"] for _, decisions in plans for entry in decisions["jobs"]) > PLANS / 2


def _more_than_fits(instance, job, entry, decisions):
    machine, counts = next(iter(entry["schedule"][-1]["placement"].items()))
    capacity = _capacities(instance)[machine]
    room = [capacity.get(name, 0) / amount for name, amount in job["worker"].items() if amount > 0]
    counts[0] = math.floor(min(room)) + 1 if room else job["batch"] + 1
    return {Kind.CAPACITY} if room else {Kind.WORKERS}


def _worker_on_a_full_machine(instance, job, entry, decisions):
    """Another job's machine, in a slot in which it has no room left for this one."""
    capacities = _capacities(instance)
    for other in decisions["jobs"]:
        for there in other["schedule"]:
            if other is entry or there["slot"] < job["arrival"]:
                continue
            for machine in there["placement"]:
                used = _used(instance, decisions, there["slot"], machine)
                if any(
                    used[name] + amount > capacities[machine].get(name, 0) * (1 + 1e-6)
                    for name, amount in job["worker"].items()
                ):
                    slots = [here for here in entry["schedule"] if here["slot"] == there["slot"]]
                    here = slots[0] if slots else {"slot": there["slot"], "placement": {}}
                    if not slots:
                        entry["schedule"].append(here)
                    counts = here["placement"].setdefault(machine, [0, 0])
                    counts[0] += 1
                    return {Kind.CAPACITY}
    return None


def _capacities(instance):
    names = {}
    for machine in instance["machines"]:
        count = machine.get("count")
        copies = [machine["name"]] if count is None else [f"{machine['name']}-{index}" for index in range(count)]
        names.update(dict.fromkeys(copies, machine["capacity"]))
    return names


def _used(instance, decisions, slot, machine):
    used = dict.fromkeys(instance["resources"], 0.0)
    for job, entry in zip(instance["jobs"], decisions["jobs"], strict=True):
        for held in entry["schedule"]:
            workers, servers = held["placement"].get(machine, (0, 0)) if held["slot"] == slot else (0, 0)
            for name in used:
                used[name] += workers * job["worker"].get(name, 0) + servers * job.get("server", {}).get(name, 0)
    return used


def _slot_before_the_arrival(instance, job, entry, decisions):
    entry["schedule"][0]["slot"] = job["arrival"] - 1
    return {Kind.SLOT}


def _slot_beyond_the_horizon(instance, job, entry, decisions):
    entry["schedule"][-1]["slot"] = instance["slots"]
    return {Kind.SLOT}


def _last_slot_dropped(instance, job, entry, decisions):
    del entry["schedule"][-1]
    return {Kind.COMPLETION}


def _slot_twice(instance, job, entry, decisions):
    entry["schedule"].append(copy.deepcopy(entry["schedule"][0]))
    return {Kind.SLOT}


def _promised_sooner(instance, job, entry, decisions):
    entry["completion"] -= 1
    return {Kind.COMPLETION}


def _promised_later(instance, job, entry, decisions):
    entry["completion"] += 1
    return {Kind.COMPLETION}


def _no_promise(instance, job, entry, decisions):
    entry["completion"] = None
    return {Kind.COMPLETION, Kind.UTILITY}


def _worth_more(instance, job, entry, decisions):
    more = entry["utility"] * 1e-5
    entry["utility"] += more
    decisions["total_utility"] += more
    return {Kind.UTILITY}


def _total_of_another_plan(instance, job, entry, decisions):
    decisions["total_utility"] -= entry["utility"] * 1.5
    return {Kind.TOTAL}


def _paid_for_by_the_cluster(instance, job, entry, decisions):
    entry["payoff"] = entry["utility"] * 1.00001
    return {Kind.PAYOFF}


def _paid_more_than_it_is_worth(instance, job, entry, decisions):
    entry["payoff"] = -entry["payoff"]
    return {Kind.PAYOFF}


def _workers_beyond_the_batch(instance, job, entry, decisions):
    next(iter(entry["schedule"][0]["placement"].values()))[0] += job["batch"]
    return {Kind.WORKERS}


def _server_removed(instance, job, entry, decisions):
    """In a slot that has no more than the workers need: plans may have more."""
    for held in entry["schedule"]:
        workers, servers = map(sum, zip(*held["placement"].values(), strict=True))
        if servers and (servers - 1) * job["speed"]["workers_per_server"] < workers:
            next(counts for counts in held["placement"].values() if counts[1])[1] -= 1
            return {Kind.SERVERS}
    return None


def _half_a_worker(instance, job, entry, decisions):
    next(iter(entry["schedule"][0]["placement"].values()))[0] += 0.5
    return {Kind.COUNT}


def _machine_of_another_cluster(instance, job, entry, decisions):
    entry["schedule"][0]["placement"]["elsewhere"] = [1, 0]
    return {Kind.MACHINE}


def _machine_that_holds_nothing(instance, job, entry, decisions):
    placement = entry["schedule"][0]["placement"]
    unused = [name for name in _capacities(instance) if name not in placement]
    if not unused:
        return None
    placement[unused[0]] = [0, 0]
    return {Kind.COUNT}


def _rejected_after_all(instance, job, entry, decisions):
    entry["admitted"], entry["reason"] = False, "full"
    return {Kind.ADMISSION, Kind.UTILITY}


def _job_left_out(instance, job, entry, decisions):
    decisions["jobs"].remove(entry)
    decisions["total_utility"] -= entry["utility"]
    return {Kind.JOBS}


def _job_decided_twice(instance, job, entry, decisions):
    decisions["jobs"].append(copy.deepcopy(entry))
    decisions["total_utility"] += entry["utility"]
    return {Kind.JOBS}


def _jobs_in_another_order(instance, job, entry, decisions):
    decisions["jobs"].reverse()
    return {Kind.JOBS} if len(decisions["jobs"]) > 1 else None


CORRUPTIONS = (
    _more_than_fits,
    _worker_on_a_full_machine,
    _slot_before_the_arrival,
    _slot_beyond_the_horizon,
    _last_slot_dropped,
    _slot_twice,
    _promised_sooner,
    _promised_later,
    _no_promise,
    _worth_more,
    _total_of_another_plan,
    _paid_for_by_the_cluster,
    _paid_more_than_it_is_worth,
    _workers_beyond_the_batch,
    _server_removed,
    _half_a_worker,
    _machine_of_another_cluster,
    _machine_that_holds_nothing,
    _rejected_after_all,
    _job_left_out,
    _job_decided_twice,
    _jobs_in_another_order,
)


@pytest.mark.parametrize("corrupt", CORRUPTIONS, ids=lambda corrupt: corrupt.__name__.strip("_"))
def test_a_plan_with_one_thing_changed_is_refused(corrupt, plans):
    """`corrupt` changes the entry of one admitted job, and returns the rules this must break; None: it cannot."""
    tried = 0
    for instance, decisions in plans:
        for index, (job, entry) in enumerate(zip(instance["jobs"], decisions["jobs"], strict=True)):
            if not entry["admitted"]:
                continue
            changed = copy.deepcopy(decisions)
            kinds = corrupt(instance, job, changed["jobs"][index], changed)
            if kinds is not None:
                tried += 1
                found = {violation.kind for violation in check(instance, changed).violations}
                assert kinds <= found, f"{job['id']}: {found}"
    assert tried >= 5
