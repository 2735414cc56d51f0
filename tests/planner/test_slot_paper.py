"""Algorithm 4 as printed, against integer programming and against its own draws."""

from __future__ import annotations

from dataclasses import replace

import highspy
import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.schedule import Placement
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed
from pdors.planner import slot_paper
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import FavourResources, FavourWork, Sizes, gain_favouring_resources, round_randomly
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotProblem
from pdors.planner.slot_paper import Draws, ExternalProgram, PaperSlotSolver, Relaxation, draw_placements
from tests.support.instances import small_job
from tests.support.slot_milp import exact_cost, whole_tasks
from tests.support.slot_problems import SLOT, SlotCase, case_of, slot_case

Floats = NDArray[np.float64]

CASES = range(40)
"""Seeds of cases with up to 8 machines."""
SLACK = 1e-6


def case(seed: int) -> SlotCase:
    return slot_case(seed, machines=2 + seed % 7)


def solver(one: SlotCase, **options: object) -> PaperSlotSolver:
    return PaperSlotSolver(one.ledger.units, **options)  # type: ignore[arg-type]


def curve_of(one: SlotCase, **options: object) -> Curves:
    return solver(one, **options).curves(one.shape, one.prices, one.segments)


def some_counts(shape: JobShape) -> list[int]:
    """A few numbers of workers for which the job has a speed on several machines."""
    counts = np.flatnonzero(shape.apart > 0)
    return sorted({int(count) for count in counts[:3]} | {int(count) for count in counts[:: max(1, len(counts) // 4)]})


def linear_cost(problem: SlotProblem, workers: int, servers: int) -> float:
    """The linear program written down row by row, without tasks where not a whole one fits; infinite: no solution."""
    machines = len(problem.free)
    price = np.concatenate([problem.worker_price, problem.server_price])
    most = np.concatenate([whole_tasks(problem.free, problem.worker, 1), whole_tasks(problem.free, problem.server, 1)])
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)  # noqa: FBT003 - the signature of HiGHS
    for column, cost in enumerate(price / (price.max() or 1.0)):
        highs.addVar(0, highspy.kHighsInf if most[column] else 0)
        highs.changeColCost(column, cost)
    columns = np.arange(2 * machines, dtype=np.int32)
    highs.addRow(workers, highspy.kHighsInf, machines, columns[:machines], np.ones(machines))
    highs.addRow(servers, highspy.kHighsInf, machines, columns[machines:], np.ones(machines))
    for machine in range(machines):
        pair = columns[[machine, machines + machine]]
        for resource, free in enumerate(problem.free[machine]):
            amounts = np.array([problem.worker[resource], problem.server[resource]])
            if amounts.any():
                scale = amounts.max()
                highs.addRow(-highspy.kHighsInf, free / scale, 2, pair, amounts / scale)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return np.inf
    return float(np.array(highs.getSolution().col_value) @ price)


# Step 8


@pytest.mark.parametrize("seed", CASES)
def test_relaxation_is_an_optimum_of_the_linear_program_and_below_every_placement(seed: int) -> None:
    one = case(seed)
    problem, program = one.problem, ExternalProgram(one.problem)
    for workers in some_counts(one.shape):
        servers = int(one.shape.servers[workers])
        relaxation = program.relax(workers, servers)
        if relaxation is None:
            assert linear_cost(problem, workers, servers) == np.inf
            assert exact_cost(problem, workers, servers) is None
            continue
        assert relaxation.workers.sum() >= workers - SLACK
        assert relaxation.servers.sum() >= servers - SLACK
        used = np.outer(relaxation.workers, problem.worker) + np.outer(relaxation.servers, problem.server)
        assert (used <= problem.free * (1 + SLACK) + SLACK).all()
        value = relaxation.workers @ problem.worker_price + relaxation.servers @ problem.server_price
        assert relaxation.cost == pytest.approx(value)
        assert relaxation.cost == pytest.approx(linear_cost(problem, workers, servers), rel=1e-5)
        exact = exact_cost(problem, workers, servers)
        if exact is not None:
            assert relaxation.cost <= exact * (1 + SLACK)


@pytest.mark.parametrize("spread", [5.0, 30.0, 200.0])
def test_relaxation_tells_very_unlike_prices_apart(spread: float) -> None:
    # Three machines of which the second is half and the third almost full; each holds two workers at least.
    cluster = Cluster(("gpu",), (MachineGroup("m", (40,), 3),))
    job = small_job(speed=AllReduceSpeed(1, 1, 10, 10), worker=(1,), server=(0,), batch=80)
    one = case_of(cluster, job, PriceBounds((-spread,), (1.0,)), {1: (20.0,), 2: (38.0,)})
    program = ExternalProgram(one.problem)
    price = one.problem.worker_price
    assert price[2] > price[1] > price[0]
    for workers, most in ((10, 0), (40, 0), (45, 1), (60, 1), (61, 2), (62, 2)):
        placed = np.array([min(workers, 40), min(max(workers - 40, 0), 20), max(workers - 60, 0)])
        relaxation = program.relax(workers, 0)
        assert relaxation is not None
        assert relaxation.cost == pytest.approx(float(placed @ price), rel=1e-6)
        assert relaxation.workers[most] > 0
    assert program.relax(63, 0) is None


@pytest.mark.parametrize("seed", CASES)
def test_sizes_are_those_of_the_theorems(seed: int) -> None:
    one = case(seed)
    problem = one.problem
    sizes = ExternalProgram(problem).room.sizes(6, 3, one.job.batch)
    room = []
    for demand in (problem.worker, problem.server):
        used = demand > 0
        of_machine = (problem.free[:, used] / demand[used]).min(axis=1, initial=np.inf)
        room.append(np.where(of_machine >= 1, of_machine, np.nan))
    holding = ~np.isnan(room).all(axis=0)
    assert sizes.packing_rows == holding.sum() * len(problem.worker) + 1
    assert sizes.packing_width == pytest.approx(np.nanmin([one.job.batch, *np.concatenate(room)]))
    assert (sizes.cover_rows, sizes.cover_width) == (2, 3)
    assert ExternalProgram(problem).room.sizes(6, 0, 80).cover_rows == 1
    assert ExternalProgram(problem).room.sizes(6, 0, 80).cover_width == 6


# Steps 2 to 7 and 12


@pytest.mark.parametrize("seed", CASES)
def test_every_point_has_the_placement_that_was_priced(seed: int) -> None:
    one = case(seed)
    problem, paper = one.problem, solver(one)
    curve = paper.curves(one.shape, one.prices, one.segments)
    for at in range(len(curve.workers)):
        workers, together = int(curve.workers[at]), bool(curve.together[at])
        servers = int(one.shape.servers[workers])
        placed = paper.place(one.shape, one.prices, one.segments, 0, workers, together=together)
        assert placed is not None
        placement = placed.placement
        assert placed.cost == curve.cost[at]
        assert (placement.workers, placement.servers) == (workers, servers)
        if isinstance(one.job.speed, ParameterServerSpeed):
            assert placement.servers * one.job.speed.workers_per_server >= workers
        assert placement.colocated == together
        assert placement.samples(one.job, 3600.0) == pytest.approx(curve.samples[at])
        cost = 0.0
        for share in placement.shares:
            used = share.workers * problem.worker + share.servers * problem.server
            assert (used <= problem.free[share.machine]).all()
            cost += (
                share.workers * problem.worker_price[share.machine]
                + share.servers * problem.server_price[share.machine]
            )
        assert placed.cost == pytest.approx(cost)


@pytest.mark.parametrize("seed", CASES)
def test_no_point_is_cheaper_than_integer_programming(seed: int) -> None:
    one = case(seed)
    curve = curve_of(one)
    for at in range(0, len(curve.workers), 1 + len(curve.workers) // 6):
        workers = int(curve.workers[at])
        servers = int(one.shape.servers[workers])
        if curve.together[at]:
            fits = (workers * one.problem.worker + servers * one.problem.server <= one.problem.free).all(axis=1)
            cost = workers * one.problem.worker_price + servers * one.problem.server_price
            assert curve.cost[at] == pytest.approx(cost[fits].min())
        else:
            exact = exact_cost(one.problem, workers, servers, spread=True)
            assert exact is not None
            assert curve.cost[at] >= exact * (1 - SLACK)


@pytest.mark.parametrize("seed", CASES)
def test_a_curve_holds_what_trains_more_than_everything_cheaper(seed: int) -> None:
    one = case(seed)
    curve = curve_of(one)
    assert (np.diff(curve.samples) > 0).all()
    assert (np.diff(curve.cost) > 0).all() or (curve.cost == 0).any()
    # Every number of workers that fits on one machine trains no more than some point that is no dearer.
    problem, shape = one.problem, one.shape
    for workers in np.flatnonzero(shape.together > 0).tolist():
        servers = int(shape.servers[workers])
        fits = (workers * problem.worker + servers * problem.server <= problem.free).all(axis=1)
        if fits.any():
            cost = (workers * problem.worker_price + servers * problem.server_price)[fits].min()
            assert curve.samples[curve.cost <= cost * (1 + 1e-12)].max() >= shape.together[workers]


def by_hand(worker: tuple[float, ...] = (1, 2), **changes: object) -> SlotCase:
    """Two machines of (4, 16); the first is half used, so dearer. Three workers and two servers: (3, 6) + (0, 2)."""
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 16), 2),))
    prices = PriceBounds((0.0, 0.0), (2.0, 2.0))
    return case_of(cluster, small_job(worker=worker, **changes), prices, {0: (2.0, 8.0)})


