"""Whole plans and quotes: what must hold of any, and instances made to go wrong."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from pdors.check import check
from pdors.errors import ModelError
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility
from pdors.planner.prices import PriceBounds
from pdors.planner.servers import workers_per_server
from pdors.planning import plan, quote
from pdors.workloads.paper import PaperWorkload, generate
from tests.support.desk import desk_for
from tests.support.instances import instances, small_instance, small_job
from tests.support.packing import most_samples
from tests.support.plan_properties import SETTINGS, Setting, broken_properties, contents
from tests.support.random_instances import random_instance

BY_SETTING = pytest.mark.parametrize("setting", SETTINGS, ids=str)


@BY_SETTING
@settings(max_examples=25, derandomize=True)  # `python -m benchmarks.plans` goes on where this ends
@given(instance=instances())
def test_plans_of_instances_of_every_kind(setting, instance):
    assert list(broken_properties(instance, setting)) == []


@BY_SETTING
@pytest.mark.parametrize("seed", range(12))
def test_plans_of_instances_of_the_usual_size(setting, seed):
    assert list(broken_properties(random_instance(seed), setting)) == []


@pytest.mark.parametrize("first", range(12, 132, 20))
def test_more_plans_of_the_fast_solver(first):
    broken = {
        (seed, str(setting)): sentences
        for seed in range(first, first + 20)
        for setting in SETTINGS
        if setting.solver == "fast" and (sentences := list(broken_properties(random_instance(seed), setting)))
    }
    assert broken == {}


def cluster(*capacities, resources=("gpu", "cpu")):
    """One machine for each capacity."""
    groups = (MachineGroup(f"machine-{number}", capacity) for number, capacity in enumerate(capacities))
    return Cluster(resources, tuple(groups))


def of_small_jobs(*changes, slots=10, slot_seconds=3600, machines=((4, 16), (4, 16), (8, 32))):
    jobs = (small_job(**({"id": f"job-{number}"} | change)) for number, change in enumerate(changes))
    return Instance(slots, slot_seconds, cluster(*machines), tuple(jobs))


def ps(**changes):
    """What of `small_job` is a parameter server's: 0.5 seconds, 50 MB, 2 workers per server, 100 and 10 MB/s."""
    return {"speed": replace(small_job().speed, **changes)}


def table(*arguments):
    return {"speed": TableSpeed(*arguments), "server": (0, 0)}


FREE = {"worker": (0, 0), "server": (0, 0)}
LONG = {"samples": 5e3}

# name: an instance, and what becomes of each job with the fast solver at default prices (None: admitted).
ADVERSARIAL = {
    "nothing is needed": (of_small_jobs(FREE, FREE, FREE), [None, None, None]),
    "one machine without GPUs": (of_small_jobs({}, {"worker": (0, 1)}, machines=[(0, 16)]), ["infeasible", None]),
    "several servers per worker": (of_small_jobs(ps(workers_per_server=0.3), ps(workers_per_server=0.3)), [None] * 2),
    "a server for more workers than the batch": (of_small_jobs({"batch": 1} | ps(workers_per_server=5)), [None]),
    "slower on one machine": (of_small_jobs(ps(internal_mb_s=1), ps(internal_mb_s=1) | LONG), [None, None]),
    "a worker that fits nowhere": (of_small_jobs({"worker": (9, 1)}), ["infeasible"]),
    "a server that fits nowhere": (of_small_jobs({"server": (9, 1)}), ["infeasible"]),
    "the last slot": (of_small_jobs({"arrival": 9}, {"arrival": 9, "samples": 1e5}), [None, "infeasible"]),
    "one slot": (of_small_jobs({}, {"samples": 1e5}, slots=1), [None, "infeasible"]),
    "worth nothing": (of_small_jobs({"utility": SigmoidUtility(0, 1, 1)}, {}), ["price", None]),
    "late at once": (
        of_small_jobs({"utility": DeadlineUtility(5, -1, 1)}, {"utility": DeadlineUtility(5, -1)}),
        [None, "price"],
    ),
    "worth the same for ever": (of_small_jobs({"utility": TableUtility((0,), (5,))} | LONG), [None]),
    "urgent beyond all floats": (of_small_jobs({"utility": SigmoidUtility(50, 1e300, 1)}), [None]),
    "huge and small": (
        of_small_jobs(
            {"epochs": 1e150, "samples": 1e150},
            {"utility": SigmoidUtility(1e300, 1e300, -1e300)},
            {"utility": SigmoidUtility(1e300, 1, 5)},
        ),
        ["infeasible", "price", None],
    ),
    "demands near the largest float": (of_small_jobs({"worker": (1e299, 1)}, machines=[(1e300, 16)] * 3), [None]),
    "slow beyond all floats": (of_small_jobs(ps(sample_seconds=1e300, gradient_mb=1e300)), ["infeasible"]),
    "tenths": (
        of_small_jobs(*[{"worker": (0.1, 0.2), "server": (0.1, 0.1), "samples": 3000}] * 4, machines=[(0.3, 0.9)] * 3),
        [None, None, None, "price"],  # the fourth has to wait until it is worth too little
    ),
    "machines without anything": (of_small_jobs({}, {}, machines=[(0, 0), (0, 0), (4, 16)]), [None, None]),
    "a cluster without anything": (of_small_jobs({}, FREE, machines=[(0, 0), (0, 0)]), ["infeasible", None]),
    "no count that was measured": (of_small_jobs(table((1, 2), (None, None))), ["infeasible"]),
    "measured apart alone": (of_small_jobs(table((1, 2), (None, None), (1.0, 2.0))), [None]),
    "measured together alone": (of_small_jobs(table((1, 2), (1.0, 2.0), (None, None))), [None]),
    "slower with more workers": (of_small_jobs(table((1, 2, 3), (2.0, 1.0, 3.0), (1.0, 2.0, 0.5))), [None]),
    "no count within the batch": (of_small_jobs({"batch": 1} | table((2, 3), (1.0, 3.0))), ["infeasible"]),
    "no jobs": (of_small_jobs(), []),
}


