"""Runs in the processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdors.errors import PdorsError
from pdors.studies.runs import Result, Run


@dataclass(frozen=True, slots=True)
class Processes:
    """A `Backend` of so many processes at once; one for each core unless said otherwise."""

    count: int | None = None

    def compute(self, runs: Sequence[Run]) -> Iterator[tuple[int, Result]]:
        if not runs:
            return
        wanted = min(len(runs), self.count or os.cpu_count() or 1)
        if wanted == 1:
            yield from ((index, run()) for index, run in enumerate(runs))
            return
        with multiprocessing.get_context("spawn").Pool(wanted, _leave_interrupts_to_the_parent) as pool:
            for index, result, error in pool.imap_unordered(_guarded, enumerate(runs)):
                if error is not None:
                    raise PdorsError(error)
                yield index, result


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _guarded(numbered: tuple[int, Run]) -> tuple[int, Result, str | None]:
    """Errors of this package as text: not every one can be sent from one process to another."""
    index, run = numbered
    try:
        return index, run(), None
    except PdorsError as error:
        return index, {}, str(error)
