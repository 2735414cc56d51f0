"""OASiS: two pools, a slot that is filled exactly, and prices of either pool."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.check import check
from pdors.engine.simulation import simulate
from pdors.errors import ModelError
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import WORK_TOLERANCE, Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.planner.calibration import paper_bounds
from pdors.planner.market import CEILING_QUANTILE, LEAST_LOG_RATIO, MOST_LOG_RATIO
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.shape import JobShape
from pdors.policies.oasis import Oasis
from pdors.policies.oasis_pools import Pools
from pdors.policies.oasis_prices import PoolBounds, fixed_prices, printed_prices, seen_prices
from pdors.policies.oasis_slots import PoolSlotSolver
from pdors.policies.policy import QueuedJob, Setting
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.instances import small_instance, small_job
from tests.support.random_instances import random_instance
from tests.support.small_plans import SLOT_SECONDS, SmallPlan, all_placements, samples_of, small_plan, undominated

Floats = NDArray[np.float64]


@dataclass
class Present:
    """What a policy sees without an engine."""

    ledger: Ledger
    slot: int = 0
    queue: Sequence[QueuedJob] = ()


def cluster_of(*gpus: float) -> Cluster:
    return Cluster(("gpu",), tuple(MachineGroup(f"m-{index}", (amount,)) for index, amount in enumerate(gpus)))


# The pools


@pytest.mark.parametrize(
    ("gpus", "share", "for_workers"),
    [
        ((4, 4, 4, 4), 0.5, [0, 2]),
        ((4, 4, 4, 4, 4), 0.5, [0, 1, 3]),
        ((8, 2, 8, 2), 0.5, [0, 1]),  # a large and a small one each
        ((1, 2, 3, 4, 5, 6), 0.5, [1, 3, 5]),  # of each pair the larger one
        ((4,) * 10, 0.8, [0, 1, 2, 3, 5, 6, 7, 8]),
        ((4,) * 5, 0.01, [0]),
        ((4,) * 5, 0.99, [0, 1, 2, 3]),
        ((4, 4), 0.5, [0]),
        ((4,), 0.5, [0]),
    ],
)
def test_pools_by_hand(gpus: tuple[float, ...], share: float, for_workers: list[int]) -> None:
    pools = Pools.of(cluster_of(*gpus), share)
    assert pools.worker_machines.tolist() == for_workers
    assert sorted([*for_workers, *pools.server_machines.tolist()]) == list(range(len(gpus)))


@pytest.mark.parametrize("machines", range(2, 40))
@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5, 0.7])
def test_each_pool_has_its_share_of_every_size(machines: int, share: float) -> None:
    rng = np.random.default_rng(machines)
    capacity = rng.permutation([1.0] * machines + [2.0] * machines)
    pools = Pools.of(cluster_of(*capacity), share)
    assert len(pools.worker_machines) == max(1, math.floor(share * 2 * machines + 0.5))
    for size in (1.0, 2.0):
        assert abs((capacity[pools.worker_machines] == size).sum() - share * machines) <= 1


@pytest.mark.parametrize("share", [0, 1, -0.5, 2, math.nan])
def test_a_share_that_leaves_nothing_is_refused(share: float) -> None:
    with pytest.raises(ModelError, match="worker_share"):
        Pools.of(cluster_of(4, 4), share)


# One slot


def machine_prices(case: SmallPlan, pools: Pools, bounds: PoolBounds, slot: int) -> Floats:
    """Q per machine and resource at the prices of its pool, as it is printed."""
    price = np.empty_like(case.used[slot])
    for machines, of_pool in ((pools.worker_machines, bounds.of_workers), (pools.server_machines, bounds.of_servers)):
        floor, ceiling = np.exp(of_pool.log_floor), np.exp(of_pool.log_ceiling)
        fraction = (case.used[slot] / case.ledger.cluster.capacity)[machines]
        price[machines] = floor * (ceiling / floor) ** fraction
    return price


def every_placement(case: SmallPlan, pools: Pools, bounds: PoolBounds, slot: int) -> tuple[Floats, Floats]:
    """(samples, price) of those with workers and servers each on their own machines, the best of them."""
    free, price = case.ledger.cluster.capacity - case.used[slot], machine_prices(case, pools, bounds, slot)
    counts = all_placements(free, np.array(case.job.worker), np.array(case.job.server), case.job)
    strays = counts[:, pools.server_machines, 0].sum(axis=1) + counts[:, pools.worker_machines, 1].sum(axis=1)
    counts = counts[strays == 0]
    cost = counts[:, :, 0] @ (price @ case.job.worker) + counts[:, :, 1] @ (price @ case.job.server)
    samples = samples_of(counts, case.job)
    best = undominated(samples, cost)
    return samples[best], cost[best]


def divided_case(seed: int) -> tuple[SmallPlan, Pools, PoolBounds]:
    case = small_plan(seed)
    case = replace(case, job=replace(case.job, samples=0.5 * case.job.samples))
    pools = Pools.of(case.ledger.cluster)
    rng = np.random.default_rng(seed)
    dearer = tuple(high + float(rng.uniform(-1, 1)) for high in case.prices.log_ceiling)
    of_servers = PriceBounds(tuple(high - float(rng.uniform(0.5, 9)) for high in dearer), dearer)
    return case, pools, PoolBounds.of(pools, case.prices, of_servers)


@pytest.mark.parametrize("seed", range(200))
def test_the_curve_is_that_of_every_placement(seed: int) -> None:
    case, pools, bounds = divided_case(seed)
    solver = PoolSlotSolver(case.ledger.units, pools)
    segments = case.ledger.segments(0, case.slots)
    curves = solver.curves(case.shape, bounds, segments)
    for segment, slot in enumerate(segments.starts.tolist()):
        samples, cost = every_placement(case, pools, bounds, slot)
        points = range(curves.offsets[segment], curves.offsets[segment + 1])
        np.testing.assert_allclose(curves.samples[points], samples)
        np.testing.assert_allclose(curves.cost[points], cost)
        for point in points:
            together = bool(curves.together[point])
            placed = solver.place(
                case.shape, bounds, segments, segment, int(curves.workers[point]), together=together
            )  # fmt: skip
            assert placed is not None
            assert placed.cost == pytest.approx(curves.cost[point])
            assert placed.placement.workers == curves.workers[point]
            assert placed.placement.servers == case.shape.servers[curves.workers[point]]
            assert placed.placement.samples(case.job, SLOT_SECONDS) == pytest.approx(curves.samples[point])
            assert_divided(placed.placement, pools)
            amounts = np.zeros_like(case.used[slot])
            for share in placed.placement.shares:
                amounts[share.machine] += share.workers * np.array(case.job.worker)
                amounts[share.machine] += share.servers * np.array(case.job.server)
            assert (case.used[slot] + amounts <= case.ledger.cluster.capacity).all()


@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_only_curves_without_a_cheap_sample_are_left_out(seed: int) -> None:
    case, pools, bounds = divided_case(seed)
    solver = PoolSlotSolver(case.ledger.units, pools)
    segments = case.ledger.segments(0, 1)
    curve = solver.curves(case.shape, bounds, segments)
    if len(curve.cost):
        cheapest = (curve.cost / curve.samples).min()
        assert len(solver.curves(case.shape, bounds, segments, cheapest * 1.001).cost) == len(curve.cost)
        assert len(solver.curves(case.shape, bounds, segments, cheapest * 1e-9).cost) == 0


def test_a_count_that_does_not_fit_has_no_placement() -> None:
    instance = small_instance()
    ledger, pools = Ledger(instance.cluster), Pools.of(instance.cluster)
    assert pools.worker_machines.tolist() == [0, 2]  # two workers of three GPUs on the big one, one on the other
    solver = PoolSlotSolver(ledger.units, pools)
    with_servers, without = (replace(job, worker=(3.0, 1.0)) for job in instance.jobs[:2])
    for job, workers, together, fits in (
        (with_servers, 3, False, True), (with_servers, 4, False, False),
        (without, 2, True, True), (without, 3, True, False), (without, 3, False, True), (without, 4, False, False),
    ):  # fmt: skip
        shape, free = JobShape.of(job, ledger.units, 3600), PriceBounds.free(2)
        placed = solver.place(shape, free, ledger.segments(0, 1), 0, workers, together=together)
        assert (placed is not None) == fits


# All slots


@pytest.mark.parametrize("seed", range(200))
def test_decisions_are_those_of_trying_every_schedule(seed: int) -> None:
    case, pools, bounds = divided_case(seed)
    job, worth = case.job, case.job.utility.value(0)
    setting = Setting(case.ledger.cluster, case.slots, SLOT_SECONDS)
    policy = Oasis(setting, prices=fixed_prices(bounds.pools, bounds.of_workers, bounds.of_servers))
    decision = policy.decide(job, Present(case.ledger, job.arrival))
    work, cost, best = np.zeros(1), np.zeros(1), -np.inf
    for slot in range(job.arrival, case.slots):
        samples, price = every_placement(case, pools, bounds, slot)
        work = np.minimum(np.add.outer(work, np.append(samples, 0.0)).ravel(), job.work)
        cost = np.add.outer(cost, np.append(price, 0.0)).ravel()
        least = cost[work >= job.work * (1 - WORK_TOLERANCE / 2)].min(initial=np.inf)
        best = max(best, job.utility.value(slot - job.arrival) - least)
    if isinstance(decision, Admitted):
        assert decision.payoff is not None
        assert best - 2e-3 * worth <= decision.payoff <= best + 1e-9 * worth
        assert decision.payoff > 0
    elif decision.reason == Reason.PRICE:
        assert best <= 2e-3 * worth
    else:
        assert best == -np.inf


def test_the_cases_are_of_every_kind() -> None:
    told = []
    for seed in range(200):
        case, _, bounds = divided_case(seed)
        setting = Setting(case.ledger.cluster, case.slots, SLOT_SECONDS)
        policy = Oasis(setting, prices=fixed_prices(bounds.pools, bounds.of_workers, bounds.of_servers))
        decision = policy.decide(case.job, Present(case.ledger, case.job.arrival))
        told.append(getattr(decision, "reason", None))
    assert min(told.count(reason) for reason in (None, Reason.PRICE, Reason.FULL, Reason.INFEASIBLE)) >= 10


# By hand: workers live on m-0 and m-2, servers on m-1 and m-3. A GPU or CPU of a worker machine costs 1 while that is
# empty, of a server machine 1/2; e times as much when it is exhausted. With W workers and W / 2 servers a slot trains
# 3600 W / (0.5 + 2 * 50 / (W/2 * 10) * W/8) = 1200 W samples.

FOUR = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 4),))
OF_WORKERS, OF_SERVERS = PriceBounds((0.0, 0.0), (1.0, 1.0)), PriceBounds((-math.log(2),) * 2, (1 - math.log(2),) * 2)


def hourly(name: str = "job", worth: float = 1e3, **changes: object) -> Job:
    usual = {"id": name, "epochs": 1.0, "samples": 9600.0, "utility": DeadlineUtility(worth, 0)}
    return small_job(**(usual | changes))


def decisions_on(cluster: Cluster, *jobs: Job, slots: int = 2) -> list[Admitted | Rejected]:
    def make(setting: Setting) -> Oasis:
        return Oasis(setting, prices=fixed_prices(Pools.of(setting.cluster), OF_WORKERS, OF_SERVERS))

    return list(simulate(Instance(slots, 3600, cluster, jobs), make).decisions.decisions)


def placements(decision: Admitted | Rejected) -> dict[int, list[tuple[int, int, int]]]:
    assert isinstance(decision, Admitted)
    return {
        slot: [(share.machine, share.workers, share.servers) for share in placement.shares]
        for slot, placement in decision.schedule.by_slot()
    }


def test_eight_workers_and_four_servers_by_hand() -> None:
    (decision,) = decisions_on(FOUR, hourly())
    assert isinstance(decision, Admitted)
    assert placements(decision) == {0: [(0, 4, 0), (1, 0, 4), (2, 4, 0)]}
    assert decision.completion == 0
    assert decision.price == pytest.approx(8 * 3 + 4 * 0.5)
    assert decision.payoff == pytest.approx(1e3 - 26)


@pytest.mark.parametrize(("worth", "reason"), [(26.001, None), (25.999, Reason.PRICE)])
def test_price_by_hand(worth: float, reason: Reason | None) -> None:
    (decision,) = decisions_on(FOUR, hourly(worth=worth))
    assert getattr(decision, "reason", None) == reason
    assert decision.payoff == pytest.approx(worth - 26)


def test_the_second_job_goes_where_the_first_is_not() -> None:
    half = {"batch": 4, "samples": 3600 * 4 / (0.5 + 2 * 50 / (2 * 10))}
    first, second, third = decisions_on(FOUR, *(hourly(name, **half) for name in "abc"))
    assert placements(first) == {0: [(0, 4, 0), (1, 0, 2)]}
    assert placements(second) == {0: [(2, 4, 0), (3, 0, 2)]}  # a quarter of the CPUs of m-1 are in use
    assert getattr(third, "reason", None) == Reason.PRICE  # there is room in slot 1 alone, where it is worth nothing
    assert first.price == second.price == pytest.approx(4 * 3 + 2 * 0.5)


def test_full_by_hand() -> None:
    patient = DeadlineUtility(1e3, 5)
    first, second, third = decisions_on(
        FOUR, *(hourly(name, utility=patient, samples=2 * 9600.0) for name in "abc"), slots=4
    )
    assert isinstance(first, Admitted)
    assert isinstance(second, Admitted)
    assert third == Rejected("c", Reason.FULL)


def test_infeasible_is_what_the_empty_pools_cannot_do() -> None:
    # Nine workers need nine GPUs: the cluster has sixteen, the worker machines eight.
    nine = hourly(batch=9, speed=ParameterServerSpeed(0.5, 0, 3, 100, 10), samples=9 * 7200)
    assert decisions_on(FOUR, nine, slots=1) == [Rejected("job", Reason.INFEASIBLE)]
    eight = replace(nine, samples=8 * 7200)
    assert isinstance(decisions_on(FOUR, eight, slots=1)[0], Admitted)


def test_one_machine_has_no_room_for_servers() -> None:
    one = Cluster(("gpu", "cpu"), (MachineGroup("m", (16, 32)),))
    speed = AllReduceSpeed(0.5, 50, 100, 10)
    served, alone = decisions_on(one, hourly("served", samples=1), hourly("alone", speed=speed, server=(0, 0)))
    assert served == Rejected("served", Reason.INFEASIBLE)
    assert isinstance(alone, Admitted)
    assert set(placements(alone)[0]) <= {(0, workers, 0) for workers in range(9)}


def test_jobs_without_servers_train_faster_on_one_worker_machine() -> None:
    # Together 4 workers train 3600 * 4 / (0.5 + 0.75 * 4/8) = 16457 samples, apart 3600 * 4 / (0.5 + 7.5 * 4/8) = 3388.
    speed = AllReduceSpeed(0.5, 50, 100, 10)
    (decision,) = decisions_on(FOUR, hourly(speed=speed, server=(0, 0), samples=16457.0, batch=8))
    assert isinstance(decision, Admitted)
    assert placements(decision) == {0: [(0, 4, 0)]}
    apart = TableSpeed((4,), (1.0,), (2.0,))
    (decision,) = decisions_on(FOUR, hourly(speed=apart, server=(0, 0), samples=7200.0))
    assert placements(decision) == {0: [(0, 3, 0), (2, 1, 0)]}


@pytest.mark.parametrize("deadline", [3, 2])
def test_a_job_with_servers_never_trains_at_the_internal_rate(deadline: int) -> None:
    # On one machine 38400 samples would be one slot of eight workers; in two pools they are four.
    eight = Cluster(("gpu", "cpu"), (MachineGroup("m", (8, 20), 2),))
    job = hourly(samples=38400.0, utility=DeadlineUtility(1e3, deadline))
    (decision,) = decisions_on(eight, job, slots=9)
    if deadline == 3:
        assert placements(decision) == {slot: [(0, 8, 0), (1, 0, 4)] for slot in range(4)}
    else:
        assert getattr(decision, "reason", None) == Reason.PRICE


# Prices


def shape_of(job: Job, cluster: Cluster = FOUR) -> JobShape:
    return JobShape.of(job, Ledger(cluster).units, 3600)


def test_the_bounds_of_both_pools_by_hand() -> None:
    # Without gradients a worker trains 7200 samples in a slot. Either pool has 8 GPUs and 16 CPUs.
    job = hourly(worth=100, samples=8 * 7200.0, speed=ParameterServerSpeed(0.5, 0, 2, 100, 10))
    bounds = seen_prices(Pools.of(FOUR), Setting(FOUR, 2, 3600)).bounds(shape_of(job))
    least_workers, least_servers = 8 * (1 / 8 + 2 / 16), 4 * (1 / 16)
    for of_pool, least in ((bounds.of_workers, least_workers), (bounds.of_servers, least_servers)):
        worth = math.log(100 / least)
        assert of_pool.log_ceiling == pytest.approx((worth - math.log(8), worth - math.log(16)))
        falls = np.subtract(of_pool.log_ceiling, of_pool.log_floor)
        assert ((falls >= LEAST_LOG_RATIO - 1e-9) & (falls <= MOST_LOG_RATIO + 1e-9)).all()


def test_what_a_job_is_worth_is_what_it_is_for_pd_ors() -> None:
    # Done in one slot at the internal rate, in four at the external one.
    job = hourly(samples=38400.0, utility=DeadlineUtility(100, 0, 1))
    prices = seen_prices(Pools.of(FOUR), Setting(FOUR, 9, 3600))
    as_fast = replace(job, speed=ParameterServerSpeed(0.5, 50, 2, 100, 100))
    assert prices.bounds(shape_of(job)) == prices.bounds(shape_of(as_fast))


def test_jobs_without_servers_leave_the_prices_of_servers_alone() -> None:
    prices = seen_prices(Pools.of(FOUR), Setting(FOUR, 9, 3600))
    served, alone = hourly(), hourly(speed=AllReduceSpeed(0.5, 50, 100, 10), server=(0, 0))
    assert prices.bounds(shape_of(alone)).of_servers == PriceBounds.free(2)
    prices.learn(shape_of(served), None)
    before = prices.bounds(shape_of(alone))
    prices.learn(shape_of(replace(alone, utility=DeadlineUtility(1e9, 9))), None)
    after = prices.bounds(shape_of(alone))
    assert after.of_servers == before.of_servers != PriceBounds.free(2)
    assert after.of_workers != before.of_workers
    assert CEILING_QUANTILE * 2 >= 1  # so the second of two is the ceiling


def test_a_history_is_learnt_before_the_first_job() -> None:
    setting, jobs = Setting(FOUR, 9, 3600), [hourly("a", 5), hourly("b", 50), hourly("c", 20)]
    pools = Pools.of(FOUR)
    told, learnt = seen_prices(pools, setting, jobs), seen_prices(pools, replace(setting, slots=10))
    for job in jobs:
        learnt.learn(shape_of(job), None)
    new, a_slot_later = (shape_of(hourly("d", 1e6, arrival=arrival)) for arrival in (0, 1))
    assert told.bounds(new) == learnt.bounds(a_slot_later) != seen_prices(pools, setting).bounds(new)


def test_printed_bounds_are_those_of_a_pool_with_half_the_floor() -> None:
    jobs = (hourly("a", utility=DeadlineUtility(30, 5)), hourly("b", utility=DeadlineUtility(7, 5, 1)))
    instance = Instance(6, 3600, FOUR, jobs)
    bounds = printed_prices(Pools.of(FOUR), instance).bounds(shape_of(jobs[0]))
    half = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),))
    for of_pool, side in ((bounds.of_workers, "server"), (bounds.of_servers, "worker")):
        one_sided = tuple(replace(job, **{side: (0.0, 0.0)}) for job in jobs)
        printed = paper_bounds(Instance(6, 3600, half, one_sided))
        assert of_pool.log_ceiling == printed.log_ceiling
        assert of_pool.log_floor == pytest.approx(np.subtract(printed.log_floor, math.log(2)))
    # By hand: U1 of GPUs is max u / alpha = 30 / (1/8), U2 of CPUs 30 / (1/16), both per share of 8 and of 16.
    assert bounds.of_workers.log_ceiling[0] == pytest.approx(math.log(30 * 8 / 8))
    assert bounds.of_servers.log_ceiling == pytest.approx((FREE, math.log(30 * 16 / 16)))
    assert printed_prices(Pools.of(FOUR), replace(instance, jobs=())).bounds(shape_of(jobs[0])).of_workers == (
        PriceBounds.free(2)
    )


def test_bounds_of_both_pools_are_never_above_those_of_one() -> None:
    for seed in range(20):
        _, _, bounds = divided_case(seed)
        for fraction in (0.0, 0.3, 1.0):
            at = np.full(len(bounds.log_floor), fraction)
            assert (bounds.price(np.zeros_like(at)) <= bounds.of_workers.price(at)).all()
            assert (bounds.price(np.zeros_like(at)) <= bounds.of_servers.price(at)).all()


def test_prices_of_a_machine_are_those_of_its_pool() -> None:
    bounds = fixed_prices(Pools.of(FOUR), OF_WORKERS, OF_SERVERS).bounds(shape_of(hourly()))
    fraction = np.array([[0.0, 1.0], [0.0, 1.0], [0.5, 0.5]])
    price = bounds.price_on(np.array([0, 1, 3]), fraction)
    np.testing.assert_allclose(price, [[1, math.e], [0.5, math.e / 2], [math.exp(0.5) / 2] * 2])


def test_mean_prices_by_hand() -> None:
    policy = Oasis(Setting(FOUR, 2, 3600), prices=fixed_prices(Pools.of(FOUR), OF_WORKERS, OF_SERVERS))
    ledger = Ledger(FOUR)
    assert policy.prices(Present(ledger)) is None
    decision = policy.decide(hourly(), Present(ledger))
    assert isinstance(decision, Admitted)
    assert policy.prices(Present(ledger)) == pytest.approx({"gpu": 0.75, "cpu": 0.75})
    ledger.reserve(hourly(), decision.schedule)
    # m-0 and m-2 are exhausted, half of the CPUs of m-1 are in use.
    told = policy.prices(Present(ledger))
    assert told == pytest.approx({"gpu": (2 * math.e + 1) / 4, "cpu": (2 * math.e + 0.5 * math.exp(0.5) + 0.5) / 4})
    assert policy.prices(Present(ledger, slot=1)) == pytest.approx({"gpu": 0.75, "cpu": 0.75})


# Whole runs


def assert_divided(placement: Placement, pools: Pools) -> None:
    for share in placement.shares:
        assert share.workers == 0 or share.machine in pools.worker_machines
        assert share.servers == 0 or share.machine in pools.server_machines


def outcome_of(instance: Instance, **options: float) -> str:
    def make(setting: Setting) -> Oasis:
        return Oasis(setting, **options)  # type: ignore[arg-type]

    outcome = simulate(instance, make)
    pools = Pools.of(instance.cluster, **options)
    document = decisions_document(outcome.decisions, instance)
    report = check(instance_document(instance), document)
    assert report.violations == ()
    assert report.total_utility == pytest.approx(outcome.total_utility)
    for decision in outcome.decisions.decisions:
        if isinstance(decision, Admitted):
            assert decision.payoff is not None
            assert decision.payoff > 0
            for run in decision.schedule.runs:
                assert_divided(run.placement, pools)
    del document["seconds"]
    return json.dumps(document)


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_runs_of_every_kind_keep_every_rule_and_the_pools(first: int) -> None:
    for seed in range(first, first + 20):
        instance = random_instance(seed)
        options = {} if seed % 2 else {"worker_share": 0.2 + 0.1 * (seed % 7)}
        assert outcome_of(instance, **options) == outcome_of(instance, **options)


def test_a_run_of_the_paper() -> None:
    instance = generate(PaperWorkload(jobs=60, machines=20, slots=40), np.random.default_rng(4))
    document = json.loads(outcome_of(instance))
    assert document["policy"] == "oasis"
    assert document["options"] == {"worker_share": 0.5}
    assert {job["reason"] for job in document["jobs"]} >= {None, "infeasible", "price"}


def test_a_subclass_may_set_the_usual_share_and_is_priced_by_its_pools() -> None:
    class EightOfTen(Oasis):
        usual_share = 0.8

    instance = random_instance(3)
    setting = Setting(instance.cluster, instance.slots, instance.slot_seconds)
    for prices in ("default", "paper"):
        policy = EightOfTen.at_prices(setting, instance, prices, ())
        assert policy.options() == {"worker_share": 0.8}
        assert simulate(instance, lambda setting, policy=policy: policy).total_utility >= 0
