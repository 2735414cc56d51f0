"""Points that stand for others: every whole point is a mixture of them that trains no less, and hardly more."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from pdors.offline import points as module
from pdors.offline.paces import Pace, Way
from pdors.offline.points import Points, Region, points_of

CASES = [
    (0.0, 1.0, 40, (60.0, 200.0)),
    (0.0, 0.3, 17, (200.0, 90.0)),
    (0.05, 2.5, 60, (100.0, 100.0)),
    (0.5, 8.0, 30, (45.0, 300.0)),
]


def most_samples(points: Points, workers: float, servers: float) -> float:
    """Of all mixtures with at most so many workers and servers."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)  # noqa: FBT003 - the signature of HiGHS
    for index, samples in enumerate(points.samples):
        highs.addVar(0, 1)
        highs.changeColCost(index, -float(samples))
    columns = np.arange(len(points.samples), dtype=np.int32)
    for most, amounts in ((1.0, np.ones(len(columns))), (workers, points.workers), (servers, points.servers)):
        highs.addRow(-highspy.kHighsInf, most * (1 + 1e-9), len(columns), columns, amounts)
    highs.run()
    return -float(highs.getInfo().objective_function_value)


@pytest.mark.parametrize(("fixed", "gamma", "batch", "capacity"), CASES)
def test_rays_cover_every_whole_point(monkeypatch, fixed, gamma, batch, capacity):
    way = Way(False, Pace(0.2, 0.05, fixed, 100.0), 1, batch, gamma)  # noqa: FBT003 - apart
    region = Region(np.array([2.0, 1.0]), np.array([0.5, 3.0]), np.array(capacity), 1000.0, 1000.0)
    monkeypatch.setattr(module, "MOST_LISTED", 10**6)
    listed = points_of(way, region)
    monkeypatch.setattr(module, "MOST_LISTED", 10)
    rays = points_of(way, region)
    assert listed.listed
    assert not rays.listed
    assert len(rays.samples) < len(listed.samples) or fixed
    rng = np.random.default_rng(0)
    for index in rng.choice(len(listed.samples), 60):
        covered = most_samples(rays, listed.workers[index], listed.servers[index])
        assert covered >= listed.samples[index] * (1 - 1e-9)
        assert covered <= listed.samples[index] * 1.02 or listed.workers[index] < 4 or listed.servers[index] < 4


def test_no_point_where_nothing_fits():
    way = Way(True, Pace(0.2, 0.05, 0.0, 100.0), 1, 10, 1.0)  # noqa: FBT003 - together
    region = Region.on_one_machine(np.array([2.0]), np.array([2.0]), np.array([3.0]))
    assert len(points_of(way, region).samples) == 0
