"""Runs in the processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from pdors.errors import PdorsError
from pdors.studies.runs import Result, Run

_SECONDS_TO_END = 5.0


@dataclass(frozen=True, slots=True)
class Processes:
    """A `Backend` of so many processes at once; one for each core unless said otherwise.

    Each has a pipe of its own: they share no locks, so that one that is killed leaves nobody waiting for ever.
    """

    count: int | None = None

    def compute(self, runs: Sequence[Run]) -> Iterator[tuple[int, Result]]:
        if not runs:
            return
        wanted = min(len(runs), self.count or os.cpu_count() or 1)
        if wanted == 1:
            yield from ((index, run()) for index, run in enumerate(runs))
            return
        waiting = iter(enumerate(runs))
        with ExitStack() as stack:
            busy = {worker.pipe: worker for worker in (stack.enter_context(_Worker()) for _ in range(wanted))}
            for worker in busy.values():
                worker.start(*next(waiting))
            while busy:
                for pipe in wait(list(busy)):
                    worker = busy[pipe]  # type: ignore[index]  # what is waited for are these pipes
                    yield worker.result()
                    following = next(waiting, None)
                    if following is None:
                        del busy[worker.pipe]
                    else:
                        worker.start(*following)


class _Worker:
    """A process that computes one run after another, until the context is left."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        self._index = -1
        self._process.start()
        theirs.close()

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.pipe.close()
        self._process.terminate()
        self._process.join(_SECONDS_TO_END)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def start(self, index: int, run: Run) -> None:
        self._index = index
        self.pipe.send(run)

    def result(self) -> tuple[int, Result]:
        try:
            result, error = self.pipe.recv()
        except EOFError:
            self._process.join(_SECONDS_TO_END)
            raise PdorsError(f"a process that computed a run ended with exit code {self._process.exitcode}") from None
        if error is not None:
            raise PdorsError(error)
        return self._index, result


def _work(pipe: Connection) -> None:
    """Interrupts are for the parent, which then ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            run = pipe.recv()
        except EOFError:
            return
        pipe.send(_guarded(run))


def _guarded(run: Run) -> tuple[Result, str | None]:
    """Errors of this package as text: not every one can be sent from one process to another."""
    try:
        return run(), None
    except PdorsError as error:
        return {}, str(error)
