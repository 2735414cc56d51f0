"""How roundings are counted."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.planner.slot_paper import ExternalProgram, PaperSlotSolver
from pdors.planner.tally import RoundingTally
from tests.support.slot_problems import slot_case


def test_by_hand() -> None:
    tally = RoundingTally()
    assert (tally.failed_questions, tally.failed_draws, tally.ratio_mean) == (None, None, None)
    tally.count(10, 4, 2.0, 3.0)  # 1.5 times
    tally.count(10, 0, 2.0, None)
    tally.count(10, 10, 4.0, 4.4)  # 1.1 times
    tally.count(10, 1, 0.0, 0.0)  # free: no ratio
    tally.count(10, 1, 5.0, None)  # feasible on one machine alone
    assert (tally.questions, tally.failures, tally.draws, tally.feasible_draws, tally.priced) == (5, 1, 50, 16, 2)
    assert tally.failed_questions == pytest.approx(0.2)
    assert tally.failed_draws == pytest.approx(0.68)
    assert tally.ratio_mean == pytest.approx(1.3)
    assert tally.ratio_most == pytest.approx(1.5)


@pytest.mark.parametrize("seed", range(12))
def test_the_solver_counts_every_question_that_the_linear_program_can_answer(seed: int) -> None:
    one = slot_case(seed, machines=5)
    program, asked = ExternalProgram(one.problem), 0
    for workers in np.flatnonzero(one.shape.apart > 0).tolist():
        if program.relax(workers, int(one.shape.servers[workers])) is None:
            break
        asked += 1
    solver = PaperSlotSolver(one.ledger.units, draws=7)
    failures = solver.curves(one.shape, one.prices, one.segments).failures
    tally = solver.tally
    assert (tally.questions, tally.draws, tally.failures) == (asked, 7 * asked, failures)
    assert tally.questions - tally.failures <= tally.feasible_draws <= 7 * (tally.questions - tally.failures)
    if tally.priced:
        # Rounding cannot beat the fractions that it rounds.
        assert 1 - 1e-6 <= tally.ratio_mean <= tally.ratio_most  # type: ignore[operator]
