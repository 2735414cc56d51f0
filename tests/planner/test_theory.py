"""What the theorems say, by hand where G is a simple fraction, and held against draws where they say something."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.model.schedule import Placement, Run, Schedule
from pdors.planner.prices import FREE, PriceBounds
from pdors.planner.rounding import Sizes, cost_ratio, packing_violation, round_randomly
from pdors.planner.slot_paper import ExternalProgram, Relaxation
from pdors.planner.theory import (
    FavouredResources,
    FavouredWork,
    claimed_failure,
    competitive_ratio,
    cost_ratio_of_gain,
    delta_of_gain,
    epsilon_of,
    feasibility_right_hand_side,
    largest_step,
    least_meaningful_delta,
    log_initial_worth,
    log_price_ratio,
    log_step_epsilon,
)
from tests.support.instances import small_job
from tests.support.slot_problems import SlotCase, slot_case

Floats = NDArray[np.float64]

DELTA = 0.3
PACKING_WIDTH = 18 * math.log(10)
"""With r = 1 and delta = 0.3: q = 1.5 ln 10 / W_b = 1/12, so G = 1 / (1 + 1/12 + 5/12) = 2/3."""
COVER_WIDTH = 12 * math.log(10)
"""With m = 1 and delta = 0.3: q = ln 10 / W_a = 1/12, so G = 1 + 1/12 + 5/12 = 3/2."""
CASE_STUDY = Sizes(cover_rows=1, cover_width=30, packing_rows=401, packing_width=15)

deltas = st.floats(1e-6, 1)
some_sizes = st.builds(
    Sizes, st.integers(1, 2), st.integers(1, 200).map(float), st.integers(1, 2000), st.floats(1, 200)
)


def sizes(cover_width: float) -> Sizes:
    return Sizes(1, cover_width, 1, PACKING_WIDTH)


# One slot


def test_theorem_3_by_hand() -> None:
    # With W_a = 9: the cover rows reach (1 - sqrt(2 ln 10 / 6)) 2/3, and 3 / exp(2/3 * 9/2) = 3 / e^3.
    said = FavouredResources.of(sizes(9), DELTA)
    assert said.gain == pytest.approx(2 / 3)
    assert said.cost_ratio == pytest.approx(20 / 3)
    assert said.chance_overfull_claimed == pytest.approx(0.1)
    assert said.chance_overfull_proven == pytest.approx(0.1)
    assert said.chernoff_holds
    assert said.cover_reached == pytest.approx((1 - math.sqrt(math.log(10) / 3)) * 2 / 3)
    assert said.delta_from == pytest.approx(3 / math.e**3)
    assert said.cover_says_something


def test_theorem_3_where_it_says_nothing_by_hand() -> None:
    # The paper's W_b = 15 and r = 401 make G = 0.278, where Chernoff's bound is another one; W_a = 10 is too few.
    said = FavouredResources.of(replace(CASE_STUDY, cover_width=10), 0.1)
    assert said.gain == pytest.approx(0.27767, abs=1e-5)
    assert not said.chernoff_holds
    assert said.chance_overfull_proven == packing_violation(said.gain, 401, 15) == 1
    assert said.cover_reached < 0
    assert not said.cover_says_something
    assert said.delta_from == pytest.approx(3 * math.exp(-0.27767 * 5), rel=1e-4)


def test_theorem_4_by_hand() -> None:
    # e = sqrt(3 ln 10 / (3/2 * 18 ln 10)) = 1/3, so machines get (1 + 1/3) 3/2 = 2 times what they have.
    said = FavouredWork.of(sizes(COVER_WIDTH), DELTA)
    assert said.gain == pytest.approx(1.5)
    assert said.cost_ratio == pytest.approx(15)
    assert said.chance_short == pytest.approx(0.1)
    assert said.packing_reached == pytest.approx(2)


@given(some_sizes, deltas)
def test_one_gain_is_below_1_and_the_other_above(of: Sizes, delta: float) -> None:
    resources, work = FavouredResources.of(of, delta), FavouredWork.of(of, delta)
    assert resources.gain <= 1 <= work.gain
    assert resources.cost_ratio <= cost_ratio(1, delta) <= work.cost_ratio


@given(some_sizes, deltas, deltas)
def test_the_larger_delta_the_nearer_both_gains_are_to_1_and_the_smaller_the_ratios(
    of: Sizes, one: float, other: float
) -> None:
    low, high = sorted([one, other])
    assert FavouredResources.of(of, low).gain <= FavouredResources.of(of, high).gain
    assert FavouredWork.of(of, low).gain >= FavouredWork.of(of, high).gain
    for theorem in (FavouredResources, FavouredWork):
        assert theorem.of(of, low).cost_ratio >= theorem.of(of, high).cost_ratio * (1 - 1e-12)


@given(some_sizes, deltas)
def test_the_promise_on_the_work_is_empty_up_to_the_right_hand_side(of: Sizes, delta: float) -> None:
    said = FavouredResources.of(of, delta)
    assume(abs(said.delta_from / delta - 1) > 1e-9)
    assert said.cover_says_something == (delta > said.delta_from)


@given(some_sizes)
def test_no_promise_is_all_of_the_work_or_within_the_machines(of: Sizes) -> None:
    """So no draw that keeps its promises is a solution by them alone."""
    assert FavouredResources.of(of, 1.0).cover_reached < 1
    assert FavouredWork.of(of, 1.0).packing_reached > 1


# Which delta means something


def test_the_right_hand_side_by_hand() -> None:
    assert feasibility_right_hand_side(DELTA, sizes(9)) == pytest.approx(0.149361, abs=1e-6)
    assert feasibility_right_hand_side(DELTA, replace(sizes(9), cover_rows=2)) == pytest.approx(0.298722, abs=1e-6)


def test_the_least_meaningful_delta_by_hand() -> None:
    # At delta = 0.3, G = 2/3: the diagonal is met there if 3 / exp(W_a / 3) = 0.3, so for W_a = 3 ln 10.
    assert least_meaningful_delta(sizes(3 * math.log(10))) == pytest.approx(DELTA, rel=1e-9)


@given(some_sizes)
def test_the_right_hand_side_is_above_the_diagonal_up_to_the_least_delta_and_below_from_there(of: Sizes) -> None:
    least = least_meaningful_delta(of)
    ends = (1.0,) if least is None else (least,)
    for end in ends:
        for share in (0.01, 0.5, 0.999):
            delta = max(share * end, 1e-300)
            assert feasibility_right_hand_side(delta, of) >= delta
    if least is not None:
        for delta in np.linspace(least, 1, 7)[1:].tolist():
            assert feasibility_right_hand_side(delta, of) < delta


@given(some_sizes, st.floats(1.01, 5))
def test_the_larger_the_cover_width_the_smaller_a_delta_means_something(of: Sizes, factor: float) -> None:
    wider = replace(of, cover_width=of.cover_width * factor)
    assert feasibility_right_hand_side(0.1, wider) < feasibility_right_hand_side(0.1, of)
    least, with_wider = least_meaningful_delta(of), least_meaningful_delta(wider)
    if least is not None:
        assert with_wider is not None
        assert with_wider < least


def test_the_case_study_of_the_paper() -> None:
    """W_b = 15, r = 401, delta from 0.02 to 0.1: curves fall, and cross the diagonal further down the larger W_a."""
    grid = np.linspace(0.02, 0.1, 9).tolist()
    crossings = []
    for width in (20, 25, 30, 40):
        of = replace(CASE_STUDY, cover_width=width)
        curve = [feasibility_right_hand_side(delta, of) for delta in grid]
        assert curve == sorted(curve, reverse=True)
        least = least_meaningful_delta(of)
        assert least is not None
        crossings.append(least)
        assert [value < delta for value, delta in zip(curve, grid, strict=True)] == [least < delta for delta in grid]
    assert crossings == sorted(crossings, reverse=True)
    assert crossings[0] > grid[-1]
    assert crossings[-1] < grid[0]


# A G that was chosen


@given(some_sizes, deltas)
def test_the_delta_of_a_gain_is_the_one_that_made_it(of: Sizes, delta: float) -> None:
    for theorem in (FavouredResources, FavouredWork):
        said = theorem.of(of, delta)
        assume(abs(said.gain - 1) > 1e-3)
        assert delta_of_gain(said.gain, of) == pytest.approx(delta, rel=1e-6)
        if delta < 0.99:
            assert cost_ratio_of_gain(said.gain, of) == pytest.approx(said.cost_ratio, rel=1e-6)


def test_ratios_of_gains_by_hand() -> None:
    assert cost_ratio_of_gain(2 / 3, sizes(COVER_WIDTH)) == pytest.approx(20 / 3)
    assert cost_ratio_of_gain(3 / 2, sizes(COVER_WIDTH)) == pytest.approx(15)


def test_there_is_no_ratio_near_1() -> None:
    assert delta_of_gain(1, CASE_STUDY) == pytest.approx(3 * 401)
    assert [cost_ratio_of_gain(gain, CASE_STUDY) for gain in (0.4, 0.9, 1.0, 1.1)] == [None] * 4
    # The paper sweeps G from 0.2 to 1.2; only below 0.33 there is a delta up to 1 for it.
    by_theorem = [cost_ratio_of_gain(gain, CASE_STUDY) for gain in (0.2, 0.25, 0.3)]
    assert None not in by_theorem
    assert by_theorem == sorted(by_theorem, reverse=True)  # type: ignore[type-var]


def test_a_gain_too_small_for_floats_has_no_finite_ratio() -> None:
    assert cost_ratio_of_gain(1e-6, CASE_STUDY) == math.inf


# All jobs


def test_competitive_ratio_by_hand() -> None:
    assert competitive_ratio(0.5, 0.1, 10) == pytest.approx(300)


def test_epsilon_is_the_widest_of_the_prices_and_1_at_least() -> None:
    bounds = PriceBounds((-4.0, FREE, 1.0), (5.0, FREE, 3.0))
    assert log_price_ratio(bounds).tolist() == [9, 0, 2]
    assert epsilon_of(log_price_ratio(bounds)) == 9
    assert epsilon_of([0.2, 0]) == 1
    assert log_price_ratio(PriceBounds((FREE,), (2.0,))).tolist() == [math.inf]


def test_claimed_failure_by_hand() -> None:
    assert claimed_failure(0.5, 2, 3) == pytest.approx(1 - 0.75**3)
    assert claimed_failure(0.1 / 3, 50, 2e9) == pytest.approx(2e9 * (0.1 / 3) ** 50, rel=1e-6)
    assert claimed_failure(1 / 3, 5000, 2e9) == 0
    assert claimed_failure(1, 7, 2) == 1
    assert claimed_failure(1 / 3, 5000, math.inf) == 0


@given(st.floats(0.001, 1 / 3), st.integers(1, 60), st.floats(1, 1e10))
def test_the_more_draws_and_the_fewer_states_the_rarer_a_failure(chance: float, draws: int, states: float) -> None:
    found = claimed_failure(chance, draws, states)
    assert 0 <= found <= 1
    assert claimed_failure(chance, draws + 1, states) <= found <= claimed_failure(chance, draws, 2 * states)
    assert claimed_failure(chance / 2, draws, states) <= found


def test_initial_worth_by_hand() -> None:
    # 3 slots of 2 machines: 4 GPUs at e, 20 cores at 0.5; nobody pays for the rest, and nobody has the last.
    cluster = Cluster(("gpu", "cpu", "disk", "none"), (MachineGroup("m", (2, 10, 7, 0), 2),))
    bounds = PriceBounds((1.0, math.log(0.5), FREE, 0.0), (2.0, 2.0, FREE, 2.0))
    assert math.exp(log_initial_worth(bounds, cluster, 3)) == pytest.approx(3 * (4 * math.e + 10))
    assert log_initial_worth(PriceBounds.free(4), cluster, 3) == FREE


def test_epsilon_of_a_step_by_hand() -> None:
    # U/L = 4: half a machine doubles the price, so (2 - 1) / 0.5; all of it makes it four times as much.
    assert math.exp(log_step_epsilon(math.log(4), 0.5)) == pytest.approx(2)
    assert math.exp(log_step_epsilon(math.log(4), 1)) == pytest.approx(3)
    assert log_step_epsilon(600, 1) == pytest.approx(600)
    assert math.exp(log_step_epsilon(9, 1e-9)) == pytest.approx(9)


@given(st.floats(0.1, 600), st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_the_larger_the_step_the_larger_its_epsilon(slope: float, one: float, other: float) -> None:
    small, large = sorted([one, other])
    assert math.log(slope) - 1e-6 <= log_step_epsilon(slope, small) <= log_step_epsilon(slope, large) + 1e-9


@given(st.floats(0.1, 20), st.floats(0.001, 0.5), st.floats(0, 0.5))
def test_the_epsilon_of_a_step_is_that_of_definition_1(slope: float, share: float, load: float) -> None:
    """p (rho' - rho) = C (p' - p) / epsilon, whatever is committed before; C = 1 and L = 1."""
    before, after = math.exp(slope * load), math.exp(slope * (load + share))
    assert before * share == pytest.approx((after - before) / math.exp(log_step_epsilon(slope, share)), rel=1e-6)


def test_the_largest_step_by_hand() -> None:
    # Job a takes 3 of 4 GPUs on machine 1 in slot 2, job b a quarter of everything; nobody pays for cores.
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 8), 2),))
    a = small_job(id="a", worker=(1, 1), server=(1, 0))
    b = small_job(id="b", worker=(1, 8), server=(0, 0))
    schedules = (
        Schedule((Run(0, 2, Placement.of([(0, 1, 0)])), Run(2, 3, Placement.of([(1, 2, 1)])))),
        Schedule((Run(0, 1, Placement.of([(0, 1, 0)])),)),
    )
    answers = [
        (job, Admitted(job.id, schedule, 2, 1.0)) for job, schedule in zip((a, b), schedules, strict=True)
    ]  # fmt: skip
    step = largest_step(answers, cluster, np.array([2.0, 0.0]))
    assert step is not None
    assert (step.job, step.machine, step.resource, step.share) == ("a", 1, 0, 0.75)
    assert step.log_epsilon == log_step_epsilon(2.0, 0.75)
    by_cores = largest_step(answers, cluster, np.array([0.0, 1.0]))
    assert by_cores is not None
    assert (by_cores.job, by_cores.resource, by_cores.share) == ("b", 1, 1.0)
    assert largest_step(answers, cluster, np.zeros(2)) is None
    assert largest_step([], cluster, np.ones(2)) is None


# What is drawn

DRAWS = 20_000


def at_most(frequency: float, bound: float) -> bool:
    """Whether a probability of `bound` could show such a frequency: four deviations, so once in 30,000 tests."""
    return frequency <= bound + 4 * math.sqrt(bound * (1 - bound) / DRAWS)


def wide_program(seed: int, least: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Fractions x with A x = a, B x = b and costs c: (x, A, B, c). Both widths are `least` at least, so x is many."""
    rng = np.random.default_rng(seed)
    columns = int(rng.integers(300, 900))
    x = rng.uniform(0, rng.choice([0.4, 1.0, 2.0]), size=columns)
    cover, packing = (
        rng.choice([0.0, 0.5, 1.0], size=(int(rng.integers(1, 4)), columns), p=[0.2, 0.2, 0.6]) for _ in range(2)
    )
    assert min((cover @ x).min(), (packing @ x).min()) >= least
    return x, cover, packing, rng.uniform(0, 1, size=columns)


