"""Algorithm 4 as printed: the internal case by a scan of the machines, the external one by LP and randomised rounding.

For every number of workers W, with S its servers:

    internal   the machine where W workers and S servers are cheapest; steps 2 to 7
    external   min { sum_h p_w w_h + p_s s_h : sum w >= W, sum s >= S, alpha w_h + beta s_h <= C^_h } as a linear
               program, its solution scaled by G and rounded at random `draws` times; steps 8 to 11

A machine has a variable for each kind of task of which it can hold one. A draw counts if no machine is overfull and
both sums are reached. What it holds beyond W and S is dropped, the dearest first: more workers are a question of
their own, and no more than F remain. The cheapest draw is kept. A draw on a single machine is the internal case, which
the scan has answered for no more, so only draws on several machines become points of their own.

The random numbers of a question depend on the seed, the job, the first slot of the segment and W alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from pdors.errors import SolverError
from pdors.model.ledger import Segments
from pdors.model.schedule import Placement
from pdors.model.units import Units
from pdors.planner.prices import PriceBounds
from pdors.planner.rounding import Gain, round_randomly
from pdors.planner.shape import JobShape
from pdors.planner.slot import Curves, PlacedSlot, SlotProblem
from pdors.planner.slot_dense import dense_problem
from pdors.planner.streams import stream_of
from pdors.planner.tally import RoundingTally
from pdors.planner.task_room import TaskRoom

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_WIDEST_PRICES = 1e7
"""Dearest price over the cheapest that the linear program is shown: beyond it the solver's tolerances blur the rest."""
_IN_USE = 1e-6


@dataclass(frozen=True, eq=False)
class Relaxation:
    """An optimum of the linear program: fractions of tasks per machine, and their price."""

    workers: Floats
    servers: Floats
    cost: float


class ExternalProgram:
    """The linear program of one slot; to be asked for rising counts, each solution starts from the one before."""

    def __init__(self, problem: SlotProblem) -> None:
        self._problem = problem
        self.room = TaskRoom.of(problem.free, problem.worker, problem.server)
        self._worker_at, self._server_at, self._most = self.room.worker_at, self.room.server_at, self.room.most
        self._price = np.concatenate([problem.worker_price[self._worker_at], problem.server_price[self._server_at]])
        self._reference = self._price[self._price > 0].min(initial=np.inf)
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no annotations
        for option, value in (("output_flag", False), ("presolve", "off"), ("parallel", "off")):
            self._highs.setOptionValue(option, value)
        self._highs.passModel(self._model())

    def relax(self, workers: int, servers: int) -> Relaxation | None:
        """The cheapest fractions for so many workers and servers at least; None if there is no room for them."""
        if (workers and not len(self._worker_at)) or (servers and not len(self._server_at)):
            return None
        self._highs.changeRowBounds(0, workers, highspy.kHighsInf)
        self._highs.changeRowBounds(1, servers, highspy.kHighsInf)
        while True:
            self._highs.run()
            status = self._highs.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                return None
            if status != highspy.HighsModelStatus.kOptimal:
                raise SolverError(f"the linear program of a slot ended with: {self._highs.modelStatusToString(status)}")
            tasks = np.maximum(np.array(self._highs.getSolution().col_value), 0.0)
            blurred = self._price > _WIDEST_PRICES * self._reference
            if not (blurred & (tasks > _IN_USE)).any():
                return self._relaxation(tasks)
            # Dear machines are needed: their prices must be told apart now, and the cheap ones are as good as free.
            self._reference = self._price[blurred].min()
            self._highs.changeColsCost(len(tasks), np.arange(len(tasks), dtype=np.int32), self._shown_prices())

    def _relaxation(self, tasks: Floats) -> Relaxation:
        workers, servers = np.zeros(len(self._problem.free)), np.zeros(len(self._problem.free))
        workers[self._worker_at] = tasks[: len(self._worker_at)]
        servers[self._server_at] = tasks[len(self._worker_at) :]
        return Relaxation(workers, servers, float(tasks @ self._price))

    def _shown_prices(self) -> Floats:
        shown: Floats = np.minimum(self._price / self._reference, _WIDEST_PRICES)
        return shown

    def _model(self) -> highspy.HighsLp:
        """Rows: the workers, the servers, then each resource of each machine that both kinds of task compete for."""
        problem, columns = self._problem, len(self._most)
        both, at_worker, at_server = np.intersect1d(self._worker_at, self._server_at, return_indices=True)
        shared = np.flatnonzero((problem.worker > 0) & (problem.server > 0))
        scale = np.maximum(problem.worker, problem.server)[shared]
        shares = np.column_stack([problem.worker[shared] / scale, problem.server[shared] / scale])
        pairs = np.column_stack([at_worker, len(self._worker_at) + at_server])

        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, 2 + len(both) * len(shared)
        model.col_cost_, model.col_lower_, model.col_upper_ = self._shown_prices(), np.zeros(columns), self._most
        free = (problem.free[np.ix_(both, shared)] / scale).ravel()
        model.row_lower_ = np.concatenate([[0.0, 0.0], np.full(len(free), -np.inf)])
        model.row_upper_ = np.concatenate([[np.inf, np.inf], free])
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.concatenate([[0, len(self._worker_at)], columns + 2 * np.arange(len(free) + 1)])
        model.a_matrix_.index_ = np.concatenate([np.arange(columns), np.repeat(pairs, len(shared), axis=0).ravel()])
        model.a_matrix_.value_ = np.concatenate([np.ones(columns), np.tile(shares.ravel(), len(both))])
        return model


