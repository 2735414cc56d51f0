"""What a run waits for compiled code: how long so far, and the moment at which it has to be compiled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


class _Stopwatch(event.Listener):
    """Adds up the time between the outermost start and end of an event."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.when_it_starts: Callable[[], None] | None = None
        self._depth = 0
        self._since = 0.0

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 - the signature of numba
        if self._depth == 0:
            self._since = time.perf_counter()
            if self.when_it_starts is not None:
                self.when_it_starts()
                self.when_it_starts = None
        self._depth += 1

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002 - the signature of numba
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._since


_getting_ready, _compiling = _Stopwatch(), _Stopwatch()
# numba holds this lock while it compiles and while it loads what was compiled before.
event.register("numba:compiler_lock", _getting_ready)  # type: ignore[no-untyped-call]  # numba leaves it untyped
event.register("numba:compile", _compiling)  # type: ignore[no-untyped-call]  # numba leaves it untyped


def seconds_getting_ready() -> float:
    """What this process has spent so far on compiling, and on loading what was compiled before."""
    return _getting_ready.seconds


@contextmanager
def when_compiling_starts(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` once, if something has to be compiled in here."""
    _compiling.when_it_starts = tell
    try:
        yield
    finally:
        _compiling.when_it_starts = None
