"""The upper bound: above every plan, below nothing that it need not be above, and proven by its prices."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility, TableUtility
from pdors.offline.bound import UpperBound, bound
from pdors.planner.prices import PriceBounds
from pdors.planning import PaperSolver, plan
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.enumeration import job_options, tiny_instance
from tests.support.random_instances import random_instance

ONE = TableSpeed((1,), (1.0,))


def job(name: str, worth: float, *, slots: float = 1, deadline: int = 0, arrival: int = 0) -> Job:
    """One GPU for so many slots of 10 seconds."""
    return Job(name, arrival, 1, 10 * slots, 1, ONE, (1.0,), (0.0,), DeadlineUtility(worth, deadline))


def on_gpus(gpus: int, *jobs: Job, slots: int = 1) -> Instance:
    return Instance(slots, 10, Cluster(("gpu",), (MachineGroup("m", (float(gpus),)),)), jobs)


def test_jobs_that_do_not_compete_are_all_counted():
    assert bound(on_gpus(2, job("a", 5), job("b", 3))).value == pytest.approx(8)


def test_the_least_worth_gives_way():
    found = bound(on_gpus(2, job("a", 5), job("b", 3), job("c", 2)))
    assert found.value == pytest.approx(8, rel=1e-4)
    assert found.relaxation == pytest.approx(8, rel=1e-4)


def test_a_job_that_cannot_finish_is_worth_nothing():
    assert bound(on_gpus(2, job("a", 5, slots=2, deadline=9))).value == 0


def test_a_late_completion_is_worth_what_it_is():
    late = Job("late", 0, 1, 20, 1, ONE, (1.0,), (0.0,), TableUtility((0, 1, 2), (9, 4, 1)))
    assert bound(on_gpus(1, late, slots=3)).value == pytest.approx(4)


def test_fractions_of_jobs_count():
    """Two jobs of two workers on three GPUs: the linear program runs one and a half."""
    two = TableSpeed((2,), (1.0,))
    jobs = [Job(name, 0, 1, 10, 2, two, (1.0,), (0.0,), DeadlineUtility(4, 0)) for name in "ab"]
    assert bound(on_gpus(3, *jobs)).value == pytest.approx(6, rel=1e-4)


def test_more_servers_than_workers_need_may_be_used():
    """One server: 10 * 1 / (1 + 1) = 5 samples; two: 10 / (1 + 1/2) = 6.67, and 6 are asked for."""
    speed = ParameterServerSpeed(1, 0.5, 1, 1, 1)
    asks = Job("asks", 0, 1, 6, 1, speed, (1.0,), (1.0,), DeadlineUtility(7, 0))
    assert bound(on_gpus(3, asks)).value == pytest.approx(7)
    assert bound(on_gpus(2, asks)).value == 0


def test_one_machine_holds_what_is_together():
    """Together it would be done; no machine holds it, though both do."""
    inside = TableSpeed((4,), (1.0,), (0.1,))
    asks = Job("asks", 0, 1, 10, 4, inside, (1.0,), (0.0,), DeadlineUtility(7, 0))
    cluster = Cluster(("gpu",), (MachineGroup("m", (3.0,), 2),))
    assert bound(Instance(1, 10, cluster, (asks,))).value == 0


def test_kinds_of_machines_make_it_tighter_than_the_pool():
    """Both jobs need a GPU beside a CPU, and there is one machine that has both."""
    jobs = tuple(Job(name, 0, 1, 10, 1, ONE, (1.0, 1.0), (0.0, 0.0), DeadlineUtility(4, 0)) for name in ("a", "b"))
    kinds = (MachineGroup("gpus", (1.0, 0.0)), MachineGroup("cpus", (0.0, 1.0)), MachineGroup("both", (1.0, 1.0)))
    found = bound(Instance(1, 10, Cluster(("gpu", "cpu"), kinds), jobs))
    assert found.value == pytest.approx(4, rel=1e-4)
    assert found.pooled == pytest.approx(8, rel=1e-4)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_above_every_plan_of_instances_of_the_usual_size(first):
    for seed in range(first, first + 10):
        instance = random_instance(seed)
        found = bound(instance, time_limit=5)
        assert found.relaxation <= found.value <= found.pooled
        for prices in ("default", "paper", PriceBounds.free(len(instance.cluster.resources))):
            assert plan(instance, prices=prices).total_utility <= found.value


def test_above_plans_of_the_papers_solver():
    for seed in range(3, 12, 3):
        instance = random_instance(seed)
        found = bound(instance, time_limit=5)
        for prices in ("default", "paper"):
            assert plan(instance, solver=PaperSolver(draws=10), prices=prices).total_utility <= found.value


def test_the_papers_size_takes_seconds_and_leaves_no_gap():
    instance = generate(PaperWorkload(jobs=100, machines=30, slots=80), np.random.default_rng(1))
    found = bound(instance)
    assert found.seconds < 60
    assert found.gap <= 1e-4
    assert plan(instance).total_utility <= found.value <= found.pooled


def test_more_time_brings_it_no_higher():
    instance = generate(PaperWorkload(jobs=60, machines=20, slots=40), np.random.default_rng(4))
    values = [bound(instance, time_limit=seconds).value for seconds in (0, 0.1, 10)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0]


@pytest.mark.parametrize("seed", range(40))
def test_proof_holds_when_worked_out_again(seed):
    instance = tiny_instance(seed)
    found = bound(instance)
    assert (found.proof.prices >= 0).all()
    assert (found.proof.payoffs >= 0).all()
    assert found.value == pytest.approx(found.proof.prices.sum() + found.proof.payoffs.sum(), rel=1e-12)
    for number, posed in enumerate(instance.jobs):
        assert best_payoff(posed, instance, prices_of_machines(instance, found)) <= found.proof.payoffs[number] + 1e-7


@pytest.mark.parametrize("seed", [49, 1, 7, 13, 25])
def test_no_planned_schedule_pays_more_than_its_proven_payoff(seed):
    """Jobs with many points, that others stand for."""
    instance = random_instance(seed)
    found = bound(instance)
    price = prices_of_machines(instance, found)
    for prices in ("default", "paper"):
        for decision, posed, payoff in zip(
            plan(instance, prices=prices).decisions, instance.jobs, found.proof.payoffs, strict=True
        ):
            if isinstance(decision, Admitted):
                paid = sum(
                    float(price[share.machine, slot] @ (np.multiply(posed.worker, share.workers)
                                                        + np.multiply(posed.server, share.servers)))
                    for slot, placement in decision.schedule.by_slot() for share in placement.shares
                )  # fmt: skip
                assert decision.utility - paid <= payoff * (1 + 1e-9) + 1e-9 * decision.utility


def prices_of_machines(instance: Instance, found: UpperBound) -> np.ndarray:
    """The price of a unit: (machines, slots, resources)."""
    prices = np.zeros((len(instance.cluster), instance.slots, len(instance.cluster.resources)))
    for group, price in zip(found.proof.groups, found.proof.prices, strict=True):
        total = instance.cluster.capacity[list(group.machines)].sum(axis=0)
        for machine in group.machines:
            prices[machine] = np.divide(price, total, out=np.zeros_like(price), where=total > 0)
    return prices


def best_payoff(posed: Job, instance: Instance, prices: np.ndarray) -> float:
    """The most above its price, by a linear program over every single placement of every slot."""
    options = job_options(posed, instance)
    best = 0.0
    for last in range(posed.arrival, instance.slots):
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)  # noqa: FBT003 - the signature of HiGHS
        samples, slots = [], []
        for slot in range(posed.arrival, last + 1):
            for option in options:
                held = np.array(option.held).reshape(instance.cluster.capacity.shape)
                highs.addVar(0, 1)
                highs.changeColCost(len(samples), float((held * prices[:, slot]).sum()))
                samples.append(min(option.gain, posed.work) / posed.work)
                slots.append(slot)
        columns = np.arange(len(samples), dtype=np.int32)
        highs.addRow(1 - 1e-9, highspy.kHighsInf, len(samples), columns, np.array(samples))
        for slot in set(slots):
            at = columns[np.array(slots) == slot]
            highs.addRow(-highspy.kHighsInf, 1, len(at), at, np.ones(len(at)))
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            cost = highs.getInfo().objective_function_value
            best = max(best, posed.utility.value(last - posed.arrival) - cost)
    return best