@dataclass(frozen=True, eq=False)
class Draws:
    """The feasible ones of `asked` draws, without surplus: tasks per (draw, machine of `machines`) and prices."""

    asked: int
    machines: Integers
    workers: Integers
    servers: Integers
    cost: Floats

    @property
    def spread(self) -> NDArray[np.bool_]:
        """Whether a draw lies on two machines or more."""
        machines: Integers = np.count_nonzero(self.workers + self.servers, axis=1)
        return machines > 1

    def placement(self, draw: int) -> Placement:
        columns = (self.machines, self.workers[draw], self.servers[draw])
        return Placement.of(zip(*(column.tolist() for column in columns), strict=True))


def draw_placements(
    problem: SlotProblem, relaxation: Relaxation, workers: int, servers: int, gain: float, draws: int,
    rng: np.random.Generator,
) -> Draws:  # fmt: skip
    """Steps 9 to 11: scale by `gain`, round `draws` times, keep what is feasible."""
    machines = np.flatnonzero(relaxation.workers + relaxation.servers)
    scaled = gain * np.concatenate([relaxation.workers[machines], relaxation.servers[machines]])
    w, s = np.split(round_randomly(scaled, draws, rng), 2, axis=1)
    feasible = (w.sum(axis=1) >= workers) & (s.sum(axis=1) >= servers)
    for resource, free in enumerate(problem.free[machines].T):
        feasible &= (w * problem.worker[resource] + s * problem.server[resource] <= free).all(axis=1)
    worker_price, server_price = problem.worker_price[machines], problem.server_price[machines]
    w, s = _cheapest(w[feasible], worker_price, workers), _cheapest(s[feasible], server_price, servers)
    return Draws(draws, machines, w, s, w @ worker_price + s @ server_price)


class PaperSlotSolver:
    """`SlotSolver` for one cluster; `gain` is the G of step 9, a number or by the program, `draws` the S of step 1.

    `tally` counts the external cases that were priced, one per slot and W, and those without a feasible draw.
    """

    def __init__(self, units: Units, *, gain: float | Gain = 1.0, draws: int = 50, seed: int = 0) -> None:
        self._units = units
        self._gain = gain
        self._draws = draws
        self._seed = seed
        self.tally = RoundingTally()

    def curves(
        self,
        shape: JobShape,
        prices: PriceBounds,
        segments: Segments,
        most_per_sample: float = np.inf,
        *,
        thorough: bool = True,  # noqa: ARG002 - every number of workers is asked about once
    ) -> Curves:
        curves = Curves.empty()
        for segment in range(len(segments)):
            problem = dense_problem(shape, prices, segments, segment, self._units)
            if _least_per_sample(problem, shape) < most_per_sample:
                curve = self._curve(shape, problem, int(segments.starts[segment]))
            else:
                curve = _curve_of(shape, np.full_like(shape.together, np.inf), np.full_like(shape.apart, np.inf), 0)
            curves = curves.followed_by(curve)
        return curves

    def place(
        self, shape: JobShape, prices: PriceBounds, segments: Segments, segment: int, workers: int, *, together: bool
    ) -> PlacedSlot | None:
        """The very placement that `curves` has priced."""
        problem = dense_problem(shape, prices, segments, segment, self._units)
        servers = int(shape.servers[workers])
        if together:
            costs = _costs_on_one_machine(problem, np.array([workers]), np.array([servers]))[0]
            machine = int(np.argmin(costs))
            if not np.isfinite(costs[machine]):
                return None
            return PlacedSlot(Placement.of([(machine, workers, servers)]), float(costs[machine]))
        program = ExternalProgram(problem)
        for count, relaxation in _relaxations(program, shape, workers):
            if count == workers:
                draws = self._draw(shape, problem, program, relaxation, workers, int(segments.starts[segment]))
                best = _best_spread(draws)
                return None if best is None else PlacedSlot(draws.placement(best), float(draws.cost[best]))
        return None

    def _curve(self, shape: JobShape, problem: SlotProblem, slot: int) -> Curves:
        together, apart = np.full_like(shape.together, np.inf), np.full_like(shape.apart, np.inf)
        counts = np.flatnonzero(shape.together > 0)
        together[counts] = _costs_on_one_machine(problem, counts, shape.servers[counts]).min(axis=1)
        program = ExternalProgram(problem)
        failures = 0
        for workers, relaxation in _relaxations(program, shape, shape.max_workers):
            draws = self._draw(shape, problem, program, relaxation, workers, slot)
            failures += not len(draws.cost)
            best = _best_spread(draws)
            if best is not None:
                apart[workers] = draws.cost[best]
            self.tally.count(
                draws.asked, len(draws.cost), relaxation.cost, None if best is None else float(draws.cost[best])
            )
        return _curve_of(shape, together, apart, failures)

    def _draw(
        self, shape: JobShape, problem: SlotProblem, program: ExternalProgram, relaxation: Relaxation, workers: int,
        slot: int,
    ) -> Draws:  # fmt: skip
        servers = int(shape.servers[workers])
        gain = self._gain
        if callable(gain):
            gain = gain(program.room.sizes(workers, servers, shape.job.batch))
        rng = stream_of(self._seed, shape.job.id, slot, workers)
        return draw_placements(problem, relaxation, workers, servers, gain, self._draws, rng)


