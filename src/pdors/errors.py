"""The errors that `pdors` raises. Outcomes of planning are values; these mean misuse or a broken backend."""

from __future__ import annotations

from dataclasses import dataclass


class PdorsError(Exception):
    """Root of every error that this package raises on purpose."""


class ModelError(PdorsError, ValueError):
    """A job, cluster, speed or utility that cannot exist."""


class OverbookingError(PdorsError):
    """More was reserved on a machine than it has, or more released than was reserved."""


class PolicyError(PdorsError):
    """A policy answered against the rules."""


class SolverError(PdorsError):
    """A numerical backend failed to answer."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a document: where, what stands there, and what was expected."""

    path: str
    value: str
    expected: str

    def __str__(self) -> str:
        return f"{self.path}: got {self.value}, expected {self.expected}"


class DocumentError(PdorsError):
    """A document that cannot be read; `problems` lists everything that is wrong with it."""

    def __init__(self, source: str, problems: tuple[Problem, ...]) -> None:
        self.source = source
        self.problems = problems
        super().__init__("\n".join(f"{source}: {problem}" for problem in problems))
