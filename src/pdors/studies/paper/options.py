"""What the text leaves open, with the value that is taken unless said otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

from pdors.studies.paper.google import GoogleTrace
from pdors.workloads.paper_settings import PaperWorkload

QUICK_SEEDS = 3
SEEDS = 10
QUICK_INSTANCES = 15
QUICK_DRAWS = 200
LEAST_INSTANCES = 60
"""Of the competitive ratio; about two thirds of them have a job that can finish in ten slots."""


@dataclass(frozen=True, kw_only=True)
class PaperOptions:
    """`base` holds every range of the synthetic jobs; its jobs, machines, slots and mix are those of each figure."""

    seeds: tuple[int, ...]
    quick: bool = False
    google: GoogleTrace | None = None
    base: PaperWorkload = field(default_factory=lambda: PaperWorkload(jobs=1, machines=1, slots=1))
    bound_seconds: float = 300.0
    optimum_seconds: float = 600.0
    all_draws: int = 5000

    def told(self) -> dict[str, object]:
        """As it should stand beside every result."""
        ranges = self.base.describe()
        for set_by_the_figure in ("jobs", "machines", "slots", "mix"):
            del ranges[set_by_the_figure]
        return {
            "seeds": list(self.seeds),
            "quick": self.quick,
            "google_trace": None if self.google is None else self.google.told(),
            "bound_seconds": self.bound_seconds,
            "optimum_seconds": self.optimum_seconds,
            "draws": self.draws,
            "synthetic_jobs": ranges,
        }

    @property
    def instances(self) -> tuple[int, ...]:
        """Seeds for what needs many instances."""
        least = QUICK_INSTANCES if self.quick else LEAST_INSTANCES
        return tuple(range(self.seeds[0], self.seeds[0] + max(least, len(self.seeds))))

    @property
    def draws(self) -> int:
        """Of randomised rounding, after which a slot is given up."""
        return min(self.all_draws, QUICK_DRAWS) if self.quick else self.all_draws