def _cheapest(tasks: Integers, price: Floats, wanted: int) -> Integers:
    """Of each row of tasks the `wanted` cheapest."""
    order = np.argsort(price, kind="stable")
    kept = np.empty_like(tasks)
    kept[:, order] = np.diff(np.minimum(tasks[:, order].cumsum(axis=1), wanted), prepend=0, axis=1)
    return kept


def _best_spread(draws: Draws) -> int | None:
    spread = np.flatnonzero(draws.spread)
    return int(spread[np.argmin(draws.cost[spread])]) if len(spread) else None


def _relaxations(program: ExternalProgram, shape: JobShape, most: int) -> Iterator[tuple[int, Relaxation]]:
    """Step 8 for every W up to `most`; always from the first on, for a solution depends on those before it."""
    for workers in np.flatnonzero(shape.apart[: most + 1] > 0).tolist():
        relaxation = program.relax(workers, int(shape.servers[workers]))
        if relaxation is None:
            return
        yield workers, relaxation


def _costs_on_one_machine(problem: SlotProblem, workers: Integers, servers: Integers) -> Floats:
    """Cost per (count, machine) of everything on that machine, infinite where it does not fit."""
    fits = np.ones((len(workers), len(problem.free)), dtype=np.bool_)
    for resource, free in enumerate(problem.free.T):
        fits &= (workers * problem.worker[resource] + servers * problem.server[resource])[:, None] <= free
    cost = np.outer(workers, problem.worker_price) + np.outer(servers, problem.server_price)
    return np.where(fits, cost, np.inf)


def _least_per_sample(problem: SlotProblem, shape: JobShape) -> float:
    """Less than any sample can cost: every task at the lowest price of all machines."""
    counts = np.arange(shape.max_workers + 1)
    cost = counts * problem.worker_price.min() + shape.servers * problem.server_price.min()
    samples = np.maximum(shape.together, shape.apart)
    trains = samples > 0
    return float((cost[trains] / samples[trains]).min(initial=np.inf))


def _curve_of(shape: JobShape, together: Floats, apart: Floats, failures: int) -> Curves:
    """Step 12 for all W at once: the curve of one segment from the cost of every W."""
    counts = np.arange(shape.max_workers + 1)
    cost = np.concatenate([together, apart])
    samples = np.concatenate([shape.together, shape.apart])
    order = np.lexsort((cost, -samples))
    best_of_larger = np.minimum.accumulate(np.concatenate([[np.inf], cost[order][:-1]]))
    kept = order[(cost[order] < best_of_larger) & (samples[order] > 0)][::-1]
    return Curves(
        offsets=np.array([0, len(kept)]),
        workers=np.tile(counts, 2)[kept],
        together=np.repeat([True, False], len(counts))[kept],
        samples=samples[kept],
        cost=cost[kept],
        failures=failures,
    )
