"""The entry point: what a command does in the end, as an exit code and never as a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

DONE = 0
BAD_INPUT = 2
INTERRUPTED = 130
READER_GONE = 141


def main() -> None:
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = INTERRUPTED
    except SystemError as error:
        if not _comes_from_interrupt(error):
            raise
        status = INTERRUPTED
    if status == INTERRUPTED:
        complain("interrupted")
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command; its exit code."""
    from typer import TyperException

    from pdors.cli.app import app
    from pdors.errors import PdorsError

    try:
        status: int | None = app(arguments, prog_name="pdors", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        complain(error.format_message())
        return BAD_INPUT
    except PdorsError as error:
        complain(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return BAD_INPUT
    except SystemExit:
        # The libraries below leave in this way, and only in this way, when nobody reads what they print.
        return _reader_gone()
    return status or DONE


def _comes_from_interrupt(error: BaseException) -> bool:
    """Ctrl-C that comes while compiled code runs is wrapped once or more on its way out."""
    cause = error.__cause__
    return cause is not None and (isinstance(cause, KeyboardInterrupt) or _comes_from_interrupt(cause))


def complain(message: str) -> None:
    for line in message.splitlines():
        sys.stderr.write(f"pdors: {line}\n")


def _reader_gone() -> int:
    """Let what is still buffered go nowhere, as the interpreter would otherwise complain on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_GONE
