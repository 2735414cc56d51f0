"""The clearing prices of bids, and what of the cluster is left for them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Job
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import ParameterServerSpeed
from pdors.model.units import Units
from pdors.model.utility import DeadlineUtility
from pdors.planner.market import LEAST_LOG_RATIO, MOST_LOG_RATIO, _Commitments, clear
from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]


def cleared(worths: Sequence[float], takes: Sequence[float], count: Sequence[float], usable: float) -> float:
    """The clearing price of one resource, in multiples of the ceiling."""
    amounts = np.array(takes)
    log_prices = np.full(1, -MOST_LOG_RATIO / 2)
    clear(np.array(worths) * amounts, amounts[:, None], np.array(count), np.array([usable]), log_prices)
    return math.exp(log_prices[0])


@pytest.mark.parametrize("worth", [0.001, 0.01, 0.2])
def test_a_job_of_which_a_half_fits_sets_the_price(worth: float) -> None:
    assert cleared([worth], [0.3], [10], 1.5) == pytest.approx(worth, rel=0.02)


@pytest.mark.parametrize(
    ("usable", "least", "most"),
    [
        (30.0, 0.999e-4, 1.001e-4),  # room for all: as cheap as it may be
        (10.0, 0.003, 0.2),  # for one of the two kinds: between their worths
        (5.0, 0.2, 0.21),  # for a half of the better kind: what that is worth
        (1.0, 0.249, 0.251),  # for next to none: as dear as it may be
    ],
)
def test_two_kinds_of_jobs_by_hand(usable: float, least: float, most: float) -> None:
    """Twenty jobs that take half a share for a slot each are worth 0.2 per share, twenty others 0.002."""
    assert least <= cleared([0.2, 0.002], [0.5, 0.5], [20, 20], usable) <= most


@pytest.mark.parametrize(("usable", "price"), [(0.0, math.exp(-LEAST_LOG_RATIO)), (1e9, math.exp(-MOST_LOG_RATIO))])
def test_nothing_left_and_nothing_wanted(usable: float, price: float) -> None:
    assert cleared([1.0, 0.1], [0.5, 0.5], [20, 20], usable) == pytest.approx(price)
    assert cleared([1.0, 0.1], [0.5, 0.5], [0, 0], usable) == pytest.approx(math.exp(-MOST_LOG_RATIO))


@pytest.mark.parametrize(("resources", "least"), [(1, 0.85), (2, 0.6), (4, 0.5)])
@pytest.mark.parametrize("seed", range(30))
def test_at_the_clearing_prices_the_jobs_that_can_pay_take_what_is_usable(
    seed: int, resources: int, least: float
) -> None:
    """But for what so few steps leave open; less where the price is low already, more where it is as high as may be."""
    rng = np.random.default_rng(seed)
    jobs = int(rng.integers(20, 129))
    takes = rng.lognormal(0, 1, (jobs, resources)) * (rng.random((jobs, resources)) < 0.8) + 1e-3
    value = rng.lognormal(-3, 2, jobs) * takes.sum(axis=1)
    count, usable = rng.uniform(0, 5, jobs), rng.uniform(0.01, 1, resources) * takes.sum(axis=0) * 2
    log_prices = np.full(resources, -MOST_LOG_RATIO / 2)
    clear(value, takes, count, usable, log_prices)
    demand = (count / (1 + (takes @ np.exp(log_prices) / value) ** 8)) @ takes
    assert ((demand <= usable * 1.2) | (log_prices >= -LEAST_LOG_RATIO - 1e-9)).all()
    assert ((demand >= usable * least) | (log_prices <= -MOST_LOG_RATIO + 1)).all()


@given(st.data())
def test_no_bids_at_all_make_a_price_outside_the_ratios(data: st.DataObject) -> None:
    jobs, resources = data.draw(st.integers(0, 6)), data.draw(st.integers(1, 3))
    amount = st.just(0.0) | st.floats(1e-12, 1e12)

    def draw(*shape: int) -> Floats:
        size = math.prod(shape)
        return np.array(data.draw(st.lists(amount, min_size=size, max_size=size))).reshape(shape)

    takes = draw(jobs, resources)
    value = np.exp(data.draw(st.floats(-300, 300))) * (takes.sum(axis=1) + 1e-12)
    log_prices = np.full(resources, -MOST_LOG_RATIO / 2)
    clear(value, takes, draw(jobs), draw(resources), log_prices)
    assert (log_prices >= -MOST_LOG_RATIO).all()
    assert (log_prices <= -LEAST_LOG_RATIO).all()


# What is committed


CLUSTER = Cluster(("gpu", "cpu"), (MachineGroup("m", (5, 20), 2),))
SERVED = Job(
    "served", 0, 1, 1, 10, ParameterServerSpeed(1, 1, 2, 1, 1), (1, 2), (0, 2), DeadlineUtility(1, 1)
)  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_commitments_are_those_of_a_dense_array(seed: int) -> None:
    """Each spread evenly from its first slot to its last, and asked about in slots that never go back."""
    rng, slots = np.random.default_rng(seed), 30
    dense, commitments, asked = np.zeros((slots, 2)), _Commitments(2), 0
    for _ in range(40):
        asked = int(rng.integers(asked, min(slots, asked + 3)))
        cuts = np.unique(rng.integers(asked, slots + 1, 4)).tolist()
        placements = [Placement.of([(0, int(rng.integers(1, 4)), int(rng.integers(0, 3)))]) for _ in cuts[1:]]
        if len(cuts) > 1:
            runs = tuple(map(Run, cuts[:-1], cuts[1:], placements))
            if len(runs) == 3:
                runs = (runs[0], runs[2])  # a pause
            commitments.add(JobShape.of(SERVED, Units(CLUSTER), 100), Schedule(runs), CLUSTER)
            taken = np.zeros(2)
            for run in runs:
                workers, servers = run.placement.workers, run.placement.servers
                # A tenth of the GPUs and a twentieth of the CPUs per worker, a twentieth of the CPUs per server.
                taken += (run.stop - run.start) * np.array([0.1 * workers, 0.05 * (workers + servers)])
            dense[runs[0].start : runs[-1].stop] += taken / (runs[-1].stop - runs[0].start)
        np.testing.assert_allclose(commitments.from_slot(asked), dense[asked:].sum(axis=0), atol=1e-12)