def test_the_internal_case_by_hand() -> None:
    # Price e^0 = 1 on the empty machine, e^1 on the other; three workers fit on the empty one only: 9 + 2 units.
    one = by_hand()
    placed = solver(one).place(one.shape, one.prices, one.segments, 0, 3, together=True)
    assert placed is not None
    assert [(share.machine, share.workers, share.servers) for share in placed.placement.shares] == [(1, 3, 2)]
    assert placed.cost == pytest.approx(11)
    assert solver(one).place(one.shape, one.prices, one.segments, 0, 5, together=True) is None


def test_the_internal_case_is_taken_where_it_is_cheaper_and_faster() -> None:
    one = by_hand()
    curve = curve_of(one)
    # Up to four workers fit together on the empty machine at the lowest price; five and six only on both.
    assert curve.workers.tolist() == [1, 2, 3, 4]
    assert curve.together.all()


def test_the_external_case_is_taken_where_it_is_faster() -> None:
    speed = ParameterServerSpeed(0.5, 50, 2, 10, 100)
    curve = curve_of(by_hand(speed=speed))
    assert not curve.together[-1]
    assert (curve.together & (curve.workers > 1)).any()


# Steps 9 to 11


def relaxed(seed: int) -> tuple[SlotCase, int, int, Relaxation]:
    """The largest of `some_counts` that fits, in the first case from this seed on in which something fits."""
    one = case(seed)
    program = ExternalProgram(one.problem)
    for workers in reversed(some_counts(one.shape)):
        servers = int(one.shape.servers[workers])
        relaxation = program.relax(workers, servers)
        if relaxation is not None:
            return one, workers, servers, relaxation
    return relaxed(seed + len(CASES))


