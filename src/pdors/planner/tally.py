"""How randomised rounding went: what Theorems 3 to 6 speak of, counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RoundingTally:
    """A question is the external case for one number of workers in one slot; each has the same number of draws.

    `priced` are the questions whose best draw on several machines and whose linear program both cost something:
    `ratio_sum` and `ratio_most` are of the one over the other.
    """

    questions: int = 0
    failures: int = 0
    draws: int = 0
    feasible_draws: int = 0
    priced: int = 0
    ratio_sum: float = 0.0
    ratio_most: float = 0.0

    def count(self, draws: int, feasible: int, relaxed_cost: float, best_cost: float | None) -> None:
        self.questions += 1
        self.failures += not feasible
        self.draws += draws
        self.feasible_draws += feasible
        if best_cost is not None and relaxed_cost > 0:
            ratio = best_cost / relaxed_cost
            self.priced += 1
            self.ratio_sum += ratio
            self.ratio_most = max(self.ratio_most, ratio)

    @property
    def failed_questions(self) -> float | None:
        """The share without a feasible draw."""
        return self.failures / self.questions if self.questions else None

    @property
    def failed_draws(self) -> float | None:
        """The share that breaks a row."""
        return 1 - self.feasible_draws / self.draws if self.draws else None

    @property
    def ratio_mean(self) -> float | None:
        return self.ratio_sum / self.priced if self.priced else None