def sizes_of(x: Floats, cover: Floats, packing: Floats) -> Sizes:
    width_a, width_b = (float(((rows @ x) / rows.max(axis=1)).min()) for rows in (cover, packing))
    return Sizes(len(cover), width_a, len(packing), width_b)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("delta", [0.1, 0.4, 1.0])
def test_where_the_premises_hold_a_theorem_fails_no_more_often_than_delta(seed: int, delta: float) -> None:
    """All three bad events of the proof together: dear, work missed by more than promised, a machine overfull."""
    x, cover, packing, cost = wide_program(seed, least=35)
    of = sizes_of(x, cover, packing)
    for favours_work in (False, True):
        said = FavouredWork.of(of, delta) if favours_work else FavouredResources.of(of, delta)
        drawn = round_randomly(said.gain * x, DRAWS, np.random.default_rng(1000 + seed))
        dear = drawn @ cost > said.cost_ratio * (cost @ x)
        if isinstance(said, FavouredWork):
            short, over = drawn @ cover.T < cover @ x, drawn @ packing.T > said.packing_reached * (packing @ x)
        else:
            assert said.chernoff_holds
            assert said.cover_says_something
            short, over = drawn @ cover.T <= said.cover_reached * (cover @ x), drawn @ packing.T > packing @ x
        for bad in (dear, short.any(axis=1), over.any(axis=1)):
            assert at_most(bad.mean(), delta / 3)
        assert at_most((dear | short.any(axis=1) | over.any(axis=1)).mean(), delta)
        if favours_work:
            assert at_most(short.any(axis=1).mean(), delta / 3)