@pytest.mark.parametrize("gain", [0.7, 1.0, 1.3])
@pytest.mark.parametrize("seed", CASES)
def test_just_the_feasible_draws_are_kept_without_their_surplus(seed: int, gain: float) -> None:
    one, workers, servers, relaxation = relaxed(seed)
    problem = one.problem
    draws = draw_placements(problem, relaxation, workers, servers, gain, 60, np.random.default_rng(seed))
    at = draws.machines
    assert at.tolist() == np.flatnonzero(relaxation.workers + relaxation.servers).tolist()
    values = gain * np.concatenate([relaxation.workers[at], relaxation.servers[at]])
    feasible = 0
    for drawn in round_randomly(values, 60, np.random.default_rng(seed)):
        w, s = np.split(drawn, 2)
        fits = (np.outer(w, problem.worker) + np.outer(s, problem.server) <= problem.free[at]).all()
        if not (fits and w.sum() >= workers and s.sum() >= servers):
            continue
        kept_w, kept_s = draws.workers[feasible], draws.servers[feasible]
        assert (kept_w <= w).all()
        assert (kept_s <= s).all()
        assert (kept_w.sum(), kept_s.sum()) == (workers, servers)
        # No cheaper choice among the tasks drawn.
        cheapest_w = np.sort(np.repeat(problem.worker_price[at], w))[:workers].sum()
        cheapest_s = np.sort(np.repeat(problem.server_price[at], s))[:servers].sum()
        assert draws.cost[feasible] == pytest.approx(cheapest_w + cheapest_s)
        feasible += 1
    assert len(draws.cost) == len(draws.workers) == len(draws.servers) == feasible
    assert draws.asked == 60


@pytest.mark.parametrize("seed", CASES)
def test_more_draws_make_no_point_dearer(seed: int) -> None:
    one = case(seed)
    few, many = curve_of(one, draws=2), curve_of(one, draws=30)
    for samples, cost in zip(few.samples, few.cost, strict=True):
        assert many.cost[many.samples >= samples].min() <= cost
    assert many.failures <= few.failures


