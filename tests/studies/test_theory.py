"""Claims and runs side by side: one instance by hand, and what must be so of any."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import AllReduceSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility, TableUtility
from pdors.offline.bound import bound
from pdors.offline.optimum import optimum
from pdors.planner.calibration import paper_constants
from pdors.planner.market import LEAST_LOG_RATIO
from pdors.planner.pricing import PricesName
from pdors.planner.rounding import FavourResources, FavourWork, Sizes
from pdors.planner.theory import FavouredResources, FavouredWork
from pdors.planning import PaperSolver, plan
from pdors.policies.pdors import SolverName
from pdors.studies.premises import Premise, power, premises
from pdors.studies.theory import Theory, achieve, is_small, job_programs
from pdors.studies.theory_document import theory_document
from tests.support.random_instances import random_instance


def worker_job(job_id: str, hours: float, utility: DeadlineUtility | TableUtility, batch: int = 4) -> Job:
    """Trains a sample a second with each worker, wherever it is; a worker takes a GPU."""
    return Job(job_id, 0, 1, 3600 * hours, batch, AllReduceSpeed(1, 0, 10, 10), (1,), (0,), utility)


def one_job(worth: float = 80.0) -> Instance:
    """Four GPUs on two machines for two hours, and a job of four worker-hours, worth half as much after the first."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (2,), 2),))
    return Instance(2, 3600, cluster, (worker_job("a", 4, TableUtility((0, 1), (worth, worth / 2))),))


def theory_of(
    instance: Instance, *solvers: SolverName | PaperSolver, prices: PricesName = "paper", delta: float = 0.3,
    exactly: bool = False,
) -> Theory:  # fmt: skip
    runs = tuple(achieve(instance, solver=solver, prices=prices) for solver in solvers or ("fast",))
    found = optimum(instance, time_limit=20) if exactly else None
    upper = bound(instance, time_limit=5) if found is None else found.upper
    return Theory(instance, delta, 3, prices, runs, upper, found)


def test_one_job_by_hand() -> None:
    # alpha = 1/4 of the cluster: U = 80 / (1/4) = 320 per share. N = 4 worker-slots take 4/4 = 1 of T R = 2 shares
    # times slots, so mu = 2, and L = 40 / (2 * 2 * 1) = 10 per share: ln(U/L) = ln 32.
    told = theory_of(one_job())
    constants = told.constants
    assert constants is not None
    assert math.exp(constants.log_mu) == pytest.approx(2)
    assert math.exp(constants.log_floor) == pytest.approx(10)
    assert told.whole.epsilon == pytest.approx(math.log(32))
    assert told.whole.log_ratios == pytest.approx([math.log(32)])
    # One to four workers; three rows, of two machines and the batch; a machine holds 2.
    (one,) = told.programs
    assert (one.job, one.workers) == ("a", 4)
    assert (one.sizes, one.fewest) == (Sizes(1, 4, 3, 2), Sizes(1, 1, 3, 2))
    assert one.favour_resources == FavouredResources.of(Sizes(1, 4, 3, 2), 0.3)
    assert one.favour_work_fewest == FavouredWork.of(Sizes(1, 1, 3, 2), 0.3)
    gains = [1 / (1 + q + math.sqrt(q * q + 2 * q)) for q in (1.5 * math.log(9 / 0.3) / 2,)]
    gains += [1 + q + math.sqrt(q * q + 2 * q) for q in (math.log(3 / 0.3),)]
    ratios = [6 * gain * math.log(32) / 0.3 for gain in gains]
    assert [told.whole.ratio_favour_resources, told.whole.ratio_favour_work] == pytest.approx(ratios)
    # T K E = 2 * 14400 states, S = 3 draws, H R + 1 = 3 rows.
    states = 2 * 14400
    assert told.whole.failure_favour_resources == pytest.approx(1 - (1 - 0.1**3) ** states)
    assert told.whole.failure_favour_work == pytest.approx(1 - (1 - (0.1 / 3) ** 3) ** states)
    # D_0 = 2 slots * 10 per share of all.
    assert math.exp(told.whole.log_initial_worth) == pytest.approx(20)
    # It pays 4 GPUs at 10 per all four, and takes all of a machine at once: (32 - 1) / 1.
    assert told.run.total_utility == pytest.approx(80)
    assert told.whole.step is not None
    assert math.exp(told.whole.step.log_epsilon) == pytest.approx(31)


