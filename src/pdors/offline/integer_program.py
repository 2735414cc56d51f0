"""A mixed integer program that grows between its solutions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from pdors.errors import SolverError

Floats = NDArray[np.float64]
Terms = Iterable[tuple[int, float]]
"""Columns with their factors."""

_GAP = 1e-7
TOLERANCE = 1e-9
"""How far a row, or a whole number, may be missed."""


@dataclass(frozen=True, eq=False)
class Solution:
    """`values` of the columns, None where none is known; `bound` on the objective; nothing at all: `infeasible`."""

    values: Floats | None
    bound: float
    infeasible: bool = False


class IntegerProgram:
    """Maximises the sum of the columns' worth."""

    def __init__(self) -> None:
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]  # its constructor has no annotations
        for option, value in (
            ("output_flag", False),
            ("parallel", "off"),
            ("mip_rel_gap", _GAP),
            ("mip_abs_gap", TOLERANCE),
            ("mip_feasibility_tolerance", TOLERANCE),
            ("primal_feasibility_tolerance", TOLERANCE),
        ):
            self._highs.setOptionValue(option, value)
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def column(self, low: float, high: float, *, worth: float = 0.0, whole: bool = True) -> int:
        index: int = self._highs.getNumCol()
        self._highs.addCol(worth, low, high, 0, np.empty(0, dtype=np.int32), np.empty(0))
        if whole:
            self._highs.changeColIntegrality(index, highspy.HighsVarType.kInteger)
        return index

    def row(self, terms: Terms, low: float = -np.inf, high: float = np.inf) -> int:
        """low <= sum of the terms <= high; terms of the same column add up."""
        summed: dict[int, float] = {}
        for column, factor in terms:
            summed[column] = summed.get(column, 0.0) + factor
        used = {column: factor for column, factor in summed.items() if factor}
        index: int = self._highs.getNumRow()
        columns = np.array(list(used), dtype=np.int32)
        self._highs.addRow(low, high, len(used), columns, np.array(list(used.values()), dtype=np.float64))
        return index

    def set_whole(self, column: int, *, whole: bool) -> None:
        kind = highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
        self._highs.changeColIntegrality(column, kind)

    def change(self, index: int, column: int, factor: float) -> None:
        self._highs.changeCoeff(index, column, factor)

    def limit(self, row: int, high: float) -> None:
        self._highs.changeRowBounds(row, -np.inf, high)

    def start_from(self, values: Mapping[int, float]) -> None:
        """A solution to begin with; what is left out of it is filled in."""
        columns = np.array(list(values), dtype=np.int32)
        self._highs.setSolution(len(values), columns, np.array(list(values.values()), dtype=np.float64))

    def solve(self, seconds: float) -> Solution:
        self._highs.setOptionValue("time_limit", max(seconds, 0.01))
        self._highs.run()
        status, info = self._highs.getModelStatus(), self._highs.getInfo()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return Solution(None, -np.inf, infeasible=True)
        if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit):
            raise SolverError(f"an integer program ended with: {self._highs.modelStatusToString(status)}")
        known = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        bound = info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else np.inf
        return Solution(np.array(self._highs.getSolution().col_value) if known else None, float(bound))
