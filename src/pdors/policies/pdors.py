"""PD-ORS, the policy this package is named after: Algorithm 1, with either slot solver and any prices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from pdors.errors import ModelError
from pdors.model.decision import Decision
from pdors.model.job import Instance, Job
from pdors.model.units import Units
from pdors.planner.admission import Planner
from pdors.planner.calibration import PricePolicy, PricesName, SeenJobs, price_policy
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import FavourResources, FavourWork
from pdors.planner.slot_fast import FastSlotSolver
from pdors.planner.slot_paper import PaperSlotSolver
from pdors.planner.tally import RoundingTally
from pdors.policies.policy import Policy, Setting, View

SolverName = Literal["fast", "paper"]
PAPER_DRAWS = 50


@dataclass(frozen=True, slots=True)
class PaperSolver:
    """The paper's solver with its two parameters; the name `paper` stands for their defaults.

    G  scaling before rounding  -> gain   a number, or the formula of Theorem 3 or 4
    S  roundings tried          -> draws
    """

    gain: float | FavourResources | FavourWork = 1.0
    draws: int = PAPER_DRAWS

    def __post_init__(self) -> None:
        if isinstance(self.gain, FavourResources | FavourWork):
            if not 0 < self.gain.delta <= 1:
                raise ModelError(f"delta must be above 0 and at most 1, got {self.gain.delta}")
        elif not (math.isfinite(self.gain) and self.gain > 0):
            raise ModelError(f"gain must be a finite number above 0, got {self.gain}")
        if self.draws < 1:
            raise ModelError(f"draws must be at least 1, got {self.draws}")

    def document(self) -> dict[str, object]:
        """The settings as decisions carry them."""
        match self.gain:
            case FavourResources(delta):
                gain: dict[str, object] = {"gain": "favour-resources", "delta": delta}
            case FavourWork(delta):
                gain = {"gain": "favour-work", "delta": delta}
            case number:
                gain = {"gain": number}
        return gain | {"draws": self.draws}


class PdOrs(Policy):
    """Prices decide, at arrival and for good. `prices` defaults to those calibrated by the jobs seen so far."""

    name = "pdors"

    def __init__(
        self, setting: Setting, *, solver: SolverName | PaperSolver = "fast", prices: PricePolicy | None = None
    ) -> None:
        super().__init__(setting)
        self._settings = _settings(solver)
        self._solver = _slot_solver(setting, self._settings)
        self.planner = Planner(
            setting.cluster, setting.slots, setting.slot_seconds,
            prices=prices or SeenJobs(setting.cluster, setting.slots), solver=self._solver,
        )  # fmt: skip

    @classmethod
    def at_prices(
        cls, setting: Setting, instance: Instance, prices: PricesName | PriceBounds, history: Iterable[Job]
    ) -> PdOrs:
        return cls(setting, prices=price_policy(instance, prices, history))

    def decide(self, job: Job, view: View) -> Decision:
        return self.planner.decide(job, view.ledger)

    def prices(self, view: View) -> Mapping[str, float] | None:
        """The mean over all machines, each by its capacity."""
        cluster, units = self.setting.cluster, view.ledger.units
        bounds = self.planner.bounds
        if bounds is None:
            return None
        fraction = view.ledger.used(view.slot) / np.maximum(units.capacity, 1)
        weight = cluster.capacity / np.maximum(cluster.total, np.finfo(float).tiny)
        means = (bounds.price(fraction) * weight).sum(axis=0)
        return dict(zip(cluster.resources, means.tolist(), strict=True))

    @property
    def rounding(self) -> RoundingTally | None:
        """How rounding went so far; None for the fast solver, which has none."""
        return None if isinstance(self._solver, FastSlotSolver) else self._solver.tally

    def options(self) -> Mapping[str, object]:
        """The solver and its settings; of the paper's also how often rounding was asked, and found nothing."""
        if self._settings is None or isinstance(self._solver, FastSlotSolver):
            return {"solver": "fast"}
        tally = self._solver.tally
        counts = {"rounding_questions": tally.questions, "rounding_failures": tally.failures}
        return {"solver": "paper"} | self._settings.document() | counts


def _settings(solver: SolverName | PaperSolver) -> PaperSolver | None:
    """None for the fast solver, which has none."""
    if isinstance(solver, PaperSolver):
        return solver
    if solver not in get_args(SolverName):
        raise ModelError(f"solver must be {' or '.join(get_args(SolverName))}, or a PaperSolver, got {solver!r}")
    return PaperSolver() if solver == "paper" else None


def _slot_solver(setting: Setting, settings: PaperSolver | None) -> FastSlotSolver | PaperSlotSolver:
    units = Units(setting.cluster)
    if settings is None:
        return FastSlotSolver(units)
    return PaperSlotSolver(units, gain=settings.gain, draws=settings.draws, seed=setting.seed)
