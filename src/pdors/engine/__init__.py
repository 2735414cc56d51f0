"""The loop that runs a policy on jobs as they arrive, and what came of it."""

from pdors.engine.outcome import Moment, Outcome
from pdors.engine.simulation import Simulation, simulate

__all__ = ["Moment", "Outcome", "Simulation", "simulate"]
