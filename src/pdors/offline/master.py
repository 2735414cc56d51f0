"""The restricted master program: the best mix of the columns known so far, and the prices that it would pay.

maximise    sum over columns x[c] * worth[c]
subject to  sum x[c] * usage[c, k] <= 1    for each (group, slot, resource) k     dual: prices
            sum of x over a job's columns <= 1                                    dual: payoffs
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from pdors.offline.relaxation import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MasterAnswer:
    """Its value, which no better prices can bring the bound below, and its dual solution."""

    value: float
    prices: Floats
    payoffs: Floats


class Master:
    """`rows` capacities and `jobs` jobs; `scale` is about what the best job is worth."""

    def __init__(self, rows: int, jobs: int, scale: float) -> None:
        self._rows, self._scale = rows, scale
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no annotations
        for option, value in (("output_flag", False), ("parallel", "off")):
            self._highs.setOptionValue(option, value)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = 0, rows + jobs
        program.sense_ = highspy.ObjSense.kMaximize
        program.col_cost_ = program.col_lower_ = program.col_upper_ = np.empty(0)
        program.row_lower_, program.row_upper_ = np.full(rows + jobs, -np.inf), np.ones(rows + jobs)
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.zeros(1, dtype=np.int32)
        self._highs.passModel(program)

    def add(self, columns: Sequence[Column]) -> None:
        if not columns:
            return
        sizes = [len(column.row) + 1 for column in columns]
        self._highs.addCols(
            len(columns),
            np.array([column.worth / self._scale for column in columns]),
            np.zeros(len(columns)),
            np.full(len(columns), np.inf),
            sum(sizes),
            np.cumsum([0, *sizes[:-1]]).astype(np.int32),
            np.concatenate([np.append(column.row, self._rows + column.job) for column in columns]).astype(np.int32),
            np.concatenate([np.append(column.usage, 1.0) for column in columns]),
        )

    def solve(self, seconds: float) -> MasterAnswer | None:
        """None where the time does not suffice."""
        self._highs.setOptionValue("time_limit", max(seconds, 0.01))
        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        dual = np.abs(np.array(self._highs.getSolution().row_dual)) * self._scale
        value = self._highs.getInfo().objective_function_value * self._scale
        return MasterAnswer(value, dual[: self._rows], dual[self._rows :])