def test_more_draws_answer_more_questions() -> None:
    once, often = (curve_of(fractional(), draws=draws) for draws in (1, 50))
    assert often.failures < once.failures
    assert often.samples[-1] > once.samples[-1]
    assert len(often.cost) > len(once.cost)


def test_the_cheapest_draw_on_several_machines_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    one = by_hand(speed=ParameterServerSpeed(0.5, 50, 2, 10, 100))
    drawn = Draws(
        asked=4,
        machines=np.array([0, 1]),
        workers=np.array([[1, 1], [2, 0], [0, 2], [1, 1]]),
        servers=np.array([[1, 0], [0, 1], [0, 1], [0, 1]]),
        cost=np.array([9.0, 8.0, 6.0, 7.0]),
    )
    monkeypatch.setattr(slot_paper, "draw_placements", lambda *_: drawn)
    placed = solver(one).place(one.shape, one.prices, one.segments, 0, 2, together=False)
    assert placed == PlacedSlot(Placement.of([(0, 1, 0), (1, 1, 1)]), 7.0)
    curve = curve_of(one)
    assert (curve.cost[~curve.together] == 7.0).all()
    assert not curve.together.all()


def fractional() -> SlotCase:
    """Whatever W, its fractions are split over machines: rounding shows in the cost."""
    loads = {machine: (machine * 0.7, 0.0) for machine in range(6)}
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (8, 40), 6),))
    job = small_job(speed=ParameterServerSpeed(0.5, 1, 2, 10, 100), worker=(1.3, 2), server=(0.6, 1), batch=20)
    return case_of(cluster, job, PriceBounds((0.0, 0.0), (3.0, 3.0)), loads)


