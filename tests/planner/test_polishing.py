import numpy as np
import pytest

from pdors.planner.polishing import place_together, spread_out
from pdors.planner.slot import SlotProblem


def problem(free, worker_price=(1.0, 4.0), server_price=(1.0, 2.0)):
    one = np.array([1.0])
    return SlotProblem(np.array(worker_price), np.array(server_price), np.array(free)[:, None], one, one)


@pytest.mark.parametrize(
    ("free", "workers", "servers", "spread"),
    [
        ([8.0, 1.0], [2, 0], [1, 0], ([2, 0], [0, 1])),  # the server: 1 dearer there, a worker 3
        ([8.0, 1.0], [3, 0], [0, 0], ([2, 1], [0, 0])),
        ([8.0, 0.0], [2, 0], [1, 0], None),
        ([8.0, 8.0], [1, 0], [0, 0], None),
        ([8.0, 8.0], [1, 1], [0, 0], ([1, 1], [0, 0])),
    ],
)
def test_spreading_moves_the_task_that_costs_least_to_move(free, workers, servers, spread):
    w, s = np.array(workers), np.array(servers)
    assert spread_out(problem(free), w, s) == (spread is not None)
    assert (w.tolist(), s.tolist()) == (spread or (workers, servers))


def test_together_on_the_cheapest_machine_that_has_room():
    assert place_together(problem([8.0, 8.0]), 7, 2) is None
    for free, machine in (([8.0, 8.0], 0), ([2.0, 8.0], 1)):
        w, s = place_together(problem(free), 2, 1)
        assert (np.flatnonzero(w).tolist(), np.flatnonzero(s).tolist()) == ([machine], [machine])
