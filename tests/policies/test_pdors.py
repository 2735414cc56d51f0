"""PD-ORS as a policy: it decides as `pdors.plan`, and tells its prices and its settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from pdors.engine.simulation import simulate
from pdors.errors import ModelError
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.speed import TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.planner.calibration import FixedPrices, paper_bounds
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.rounding import FavourResources, FavourWork
from pdors.planning import PricesName, SolverName, plan
from pdors.policies.pdors import PAPER_DRAWS, PaperSolver, PdOrs
from pdors.policies.policy import QueuedJob, Setting
from tests.support.instances import small_instance
from tests.support.random_instances import random_instance

HOUR = 3600.0


@dataclass
class Present:
    """What a policy sees without an engine."""

    ledger: Ledger
    slot: int = 0
    queue: Sequence[QueuedJob] = ()


def hourly(name: str, workers: int, samples: float, worth: float = 1e3) -> Job:
    """A worker takes one of each resource, and so many train 10 samples each in an hour."""
    speed = TableSpeed((workers,), (10 * workers / HOUR,))
    return Job(name, 0, 1, samples, workers, speed, (1, 1), (0, 0), DeadlineUtility(worth, 100))


def policy_on(cluster: Cluster, bounds: PriceBounds, slots: int = 3) -> PdOrs:
    return PdOrs(Setting(cluster, slots, HOUR), prices=FixedPrices(bounds))


# Its prices, by hand: GPUs cost 1 .. e, CPUs 2 .. 2 e^2

BOUNDS = PriceBounds((0.0, math.log(2)), (1.0, math.log(2) + 2))


def test_there_are_no_prices_before_the_first_job() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),))
    assert policy_on(cluster, BOUNDS).prices(Present(Ledger(cluster))) is None


def test_mean_prices_of_machines_alike() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),))
    policy, ledger = policy_on(cluster, BOUNDS), Ledger(cluster)
    job = hourly("job", 2, 40)
    decision = policy.decide(job, Present(ledger))
    assert isinstance(decision, Admitted)
    assert policy.prices(Present(ledger)) == pytest.approx({"gpu": 1, "cpu": 2})
    ledger.reserve(job, decision.schedule)
    # Two of four GPUs and two of eight CPUs of one machine are in use, for two hours.
    one = {"gpu": (1 + math.exp(1 / 2)) / 2, "cpu": (2 + 2 * math.exp(2 / 4)) / 2}
    assert [policy.prices(Present(ledger, slot)) for slot in (0, 1)] == [pytest.approx(one)] * 2
    assert policy.prices(Present(ledger, 2)) == pytest.approx({"gpu": 1, "cpu": 2})


def test_large_machines_count_for_more() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("big", (6, 8)), MachineGroup("small", (2, 8))))
    policy, ledger = policy_on(cluster, BOUNDS), Ledger(cluster)
    job = hourly("job", 3, 30)
    decision = policy.decide(job, Present(ledger))
    assert isinstance(decision, Admitted)
    assert [share.machine for _, placement in decision.schedule.by_slot() for share in placement.shares] == [0]
    ledger.reserve(job, decision.schedule)
    gpu, cpu = (6 * math.exp(3 / 6) + 2 * 1) / 8, (2 * math.exp(2 * 3 / 8) + 2) / 2
    assert policy.prices(Present(ledger)) == pytest.approx({"gpu": gpu, "cpu": cpu})


def test_prices_of_what_nobody_pays_for_or_nobody_has() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (0, 8)), MachineGroup("n", (0, 0))))
    policy = policy_on(cluster, PriceBounds((0.0, FREE), (1.0, FREE)))
    policy.decide(hourly("job", 1, 10), Present(Ledger(cluster)))
    assert policy.prices(Present(Ledger(cluster))) == {"gpu": 0, "cpu": 0}


def test_prices_are_those_of_the_last_decision() -> None:
    """The default bounds are learnt: a second, richer job does not move its own prices, but the third one's."""
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),))
    policy, present = PdOrs(Setting(cluster, 3, HOUR)), Present(Ledger(cluster))
    told = []
    for name, worth in (("a", 1.0), ("b", 1e3), ("c", 1.0)):
        policy.decide(hourly(name, 1, 10, worth), present)
        told.append(policy.prices(present))
    assert told[0] == told[1]
    assert told[2] == pytest.approx({name: 1e3 * price for name, price in told[0].items()} if told[0] else None)


