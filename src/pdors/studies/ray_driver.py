"""The process that talks to a Ray cluster for `on_ray`.

On stdin what the machines must have (`ray_cell.software`), then the runs; on stdout what came of them.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from logging import CRITICAL
from typing import Any, BinaryIO

import ray
from ray.exceptions import RayError, RayTaskError

from pdors.studies import ray_cell

Tell = Callable[..., None]

_ATTEMPTS = 4
_SECONDS_TO_LEAVE = 10
_SECONDS_TO_FETCH = 60.0
"""What is told may lie on a machine that hangs."""


class _FailedError(Exception):
    """Ends the study; the text is for whoever started it, `index` the run that is to blame, if it is one."""

    def __init__(self, text: str, index: int | None = None) -> None:
        super().__init__(text)
        self.index = index


@dataclass(slots=True)
class _Cell:
    """`node`: the machine that it runs on, once it has told."""

    index: int
    posed: bytes
    attempts: int = 0
    node: str | None = None


def main(address: str, seconds_to_connect: float, seconds_without_machines: float) -> None:
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        # What Ray prints must not come between the answers.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

        def tell(*message: Any) -> None:
            pickle.dump(message, answers)
            answers.flush()

        try:
            _connect(address, seconds_to_connect)
            tell("connected")
            software = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the parent of this process
            _Study(address, seconds_without_machines, software, tell).run(_posed(sys.stdin.buffer))
        except _FailedError as error:
            tell("failed", str(error), error.index)
        finally:
            # Of a cluster that does not answer any more, Ray cannot take leave.
            signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_LEAVE)
            ray.shutdown()


def _connect(address: str, seconds: float) -> None:
    """Ray itself would try for minutes, and where something else listens, for ever."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        if address != "auto":
            host, _, port = address.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
        ray.init(address, log_to_driver=False, logging_level=CRITICAL)
    except Exception as error:
        raise _FailedError(f"cannot connect to the Ray cluster at {address}: {_in_a_line(error)}") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _posed(runs: BinaryIO) -> Iterator[_Cell]:
    """Read one by one: only what is in flight is held here."""
    for index in count():
        try:
            posed = pickle.load(runs)  # noqa: S301 - from the parent of this process
        except EOFError:
            return
        yield _Cell(index, posed)


class _Study:
    def __init__(self, address: str, seconds_without_machines: float, software: dict[str, str], tell: Tell) -> None:
        self._address = address
        self._patience = seconds_without_machines
        self._tell = tell
        self._parent = os.getppid()
        self._again: deque[_Cell] = deque()
        self._in_flight: dict[Any, _Cell] = {}
        self._slots = 0
        self._nodes: set[str] = set()
        self._looked = self._last_with_slots = time.monotonic()
        ray.cloudpickle.register_pickle_by_value(ray_cell)
        # Retries are counted here: Ray has no limit of its own for workers that ran out of memory.
        self._cell = ray.remote(num_cpus=1, max_retries=0, num_returns="streaming")(ray_cell.told_by_cell)
        self._software = software

    def run(self, cells: Iterator[_Cell]) -> None:
        self._look_at_nodes()
        try:
            while os.getppid() == self._parent:
                self._send(cells)
                if not self._in_flight:
                    return
                ready, _ = ray.wait(list(self._in_flight), timeout=1)
                for telling in ready:
                    self._hear(telling)
                if time.monotonic() - self._looked >= 1:
                    self._look_at_nodes()
        finally:
            for telling in self._in_flight:
                ray.cancel(telling, force=True)

    def _send(self, cells: Iterator[_Cell]) -> None:
        """As many at once as the cluster has CPUs, and some that wait on the machines."""
        room = self._slots + self._slots // 8 + 1 - len(self._in_flight)
        again = [self._again.popleft() for _ in range(min(room, len(self._again)))]
        for cell in (*again, *islice(cells, max(0, room - len(again)))):
            self._in_flight[self._cell.remote(self._software, cell.posed)] = cell

    def _hear(self, telling: Any) -> None:
        """A cell tells where it is, then what came of it."""
        cell = self._in_flight[telling]
        try:
            told = ray.get(next(telling), timeout=_SECONDS_TO_FETCH)
        except RayTaskError as error:
            raise _FailedError(f"a run could not be started: {error}") from error
        except (RayError, StopIteration) as error:
            self._lose(telling, _in_a_line(error))
            return
        if cell.node is None:
            cell.node = told
            return
        del self._in_flight[telling]
        went_well, came_of_it = told
        if not went_well:
            raise _FailedError(came_of_it)
        self._tell("done", cell.index, came_of_it)

    def _lose(self, telling: Any, reason: str) -> None:
        cell = self._in_flight.pop(telling)
        cell.attempts += 1
        cell.node = None
        if cell.attempts == _ATTEMPTS:
            raise _FailedError(f"{_ATTEMPTS} workers were lost with this run: {reason}", cell.index)
        self._again.append(cell)

    def _look_at_nodes(self) -> None:
        """Ray tells at once of a worker that died, but of one on a machine that hangs only after many minutes."""
        alive = [node for node in ray.nodes() if node["Alive"]]
        self._looked = now = time.monotonic()
        self._slots = int(sum(node["Resources"].get("CPU", 0) for node in alive))
        nodes = {node["NodeID"] for node in alive}
        if self._nodes - nodes:
            for telling, cell in list(self._in_flight.items()):
                if cell.node is None:
                    # It may be on its way to that machine.
                    ray.cancel(telling, force=True)
                    self._again.append(self._in_flight.pop(telling))
                elif cell.node not in nodes:
                    self._lose(telling, "its machine is gone")
        self._nodes = nodes
        if self._slots:
            self._last_with_slots = now
        elif now - self._last_with_slots > self._patience:
            raise _FailedError(
                f"no machine of the Ray cluster at {self._address} has had a CPU for {self._patience:g} s; "
                "what came back is kept"
            )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
