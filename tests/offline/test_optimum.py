"""The optimum: what trying everything finds, between every plan and the bound, with schedules that keep every rule."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.check import check
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.offline.optimum import Optimum, optimum
from pdors.planning import PaperSolver, plan
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.enumeration import enumerated_optimum, tiny_instance
from tests.support.random_instances import random_instance


def require_consistent(instance: Instance, found: Optimum) -> None:
    report = check(instance_document(instance), decisions_document(found.decisions, instance))
    assert report.ok, report.violations
    assert report.total_utility == pytest.approx(found.value)
    assert found.value <= found.bound <= found.upper.value * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_trying_everything_finds_the_same(first):
    for seed in range(first, first + 20):
        instance = tiny_instance(seed)
        found = optimum(instance, time_limit=30)
        require_consistent(instance, found)
        assert found.proven
        assert found.value == pytest.approx(enumerated_optimum(instance), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_between_every_plan_and_the_bound(first):
    for seed in range(first, first + 10):
        instance = random_instance(seed)
        found = optimum(instance, time_limit=3)
        require_consistent(instance, found)
        for solver in ("fast", PaperSolver(draws=5)):
            for prices in ("default", "paper"):
                total = plan(instance, solver=solver, prices=prices).total_utility
                assert total <= found.bound
                if found.proven:
                    assert total <= found.value * (1 + 1e-6)


def test_tasks_that_fit_together_but_on_no_machine():
    """Two workers of 2 on two machines of 3: the third worker has 1 + 1 left, on different machines."""
    three = TableSpeed((1,), (1.0,))
    jobs = tuple(Job(name, 0, 1, 10, 1, three, (2.0,), (0.0,), DeadlineUtility(4, 0)) for name in "abc")
    instance = Instance(1, 10, Cluster(("gpu",), (MachineGroup("m", (3.0,), 2),)), jobs)
    found = optimum(instance)
    assert (found.value, found.proven) == (8, True)
    assert found.upper.value == pytest.approx(12, rel=1e-3)
    require_consistent(instance, found)


def test_servers_beyond_what_workers_need():
    """One server: 10 * 1 / (1 + 1) = 5 samples; two: 10 / (1 + 1/2) = 6.67, and 6 are asked for."""
    speed = ParameterServerSpeed(1, 0.5, 1, 1, 1)
    asks = Job("asks", 0, 1, 6, 1, speed, (1.0,), (1.0,), DeadlineUtility(7, 0))
    instance = Instance(1, 10, Cluster(("gpu",), (MachineGroup("m", (3.0,)),)), (asks,))
    assert plan(instance).total_utility == 0
    found = optimum(instance)
    assert (found.value, found.proven) == (7, True)
    require_consistent(instance, found)


def test_servers_that_need_nothing():
    """As many as can be counted: the gradients take no time. One worker, 10 samples in 10 seconds."""
    speed = ParameterServerSpeed(1, 100, 1, 1, 1)
    asks = Job("asks", 0, 1, 9.9, 1, speed, (1.0,), (0.0,), DeadlineUtility(7, 0))
    instance = Instance(1, 10, Cluster(("gpu",), (MachineGroup("m", (1.0,)),)), (asks,))
    found = optimum(instance)
    assert (found.value, found.proven) == (7, True)
    require_consistent(instance, found)


def test_apart_where_together_is_slower():
    """Both workers would fit on the first machine, and be too slow there."""
    speed = TableSpeed((2,), (0.5,), (1.0,))
    asks = Job("asks", 0, 1, 10, 2, speed, (1.0,), (0.0,), DeadlineUtility(7, 0))
    instance = Instance(1, 10, Cluster(("gpu",), (MachineGroup("big", (2.0,)), MachineGroup("small", (1.0,)))), (asks,))
    found = optimum(instance)
    assert (found.value, found.proven) == (7, True)
    require_consistent(instance, found)


def test_reasons_of_who_does_not_take_part():
    one = TableSpeed((1,), (1.0,))
    jobs = (
        Job("long", 0, 1, 99, 1, one, (1.0,), (0.0,), DeadlineUtility(9, 9)),
        Job("dear", 0, 1, 10, 1, one, (1.0,), (0.0,), DeadlineUtility(4, 0)),
        Job("cheap", 0, 1, 10, 1, one, (1.0,), (0.0,), DeadlineUtility(1, 0)),
    )
    found = optimum(Instance(1, 10, Cluster(("gpu",), (MachineGroup("m", (1.0,)),)), jobs))
    reasons = {made.job_id: made.reason for made in found.decisions.decisions if isinstance(made, Rejected)}
    assert (found.value, reasons) == (4, {"long": Reason.INFEASIBLE, "cheap": Reason.FULL})


@pytest.mark.parametrize("seed", [2, 5, 7])
def test_the_papers_ratio_experiment(seed):
    instance = generate(PaperWorkload(jobs=10, machines=10, slots=10), np.random.default_rng(seed))
    found = optimum(instance, time_limit=60)
    require_consistent(instance, found)
    assert found.proven
    assert plan(instance).total_utility <= found.value * (1 + 1e-9)


def test_without_time_a_plan_and_the_bound():
    instance = generate(PaperWorkload(jobs=10, machines=10, slots=10), np.random.default_rng(5))
    found = optimum(instance, time_limit=0)
    require_consistent(instance, found)
    assert not found.proven
    assert found.value == max(plan(instance, prices=prices).total_utility for prices in ("default", "paper"))
