"""One allocation of Dorm: a program says who may change and how many workers everybody gets, then they are placed.

1. the fair shares: the cluster dealt to the same jobs by dominant resource fairness
2. the program, with the cluster as one large machine
3. its numbers on machines (`dorm_placing`); as they fill machines worse than one large one, the other choices of who
   may change are tried too, each in exchange for one of those chosen
4. on a cluster so small that it is no effort the program with every machine in it

What is handed out keeps the rows: they are counted again with the tasks as they are placed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pdors.planner.shape import JobShape
from pdors.policies.dorm_placing import Board, nothing_placed, place
from pdors.policies.dorm_program import GAP, Flags, Floats, Integers, Limits, Member, Solution, Solver
from pdors.policies.drf_claims import Claims
from pdors.policies.drf_dealing import Dealt, deal_fairly, dominant_shares

ROUNDING = 1e-9
_SMALL = 24
"""Jobs times machines up to which the program has every machine in it."""
_NODES, _NODES_SMALL = 1000, 50
"""Where the search for a solution within the gap is given up for the best one that was found."""
_TRIED_CELLS = 1_000_000
"""Jobs times machines, times the choices that are tried."""


@dataclass(frozen=True)
class Thetas:
    """theta1 and theta2: the fairness that may be lost, and the running jobs that may be changed, as shares."""

    loss: float
    changes: float

    def limits(self, resources: int, running: int) -> Limits:
        return Limits(2 * resources * self.loss, math.ceil(self.changes * running - ROUNDING))


@dataclass(frozen=True, eq=False)
class Allocation:
    """Workers and servers per (member, machine), and the utilisation."""

    workers: Integers
    servers: Integers
    used: float


@dataclass(frozen=True, eq=False)
class Claimant:
    """A job that is to get some workers; what it has, workers and servers per machine, None if it does not run yet."""

    shape: JobShape
    held: tuple[Integers, Integers] | None


class Allocator:
    """Allocates one cluster."""

    def __init__(self, capacity: Floats, thetas: Thetas, solver: Solver) -> None:
        self._capacity, self._total = capacity, capacity.sum(axis=0)
        self._thetas, self._solver = thetas, solver

    def allocate(self, claimants: Sequence[Claimant]) -> Allocation | None:
        """Some workers for each of them; None: the rows cannot be kept."""
        case = _Case(claimants, self._capacity, self._thetas)
        solution = self._solver.solve(
            case.members, self._total[None], self._total, case.limits, whole=False, nodes=_NODES
        )
        if solution is None:
            return case.fairly_dealt()
        found = case.placed(solution)
        is_close = found is not None and found.used >= solution.bound * (1 - GAP)
        if not is_close and case.cells <= _SMALL and len(self._capacity) > 1:
            exact = self._solver.solve(
                case.members, self._capacity, self._total, case.limits, whole=True, nodes=_NODES_SMALL
            )
            found = _better(found, None if exact is None else case.as_solved(exact))
        return found or case.fairly_dealt()


class _Case:
    """Those who are to get workers, their fair shares, and what may be done."""

    def __init__(self, claimants: Sequence[Claimant], capacity: Floats, thetas: Thetas) -> None:
        total = capacity.sum(axis=0)
        claims = Claims.of([claimant.shape for claimant in claimants], [math.inf] * len(claimants))
        self._dealt: Dealt = deal_fairly(capacity.copy(), total, claims)
        dealt = self._dealt.workers.sum(axis=1)
        held = np.zeros((2, len(claimants), len(capacity)), dtype=np.int64)
        for index, claimant in enumerate(claimants):
            if claimant.held is not None:
                held[:, index] = claimant.held
        self.members = [
            Member(claimant.shape, workers, claimant.held)
            for claimant, workers in zip(claimants, dealt.tolist(), strict=True)
        ]
        self._runs: Flags = held[0].any(axis=1)
        self.limits = thetas.limits(len(total), int(self._runs.sum()))
        fair = dominant_shares(claims, dealt, total)
        self._board = Board(claims, capacity, total, held[0], held[1], fair, self.limits.loss)

    @property
    def cells(self) -> int:
        """Jobs times machines."""
        return self._board.held_workers.size

    def placed(self, solution: Solution) -> Allocation | None:
        """The numbers of the solution on machines, or those of a like choice of who may change if that uses more."""
        wanted = solution.workers.sum(axis=1)
        moving = ~solution.kept
        best = self._place(wanted, moving)
        trials = _TRIED_CELLS // self.cells
        for job in np.flatnonzero(solution.kept).tolist():
            for trial in self._with_another(moving, job):
                if trials == 0:
                    return best
                trials -= 1
                found = self._place(wanted, trial)
                if _better(best, found) is not best:
                    best, moving = found, trial
                    break
        return best

    def as_solved(self, solution: Solution) -> Allocation | None:
        """The very placement of the solution, or a closer one of the same numbers; None where rounding has failed."""
        board, workers, servers = self._board, solution.workers, solution.servers
        claims, counts = board.claims, workers.sum(axis=1)
        points = claims.first + counts
        together = np.count_nonzero(workers + servers, axis=1) == 1
        trains = np.where(together, claims.together[points], claims.apart[points]) > 0
        loss = np.abs(dominant_shares(claims, counts, board.total) - board.fair).sum()
        taken = np.tensordot(workers, claims.worker, (0, 0)) + np.tensordot(servers, claims.server, (0, 0))
        is_sound = (
            trains.all()
            and (servers.sum(axis=1) == claims.servers[points]).all()
            and loss <= self.limits.loss + ROUNDING
            and (taken <= board.capacity).all()
        )
        solved = Allocation(workers, servers, self._utilisation(taken)) if is_sound else None
        closer = self._place(counts, ~solution.kept)
        return closer if closer is not None and (solved is None or closer.used >= solved.used - ROUNDING) else solved

    def fairly_dealt(self) -> Allocation | None:
        """The fair shares themselves, if everybody has one and nobody, or not too many, had something else."""
        workers, servers = self._dealt.workers, self._dealt.servers
        if not workers.any(axis=1).all() or int(self._runs.sum()) > self.limits.changes:
            return None
        claims = self._board.claims
        taken = np.tensordot(workers, claims.worker, (0, 0)) + np.tensordot(servers, claims.server, (0, 0))
        return Allocation(workers, servers, self._utilisation(taken))

    def _place(self, wanted: Integers, moving: Flags) -> Allocation | None:
        placing = nothing_placed(self._board)
        used = place(self._board, wanted, moving, placing)
        return Allocation(placing.workers, placing.servers, used) if used >= 0 else None

    def _with_another(self, moving: Flags, job: int) -> Iterator[Flags]:
        """Ways to let this job change as well: beside the others if that is allowed, in exchange for each of them."""
        changed = np.flatnonzero(moving & self._runs).tolist()
        if len(changed) < self.limits.changes:
            yield _flipped(moving, job)
        for other in changed:
            yield _flipped(moving, job, other)

    def _utilisation(self, taken: Floats) -> float:
        total = self._board.total
        return float((taken.sum(axis=0)[total > 0] / total[total > 0]).sum())


def _flipped(flags: Flags, *at: int) -> Flags:
    flipped = flags.copy()
    flipped[list(at)] ^= True
    return flipped


def _better(first: Allocation | None, second: Allocation | None) -> Allocation | None:
    if first is None or second is None:
        return first or second
    return second if second.used > first.used + ROUNDING else first
