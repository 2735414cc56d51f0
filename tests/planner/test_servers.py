"""More servers than the fewest, where that pays: the formula against trying all, and what becomes of it in a plan."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pdors.check import check
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, TableUtility
from pdors.planner.prices import PriceBounds
from pdors.planner.servers import further_ratios, workers_per_server
from pdors.planner.shape import JobShape
from pdors.planning import PaperSolver, plan
from tests.support.random_instances import random_instance

CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 40), 20),))
SLOT_SECONDS = 3600.0
CHEAP = PriceBounds((-20.0, -20.0), (-19.0, -19.0))


def slow_job(**changes: Any) -> Job:
    """A sample takes half a second to compute; gradients take 2 * 1000 MB / (S * 10 MB/s) per iteration of 100 samples.

    A worker is 1/80 of the GPUs and 4/800 of the CPUs, a server 2/800 of the CPUs.
    """
    usual: dict[str, Any] = {
        "id": "slow", "arrival": 0, "epochs": 1.0, "samples": 40_000.0, "batch": 100,
        "speed": ParameterServerSpeed(0.5, 1000, 10, 100, 10), "worker": (1.0, 4.0), "server": (0.0, 2.0),
        "utility": TableUtility(tuple(range(20)), tuple(100.0 - slot for slot in range(20))),
    }  # fmt: skip
    return Job(**(usual | changes))


def ps_speed(job: Job) -> ParameterServerSpeed:
    assert isinstance(job.speed, ParameterServerSpeed)
    return job.speed


def samples_per_share(job: Job, cluster: Cluster, workers: np.ndarray, servers: np.ndarray) -> np.ndarray:
    """Eq. (1) between machines, over the shares of the cluster that the tasks take."""
    speed, total = ps_speed(job), cluster.total
    shares = [float((np.array(amounts)[total > 0] / total[total > 0]).sum()) for amounts in (job.worker, job.server)]
    seconds = speed.sample_seconds + (
        speed.step_overhead_seconds + 2 * speed.gradient_mb / (servers * speed.external_mb_s)
    ) * (workers / job.batch)
    return np.asarray(workers / seconds / (workers * shares[0] + servers * shares[1]))


# The formula


@pytest.mark.parametrize("workers", [1, 7, 300])
@pytest.mark.parametrize("seed", range(40))
def test_no_other_number_of_servers_trains_more_for_its_price(seed: int, workers: int) -> None:
    rng = np.random.default_rng(seed)
    speed = ParameterServerSpeed(
        float(rng.uniform(0.01, 1)), float(rng.uniform(1, 600)), 1e9, 100, float(rng.uniform(10, 600))
    )
    worker, server = rng.uniform(0.1, 8, 2).tolist(), rng.uniform(0.1, 8, 2).tolist()
    job = slow_job(batch=int(rng.integers(1, 200)), speed=speed, worker=tuple(worker), server=tuple(server))
    best = workers_per_server(job, CLUSTER)
    assert 0 < best < math.inf
    ratios = best * np.exp(np.linspace(-6, 6, 1201))  # the 601st is the best one itself
    told = samples_per_share(job, CLUSTER, np.full(len(ratios), float(workers)), workers / ratios)
    assert int(np.argmax(told)) == 600


def test_the_ratio_by_hand() -> None:
    """sqrt(0.5 * 10 * 100 / 2000 * (1/400) / (7/400)) = sqrt(1/28); what an iteration costs at least is left out."""
    job = slow_job()
    assert workers_per_server(job, CLUSTER) == pytest.approx(math.sqrt(1 / 28))
    overhead = slow_job(speed=replace(ps_speed(job), step_overhead_seconds=0.5))
    assert workers_per_server(overhead, CLUSTER) == workers_per_server(job, CLUSTER)


@pytest.mark.parametrize(
    "changes",
    [
        {"speed": ParameterServerSpeed(0.5, 0, 10, 100, 10)},
        {"worker": (0.0, 0.0)},
        {"server": (0.0, 0.0)},
        {"speed": AllReduceSpeed(0.5, 1000, 100, 10), "server": (0.0, 0.0)},
        {"speed": TableSpeed((1, 2), (1.0, 2.0)), "server": (0.0, 0.0)},
    ],
    ids=["no gradients", "workers for nothing", "servers for nothing", "all-reduce", "table"],
)
def test_the_fewest_where_more_would_not_pay(changes: dict[str, Any]) -> None:
    job = slow_job(**changes)
    assert workers_per_server(job, CLUSTER) == math.inf
    assert list(further_ratios(job, CLUSTER)) == []
    units = Units(CLUSTER)
    fewest = JobShape.of(job, units, SLOT_SECONDS)
    told = JobShape.of(job, units, SLOT_SECONDS, workers_per_server=workers_per_server(job, CLUSTER))
    assert told.servers.tolist() == fewest.servers.tolist()


def test_a_resource_that_the_cluster_lacks_costs_nothing() -> None:
    bare = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 0), 20),))
    assert workers_per_server(slow_job(), bare) == math.inf  # servers take CPUs alone


# Shapes


@pytest.mark.parametrize("ratio", [0.2, 1.0, 3.3, 10.0, 50.0, math.inf])
def test_gamma_stays_an_upper_limit(ratio: float) -> None:
    job = slow_job()
    shape = JobShape.of(job, Units(CLUSTER), SLOT_SECONDS, workers_per_server=ratio)
    workers = np.arange(1, shape.max_workers + 1)
    servers = shape.servers[1:]
    assert (servers * 10.0 >= workers).all()
    assert (servers == np.maximum(1, np.ceil(workers / min(ratio, 10.0)))).all()
    for count, held in zip(workers.tolist(), servers.tolist(), strict=True):
        assert shape.apart[count] == pytest.approx(job.samples_in_slot(count, held, SLOT_SECONDS, colocated=False))
        assert shape.together[count] == pytest.approx(job.samples_in_slot(count, held, SLOT_SECONDS, colocated=True))


# Plans


def instance_of(*jobs: Job, cluster: Cluster = CLUSTER, slots: int = 20) -> Instance:
    return Instance(slots, SLOT_SECONDS, cluster, jobs)


def tasks_of(decision: object) -> list[tuple[int, int]]:
    """(workers, servers) of every run."""
    assert isinstance(decision, Admitted)
    return [(run.placement.workers, run.placement.servers) for run in decision.schedule.runs]


def test_a_job_with_slow_links_gets_more_servers_and_ends_earlier() -> None:
    instance = instance_of(slow_job(batch=40))
    more = plan(instance, prices=CHEAP)["slow"]
    fewest = plan(instance, prices=CHEAP, solver=PaperSolver(draws=200))["slow"]
    assert isinstance(more, Admitted)
    assert isinstance(fewest, Admitted)
    assert all(servers > math.ceil(workers / 10) for workers, servers in tasks_of(more))
    assert more.completion < fewest.completion
    assert more.utility > fewest.utility
    assert check(instance_document(instance), decisions_document(plan(instance, prices=CHEAP), instance)).ok


@pytest.mark.parametrize("seed", range(40))
def test_the_papers_solver_keeps_the_fewest(seed: int) -> None:
    instance = random_instance(seed)
    for solver in ("paper", "fast"):
        decisions = plan(instance, solver=solver)
        for job in instance.jobs:
            decision = decisions[job.id]
            if not isinstance(decision, Admitted):
                continue
            for workers, servers in tasks_of(decision):
                fewest = job.speed.servers_for(workers)
                assert servers == fewest if solver == "paper" else servers >= fewest


def test_plans_of_the_fast_solver_have_more_than_the_fewest() -> None:
    surplus = [
        servers - job.speed.servers_for(workers)
        for instance in map(random_instance, range(40))
        for job, decision in zip(instance.jobs, plan(instance).decisions, strict=True)
        if isinstance(decision, Admitted)
        for workers, servers in tasks_of(decision)
    ]
    assert np.mean(np.array(surplus) > 0) > 0.1


def test_a_job_for_which_the_servers_that_pay_find_no_room_gets_the_fewest() -> None:
    """Twenty workers leave room for two servers, where four would pay; nineteen with four of them train less."""
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 17), 4), MachineGroup("roomy", (4, 20))))
    job = slow_job(speed=ParameterServerSpeed(0.5, 0.3, 10, 100, 10), batch=20, utility=DeadlineUtility(9, 5))
    assert math.ceil(20 / workers_per_server(job, cluster)) == math.ceil(19 / workers_per_server(job, cluster)) == 4
    speed = ps_speed(job)
    within = SLOT_SECONDS * speed.samples_per_second(20, 2, 20, colocated=False)
    decision = plan(instance_of(replace(job, samples=within), cluster=cluster, slots=1), prices=CHEAP)["slow"]
    assert tasks_of(decision) == [(20, 2)]
    beyond = plan(instance_of(replace(job, samples=1.01 * within), cluster=cluster, slots=1), prices=CHEAP)["slow"]
    assert beyond == Rejected("slow", Reason.INFEASIBLE)


def test_a_job_for_which_the_servers_that_pay_are_too_slow_gets_more() -> None:
    """Servers are dear, so that one in three workers' worth of them pays; in one slot it takes four times as many."""
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (8, 80), 10),))
    job = slow_job(
        worker=(1.0, 0.0), server=(0.0, 20.0), batch=8, speed=ParameterServerSpeed(0.5, 20, 10, 10, 10),
        utility=DeadlineUtility(9, 5),
    )  # fmt: skip
    best = workers_per_server(job, cluster)
    speed = ps_speed(job)
    least, most = math.ceil(8 / best), math.ceil(8 / (best / 4))
    within = [SLOT_SECONDS * speed.samples_per_second(8, servers, 8, colocated=False) for servers in (least, most)]
    assert within[0] < within[1] * 0.9
    for samples, servers in ((within[0], least), (within[1], most)):
        decision = plan(instance_of(replace(job, samples=samples), cluster=cluster, slots=1), prices=CHEAP)["slow"]
        assert tasks_of(decision) == [(8, servers)]
