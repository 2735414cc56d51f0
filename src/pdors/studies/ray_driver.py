"""The process that talks to a Ray cluster for `on_ray`: runs on stdin, what came of them on stdout."""

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
from itertools import islice
from logging import CRITICAL
from typing import Any, BinaryIO

import ray
from ray.exceptions import RayError, RayTaskError

from pdors.studies import ray_cell

Tell = Callable[..., None]

_ATTEMPTS = 4


class _FailedError(Exception):
    """Ends the study; the text is for whoever started it, `index` the run that is to blame, if it is one."""

    def __init__(self, text: str, index: int | None = None) -> None:
        super().__init__(text)
        self.index = index


@dataclass(frozen=True, slots=True)
class _Cell:
    index: int
    posed: bytes
    attempts: int = 1


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
            _Study(address, seconds_without_machines, tell).run(_posed(sys.stdin.buffer))
        except _FailedError as error:
            tell("failed", str(error), error.index)
        finally:
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
        reason = str(error).strip().partition("\n")[0]
        raise _FailedError(f"cannot connect to the Ray cluster at {address}: {reason}") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())


def _posed(runs: BinaryIO) -> Iterator[_Cell]:
    """Read one by one: only what is in flight is held here."""
    index = 0
    while True:
        try:
            yield _Cell(index, pickle.load(runs))  # noqa: S301 - from the parent of this process
        except EOFError:
            return
        index += 1


class _Study:
    def __init__(self, address: str, seconds_without_machines: float, tell: Tell) -> None:
        self._address = address
        self._patience = seconds_without_machines
        self._tell = tell
        self._parent = os.getppid()
        self._lost: deque[_Cell] = deque()
        self._in_flight: dict[Any, _Cell] = {}
        self._last_with_machines = time.monotonic()
        ray.cloudpickle.register_pickle_by_value(ray_cell)
        # Retries are counted here: Ray has no limit of its own for workers that ran out of memory.
        self._cell = ray.remote(num_cpus=1, max_retries=0)(ray_cell.compute_cell_here)
        self._software = ray_cell.software()

    def run(self, cells: Iterator[_Cell]) -> None:
        try:
            while os.getppid() == self._parent:
                self._send(cells)
                if not self._in_flight:
                    return
                ready, _ = ray.wait(list(self._in_flight), timeout=1)
                for reference in ready:
                    self._take(reference)
        finally:
            for reference in self._in_flight:
                ray.cancel(reference, force=True)

    def _send(self, cells: Iterator[_Cell]) -> None:
        room = self._slots() - len(self._in_flight)
        again = [self._lost.popleft() for _ in range(min(room, len(self._lost)))]
        for cell in (*again, *islice(cells, max(0, room - len(again)))):
            self._in_flight[self._cell.remote(self._software, cell.posed)] = cell

    def _slots(self) -> int:
        """As many as the cluster has CPUs, and some that wait on the machines."""
        slots = int(ray.cluster_resources().get("CPU", 0))
        now = time.monotonic()
        if slots:
            self._last_with_machines = now
        elif now - self._last_with_machines > self._patience:
            raise _FailedError(
                f"no machine of the Ray cluster at {self._address} has had a CPU for {self._patience:g} s; "
                "what came back is kept"
            )
        return slots + slots // 8 + 1

    def _take(self, reference: Any) -> None:
        cell = self._in_flight.pop(reference)
        try:
            went_well, told = ray.get(reference)
        except RayTaskError as error:
            raise _FailedError(f"a run could not be started: {error}") from error
        except RayError as error:
            if cell.attempts == _ATTEMPTS:
                reason = str(error).strip().partition("\n")[0]
                raise _FailedError(f"{_ATTEMPTS} workers were lost with this run: {reason}", cell.index) from error
            self._lost.append(_Cell(cell.index, cell.posed, cell.attempts + 1))
            return
        if not went_well:
            raise _FailedError(told)
        self._tell("done", cell.index, told)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
