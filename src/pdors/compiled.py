"""Functions compiled to machine code by numba, kept on disk after their first use."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.serialize import dumps
from numba.core.types import unliteral

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def compiled(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Compile at the first call; later processes load the result from disk."""
    return _compiled(function, counts_references=True)


def compiled_step(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """The same for what neither makes nor returns arrays: those of its callers are there as long as it runs.

    Counting the references to them, which is left out here, takes an inner step longer than what it does.
    """
    return _compiled(function, counts_references=False)


def _compiled(function: Callable[_Arguments, _Result], *, counts_references: bool) -> Callable[_Arguments, _Result]:
    options: dict[str, Any] = {"_nrt": counts_references}  # what numba's own inner functions use, so without a type
    dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    for_call = dispatcher.get_call_template
    # A literal argument of a call would be a type of its own, and the callee compiled once more for it.
    dispatcher.get_call_template = lambda arguments, named: for_call(tuple(map(unliteral, arguments)), named)
    on_disk = dispatcher._cache
    on_disk._cache_file = _Copies(Path(on_disk.cache_path), function, on_disk._impl.locator.get_source_stamp())
    return cast("Callable[_Arguments, _Result]", dispatcher)


class _Copies:
    """The compiled copies of one function: a file for each signature, named by all that went into it.

    The files of numba itself carry numbers, and an index that is written before them, so that processes that compile at
    the same time can mistake an old copy, or one for other types, for theirs.
    """

    def __init__(self, folder: Path, function: Callable[..., Any], source_stamp: object) -> None:
        self._folder = folder
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._source_stamp = source_stamp

    def load(self, key: object) -> object:
        try:
            return pickle.loads(self._file(key).read_bytes())  # noqa: S301 - only what this process could have written
        except FileNotFoundError:
            return None

    def save(self, key: object, data: object) -> None:
        file = self._file(key)
        with NamedTemporaryFile(dir=self._folder, prefix=f"{self._name}.", suffix=".part", delete=False) as part:
            part.write(dumps(data))  # type: ignore[no-untyped-call]  # numba leaves it untyped
        Path(part.name).replace(file)

    def _file(self, key: object) -> Path:
        # A copy holds the code of the functions that it calls: a change in any of them makes it stale.
        made_of = repr((key, self._source_stamp, _sources(), numba.__version__, sys.version))
        return self._folder / f"{self._name}.{_digest(made_of.encode())}.nbc"


@cache
def _sources() -> str:
    """A fingerprint of all code of this package that is compiled."""
    sources = (path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
    return _digest(b"".join(source for source in sources if b"@compiled" in source))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
