"""The same jobs for every policy, and an upper bound of what any of them could have reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pdors.engine import Outcome, simulate
from pdors.offline.bound import bound
from pdors.planner.pricing import PricesName
from pdors.planning import policy_maker
from pdors.policies.registry import policy_file
from pdors.studies.measures import Measures, measure
from pdors.studies.record import outcome_document, parse_outcome
from pdors.studies.runs import Backend, Result, Run, run_all
from pdors.studies.sources import Source


@dataclass(frozen=True)
class PolicyRun:
    """One policy on the jobs of one seed; `in_detail`: with all of its decisions."""

    source: Source
    policy: str
    seed: int
    prices: PricesName = "default"
    in_detail: bool = False

    @cached_property
    def code(self) -> bytes | None:
        """What stands in the file of a policy of the user's own: read once, it goes wherever the run is sent."""
        file = policy_file(self.policy)
        return None if file is None else file.read_bytes()

    @property
    def identity(self) -> str:
        code = "" if self.code is None else blake2b(self.code, digest_size=16).hexdigest()
        parts = (self.source.identity, self.policy, code, self.seed, self.prices, self.in_detail)
        return repr(parts)

    def __call__(self) -> Result:
        instance = self.source.instance(self.seed)
        with _at_hand(self.policy, self.code) as policy:
            make = policy_maker(instance, policy, prices=self.prices)
            outcome = simulate(instance, make, seed=self.seed, record_prices=self.in_detail)
        detail = {"outcome": outcome_document(outcome)} if self.in_detail else {}
        return {"measures": measure(outcome).document()} | detail


@dataclass(frozen=True)
class BoundRun:
    """The offline bound on the jobs of one seed."""

    source: Source
    seed: int
    time_limit: float

    @property
    def identity(self) -> str:
        jobs = (self.source.identity, self.seed if self.source.varies else None)
        return repr((*jobs, "bound", self.time_limit))

    def __call__(self) -> Result:
        found = bound(self.source.instance(self.seed), time_limit=self.time_limit)
        return {"bound": found.value, "gap": found.gap, "seconds": found.seconds}


@dataclass(frozen=True)
class Comparison:
    """`measures` of each policy by seed, `bounds` by seed (None: not asked for), `outcomes` of the first seed."""

    seeds: tuple[int, ...]
    measures: Mapping[str, tuple[Measures, ...]]
    bounds: tuple[float | None, ...]
    outcomes: Mapping[str, Outcome]

    def of_bound(self, policy: str) -> tuple[float | None, ...]:
        """Total utility as a share of the bound, by seed; None where there is none, or nothing to be had."""
        pairs = zip(self.measures[policy], self.bounds, strict=True)
        return tuple(found.total_utility / most if most else None for found, most in pairs)

    def document(self) -> dict[str, object]:
        return {
            "seeds": list(self.seeds),
            "bounds": list(self.bounds),
            "policies": {policy: [found.document() for found in made] for policy, made in self.measures.items()},
        }


def compare(
    source: Source,
    policies: Sequence[str],
    seeds: Sequence[int],
    *,
    backend: Backend,
    folder: Path,
    prices: PricesName = "default",
    bound_seconds: float | None = 60.0,
    in_detail: bool = False,
    fresh: bool = False,
    on_result: Callable[[], None] = lambda: None,
) -> Comparison:
    """`in_detail` keeps the outcomes of the first seed; without `bound_seconds` there is no bound."""
    # Bounds take longest: first, so that no process is left with one at the end.
    bounds: list[Run] = [] if bound_seconds is None else [BoundRun(source, seed, bound_seconds) for seed in seeds]
    runs: list[Run] = [
        PolicyRun(source, policy, seed, prices, in_detail and seed == seeds[0]) for policy in policies for seed in seeds
    ]
    results = run_all([*bounds, *runs], backend=backend, folder=folder, fresh=fresh, on_result=on_result)
    made = _by_policy(policies, results[len(bounds) :], len(seeds))
    first = source.instance(seeds[0])
    return Comparison(
        seeds=tuple(seeds),
        measures={policy: tuple(Measures(**result["measures"]) for result in made[policy]) for policy in policies},
        bounds=tuple(result["bound"] for result in results[: len(bounds)]) or (None,) * len(seeds),
        outcomes={policy: parse_outcome(made[policy][0]["outcome"], first) for policy in policies} if in_detail else {},
    )


def run_count(policies: Sequence[str], seeds: Sequence[int], bound_seconds: float | None) -> int:
    return (len(policies) + (bound_seconds is not None)) * len(seeds)


def mean_of(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def spread_of(values: Iterable[float | None]) -> float | None:
    """The standard deviation over seeds; None of a single one."""
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


@contextmanager
def _at_hand(policy: str, code: bytes | None) -> Iterator[str]:
    """The policy by a path that leads to this code: another machine need not have the file, nor the same one."""
    file = policy_file(policy)
    if file is None or code is None or (file.is_file() and file.read_bytes() == code):
        yield policy
        return
    with TemporaryDirectory(prefix="pdors-policy-") as folder:
        copy = Path(folder, file.name)
        copy.write_bytes(code)
        yield f"{copy}:{policy.rpartition(':')[2]}"


def _by_policy(policies: Sequence[str], results: Sequence[Result], seeds: int) -> dict[str, list[Result]]:
    return {policy: list(results[index * seeds : (index + 1) * seeds]) for index, policy in enumerate(policies)}
