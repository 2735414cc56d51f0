"""Which machines hold a task, and the sizes of the program over them."""

from __future__ import annotations

import numpy as np

from pdors.planner.rounding import Sizes
from pdors.planner.task_room import TaskRoom

WORKER, SERVER = np.array([2.0, 3.0]), np.array([0.0, 4.0])


def test_by_hand() -> None:
    # The first holds 2.5 workers by its GPUs and 5 servers; the second one server; the third nothing.
    room = TaskRoom.of(np.array([[5.0, 20.0], [1.0, 4.0], [1.0, 3.0]]), WORKER, SERVER)
    assert (room.worker_at.tolist(), room.server_at.tolist()) == ([0], [0, 1])
    assert room.most.tolist() == [2.5, 5, 1]
    assert room.sizes(6, 3, 80) == Sizes(cover_rows=2, cover_width=3, packing_rows=2 * 2 + 1, packing_width=1)
    assert room.sizes(6, 0, 80) == Sizes(cover_rows=1, cover_width=6, packing_rows=2 * 2 + 1, packing_width=1)


def test_the_batch_is_a_row_too() -> None:
    room = TaskRoom.of(np.array([[50.0, 200.0]]), WORKER, SERVER)
    assert room.sizes(6, 3, 80).packing_width == 25
    assert room.sizes(6, 3, 8).packing_width == 8


def test_no_machine_holds_a_task() -> None:
    room = TaskRoom.of(np.array([[1.0, 3.0]]), WORKER, SERVER)
    assert len(room.most) == 0
    assert room.sizes(6, 3, 8).packing_rows == 1
