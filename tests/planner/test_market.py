"""The default prices: bids and ceilings by hand, and what must hold whatever has come; see also `test_clearing`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility
from pdors.planner.market import CEILING_QUANTILE, LEAST_LOG_RATIO, MOST_LOG_RATIO, Bid, MarketPrices
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape
from pdors.planning import plan
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.desk import desk_for
from tests.support.instances import instances
from tests.support.random_instances import random_instance

CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (5, 20), 2),))
SLOT_SECONDS = 100.0
SLOTS = 10
LONG = 1000


def steady_job(worth: float, *, job_id: str = "job", arrival: int = 0, samples: float = 400) -> Job:
    """One sample per second and worker, so 100 per slot; two workers at most, each a tenth of the GPUs.

    400 samples take two slots, four worker-slots of a share of 0.1, and end one slot after the first.
    """
    utility = TableUtility((0, 1, 2, 3), (8 * worth, 4 * worth, 2 * worth, worth))
    return Job(job_id, arrival, 1, samples, 2, AllReduceSpeed(1, 0, 1, 1), (1, 0), (0, 0), utility)


def served_job() -> Job:
    """1000 samples; alpha = (1, 2), beta = (0, 2): 1/10 of the GPUs and 2/40 of the CPUs, and 2/40 of the CPUs."""
    utility = TableUtility((0, 1, 5), (40, 30, 6))
    return Job("a", 2, 2, 500, 10, ParameterServerSpeed(0.5, 50, 2, 100, 10), (1, 2), (0, 2), utility)


def instance_of(*jobs: Job, slots: int = SLOTS, cluster: Cluster = CLUSTER) -> Instance:
    return Instance(slots, SLOT_SECONDS, cluster, jobs)


def shape_of(job: Job, cluster: Cluster = CLUSTER) -> JobShape:
    return JobShape.of(job, Units(cluster), SLOT_SECONDS)


def bid_of(job: Job, slots: int = SLOTS) -> Bid:
    bid = Bid.of(shape_of(job), CLUSTER, slots)
    assert bid is not None
    return bid


def told(jobs: Iterable[Job], slots: int = SLOTS, cluster: Cluster = CLUSTER) -> MarketPrices:
    """Prices that have seen these jobs come, none of them admitted."""
    policy = MarketPrices(cluster, slots)
    for job in jobs:
        policy.learn(shape_of(job, cluster), None)
    return policy


def stream(per_slot: int, slots: int, *, first: int = 0, samples: float = 400) -> list[Job]:
    """So many jobs in each slot, worth 1 .. 3 in turn."""
    return [
        steady_job(1.0 + (slot + index) % 3, arrival=slot, samples=samples)
        for slot in range(first, first + slots)
        for index in range(per_slot)
    ]


def constants(bounds: PriceBounds) -> tuple[list[float], list[float]]:
    """(L, U) per resource."""
    return [math.exp(low) for low in bounds.log_floor], [math.exp(high) for high in bounds.log_ceiling]


def fall(bounds: PriceBounds, resource: int = 0) -> float:
    """ln(U/L)."""
    return bounds.log_ceiling[resource] - bounds.log_floor[resource]


def shapes_of(instance: Instance) -> list[JobShape]:
    units = Units(instance.cluster)
    return [JobShape.of(job, units, instance.slot_seconds) for job in instance.in_arrival_order()]


# What must hold whatever has come


@given(instance=instances())
def test_floors_keep_the_two_ratios_and_asking_changes_nothing(instance: Instance) -> None:
    """Whatever was seen, admitted or not; the asking job moves nothing once another could pay."""
    policy = MarketPrices(instance.cluster, instance.slots)
    seen_one_that_pays = False
    shapes = shapes_of(instance)
    for shape in shapes:
        bounds = policy.bounds(shape)
        assert policy.bounds(shape) == bounds
        for resource, total in enumerate(instance.cluster.total):
            if bounds.log_ceiling[resource] == FREE:
                assert total == 0 or not seen_one_that_pays
            else:
                assert LEAST_LOG_RATIO - 1e-9 <= fall(bounds, resource) <= MOST_LOG_RATIO + 1e-9
        if seen_one_that_pays:
            other = replace(shapes[0], job=replace(shapes[0].job, arrival=shape.job.arrival))
            assert policy.bounds(other) == bounds
        schedule = Schedule((Run(shape.job.arrival, instance.slots, Placement.of([(0, 1, 0)])),))
        policy.learn(shape, schedule if shape.max_workers % 2 else None)
        seen_one_that_pays |= Bid.of(shape, instance.cluster, instance.slots) is not None


def test_the_random_instances_have_jobs_that_pay_and_jobs_that_do_not() -> None:
    pays = [
        Bid.of(shape, instance.cluster, instance.slots) is not None
        for instance in map(random_instance, range(40))
        for shape in shapes_of(instance)
    ]
    assert 0.2 < np.mean(pays) < 0.95


def test_a_job_does_not_move_its_own_prices() -> None:
    policy = told([steady_job(3.0)])
    small, large = (shape_of(steady_job(worth)) for worth in (0.01, 1e6))
    assert policy.bounds(small) == policy.bounds(large)
    policy.learn(large, None)
    assert policy.bounds(small) != told([steady_job(3.0)]).bounds(small)


@pytest.mark.parametrize("known", [1, 8, 15])
@pytest.mark.parametrize("seed", [1, 2])
def test_default_decisions_do_not_look_at_later_jobs(seed: int, known: int) -> None:
    instance = generate(PaperWorkload(jobs=20, machines=15, slots=60), np.random.default_rng(seed))
    others = generate(PaperWorkload(jobs=20, machines=15, slots=60), np.random.default_rng(seed + 100))
    past = instance.in_arrival_order()[:known]
    future = [
        replace(job, id=f"other-{job.id}", arrival=max(job.arrival, past[-1].arrival), utility=job.utility.scaled(1e6))
        for job in others.jobs
    ]
    whole, changed = plan(instance), plan(replace(instance, jobs=(*past, *future)))
    for job in past:
        assert whole[job.id] == changed[job.id]


def in_another_unit(instance: Instance, factor: float) -> Instance:
    """The first resource counted in a unit that is so many times smaller."""

    def amounts(values: Sequence[float]) -> tuple[float, ...]:
        return (values[0] * factor, *values[1:])

    groups = tuple(replace(group, capacity=amounts(group.capacity)) for group in instance.cluster.groups)
    jobs = tuple(replace(job, worker=amounts(job.worker), server=amounts(job.server)) for job in instance.jobs)
    return replace(instance, cluster=Cluster(instance.cluster.resources, groups), jobs=jobs)


@pytest.mark.parametrize("seed", range(20))
def test_prices_do_not_depend_on_the_unit_of_a_resource(seed: int) -> None:
    instance = generate(PaperWorkload(jobs=20, machines=5, slots=30), np.random.default_rng(seed))
    policies = []
    for told_in in (instance, in_another_unit(instance, 1024)):
        policy, shapes = MarketPrices(told_in.cluster, told_in.slots), shapes_of(told_in)
        for shape in shapes[:-1]:
            policy.learn(shape, Schedule((Run(shape.job.arrival, 30, Placement.of([(0, 1, 0)])),)))
        policies.append(policy.bounds(shapes[-1]))
    shift = np.where(np.arange(len(instance.cluster.resources)) == 0, math.log(1024), 0)
    np.testing.assert_allclose(policies[1].log_floor, policies[0].log_floor - shift)
    np.testing.assert_allclose(policies[1].log_ceiling, policies[0].log_ceiling - shift)


@pytest.mark.parametrize("slots", [30, 300, LONG])
def test_the_more_jobs_come_the_higher_is_the_floor(slots: int) -> None:
    floors = [told(stream(per_slot, 6), slots).bounds(shape_of(steady_job(1, arrival=6))) for per_slot in range(1, 21)]
    falls = [fall(bounds) for bounds in floors]
    assert (np.diff(falls) <= 1e-2).all()
    assert falls[0] == pytest.approx(MOST_LOG_RATIO)
    assert falls[-1] == pytest.approx(LEAST_LOG_RATIO)


def test_the_less_is_left_the_higher_is_the_floor() -> None:
    """Eight of ten GPUs can be taken, one by one; two jobs per slot ask for 0.8 of them."""
    falls = []
    for taken in range(9):
        policy = told(stream(2, 6), LONG)
        for index in range(taken):
            held = Placement.of([(index // 4, 1, 0)])
            policy.learn(shape_of(replace(steady_job(0), id="filler")), Schedule((Run(6, LONG, held),)))
        falls.append(fall(policy.bounds(shape_of(steady_job(1, arrival=6)))))
    assert (np.diff(falls) <= 1e-2).all()
    assert falls[-1] < falls[0] - 0.5


def test_what_an_admitted_job_has_held_before_does_not_count() -> None:
    filler = shape_of(replace(steady_job(0), id="filler"))
    early, late = told(stream(2, 6), LONG), told(stream(2, 6), LONG)
    early.learn(filler, Schedule((Run(0, 6, Placement.of([(0, 5, 0), (1, 5, 0)])),)))
    late.learn(filler, Schedule((Run(6, LONG, Placement.of([(0, 4, 0), (1, 4, 0)])),)))
    asked = shape_of(steady_job(1, arrival=6))
    assert early.bounds(asked) == told(stream(2, 6), LONG).bounds(asked)
    assert fall(late.bounds(asked)) < fall(early.bounds(asked))


def test_the_prices_follow_the_load() -> None:
    """A rush of forty jobs a slot, and then one in two slots; in the end it is as if the rush had never been."""
    rush, calm = stream(40, 5), [job for job in stream(1, 300, first=5) if job.arrival % 2]
    policy, asked = told(rush, LONG), steady_job(1)
    at_first = policy.bounds(shape_of(replace(asked, arrival=5)))
    assert fall(at_first) == pytest.approx(LEAST_LOG_RATIO)
    for job in calm:
        policy.learn(shape_of(job), None)
    afterwards = policy.bounds(shape_of(replace(asked, arrival=305)))
    assert fall(afterwards) > fall(at_first) + 2
    assert afterwards == told(calm, LONG).bounds(shape_of(replace(asked, arrival=305)))


# The bids by hand


@pytest.mark.parametrize(
    ("samples", "worth"),
    [(100, 8 / 0.1), (200, 8 / 0.2), (201, 4 / 0.201), (400, 4 / 0.4), (401, 2 / 0.401), (800, 1 / 0.8)],
)
def test_worth_by_hand(samples: float, worth: float) -> None:
    # u(shortest duration) per (worker-slots * 0.1 of the GPUs); a whole number of slots is not rounded up.
    bid = bid_of(steady_job(1, samples=samples))
    assert math.exp(bid.log_worth) == pytest.approx(worth)
    assert bid.takes == pytest.approx([samples / 1000, 0])
    assert bid.duration == math.ceil(samples / 200) - 1


def test_worth_counts_the_servers_and_every_resource() -> None:
    # F = 10 workers take 0.7 slots. The least share is that of three workers and two servers: 0.5 + 50 / 100 * 3/10
    # = 0.65 s per sample, so 6.5 worker-slots of 1/10 + 2/40, and two thirds as many of a server, 2/40.
    bid = bid_of(served_job())
    assert bid.takes == pytest.approx([6.5 * 0.1, 6.5 * 0.05 + 6.5 * 2 / 3 * 0.05])
    assert math.exp(bid.log_worth) == pytest.approx(40 / bid.takes.sum())
    assert (bid.arrival, bid.duration) == (2, 0)


@pytest.mark.parametrize("arrival", range(7, 12))
def test_a_job_that_cannot_finish_any_more_makes_no_bid(arrival: int) -> None:
    # It takes two slots: it can start in slot 8 of 10, but not in slot 9.
    bid = Bid.of(shape_of(steady_job(1, arrival=arrival)), CLUSTER, SLOTS)
    assert (bid is not None) == (arrival <= 8)


@pytest.mark.parametrize(
    "job",
    [
        replace(steady_job(1), worker=(0, 0)),
        replace(steady_job(1), utility=DeadlineUtility(0, 3)),
        replace(steady_job(1), worker=(6, 0)),
        replace(steady_job(1), speed=TableSpeed((8,), (1.0,))),
        replace(steady_job(1), epochs=1e300),
    ],
    ids=["takes nothing", "worth nothing", "fits nowhere", "no speed", "endless"],
)
def test_jobs_that_cannot_pay_make_no_prices(job: Job) -> None:
    assert Bid.of(shape_of(job), CLUSTER, SLOTS) is None
    policy = told([])
    assert policy.bounds(shape_of(job)) == PriceBounds.free(2)
    policy.learn(shape_of(job), None)
    other = shape_of(steady_job(3))
    assert policy.bounds(other) == told([]).bounds(other)


def test_a_worth_beyond_the_smallest_float_is_kept() -> None:
    job = replace(steady_job(1, samples=1900), utility=SigmoidUtility(1, 200, -2))
    assert job.utility.value(9) == 0
    assert bid_of(job).log_worth == pytest.approx(-200 * 11 - math.log(1.9))
    floor = told([job, steady_job(1)]).bounds(shape_of(steady_job(1))).log_floor[0]
    assert math.isfinite(floor)


# The ceiling


@pytest.mark.parametrize(
    ("seen", "ceiling"), [(1, 1), (2, 2), (19, 19), (20, 20), (21, 20), (40, 39), (100, 96)], ids="{}".format
)
def test_the_ceiling_is_a_quantile_of_the_worths_seen(seen: int, ceiling: int) -> None:
    # Worths 10, 20, 30, ... seen in any order: of 100 jobs 95 are worth less than the 96th.
    order = np.random.default_rng(seen).permutation(seen)
    policy = told(steady_job(float(rank + 1), job_id=f"{rank}") for rank in order)
    _, highest = constants(policy.bounds(shape_of(steady_job(1e6))))
    assert highest == pytest.approx([10 * ceiling / 10, 10 * ceiling / 40])
    assert CEILING_QUANTILE == 0.95


def test_the_ceiling_forgets_what_jobs_were_worth_long_ago() -> None:
    long_ago = [steady_job(1000.0, job_id=f"{number}") for number in range(200)]
    lately = [steady_job(3.0, job_id=f"late {number}") for number in range(128)]
    _, highest = constants(told([*long_ago, *lately]).bounds(shape_of(steady_job(1))))
    assert highest == pytest.approx([30 / 10, 30 / 40])


def test_the_first_job_goes_by_its_own_bid() -> None:
    # It alone, once a slot, asks for 0.4 of the GPUs in each: 9/10 of 0.4 * 9 slots of 0.7 * 10, so machines are cheap.
    floor, ceiling = constants(told([]).bounds(shape_of(steady_job(3.0))))
    assert ceiling == pytest.approx([30 / 10, 30 / 40])
    assert floor == pytest.approx([price / 1e4 for price in ceiling])


def test_rejected_jobs_are_learnt_from_too() -> None:
    planner = desk_for(instance_of())
    late = replace(steady_job(5), id="late", utility=DeadlineUtility(1e9, 50))
    filler = replace(steady_job(5), id="filler", batch=50, samples=10 * 100 * SLOTS, utility=DeadlineUtility(1e3, 50))
    asked = steady_job(1)
    admitted = planner.admit(filler)
    assert isinstance(admitted, Admitted)
    before = planner.question(asked).prices
    assert not isinstance(planner.admit(late), Admitted)
    learnt = told([])
    learnt.learn(shape_of(filler), admitted.schedule)
    assert before == learnt.bounds(shape_of(asked))
    learnt.learn(shape_of(late), None)
    assert before != planner.question(asked).prices == learnt.bounds(shape_of(asked))


# The floor


def test_a_resource_that_nobody_takes_is_as_cheap_as_it_may_be() -> None:
    bounds = told(stream(20, 3)).bounds(shape_of(steady_job(1, arrival=3)))
    assert fall(bounds, 0) == pytest.approx(LEAST_LOG_RATIO)
    assert fall(bounds, 1) == pytest.approx(MOST_LOG_RATIO)


def test_a_resource_that_the_cluster_lacks_is_free() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (5, 0), 2),))
    for seen in ([], stream(20, 3)):
        bounds = told(seen, cluster=cluster).bounds(shape_of(steady_job(1, arrival=3), cluster))
        assert (bounds.log_floor[1], bounds.log_ceiling[1]) == (FREE, FREE)
        assert math.isfinite(bounds.log_floor[0])


@pytest.mark.parametrize("seen", [1, 20, 200])
def test_jobs_that_are_all_alike_get_into_an_empty_cluster(seen: int) -> None:
    """However many of them have come before: machines are at a quarter of what they are worth, at most."""
    instance = instance_of(steady_job(1, job_id="asked"), slots=100)
    history = [steady_job(1, job_id=f"{index}") for index in range(seen)]
    decision = plan(instance, history=history)["asked"]
    assert isinstance(decision, Admitted)
    assert decision.completion == 1
    assert decision.price is not None
    assert decision.price <= decision.utility * math.exp(-LEAST_LOG_RATIO) * (1 + 1e-9)


# How often jobs come


def test_the_present_slot_counts_as_one_job() -> None:
    """By hand: in slot 1 four jobs have come in slot 0, and any number in slot 1: (4 + 1) / 2 in a slot."""
    by_now = [told([*stream(4, 1), *[steady_job(1, arrival=1)] * count]) for count in (1, 2, 7)]
    asked = shape_of(steady_job(1, arrival=1))
    floors = {round(fall(policy.bounds(asked)), 9) for policy in by_now}
    assert len(floors) == 1
    counts = by_now[2]._still_to_come(by_now[2]._bids, 1)
    # A job needs two slots, so that eight of the nine that are left are early enough.
    assert counts == pytest.approx([8 / 2] * 4 + [8 / 2 / 7] * 7)


@pytest.mark.parametrize("per_slot", [1, 50, 100, 200, 500])
def test_many_jobs_in_a_slot_are_counted_beyond_those_remembered(per_slot: int) -> None:
    """After three whole slots with so many jobs each, and one job in the fourth: (3 n + 1) / 4 in a slot."""
    policy = told([*stream(per_slot, 3), steady_job(1, arrival=3)], 1000)
    counts = policy._still_to_come(policy._bids, 3)
    slots_left = 1000 - 3 - policy._bids.duration[0]
    assert counts.sum() == pytest.approx(slots_left * (3 * per_slot + 1) / 4)


def test_a_history_counts_as_having_come_right_before_the_first_slot() -> None:
    jobs = stream(2, 4)
    learnt = told(jobs, LONG + 4).bounds(shape_of(steady_job(1, arrival=4)))
    history = MarketPrices(CLUSTER, LONG, map(shape_of, jobs)).bounds(shape_of(steady_job(1, arrival=0)))
    assert MOST_LOG_RATIO - 0.1 > fall(learnt) > LEAST_LOG_RATIO + 0.1
    np.testing.assert_allclose(history.log_floor, learnt.log_floor)
    assert history.log_ceiling == learnt.log_ceiling


def test_history_sets_the_prices_of_the_first_job() -> None:
    job = steady_job(1)
    rich = [steady_job(worth, job_id=f"{worth}") for worth in (1e7, 2e7)]
    assert isinstance(plan(instance_of(job))["job"], Admitted)
    assert not isinstance(plan(instance_of(job), history=rich)["job"], Admitted)