def by_name(told: Theory) -> dict[str, Premise]:
    found = premises(told)
    named = {one.premise: one for one in found}
    assert len(named) == len(found)
    return named


def test_premises_of_one_job_by_hand() -> None:
    told = theory_of(one_job())
    assert {name: one.holds for name, one in by_name(told).items()} == {
        "G is at least 0.5": False,
        "delta is above 3m / exp(G W_a / 2)": False,
        "all of the work is promised": False,
        "machines are promised not to be overfull": False,
        "U and L are the same for all jobs": True,
        "the whole cluster at its first prices, D_0, is worth half the optimum at most": True,
        "a job takes next to nothing of a machine": False,
        "Algorithm 2 finds the schedule with the best payoff": None,
        "slots are placed by rounding": False,
    }
    assert by_name(told)["a job takes next to nothing of a machine"].why == (
        "a takes 100% of the gpu of m-0 at once; Definition 1 then needs an epsilon of 31 in place of 3.466"
    )


def test_premises_hold_where_they_do() -> None:
    """Many small tasks on one large machine, and delta = 1: G is above 1/2, and delta is large enough."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (1000,)),))
    job = worker_job("a", 90, TableUtility((0, 1), (80, 40)), batch=90)
    told = theory_of(Instance(2, 3600, cluster, (job,)), "fast", "paper", delta=1.0)
    found = by_name(told)
    assert found["G is at least 0.5"].holds
    assert found["delta is above 3m / exp(G W_a / 2)"].holds
    assert found["all of the work is promised"].holds is False
    assert "slots are placed by rounding" not in found


def test_a_step_that_is_small_enough() -> None:
    """One slot, one machine, one job that takes it all: U/L = 2 T R = 2, so epsilon is 1, and (2 - 1) / 1 is enough."""
    cluster = Cluster(("gpu",), (MachineGroup("m", (1,)),))
    job = worker_job("a", 1, TableUtility((0, 1), (80, 80)), batch=1)
    told = theory_of(Instance(1, 3600, cluster, (job,)))
    assert told.whole.log_ratios == pytest.approx([math.log(2)])
    assert told.whole.epsilon == 1
    assert told.whole.step is not None
    assert math.exp(told.whole.step.log_epsilon) == pytest.approx(1)
    assert by_name(told)["a job takes next to nothing of a machine"].holds


def test_a_job_worth_nothing_at_the_horizon_cuts_the_prices() -> None:
    instance = one_job()
    late = replace(instance.jobs[0], id="late", utility=DeadlineUtility(50, 1))
    told = theory_of(replace(instance, jobs=(*instance.jobs, late)))
    assert told.constants is not None
    assert told.constants.floor_job == "late"
    assert told.whole.log_ratios == (math.inf,)
    assert told.whole.epsilon == 600
    cut = by_name(told)["the prices are those of the constants"]
    assert not cut.holds
    assert "infinite" in cut.why


def test_default_prices_have_no_mu_and_move() -> None:
    told = theory_of(one_job(), prices="default")
    assert told.constants is None
    # One such job in each of two slots would take two clusters, so the floor is as high as it may be.
    assert told.whole.epsilon == pytest.approx(LEAST_LOG_RATIO)
    assert not by_name(told)["U and L are the same for all jobs"].holds


@pytest.mark.parametrize("exactly", [False, True])
def test_ratios_by_hand(exactly: bool) -> None:  # noqa: FBT001 - a parameter
    """The first job takes the one slot that both want; the second would have been worth a hundred times as much."""
    jobs = (worker_job("first", 4, DeadlineUtility(1, 0)), worker_job("second", 4, DeadlineUtility(100, 0)))
    told = theory_of(replace(one_job(), jobs=jobs), exactly=exactly)
    assert told.run.total_utility == 1
    assert told.most == pytest.approx(100)
    assert told.most_is_optimum == exactly
    assert told.achieved_ratio(told.run) == pytest.approx(100)


def test_a_worth_of_all_beyond_half_the_bound_fails() -> None:
    """With nothing to be had, whatever the machines cost at first is too much."""
    told = theory_of(replace(one_job(), jobs=(worker_job("a", 400, TableUtility((0, 1), (5, 5))),)))
    assert told.most == 0
    assert by_name(told)["the whole cluster at its first prices, D_0, is worth half the optimum at most"].holds is False


def test_nothing_achieved_is_no_ratio() -> None:
    told = theory_of(replace(one_job(), jobs=(worker_job("a", 400, DeadlineUtility(5, 1)),)))
    assert told.run.total_utility == 0
    assert told.achieved_ratio(told.run) is None
    assert theory_document(told)["achieved"][0]["ratio"] is None  # type: ignore[index]


def test_a_job_on_one_machine_alone_has_no_program() -> None:
    together = Job("a", 0, 1, 3600, 2, TableSpeed((1, 2), (1, 2), (None, None)), (1,), (0,), DeadlineUtility(5, 1))
    told = theory_of(replace(one_job(), jobs=(together,)))
    assert told.programs == ()
    assert told.whole.ratio_favour_resources is None
    assert all(one.theorems != "3, 5" for one in premises(told))
    assert theory_document(told)["jobs_without_external_program"] == 1


def test_the_paper_s_solver_is_counted_and_judged() -> None:
    instance = one_job()
    told = theory_of(instance, "fast", PaperSolver(gain=0.2, draws=2))
    assert [run.solver for run in told.runs] == ["fast", "paper"]
    assert told.runs[0].rounding is None
    tally = told.run.rounding
    assert tally is not None
    assert tally.draws == 2 * tally.questions > 0
    found = by_name(told)["questions without a feasible draw are as rare as claimed"]
    assert found.holds == (tally.failures == 0)
    options = told.run.outcome.decisions.options
    assert (options["rounding_questions"], options["rounding_failures"]) == (tally.questions, tally.failures)


@pytest.mark.parametrize(
    ("gain", "holds"),
    [
        (1.0, {"3": False, "4": False}),
        (FavourResources(0.3), {"3": True, "4": False}),
        (FavourWork(0.3), {"3": False, "4": True}),
        (FavourWork(0.2), {"3": False, "4": False}),
    ],
)
def test_a_theorem_speaks_of_its_own_gain(gain: float | FavourResources | FavourWork, holds: dict[str, bool]) -> None:
    found = by_name(theory_of(one_job(), "fast", PaperSolver(gain=gain)))
    scaled = {theorem: found[f"what is rounded is scaled by the G of Theorem {theorem}"].holds for theorem in holds}
    assert scaled == holds


def test_small_is_what_the_page_says() -> None:
    instance = one_job()
    ten = tuple(replace(instance.jobs[0], id=str(index)) for index in range(10))
    assert is_small(replace(instance, slots=20, jobs=ten))
    assert not is_small(replace(instance, slots=21, jobs=ten))
    assert not is_small(replace(instance, jobs=(*ten, instance.jobs[0])))


def test_powers_that_no_float_reaches() -> None:
    assert [power(log) for log in (math.log(2), -math.inf, 1000 * math.log(10))] == ["2", "0", "10^1000"]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("prices", ["default", "paper"])
def test_of_any_instance(seed: int, prices: PricesName) -> None:
    """Every run is the plan, the bound holds, the document is JSON, and no claim hides a premise that fails."""
    instance = random_instance(seed)
    told = theory_of(instance, "fast", "paper", prices=prices, delta=0.1)
    totals = [plan(instance, solver=solver, prices=prices).total_utility for solver in ("fast", "paper")]
    assert [run.total_utility for run in told.runs] == totals
    for run in told.runs:
        ratio = told.achieved_ratio(run)
        assert ratio is None or ratio >= 1 - 1e-9
    document = json.loads(json.dumps(theory_document(told), allow_nan=False))
    assert len(document["jobs"]) + document["jobs_without_external_program"] == len(instance.jobs)
    assert (told.constants is None) == (prices == "default" or paper_constants(instance) is None)
    whole = told.whole
    assert whole.failure_favour_work <= whole.failure_favour_resources <= whole.failure_all_favour_resources
    assert whole.epsilon >= 1
    for one in told.programs:
        assert one.fewest.cover_width <= one.sizes.cover_width
        assert one.favour_work.gain <= one.favour_work_fewest.gain
        assert whole.ratio_favour_work >= 20 * 3 * one.favour_work.gain * whole.epsilon * (1 - 1e-9)  # type: ignore[operator]
    assert job_programs(instance, 0.1) == told.programs
    if told.programs:
        assert any(one.holds is False for one in premises(told))