def test_without_the_gain_of_a_theorem_its_promise_is_broken() -> None:
    """So the test above can fail: with G = 1 half of the draws overfill a machine, or miss some work."""
    x, cover, packing, _ = wide_program(3, least=35)
    drawn = round_randomly(x, DRAWS, np.random.default_rng(4))
    assert not at_most((drawn @ packing.T > packing @ x).any(axis=1).mean(), 1 / 3)
    assert not at_most((drawn @ cover.T < cover @ x).any(axis=1).mean(), 1 / 3)


def slot_with_room(seed: int) -> tuple[SlotCase, ExternalProgram, int, Relaxation]:
    """A loaded slot, and as many workers, up to halving, as its linear program can place."""
    for one in (slot_case(seed + 1000 * again, machines=4 + seed % 12) for again in range(100)):
        program, workers = ExternalProgram(one.problem), one.shape.max_workers
        while workers:
            relaxed = program.relax(workers, int(one.shape.servers[workers]))
            if relaxed is not None:
                return one, program, workers, relaxed
            workers //= 2
    raise AssertionError


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("delta", [0.2, 1.0])
def test_programs_of_real_slots_keep_what_is_proven(seed: int, delta: float) -> None:
    """The linear programs of Algorithm 4 on loaded machines: narrow rows, G below 1/2, and what holds there."""
    one, program, workers, relaxed = slot_with_room(seed)
    problem, servers, batch = one.problem, int(one.shape.servers[workers]), one.job.batch
    of = program.room.sizes(workers, servers, batch)
    for said in (FavouredResources.of(of, delta), FavouredWork.of(of, delta)):
        scaled = said.gain * np.concatenate([relaxed.workers, relaxed.servers])
        w, s = np.split(round_randomly(scaled, DRAWS, np.random.default_rng(seed)), 2, axis=1)
        promised = said.cover_reached if isinstance(said, FavouredResources) else 1.0
        filled, chance = (
            (1.0, said.chance_overfull_proven) if isinstance(said, FavouredResources)
            else (said.packing_reached, delta / 3)
        )  # fmt: skip
        cost = w @ problem.worker_price + s @ problem.server_price
        assert at_most((cost > said.cost_ratio * relaxed.cost * (1 + 1e-9)).mean(), delta / 3)
        short = (w.sum(axis=1) < promised * workers) | (s.sum(axis=1) < promised * servers)
        assert at_most(short.mean(), delta / 3)
        over = w.sum(axis=1) > filled * batch
        for resource, free in enumerate(problem.free.T):
            held = w * problem.worker[resource] + s * problem.server[resource]
            over |= (held > filled * free * (1 + 1e-9)).any(axis=1)
        assert at_most(over.mean(), chance)
