"""Where a job's workers and servers sit, and when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from pdors.errors import ModelError
from pdors.model.job import Job


class Share(NamedTuple):
    """What one job has on one machine (by number) in a slot."""

    machine: int
    workers: int
    servers: int


@dataclass(frozen=True, slots=True)
class Placement:
    """One slot of one job: shares of different machines in order of the machine, none of them empty.

    `workers` and `servers` are those of all shares.
    """

    shares: tuple[Share, ...]
    workers: int = field(init=False, repr=False, compare=False)
    servers: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        before, all_workers, all_servers = -1, 0, 0
        for machine, workers, servers in self.shares:
            if machine <= before:
                raise ModelError(
                    "the shares of a placement must be in order of the machine, from 0 on, each machine once"
                )
            if workers < 0 or servers < 0 or workers + servers == 0:
                raise ModelError(f"a share must hold something: {Share(machine, workers, servers)}")
            before = machine
            all_workers += workers
            all_servers += servers
        object.__setattr__(self, "workers", all_workers)
        object.__setattr__(self, "servers", all_servers)

    @staticmethod
    def of(shares: Iterable[tuple[int, int, int]]) -> Placement:
        """From (machine, workers, servers) in any order; empty ones are left out."""
        held = sorted(share for share in shares if share[1] or share[2])
        return Placement(tuple(Share(*share) for share in held))

    @property
    def colocated(self) -> bool:
        """Fact 1: the internal rate holds if and only if everything sits on one machine."""
        return len(self.shares) == 1

    def trains_like(self, other: Placement) -> bool:
        """Whether any job trains the same here and there: all that counts is the same, whichever machines it is on."""
        return (
            self.workers == other.workers
            and self.servers == other.servers
            and (len(self.shares) == 1) is (len(other.shares) == 1)
        )

    def samples(self, job: Job, slot_seconds: float) -> float:
        """What this placement trains in one slot."""
        return job.samples_in_slot(self.workers, self.servers, slot_seconds, colocated=self.colocated)


NOTHING = Placement(())


@dataclass(frozen=True, slots=True)
class Run:
    """The same placement in the slots `start` .. `stop - 1`."""

    start: int
    stop: int
    placement: Placement

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop:
            raise ModelError(f"a run needs 0 <= start < stop, got {self.start}, {self.stop}")

    @property
    def slots(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Schedule:
    """All slots of one job, as runs in order of time that do not overlap."""

    runs: tuple[Run, ...]

    def __post_init__(self) -> None:
        for left, right in zip(self.runs, self.runs[1:], strict=False):
            if right.start < left.stop:
                raise ModelError("the runs of a schedule must be in order and must not overlap")

    @staticmethod
    def from_slots(slots: Iterable[tuple[int, Placement]]) -> Schedule:
        """From (slot, placement) in any order; consecutive slots with equal placements become one run."""
        ordered = sorted(((slot, placement) for slot, placement in slots if placement.shares), key=itemgetter(0))
        runs: list[Run] = []
        for slot, placement in ordered:
            if runs and runs[-1].stop == slot and runs[-1].placement == placement:
                runs[-1] = Run(runs[-1].start, slot + 1, placement)
            else:
                runs.append(Run(slot, slot + 1, placement))
        return Schedule(tuple(runs))

    def by_slot(self) -> Iterator[tuple[int, Placement]]:
        for run in self.runs:
            for slot in range(run.start, run.stop):
                yield slot, run.placement

    @property
    def completion(self) -> int:
        """The last slot with workers."""
        return max(run.stop for run in self.runs if run.placement.workers) - 1

    def samples(self, job: Job, slot_seconds: float) -> float:
        return sum(run.slots * run.placement.samples(job, slot_seconds) for run in self.runs)

    def worker_slots(self) -> int:
        return sum(run.slots * run.placement.workers for run in self.runs)