@BY_SETTING
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_plans_of_adversarial_instances(setting, name):
    assert list(broken_properties(ADVERSARIAL[name][0], setting)) == []


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_decisions_on_adversarial_instances(name):
    instance, expected = ADVERSARIAL[name]
    assert [getattr(decision, "reason", None) for decision in plan(instance).decisions] == expected


@pytest.mark.parametrize("prices", ["default", "paper"])
def test_twenty_thousand_slots_on_a_tiny_cluster(prices):
    """One worker at a time, 3600 / (0.5 + 1 / 8) = 5760 samples in a slot."""
    jobs = [{"samples": 5760 * 1000}, {"arrival": 19_999, "samples": 500}, {"arrival": 10_000, "samples": 5760 * 1001}]
    never_late = {"utility": SigmoidUtility(50, 0, 0)}
    instance = of_small_jobs(*(job | never_late for job in jobs), slots=20_000, machines=[(1, 3)])
    setting = Setting(prices=prices)
    decisions = setting.plan(instance)
    assert [getattr(decision, "reason", None) for decision in decisions.decisions] == [None, None, "infeasible"]
    assert decisions["job-0"].completion - instance.jobs[0].arrival >= 9_999
    assert list(broken_properties(replace(instance, jobs=instance.jobs[1:]), setting)) == []


@pytest.mark.parametrize("first", [0, 100])
def test_a_job_is_infeasible_if_and_only_if_no_packing_is_fast_enough(first):
    """With the servers that pay for the job, the fewest, or four times those that pay."""
    wrong, ways_met = [], set()
    for seed in range(first, first + 100):
        instance = random_instance(seed)
        planner = desk_for(instance)
        for job in instance.jobs:
            question = planner.question(job)
            if (question.shape.apart > question.shape.together).any():
                continue  # spreading what would fit together is not in the packing
            needed = job.work * (1 - 1e-9) / (instance.slots - job.arrival)
            possible = planner.could_finish_alone(question)
            best = workers_per_server(job, instance.cluster)
            ways = [most_samples(job, instance, workers_per_server=w) >= needed for w in (best, math.inf, best / 4)]
            if possible != any(ways):
                wrong.append((seed, job.id, possible))
            ways_met.add(tuple(ways))
    assert wrong == []
    assert {(True, True, True), (False, False, False), (False, True, False)} <= ways_met


def at_given_prices(instance, job_id, prices):
    return quote(instance, job_id, prices=prices), plan(instance, prices=prices)[job_id]


DEAR = PriceBounds((math.log(1e3), math.log(1e3)), (math.log(1e4), math.log(1e4)))


