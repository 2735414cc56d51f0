"""Places where the paper's text fails that no other test shows; `docs/deviations.md` lists all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance
from pdors.model.speed import ParameterServerSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.calibration import paper_bounds
from pdors.planner.market import Bid, MarketPrices
from pdors.planner.offers import Proposal, TooDear, propose
from pdors.planner.prices import PriceBounds
from pdors.planner.shape import JobShape
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver
from pdors.workloads.paper import PaperWorkload, generate
from tests.support.instances import small_job
from tests.support.slot_problems import case_of
from tests.support.small_plans import SLOT_SECONDS, filler_job, plan_of

SEEDS = pytest.mark.parametrize("seed", range(3))
SHARES_OF_A_MACHINE = np.linspace(0, 1, 101)


def workload(slots: int, seed: int) -> tuple[Instance, list[JobShape]]:
    instance = generate(PaperWorkload(jobs=100, machines=100, slots=slots), np.random.default_rng(seed))
    units = Units(instance.cluster)
    return instance, [JobShape.of(job, units, instance.slot_seconds) for job in instance.jobs]


def along(prices: PriceBounds) -> np.ndarray:
    """The price of every resource at each share of a machine."""
    return np.array([prices.price(np.full(len(prices.log_floor), share)) for share in SHARES_OF_A_MACHINE])


@SEEDS
@pytest.mark.parametrize(("slots", "least", "most"), [(20, 0.5, 0.75), (80, 0.25, 0.4)])
def test_many_jobs_of_the_paper_cannot_finish_alone(slots: int, least: float, most: float, seed: int) -> None:
    instance, shapes = workload(slots, seed)
    hopeless = [Bid.of(shape, instance.cluster, slots) is None for shape in shapes]
    assert least < np.mean(hopeless) < most


@SEEDS
@pytest.mark.parametrize(("slots", "nearly_full"), [(20, 0.75), (80, 0.95)])
def test_the_printed_floor_leaves_machines_all_but_free_until_they_are_full(
    slots: int, nearly_full: float, seed: int
) -> None:
    """Cheaper than empty machines are by default: whatever they clear at, at least a ten-thousandth of the ceiling."""
    instance, shapes = workload(slots, seed)
    printed, default = paper_bounds(instance), MarketPrices(instance.cluster, slots, shapes).bounds(shapes[0])
    cheap = (along(printed) < along(default)[0]).all(axis=1)
    assert cheap[nearly_full >= SHARES_OF_A_MACHINE].all()
    assert not cheap[-1]


@SEEDS
def test_at_the_printed_ceiling_every_job_costs_many_times_its_worth(seed: int) -> None:
    instance, shapes = workload(80, seed)
    price = along(paper_bounds(instance))[-1]
    times = []
    for shape in shapes:
        samples = np.maximum(shape.together, shape.apart)[1:]
        tasks = np.column_stack([np.arange(1, len(samples) + 1), shape.servers[1:]])
        cost = tasks @ np.array([shape.job.worker, shape.job.server]) @ price
        times.append(shape.work * (cost / samples).min() / shape.job.utility.value(0))
    assert min(times) > 100
    assert np.median(times) > 5000


@pytest.mark.parametrize(("worth", "answer"), [(0.59, TooDear), (0.61, Proposal)])
def test_what_is_worth_too_little_for_its_curves_is_not_placed(
    worth: float, answer: type[TooDear] | type[Proposal]
) -> None:
    # Two workers that cost 1 each, so 0.6 are 30 % of the lower bound; neither job pays for itself.
    cluster = Cluster(("gpu",), (MachineGroup("m", (2,)),))
    job = replace(filler_job((1,)), samples=2 * SLOT_SECONDS, batch=2, utility=DeadlineUtility(worth, 5))
    case = plan_of(cluster, job, PriceBounds((0,), (2,)), np.zeros((3, 1, 1)))
    found = propose(case.question(FastSlotSolver(case.ledger.units)))
    assert isinstance(found, answer)
    assert found.payoff == pytest.approx(worth - 2)


@pytest.mark.parametrize("solver", [FastSlotSolver, PaperSlotSolver])
def test_the_cheapest_machine_is_not_the_first_by_the_price_of_a_bundle(
    solver: type[FastSlotSolver] | type[PaperSlotSolver],
) -> None:
    # Workers take GPUs, servers CPUs. m-0 has free GPUs at 1 and dear CPUs at e^1.5, m-1 has them at e and 1.
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (8, 8), 2),))
    job = small_job(speed=ParameterServerSpeed(0.5, 50, 10, 100, 10), worker=(1, 0), server=(0, 1))
    case = case_of(cluster, job, PriceBounds((0, 0), (2, 2)), {0: (0, 6), 1: (4, 0)})
    worker_price, server_price = case.problem.worker_price, case.problem.server_price
    bundle = 10 * worker_price + server_price
    assert bundle[0] < bundle[1]
    placed = solver(case.ledger.units).place(case.shape, case.prices, case.segments, 0, 1, together=True)
    assert placed is not None
    assert [share.machine for share in placed.placement.shares] == [1]
    assert placed.cost == pytest.approx(np.e + 1)
