"""A cluster of nodes with GPUs, for traces whose jobs ask for GPUs alone."""

from __future__ import annotations

from dataclasses import dataclass

from pdors.errors import ModelError
from pdors.model.cluster import Cluster, MachineGroup

_MOST_NODES = 10**6
"""What documents take for a cluster."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """`count` nodes of `gpus` GPUs each."""

    count: int
    gpus: int

    def __post_init__(self) -> None:
        for name, value, most in (("nodes", self.count, _MOST_NODES), ("GPUs per node", self.gpus, 2**31 - 1)):
            if not 1 <= value <= most:
                raise ModelError(f"{name}: got {value}, expected 1 to {most}")

    @property
    def cluster(self) -> Cluster:
        return Cluster(("gpu",), (MachineGroup("node", (float(self.gpus),), self.count),))