def test_every_moment_of_a_run_has_prices() -> None:
    instance = small_instance()
    outcome = simulate(instance, PdOrs)
    assert len(outcome.moments) > 1
    for moment in outcome.moments:
        assert moment.prices is not None
        assert set(moment.prices) == {"gpu", "cpu"}
        assert min(moment.prices.values()) > 0


# Its settings

SETTING = Setting(Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),)), 3, HOUR)


def test_settings_of_the_fast_solver() -> None:
    assert PdOrs(SETTING).options() == PdOrs(SETTING, solver="fast").options() == {"solver": "fast"}


@pytest.mark.parametrize(
    ("solver", "gain"),
    [
        ("paper", {"gain": 1.0, "draws": PAPER_DRAWS}),
        (PaperSolver(gain=0.5, draws=3), {"gain": 0.5, "draws": 3}),
        (PaperSolver(gain=FavourResources(0.1)), {"gain": "favour-resources", "delta": 0.1, "draws": PAPER_DRAWS}),
        (PaperSolver(gain=FavourWork(0.2), draws=1), {"gain": "favour-work", "delta": 0.2, "draws": 1}),
    ],
)
def test_settings_of_the_solver_of_the_paper(solver: SolverName | PaperSolver, gain: dict[str, object]) -> None:
    policy = PdOrs(SETTING, solver=solver)
    nothing_asked = {"rounding_questions": 0, "rounding_failures": 0}
    assert policy.options() == {"solver": "paper"} | gain | nothing_asked
    policy.decide(hourly("job", 3, 30), Present(Ledger(SETTING.cluster)))
    counted = policy.options()
    assert counted.keys() == policy.options().keys()
    assert counted["rounding_questions"] > 0  # type: ignore[operator]
    assert 0 <= counted["rounding_failures"] <= counted["rounding_questions"]  # type: ignore[operator]


@pytest.mark.parametrize("gain", [0, -1, math.nan, math.inf, FavourResources(0), FavourWork(1.5)])
def test_gains_that_cannot_be(gain: float | FavourResources | FavourWork) -> None:
    with pytest.raises(ModelError, match=r"gain|delta"):
        PaperSolver(gain=gain)


def test_draws_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="draws"):
        PaperSolver(draws=0)


def test_the_seed_is_that_of_the_setting() -> None:
    instance = random_instance(42)

    def decisions(seed: int) -> tuple[object, ...]:
        return simulate(instance, lambda setting: PdOrs(setting, solver="paper"), seed=seed).decisions.decisions

    assert decisions(0) == decisions(0) != decisions(1)


# Its decisions


@pytest.mark.parametrize("prices", ["default", "paper"])
@pytest.mark.parametrize(("solver", "seeds"), [("fast", range(60)), ("paper", range(6))])
def test_decisions_are_those_of_plan(solver: SolverName, prices: PricesName, seeds: range) -> None:
    for seed in seeds:
        instance = random_instance(seed)

        def make(setting: Setting, instance: Instance = instance) -> PdOrs:
            given = FixedPrices(paper_bounds(instance)) if prices == "paper" else None
            return PdOrs(setting, solver=solver, prices=given)

        simulated = simulate(instance, make, seed=seed).decisions
        planned = plan(instance, solver=solver, prices=prices, seed=seed)
        assert simulated.decisions == planned.decisions
        assert (simulated.policy, simulated.seed, simulated.total_utility) == ("pdors", seed, planned.total_utility)
        assert planned.options == {**simulated.options, "prices": prices}


def test_it_goes_by_the_ledger_that_it_is_shown_and_commits_to_nothing() -> None:
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (2, 2)),))
    policy, ledger = policy_on(cluster, BOUNDS, slots=1), Ledger(cluster)
    job = hourly("job", 2, 20)
    first = policy.decide(job, Present(ledger))
    assert policy.decide(job, Present(ledger)) == first
    assert not ledger.used(0).any()
    assert isinstance(first, Admitted)
    assert first.price == pytest.approx(2 * (1 + 2))
    ledger.reserve(job, first.schedule)
    assert policy.decide(job, Present(ledger)) == Rejected("job", Reason.FULL)


def test_the_queue_stays_empty() -> None:
    for seed in range(10):
        assert np.array([moment.queue for moment in simulate(random_instance(seed), PdOrs).moments]).sum() == 0
