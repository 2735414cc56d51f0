"""Cells of the heat map: by hand, and against a dense table of everything."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.engine.outcome import Outcome
from pdors.engine.simulation import simulate
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted
from pdors.policies.fifo import Fifo
from pdors.report.bins import Floats
from pdors.report.heat import Grid, cells
from pdors.workloads.paper import PaperWorkload, generate
from tests.report.outcomes import CLUSTER, held, job, outcome, rejected

# big has 4 gpu and 8 cpu, each small one 2 and 8; a worker takes 1 and 1, a server 0 and 2
TWO_JOBS = outcome(
    (job("a"), held("a", (0, 2, [(0, 2, 0), (1, 1, 0)]), (2, 4, [(0, 4, 0)]))),
    (job("b"), held("b", (1, 3, [(1, 0, 3)]))),
    (job("c"), rejected("c")),
)


def test_a_cell_is_the_share_of_the_scarcest_resource() -> None:
    grid = Grid.of(TWO_JOBS.instance)
    assert cells(TWO_JOBS, grid).tolist() == [
        [0.5, 0.5, 1.0, 1.0, 0.0, 0.0],  # 2 of 4 gpu, then all of them
        [0.5, 0.875, 0.75, 0.0, 0.0, 0.0],  # 1 of 2 gpu; 7 of 8 cpu; 6 of 8 cpu
        [0.0] * 6,
    ]
    assert grid.names(CLUSTER) == [("big", "big"), ("small-0", "small-0"), ("small-1", "small-1")]


def test_a_bin_is_the_mean_of_its_machines_and_slots() -> None:
    grid = Grid.of(TWO_JOBS.instance, most_machines=2, most_slots=2)
    assert grid.machines.tolist() == [0, 1, 3]
    assert grid.slots.tolist() == [0, 3, 6]
    assert cells(TWO_JOBS, grid) == pytest.approx(np.array([[2 / 3, 1 / 3], [2.125 / 6, 0.0]]))
    assert grid.names(CLUSTER) == [("big", "big"), ("small-0", "small-1")]


def test_a_machine_without_a_resource_is_as_full_as_its_others() -> None:
    only_cpu = Cluster(("gpu", "cpu"), (MachineGroup("m", (0, 4)),))
    made = outcome((job("a", worker=(0, 1)), held("a", (0, 1, [(0, 1, 0)]))), cluster=only_cpu, slots=2)
    assert cells(made, Grid.of(made.instance)).tolist() == [[0.25, 0.0]]


def dense(made: Outcome) -> Floats:
    used = np.zeros((*made.instance.cluster.capacity.shape, made.instance.slots))
    for asked, decision in made.answered():
        if isinstance(decision, Admitted):
            for slot, placement in decision.schedule.by_slot():
                for share in placement.shares:
                    taken = share.workers * np.array(asked.worker) + share.servers * np.array(asked.server)
                    used[share.machine, :, slot] += taken
    shares: Floats = (used / made.instance.cluster.capacity[:, :, None]).max(axis=1)
    return shares


def test_every_cell_of_a_run_is_that_of_a_dense_table() -> None:
    instance = generate(PaperWorkload(jobs=40, machines=7, slots=50), np.random.default_rng(3))
    made = simulate(instance, Fifo)
    exact = dense(made)
    assert exact.max() > 0.5
    assert cells(made, Grid.of(instance)) == pytest.approx(exact)
    coarse = Grid.of(instance, most_machines=7, most_slots=10)
    assert cells(made, coarse) == pytest.approx(exact.reshape(7, 10, 5).mean(axis=2))
