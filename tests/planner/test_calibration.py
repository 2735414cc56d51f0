"""Prices as an argument, and the floor and the ceiling of the paper's constants, worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility
from pdors.planner.calibration import FixedPrices, paper_bounds, paper_constants
from pdors.planner.market import MarketPrices
from pdors.planner.offers import Proposal, propose
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape
from pdors.planning import PricesName, plan
from tests.support.small_plans import ExactSlotSolver, plan_of, small_plan

CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (5, 20), 2),))
SLOT_SECONDS = 100.0
SLOTS = 10


def instance_of(*jobs: Job, slots: int = SLOTS, cluster: Cluster = CLUSTER) -> Instance:
    return Instance(slots, SLOT_SECONDS, cluster, jobs)


def job_a() -> Job:
    """Needs 25 worker-slots at b(e), 7 at b(i): 1000 samples of 0.5 + 2*50*2 / (b 10) = 2.5 and 0.7 s, slots of 100 s.

    alpha + beta = (1, 4), a tenth of both resources. F = 10 workers finish within their first slot.
    """
    return Job(
        "a",
        2,
        2,
        500,
        10,
        ParameterServerSpeed(0.5, 50, 2, 100, 10),
        (1, 2),
        (0, 2),
        TableUtility((0, 1, 5), (40, 30, 6)),
    )


def job_b() -> Job:
    """Needs 20 worker-slots at b(e), 15 at b(i): 1000 samples of 1 + 2*5 / (b 2) = 2 and 1.5 s in slots of 100 s.

    alpha + beta = (0, 4), a tenth of the CPUs. F = 2 workers finish in their eighth slot.
    """
    return Job(
        "b", 0, 1, 1000, 2, ParameterServerSpeed(1, 5, 1, 10, 5), (0, 3), (0, 1), TableUtility((0, 7, 9), (100, 12, 2))
    )


def constants(bounds: PriceBounds) -> tuple[list[float], list[float]]:
    """(L, U) per resource."""
    return [math.exp(low) for low in bounds.log_floor], [math.exp(high) for high in bounds.log_ceiling]


# The constants of the paper


def test_paper_bounds_of_two_jobs_by_hand() -> None:
    # U: u_a(0) / 1 = 40 per GPU, where b uses none; max(u_a(0) / 4, u_b(7) / 4) = max(10, 3) per CPU.
    # 1/mu: min(25 * 0.2, 20 * 0.1) / (T R = 20) = 0.1, tight for b.
    # L: min(u_a(8) / (2 mu 25 * 0.2), u_b(10) / (2 mu 20 * 0.1)) = min(0.06, 0.05) per share of the cluster.
    floor, ceiling = constants(paper_bounds(instance_of(job_a(), job_b())))
    assert ceiling == pytest.approx([40, 10])
    assert floor == pytest.approx([0.05 / 10, 0.05 / 40])


def test_scaling_and_who_sets_it_by_hand() -> None:
    # Job a takes 25 * 0.2 = 5 shares times slots of T R = 20, b 2 of them; their worth at T per share is 1.2 and 1.
    constants = paper_constants(instance_of(job_a(), job_b()))
    assert constants is not None
    assert math.exp(constants.log_mu) == pytest.approx(10)
    assert math.exp(constants.log_floor) == pytest.approx(0.05)
    assert np.exp(constants.log_ceiling) == pytest.approx([400, 400])
    assert (constants.smallest_job, constants.floor_job) == ("b", "b")
    poor = replace(job_a(), utility=TableUtility((0, 1, 5), (40, 30, 4)))
    other = paper_constants(instance_of(poor, job_b()))
    assert other is not None
    assert (other.smallest_job, other.floor_job) == ("b", "a")
    assert other.bounds == paper_bounds(instance_of(poor, job_b()))
    assert paper_constants(instance_of()) is None


def test_paper_bounds_of_one_job_by_hand() -> None:
    # 1/mu = 25 * 0.2 / 20 = 1/4, so L = 6 / (8 * 25 * 0.2) = 0.15 per share.
    floor, ceiling = constants(paper_bounds(instance_of(job_a())))
    assert ceiling == pytest.approx([40, 10])
    assert floor == pytest.approx([0.15 / 10, 0.15 / 40])


def test_a_resource_that_no_job_uses_is_free() -> None:
    bounds = paper_bounds(instance_of(job_b()))
    assert bounds.log_ceiling[0] == bounds.log_floor[0] == FREE
    assert math.exp(bounds.log_ceiling[1]) == pytest.approx(3)


def test_a_job_that_uses_nothing_is_left_out() -> None:
    idle = replace(job_b(), id="idle", worker=(0, 0), server=(0, 0), utility=DeadlineUtility(1e9, 100))
    assert paper_bounds(instance_of(job_a(), idle)) == paper_bounds(instance_of(job_a()))
    assert paper_bounds(instance_of(idle)) == PriceBounds.free(2) == paper_bounds(instance_of())


def test_worker_slots_are_whole_and_durations_never_below_zero() -> None:
    # 990 samples: 24.75 worker-slots count as 25; with F = 1 the 7 slots at b(i) end 6 after the first.
    job = replace(job_a(), samples=495)
    poor = replace(job, utility=TableUtility((0, 1, 5), (40, 30, 3)))
    floor, _ = constants(paper_bounds(instance_of(poor, job_b())))
    assert floor[0] == pytest.approx(3 / (2 * 10 * 25 * 0.2) / 10)
    slow = replace(
        job, batch=1, speed=ParameterServerSpeed(0.5, 5, 2, 100, 10), utility=TableUtility((0, 6, 7), (9, 4, 1))
    )
    assert constants(paper_bounds(instance_of(slow)))[1] == pytest.approx([4, 1])


@pytest.mark.parametrize("internal_factor", [0.5, 2.0])
def test_the_floor_goes_by_the_external_rate_and_the_ceiling_by_the_internal_one(internal_factor: float) -> None:
    job = job_b()
    speed = job.speed
    assert isinstance(speed, ParameterServerSpeed)
    other = replace(job, speed=replace(speed, internal_mb_s=speed.internal_mb_s * internal_factor))
    # 1 + 10 / (20 factor) s per sample: 20 and 12.5 worker-slots, 10 and 7 slots of two workers.
    worth = {0.5: 2, 2.0: 100}[internal_factor]
    before, after = (paper_bounds(instance_of(one)) for one in (job, other))
    assert math.exp(after.log_ceiling[1]) == pytest.approx(worth / 4)
    assert after.log_floor == before.log_floor


@pytest.mark.parametrize("slots", [20, 80, 20_000])
def test_time_critical_jobs_have_paper_bounds_at_any_horizon(slots: int) -> None:
    critical = replace(job_a(), utility=SigmoidUtility(50, 6, 2))
    bounds = paper_bounds(instance_of(critical, job_b(), slots=slots))
    assert np.isfinite([*bounds.log_floor, *bounds.log_ceiling]).all()
    # L = u(T - a) / (2 mu 25 * 0.2) with 1/mu = 2 / (2 T), and u(T - a) = 50 exp(-6 (T - 4)) by all that matters.
    floor = math.log(50) - 6 * (slots - 4) - math.log(10 * slots)
    assert bounds.log_floor[0] == pytest.approx(floor - math.log(10))
    assert np.isfinite(bounds.price(np.linspace(0, 1, 22).reshape(-1, 2))).all()


def test_a_job_worth_nothing_at_the_horizon_makes_no_floor() -> None:
    bounds = paper_bounds(instance_of(replace(job_a(), utility=DeadlineUtility(40, 3))))
    assert bounds.log_floor == (FREE, FREE)
    assert constants(bounds)[1] == pytest.approx([40, 10])


@pytest.mark.parametrize(
    ("speed", "worker_slots", "shortest"),
    [
        # 1000 samples; at best 2 per second and worker on one machine, 1 on several; 4 workers: 1.25 slots on one.
        (TableSpeed((1, 2, 4), (1.0, 4.0, None), (1.0, 1.5, 3.0)), 10, 1),
        # What cannot be had on one machine counts as on several, and the other way round.
        (TableSpeed((1, 2, 4), (None, None, None), (1.0, 1.5, 3.0)), 10, 2),
        (TableSpeed((1, 2, 4), (1.0, 4.0, 6.0), (None, None, None)), 5, 1),
        # One worker synchronises with nobody: 1 sample per 2 seconds, 20 worker-slots, 5 slots of 4.
        (AllReduceSpeed(2, 10, 10, 10), 20, 4),
    ],
)
def test_paper_bounds_of_jobs_without_servers(speed: Speed, worker_slots: int, shortest: int) -> None:
    worth = 10 * np.arange(12, 0, -1.0)
    utility = TableUtility(tuple(range(12)), tuple(worth.tolist()))
    job = Job("table", 0, 1, 1000, 4, speed, (1, 2), (0, 0), utility)
    floor, ceiling = constants(paper_bounds(instance_of(job)))
    assert ceiling == pytest.approx([worth[shortest], worth[shortest] / 2])
    # A single job: L = u(T) / (2 T R) whatever it needs, so a second one that needs less shows the worker-slots.
    assert floor[0] * 10 == pytest.approx(worth[10] / 40)
    tight = replace(job, id="tight", speed=TableSpeed((1,), (10.0,)), utility=DeadlineUtility(1e6, 100))
    floor, _ = constants(paper_bounds(instance_of(job, tight)))
    assert floor[0] * 10 == pytest.approx(1 / worker_slots * worth[10] / 40)


def test_a_job_without_any_speed_is_left_out_of_the_paper_bounds() -> None:
    stuck = Job("stuck", 0, 1, 1, 4, TableSpeed((8,), (1.0,)), (1, 2), (0, 0), DeadlineUtility(1e6, 100))
    assert paper_bounds(instance_of(job_a(), stuck)) == paper_bounds(instance_of(job_a()))


# The unit of a resource


def scaled(instance: Instance, resource: int, factor: float) -> Instance:
    """The same instance with that resource counted in another unit."""

    def amounts(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(value * factor if index == resource else value for index, value in enumerate(values))

    groups = tuple(replace(group, capacity=amounts(group.capacity)) for group in instance.cluster.groups)
    jobs = tuple(replace(job, worker=amounts(job.worker), server=amounts(job.server)) for job in instance.jobs)
    return replace(instance, cluster=Cluster(instance.cluster.resources, groups), jobs=jobs)


@pytest.mark.parametrize("resource", [0, 1])
def test_prices_are_per_amount_in_whatever_unit(resource: int) -> None:
    gigabytes = instance_of(job_a(), job_b())
    in_gigabytes, in_megabytes = paper_bounds(gigabytes), paper_bounds(scaled(gigabytes, resource, 1000))
    shift = np.where(np.arange(2) == resource, math.log(1000), 0)
    np.testing.assert_allclose(in_megabytes.log_floor, in_gigabytes.log_floor - shift)
    np.testing.assert_allclose(in_megabytes.log_ceiling, in_gigabytes.log_ceiling - shift)


@pytest.mark.parametrize("prices", ["default", "paper"])
@pytest.mark.parametrize("seed", range(60))
def test_decisions_do_not_depend_on_the_unit_of_a_resource(seed: int, prices: PricesName) -> None:
    case = small_plan(seed)
    cluster = case.ledger.cluster
    history = (replace(job_a(), worker=cluster.capacity[0], server=cluster.capacity[0] / 2),)
    gigabytes = Instance(case.slots, SLOT_SECONDS, cluster, (case.job, *history))
    answers = []
    for instance, factor in ((gigabytes, 1), (scaled(gigabytes, 0, 1000), 1000)):
        job, earlier = instance.jobs
        policy = FixedPrices(paper_bounds(instance)) if prices == "paper" else MarketPrices(
            instance.cluster, case.slots, [shape_of(earlier, instance.cluster)])  # fmt: skip
        used = case.used * np.where(np.arange(len(cluster.resources)) == 0, factor, 1)
        changed = plan_of(instance.cluster, job, policy.bounds(shape_of(job, instance.cluster)), used)
        answers.append(propose(changed.question(ExactSlotSolver(changed.ledger.units))))
    one, other = answers
    assert type(one) is type(other)
    if isinstance(one, Proposal):
        assert isinstance(other, Proposal)
        assert (one.completion, one.utility) == (other.completion, other.utility)
        assert one.price == pytest.approx(other.price)


# Prices as an argument


def shape_of(job: Job, cluster: Cluster = CLUSTER) -> JobShape:
    return JobShape.of(job, Units(cluster), SLOT_SECONDS)


def test_a_resource_that_the_cluster_lacks_is_free() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (5, 0), 2),))
    assert paper_bounds(instance_of(job_a(), cluster=cluster)).log_ceiling[1] == FREE


def test_fixed_prices_are_the_same_for_every_job() -> None:
    bounds = PriceBounds((0.0, 0.0), (1.0, 1.0))
    policy = FixedPrices(bounds)
    policy.learn(shape_of(replace(job_b(), utility=DeadlineUtility(1e9, 5))), None)
    assert policy.bounds(shape_of(job_a())) is policy.bounds(shape_of(job_b())) is bounds


def test_paper_decisions_look_at_later_jobs() -> None:
    # The constants are maxima and minima over all jobs: a later one of little worth makes the first one cheap.
    late = replace(job_b(), id="late", arrival=9, utility=DeadlineUtility(1e-3, 100))
    alone, followed = (plan(instance_of(*jobs), prices="paper")["b"] for jobs in ((job_b(),), (job_b(), late)))
    assert isinstance(alone, Admitted)
    assert isinstance(followed, Admitted)
    assert followed.price is not None
    assert alone.price is not None
    assert followed.price < alone.price / 100
