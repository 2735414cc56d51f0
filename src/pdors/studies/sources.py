"""Where the jobs of a study come from: one given instance, or one generated for each seed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Protocol

import numpy as np

from pdors.files import instance_document
from pdors.model.job import Instance
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload


class Source(Protocol):
    @property
    def identity(self) -> str:
        """All that its instances depend on, but for the seed."""
        ...

    @property
    def varies(self) -> bool:
        """Whether every seed has jobs of its own."""
        ...

    def instance(self, seed: int) -> Instance: ...


@dataclass(frozen=True)
class Given:
    """The same jobs for every seed: only policies that draw differ from seed to seed."""

    posed: Instance
    varies = False

    @cached_property
    def identity(self) -> str:
        document = json.dumps(instance_document(self.posed)).encode()
        return f"given {blake2b(document, digest_size=16).hexdigest()}"

    def instance(self, seed: int) -> Instance:  # noqa: ARG002 - the same for every seed
        return self.posed


@dataclass(frozen=True)
class Generated:
    """The paper's synthetic jobs, other ones for each seed."""

    workload: PaperWorkload
    varies = True

    @property
    def identity(self) -> str:
        return f"generated {self.workload!r}"

    def instance(self, seed: int) -> Instance:
        return generate(self.workload, np.random.default_rng(seed))