@pytest.mark.parametrize("job_id", ["job-0", "job-1", "job-2"])
def test_whoever_raises_the_priority_as_quoted_gets_in(job_id):
    instance = small_instance()
    told, decision = at_given_prices(instance, job_id, DEAR)
    assert (told.admitted, told.reason, decision.reason) == (False, Reason.PRICE, Reason.PRICE)

    def with_factor(factor):
        jobs = tuple(
            job.with_utility_scaled(factor * told.would_admit.priority_factor) if job.id == job_id else job
            for job in instance.jobs
        )
        return plan(replace(instance, jobs=jobs), prices=DEAR)[job_id]

    assert isinstance(with_factor(0.99), Rejected)
    admitted = with_factor(1)
    assert isinstance(admitted, Admitted)
    assert admitted.completion == told.would_admit.priority_completion


def test_whoever_can_wait_as_long_as_quoted_gets_in():
    """Two slots of two workers, each 7200 / (0.5 + 2/2) = 4800 samples, and the utility is gone after one."""
    impatient = {"samples": 960, "utility": DeadlineUtility(50, 0), "batch": 2}
    instance = of_small_jobs(impatient, machines=[(2, 16)])
    told = quote(instance, "job-0").would_admit
    assert told.extra_slots == 1
    patient = replace(instance.jobs[0], utility=instance.jobs[0].utility.delayed(told.extra_slots))
    decision = plan(replace(instance, jobs=(patient,)))["job-0"]
    assert decision.completion == told.latest_completion == 1


@BY_SETTING
def test_a_quote_is_the_answer_that_the_plan_gives(setting):
    instance = random_instance(4)
    options = {"solver": setting.solver, "prices": setting.prices}
    decisions = plan(instance, **options)
    for job in instance.jobs:
        told, decision = quote(instance, job.id, **options), decisions[job.id]
        assert (told.admitted, told.reason) == (isinstance(decision, Admitted), getattr(decision, "reason", None))
        if told.admitted:
            promised = decision.completion, decision.price, decision.utility, decision.payoff
            assert (told.best.completion, told.best.price, told.best.utility, told.best.payoff) == promised


def test_a_job_that_is_not_in_the_instance_cannot_be_quoted():
    with pytest.raises(ModelError, match="no job has the id 'stranger'"):
        quote(small_instance(), "stranger")


def test_a_quote_commits_nothing():
    instance = small_instance()
    planner = desk_for(instance)
    answers = [planner.quote(job) for _ in range(2) for job in instance.jobs]
    assert answers[: len(instance.jobs)] == answers[len(instance.jobs) :]
    assert not contents(planner.ledger, instance.slots).any()


def test_decisions_are_told_as_they_are_made_in_order_of_arrival():
    instance = replace(small_instance(), jobs=small_instance().jobs[::-1])
    told = []
    decisions = plan(instance, on_decision=lambda job, decision: told.append((job, decision)))
    assert [job.arrival for job, _ in told] == [0, 1, 1]
    assert {decision.job_id: decision for _, decision in told} == {made.job_id: made for made in decisions.decisions}


def test_only_the_paper_s_solver_draws():
    instance = random_instance(42)

    def schedules(solver, seed):
        decisions = plan(instance, solver=solver, seed=seed).decisions
        return [decision.schedule for decision in decisions if isinstance(decision, Admitted)]

    assert schedules("fast", 0) == schedules("fast", 1)
    assert schedules("paper", 0) != schedules("paper", 1)


def test_steps_of_a_hull_that_are_alike_but_for_a_rounding_are_one():
    """These jobs have curves on which prices per sample differ by less than a float tells after a division."""
    instance = generate(PaperWorkload(jobs=60, machines=60, slots=40), np.random.default_rng(63))
    decisions = plan(instance)
    assert check(instance_document(instance), decisions_document(decisions, instance)).ok


@pytest.mark.parametrize("machines", [100, 200])
def test_workers_and_servers_may_need_the_same_machines(machines):
    """As many machines of one GPU as 90 workers and their 90 servers need, or less: more than half hold workers."""
    speed = ParameterServerSpeed(1, 0, 1, 1, 1)
    cluster = Cluster(("gpu",), (MachineGroup("m", (1,), machines),))
    job = Job("wide", 0, 1, 3600 * min(90, machines // 2), 90, speed, (1,), (1,), DeadlineUtility(1, 0))
    assert isinstance(plan(Instance(1, 3600, cluster, (job,)))["wide"], Admitted)
