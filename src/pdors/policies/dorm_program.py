"""Dorm's integer program: how many containers of each kind every job gets, on every site.

A site is a machine, or the whole cluster as if it were one large machine. Over jobs i, sites h and resources r:

    maximise    sum_i,h,r (w_ih alpha_ir + s_ih beta_ir) / C_r, the utilisation
    capacity    sum_i w_ih alpha_ir + s_ih beta_ir <= C_hr
    counts      n_min <= sum_h w_ih <= n_max, or one of the numbers of a table
    servers     sum_h s_ih >= 1, and 0 <= sum_h s_ih - sum_h w_ih / gamma_i <= c_i
    fairness    sum_i loss_i <= 2 m theta1;  loss_i >= |share_i - fair_i|
    adjustment  sum_i r_i <= ceil(theta2 * jobs that run);  where r_i = 0, w_ih and s_ih are what they were

    C_r     resource r of the whole cluster                              -> total
    alpha   demand of a worker, beta of a server                         -> shape.worker, shape.server
    share   max over r of sum_h (w_ih alpha_ir + s_ih beta_ir) / C_r, the dominant share
    fair    the share under dominant resource fairness                   -> fair, of so many workers
    m       the number of resources
    c_i     max over W of ceil(W / gamma_i) - W / gamma_i

As c_i < 1, whole numbers w and s obey S = max(1, ceil(W / gamma)). Below its fair share a job is measured by one
resource, the dominant one of the fair share: the true loss is at most what the program counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import highspy
import numpy as np
from numpy.typing import NDArray

from pdors.errors import SolverError
from pdors.model.speed import ParameterServerSpeed
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

GAP = 0.01
"""The relative gap at which a solution is good enough."""
_ROUNDING = 1e-6
_HALF = 0.5


@dataclass(frozen=True, eq=False)
class Member:
    """A job that is to get some number of workers out of those for which its shape has a rate.

    `fair` are its workers under dominant resource fairness; `held` what it has, workers and servers per machine, None
    if it does not run yet.
    """

    shape: JobShape
    fair: int
    held: tuple[Integers, Integers] | None

    @property
    def counts(self) -> Integers:
        return np.flatnonzero(self.shape.together + self.shape.apart)


@dataclass(frozen=True)
class Limits:
    """The right sides of the fairness and of the adjustment row."""

    loss: float
    changes: int


@dataclass(frozen=True, eq=False)
class Solution:
    """Workers and servers per (member, site), who of the members that run keeps what it has, and the best possible."""

    workers: Integers
    servers: Integers
    kept: Flags
    bound: float


@dataclass
class Solver:
    """HiGHS within its limits, and what it met so far."""

    time_limit: float
    solved: int = 0
    out_of_time: int = 0
    _highs: highspy.Highs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no annotations
        options = ("output_flag", False), ("parallel", "off"), ("mip_rel_gap", GAP), ("time_limit", self.time_limit)
        for option, value in options:
            self._highs.setOptionValue(option, value)

    def solve(
        self, members: Sequence[Member], sites: Floats, total: Floats, limits: Limits, *, whole: bool, nodes: int
    ) -> Solution | None:
        """`sites` is the capacity of each (sites, resources). None: nothing was found, as a rule for there is nothing.

        Without `whole` the counts may be fractions (rounded down in the answer), but for those of tables.
        """
        program = _Program(members, sites, total, limits, whole=whole)
        highs, status = self._highs, highspy.HighsModelStatus
        highs.setOptionValue("mip_max_nodes", nodes)
        highs.passModel(program.model())
        highs.run()
        self.solved += 1
        ended = highs.getModelStatus()
        self.out_of_time += ended == status.kTimeLimit
        if ended not in {status.kOptimal, status.kInfeasible, status.kTimeLimit, status.kSolutionLimit}:
            raise SolverError(f"the program of Dorm ended with: {highs.modelStatusToString(ended)}")
        info = highs.getInfo()
        if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        bound = info.mip_dual_bound if program.has_integers else info.objective_function_value
        return program.solution(np.array(highs.getSolution().col_value), float(bound))


class _Program:
    """Columns and rows as they are added; those of a member's workers lie side by side, site by site, as do servers."""

    def __init__(self, members: Sequence[Member], sites: Floats, total: Floats, limits: Limits, *, whole: bool) -> None:
        self._members, self._sites, self._whole = members, range(len(sites)), whole
        used = total > 0
        self._total, self._capacity = total[used], sites[:, used]
        self._cost: list[float] = []
        self._upper: list[float] = []
        self._integral: list[bool] = []
        self._rows: list[tuple[float, float, list[int], list[float]]] = []
        self._worker = [member.shape.worker[used] / self._total for member in members]
        self._server = [member.shape.server[used] / self._total for member in members]
        self._workers_at = [
            self._add_tasks(demand, len(member.shape.servers) - 1)
            for member, demand in zip(members, self._worker, strict=True)
        ]
        self._servers_at = [
            self._add_tasks(demand, int(member.shape.servers.max())) if member.shape.servers.any() else []
            for member, demand in zip(members, self._server, strict=True)
        ]
        self._changed_at = [None if member.held is None else self._add_column(0.0, 1.0) for member in members]
        self._add_capacity()
        for index, member in enumerate(members):
            self._add_counts(index, member)
        losses = [self._add_loss(index, member) for index, member in enumerate(members)]
        self._add_row(-math.inf, limits.loss, [(losses, 1.0)])
        changed = [column for column in self._changed_at if column is not None]
        if changed:
            self._add_row(-math.inf, limits.changes, [(changed, 1.0)])

    @property
    def has_integers(self) -> bool:
        return any(self._integral)

    def model(self) -> highspy.HighsLp:
        model = highspy.HighsLp()
        columns = len(self._cost)
        model.num_col_, model.num_row_ = columns, len(self._rows)
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_cost_, model.col_lower_, model.col_upper_ = self._cost, [0.0] * columns, self._upper
        kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        model.integrality_ = [kinds[integral] for integral in self._integral]
        lower, upper, index, value = zip(*self._rows, strict=True)
        model.row_lower_, model.row_upper_ = list(lower), list(upper)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.cumsum([0, *map(len, index)])
        model.a_matrix_.index_ = np.concatenate(index)
        model.a_matrix_.value_ = np.concatenate(value)
        return model

    def solution(self, values: Floats, bound: float) -> Solution:
        counts = np.floor(values + (_HALF if self._whole else _ROUNDING)).astype(np.int64)
        workers = np.array([counts[columns] for columns in self._workers_at])
        servers = np.array([counts[columns] if columns else 0 * workers[0] for columns in self._servers_at])
        kept = [column is not None and values[column] < _HALF for column in self._changed_at]
        return Solution(workers, servers, np.array(kept, dtype=np.bool_), bound)

    def _add_column(self, cost: float, upper: float, *, integral: bool = True) -> int:
        self._cost.append(cost)
        self._upper.append(upper)
        self._integral.append(integral)
        return len(self._cost) - 1

    def _add_row(self, lower: float, upper: float, terms: Sequence[tuple[list[int], float]]) -> None:
        """Each term is a sum of columns, times a number."""
        kept = [(columns, factor) for columns, factor in terms if factor]
        index = [column for columns, _ in kept for column in columns]
        value = [factor for columns, factor in kept for _ in columns]
        if index:
            self._rows.append((lower, upper, index, value))

    def _add_tasks(self, demand: Floats, most: int) -> list[int]:
        """A column per site for one kind of container of one member."""
        needed = demand > 0
        room = (self._capacity[:, needed] / self._total[needed] / demand[needed]).min(axis=1, initial=most)
        cost = float(demand.sum())
        return [self._add_column(cost, upper, integral=self._whole) for upper in np.floor(room + _ROUNDING).tolist()]

    def _add_capacity(self) -> None:
        for site in self._sites:
            for resource, capacity in enumerate((self._capacity[site] / self._total).tolist()):
                if capacity == 0:  # what needs it has no room there already
                    continue
                terms = [
                    (columns[site : site + 1], float(demand[resource] / capacity))
                    for all_columns, demands in ((self._workers_at, self._worker), (self._servers_at, self._server))
                    for columns, demand in zip(all_columns, demands, strict=True)
                ]
                self._add_row(-math.inf, 1.0, terms)

    def _add_counts(self, index: int, member: Member) -> None:
        workers, servers, counts = self._workers_at[index], self._servers_at[index], member.counts.tolist()
        if counts[-1] - counts[0] == len(counts) - 1:
            self._add_row(counts[0], counts[-1], [(workers, 1.0)])
        else:
            chosen = [self._add_column(0.0, 1.0) for _ in counts]
            self._add_row(1.0, 1.0, [(chosen, 1.0)])
            of_chosen = [([column], -count) for column, count in zip(chosen, counts, strict=True)]
            self._add_row(0.0, 0.0, [(workers, 1.0), *of_chosen])
        if servers:
            part = _servers_per_worker(member.shape)
            above = float((member.shape.servers[counts] - part * member.counts).max())
            self._add_row(0.0, above, [(servers, 1.0), (workers, -part)])
            self._add_row(1.0, math.inf, [(servers, 1.0)])
        changed = self._changed_at[index]
        if member.held is not None and changed is not None:
            for columns, tasks in zip((workers, servers), member.held, strict=True):
                of_sites = tasks.tolist() if len(self._sites) > 1 else [int(tasks.sum())]
                for column, before in zip(columns, of_sites, strict=False):
                    self._add_row(-math.inf, before, [([column], 1.0), ([changed], before - self._upper[column])])
                    if before:
                        self._add_row(before, math.inf, [([column], 1.0), ([changed], before)])

    def _add_loss(self, index: int, member: Member) -> int:
        """The rows of a member's fairness; the column of its loss."""
        workers, servers = self._workers_at[index], self._servers_at[index]
        loss = self._add_column(0.0, math.inf, integral=False)
        worker, server = self._worker[index], self._server[index]
        fair = member.fair * worker + member.shape.servers[member.fair] * server
        for resource in np.flatnonzero(worker + server).tolist():
            taken = [(workers, float(worker[resource])), (servers, float(server[resource]))]
            self._add_row(-math.inf, fair.max(), [*taken, ([loss], -1.0)])
            if resource == np.argmax(fair):
                self._add_row(fair.max(), math.inf, [*taken, ([loss], 1.0)])
        return loss


def _servers_per_worker(shape: JobShape) -> float:
    speed = shape.job.speed
    return 1 / speed.workers_per_server if isinstance(speed, ParameterServerSpeed) else 0.0
