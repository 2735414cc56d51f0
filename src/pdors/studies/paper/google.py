"""Jobs of a Google trace as a source: other ones of its jobs for each seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np

from pdors.model.job import Instance
from pdors.traces import google
from pdors.traces.excerpt import Excerpt
from pdors.traces.filling import paper_machines
from pdors.traces.sources import find


@dataclass(frozen=True)
class GoogleTrace:
    """Parts of the trace, or folders of them."""

    paths: tuple[Path, ...]

    @cached_property
    def digest(self) -> str:
        whole = blake2b(digest_size=16)
        for found in find(self.paths):
            whole.update(found.path.read_bytes())
        return whole.hexdigest()

    def told(self) -> dict[str, object]:
        """Without folders, which differ from machine to machine."""
        return {"files": [path.name for path in self.paths], "digest": self.digest, "arrivals": "scaled"}


@dataclass(frozen=True)
class FromGoogle:
    """A sample of `jobs` jobs, their submissions scaled linearly into the horizon, on the paper's machines.

    A smaller sample of a seed is part of the larger one.
    """

    trace: GoogleTrace
    digest: str
    jobs: int
    machines: int
    slots: int
    slot_seconds: float
    varies = True

    @property
    def identity(self) -> str:
        return f"google {(self.digest, self.jobs, self.machines, self.slots, self.slot_seconds)!r}"

    def instance(self, seed: int) -> Instance:
        posed = _read(self.trace.paths, self.jobs, self.slots, self.slot_seconds, seed)
        return replace(posed, cluster=paper_machines(self.machines))


@lru_cache(maxsize=128)
def _read(paths: tuple[Path, ...], jobs: int, slots: int, slot_seconds: float, seed: int) -> Instance:
    """Reading takes longer than most policies: each process does so once for all of them, and for any machines."""
    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds)
    return google.read(paths, excerpt, np.random.default_rng(seed), machines=1).instance
