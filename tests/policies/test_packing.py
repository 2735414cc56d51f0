"""Placements from counts, and those that are kept from round to round."""

from __future__ import annotations

import numpy as np

from pdors.model.schedule import Placement
from pdors.policies.packing import KeptPlacements, placements_of


def test_placements_are_read_off_the_counts() -> None:
    workers, servers = np.array([[1, 0, 2], [0, 0, 0], [0, 3, 0]]), np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    assert list(placements_of(workers, servers)) == [
        Placement.of([(0, 1, 0), (1, 0, 1), (2, 2, 1)]),
        Placement(()),
        Placement.of([(1, 3, 0)]),
    ]


def test_a_job_with_the_same_counts_keeps_its_placement() -> None:
    kept = KeptPlacements()
    nothing = np.zeros((2, 2), dtype=np.int64)
    first = kept.of(["a", "b"], np.array([[1, 0], [0, 2]]), nothing)
    second = kept.of(["b", "c"], np.array([[0, 2], [1, 1]]), nothing)
    assert second["b"] is first["b"]
    assert second == {"b": Placement.of([(1, 2, 0)]), "c": Placement.of([(0, 1, 0), (1, 1, 0)])}
    assert first == {"a": Placement.of([(0, 1, 0)]), "b": second["b"]}, "what was answered stays as it was"


def test_kept_placements_are_those_made_from_nothing() -> None:
    """Jobs come, go, come back and move, by workers or by servers alone."""
    rng = np.random.default_rng(7)
    kept = KeptPlacements()
    workers, servers = rng.integers(0, 2, size=(2, 9, 3))
    for _ in range(300):
        jobs = np.flatnonzero(rng.random(9) < 0.7)
        tasks = workers if rng.random() < 0.5 else servers
        tasks[rng.integers(9), rng.integers(3)] = rng.integers(2)
        ids = [f"job-{job}" for job in jobs]
        made = dict(zip(ids, placements_of(workers[jobs], servers[jobs]), strict=True))
        assert kept.of(ids, workers[jobs], servers[jobs]) == {i: placed for i, placed in made.items() if placed.shares}
