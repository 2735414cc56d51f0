"""Functions compiled to machine code by numba, kept on disk after their first use."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_registered: list[Any] = []


def compiled(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile at the first call; later processes load the result from disk."""
    dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    _registered.append(dispatcher)
    return cast("Callable[_Arguments, _Result]", dispatcher)


def needs_compiling() -> bool:
    """Whether some compiled function that is in use has no current copy on disk."""
    return any(not _has_copy(dispatcher) for dispatcher in _registered)


def _has_copy(dispatcher: Any) -> bool:
    function = dispatcher.py_func
    source = Path(inspect.getfile(function))
    index = Path(dispatcher.stats.cache_path).glob(f"{source.stem}.{function.__qualname__}-*.nbi")
    return any(copy.stat().st_mtime >= source.stat().st_mtime for copy in index)
