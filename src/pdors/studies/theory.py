"""What the paper's analysis claims for an instance, and what a run of PD-ORS achieved on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from pdors.engine import Outcome
from pdors.engine.simulation import Simulation
from pdors.model.decision import Admitted
from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.offline.bound import UpperBound
from pdors.offline.optimum import Optimum
from pdors.planner.calibration import PaperConstants, PricesName, paper_constants, price_policy
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import Sizes
from pdors.planner.shape import JobShape
from pdors.planner.tally import RoundingTally
from pdors.planner.task_room import TaskRoom
from pdors.planner.theory import (
    FavouredResources,
    FavouredWork,
    LargestStep,
    claimed_failure,
    competitive_ratio,
    epsilon_of,
    largest_step,
    log_initial_worth,
    log_price_ratio,
)
from pdors.policies.pdors import PaperSolver, PdOrs, SolverName
from pdors.policies.policy import Answer

SMALL_JOBS, SMALL_SLOTS = 10, 20
"""Up to here the optimum is sought without being asked for."""


@dataclass(frozen=True)
class JobPrograms:
    """The external programs of a job on the empty cluster, one for each number of workers.

    `sizes` is that of the most workers, for which the theorems say most of the work; `fewest` that of the fewest.
    """

    job: str
    workers: int
    sizes: Sizes
    fewest: Sizes
    favour_resources: FavouredResources
    favour_work: FavouredWork
    favour_work_fewest: FavouredWork


@dataclass(frozen=True, eq=False)
class Achieved:
    """One run of PD-ORS; `bounds` are the prices of its last decision, `rounding` is None for the fast solver."""

    solver: str
    outcome: Outcome
    bounds: PriceBounds
    rounding: RoundingTally | None

    @property
    def total_utility(self) -> float:
        return self.outcome.total_utility

    @property
    def admitted(self) -> list[tuple[Job, Admitted]]:
        return [(job, made) for job, made in self.outcome.answered() if isinstance(made, Admitted)]


@dataclass(frozen=True)
class Whole:
    """Theorems 5 and 6 at the prices of a run, each with the largest G of any job's program.

    `epsilon` is that of the prices in use, `log_ratios` are ln(U/L) as the constants are. `failure` is the claimed
    chance of no feasible solution for the job with the most work, `failure_all` for all jobs.
    """

    log_ratios: tuple[float, ...]
    epsilon: float
    ratio_favour_resources: float | None
    ratio_favour_work: float | None
    failure_favour_resources: float
    failure_favour_work: float
    failure_all_favour_resources: float
    failure_all_favour_work: float
    log_initial_worth: float
    step: LargestStep | None


@dataclass(frozen=True, eq=False)
class Theory:
    """Everything side by side. `runs` has the fast solver first; the theorems are held against the last."""

    instance: Instance
    delta: float
    draws: int
    prices: PricesName
    runs: tuple[Achieved, ...]
    upper: UpperBound
    optimum: Optimum | None = None

    @property
    def run(self) -> Achieved:
        return self.runs[-1]

    @cached_property
    def programs(self) -> tuple[JobPrograms, ...]:
        return job_programs(self.instance, self.delta)

    @cached_property
    def constants(self) -> PaperConstants | None:
        """U, L and mu of the paper; None with other prices, or where no job can pay."""
        return paper_constants(self.instance) if self.prices == "paper" else None

    @property
    def most(self) -> float:
        """What no schedules exceed, by the best that is known."""
        return self.upper.value if self.optimum is None else min(self.upper.value, self.optimum.bound)

    @property
    def most_is_optimum(self) -> bool:
        return self.optimum is not None and self.optimum.proven

    def achieved_ratio(self, run: Achieved) -> float | None:
        """The optimum, or what bounds it, over what the run achieved; None if that is nothing."""
        if not run.total_utility:
            return None
        best = self.optimum.value if self.optimum is not None and self.most_is_optimum else self.most
        return best / run.total_utility

    @cached_property
    def whole(self) -> Whole:
        instance, bounds = self.instance, self.run.bounds
        epsilon = epsilon_of(bounds.slope)
        resources = [one.favour_resources.gain for one in self.programs]
        work = [one.favour_work_fewest.gain for one in self.programs]
        rows = len(instance.cluster) * len(instance.cluster.resources) + 1
        states = [instance.slots * job.work for job in instance.jobs]
        chances = (self.delta / 3, self.delta / (3 * rows))
        worst = [claimed_failure(chance, self.draws, max(states, default=0.0)) for chance in chances]
        in_all = [claimed_failure(chance, self.draws, sum(states)) for chance in chances]
        return Whole(
            log_ratios=tuple(log_price_ratio(bounds).tolist()),
            epsilon=epsilon,
            ratio_favour_resources=competitive_ratio(max(resources), self.delta, epsilon) if resources else None,
            ratio_favour_work=competitive_ratio(max(work), self.delta, epsilon) if work else None,
            failure_favour_resources=worst[0],
            failure_favour_work=worst[1],
            failure_all_favour_resources=in_all[0],
            failure_all_favour_work=in_all[1],
            log_initial_worth=log_initial_worth(bounds, instance.cluster, instance.slots),
            step=largest_step(self.run.admitted, instance.cluster, bounds.slope),
        )


def job_programs(instance: Instance, delta: float) -> tuple[JobPrograms, ...]:
    """Of every job that can run on several machines."""
    units = Units(instance.cluster)
    found = []
    for job in instance.jobs:
        shape = JobShape.of(job, units, instance.slot_seconds)
        counts = np.flatnonzero(shape.apart > 0)
        room = TaskRoom.of(units.capacity, shape.worker, shape.server)
        if not len(counts) or not len(room.most):
            continue
        few, many = (room.sizes(int(count), int(shape.servers[count]), job.batch) for count in counts[[0, -1]])
        found.append(
            JobPrograms(
                job.id, int(counts[-1]), many, few,
                FavouredResources.of(many, delta), FavouredWork.of(many, delta), FavouredWork.of(few, delta),
            )
        )  # fmt: skip
    return tuple(found)


def achieve(
    instance: Instance,
    *,
    solver: SolverName | PaperSolver = "fast",
    prices: PricesName = "default",
    seed: int = 0,
    history: Iterable[Job] = (),
    on_decision: Callable[[Job, Answer], None] | None = None,
) -> Achieved:
    """Run PD-ORS on the jobs of the instance."""
    simulation = Simulation(
        instance,
        lambda setting: PdOrs(setting, solver=solver, prices=price_policy(instance, prices, history)),
        seed=seed, record_prices=False, on_decision=on_decision,
    )  # fmt: skip
    simulation.run()
    policy = cast("PdOrs", simulation.policy)
    bounds = policy.planner.bounds or PriceBounds.free(len(instance.cluster.resources))
    return Achieved(str(policy.options()["solver"]), simulation.outcome(), bounds, policy.rounding)


def is_small(instance: Instance) -> bool:
    """Whether the optimum may be expected to be found."""
    return len(instance.jobs) <= SMALL_JOBS and instance.slots <= SMALL_SLOTS