def crowded(machines: int, free: float, batch: int) -> SlotCase:
    """Machines with room for `free` workers each, at equal prices; no servers, and all the same speed anywhere."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (2 * free,), machines),))
    job = small_job(speed=AllReduceSpeed(1, 0, 10, 10), worker=(2,), server=(0,), batch=batch)
    return case_of(cluster, job, PriceBounds((0.0,), (1.0,)))


def test_a_question_without_a_feasible_draw_is_a_failure() -> None:
    # Two machines with room for one and a half workers each: the fractions for three workers round to two, or to more
    # than fit. One worker fits on one machine; two only if each of 1.5 and 0.5 is rounded the right way.
    one = crowded(machines=2, free=1.5, batch=3)
    assert one.shape.max_workers == 2
    wider = replace(one, shape=JobShape(one.job, *(np.append(a, v) for a, v in (
        (one.shape.servers, 0), (one.shape.together, 3 * 3600.0), (one.shape.apart, 3 * 3600.0))),
        one.shape.worker, one.shape.server))  # fmt: skip
    curve = curve_of(wider)
    assert curve.failures == 1
    assert curve.workers.tolist() == [1, 2]
    assert exact_cost(one.problem, 3, 0) is None


def test_failures_add_up_over_segments() -> None:
    one = crowded(machines=8, free=1.0, batch=8)
    # At G = 0.3 eight machines must each be drawn with probability 0.3.
    alone = curve_of(one, gain=0.3, draws=5)
    assert alone.failures >= 4
    whole = solver(one, gain=0.3, draws=5)
    three = whole.curves(one.shape, one.prices, one.ledger.segments(SLOT, SLOT + 3))
    assert len(three.offsets) == 2  # equal slots are one segment
    assert three.failures == alone.failures


def test_a_failed_question_has_no_placement() -> None:
    one = crowded(machines=8, free=1.0, batch=8)
    paper = solver(one, gain=0.3, draws=5)
    assert paper.place(one.shape, one.prices, one.segments, 0, 8, together=False) is None
    assert paper.place(one.shape, one.prices, one.segments, 0, 8, together=True) is None
    assert solver(one).place(one.shape, one.prices, one.segments, 0, 8, together=False) is not None


def test_the_gain_may_be_a_theorem() -> None:
    one = by_hand(speed=ParameterServerSpeed(0.5, 50, 2, 10, 100))
    asked: list[Sizes] = []

    def gain(sizes: Sizes) -> float:
        asked.append(sizes)
        return 0.8

    assert_same(curve_of(one, gain=gain), curve_of(one, gain=0.8))
    # Two machines, two resources; the first has room for 2 workers, 8 servers; S = 1, 1, 2, 2, 3, 3.
    assert asked == [Sizes(2, min(w, -(-w // 2)), 2 * 2 + 1, 2.0) for w in range(1, 7)]
    by_theorem = [gain_favouring_resources(5, 2.0, 0.1)] * 6
    assert [FavourResources(0.1)(sizes) for sizes in asked] == by_theorem
    assert_same(curve_of(one, gain=FavourResources(0.1)), curve_of(one, gain=by_theorem[0]))


def test_theorem_3_hardly_ever_covers_the_work_and_theorem_4_overfills() -> None:
    # Forty empty machines that hold 15 workers; the fractions are whole, so only the scaling is left to chance.
    cluster = Cluster(("gpu",), (MachineGroup("m", (30,), 40),))
    job = small_job(speed=AllReduceSpeed(1, 0, 10, 10), worker=(2,), server=(0,), batch=60)
    one = case_of(cluster, job, PriceBounds((0.0,), (1.0,)))
    asked = np.count_nonzero(one.shape.apart)
    assert curve_of(one, gain=1.0).failures == 0
    assert curve_of(one, gain=FavourResources(0.1), draws=20).failures > 0.9 * asked
    assert curve_of(one, gain=FavourWork(0.1), draws=20).failures > 0.5 * asked


# The stream of random numbers


def assert_same(one: Curves, other: Curves) -> None:
    for name in ("offsets", "workers", "together", "samples", "cost"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.failures == other.failures


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_the_order_of_questions_does_not_matter(seed: int) -> None:
    one, other = case(seed), case(seed + 1)
    first = solver(one, draws=3)
    curve = first.curves(one.shape, one.prices, one.segments)
    placed = [
        first.place(one.shape, one.prices, one.segments, 0, int(w), together=bool(t))
        for w, t in zip(curve.workers, curve.together, strict=True)
    ]
    second = solver(one, draws=3)
    if other.cluster.resources == one.cluster.resources:
        second.curves(replace(one.shape, job=replace(one.job, id="before")), one.prices, one.segments)
    again = [
        second.place(one.shape, one.prices, one.segments, 0, int(w), together=bool(t))
        for w, t in reversed(list(zip(curve.workers, curve.together, strict=True)))
    ]
    assert again[::-1] == placed
    assert_same(second.curves(one.shape, one.prices, one.segments), curve)


def draws_of(one: SlotCase, job: Job, slot: int, seed: int) -> list[float]:
    shape = replace(one.shape, job=job)
    curves = PaperSlotSolver(one.ledger.units, draws=2, seed=seed).curves(
        shape, one.prices, one.ledger.segments(slot, slot + 1)
    )
    return [*curves.cost.tolist(), float(curves.failures)]


def test_draws_depend_on_the_seed_the_job_and_the_slot() -> None:
    one = fractional()
    # The slots after SLOT are all empty and alike.
    base = draws_of(one, one.job, SLOT + 1, 0)
    assert draws_of(one, one.job, SLOT + 1, 0) == base
    assert draws_of(one, replace(one.job, epochs=99), SLOT + 1, 0) == base
    assert draws_of(one, one.job, SLOT + 2, 0) != base
    assert draws_of(one, one.job, SLOT + 1, 1) != base
    assert draws_of(one, replace(one.job, id="other"), SLOT + 1, 0) != base


def test_segments_are_answered_each_by_itself() -> None:
    one = fractional()
    whole = solver(one, draws=3).curves(one.shape, one.prices, one.ledger.segments(SLOT - 1, SLOT + 3))
    assert len(whole.offsets) == 4
    parts = Curves.empty()
    for start, stop in ((SLOT - 1, SLOT), (SLOT, SLOT + 1), (SLOT + 1, SLOT + 3)):
        parts = parts.followed_by(solver(one, draws=3).curves(one.shape, one.prices, one.ledger.segments(start, stop)))
    assert_same(whole, parts)


@pytest.mark.parametrize("seed", range(10))
def test_only_segments_that_cannot_be_cheap_enough_are_left_out(seed: int) -> None:
    one = case(seed)
    curve = curve_of(one)
    if not len(curve.cost):
        return
    least = float((curve.cost / curve.samples).min())
    same = solver(one).curves(one.shape, one.prices, one.segments, least * 1.000001)
    assert_same(same, curve)
    empty = solver(one).curves(one.shape, one.prices, one.segments, 0.0)
    assert empty.offsets.tolist() == [0, 0]
