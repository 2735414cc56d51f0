"""Many runs, each kept in a file of its own: what an interruption left is not run again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import pdors
from pdors.files.output import write_bytes

Result = dict[str, Any]
"""What a run gives, as JSON has it."""


class Run(Protocol):
    """Something that can be sent to another process, and run there."""

    @property
    def identity(self) -> str:
        """All that its result depends on, but for the code of this package."""
        ...

    def __call__(self) -> Result: ...


class Backend(Protocol):
    """Where runs are computed."""

    def compute(self, runs: Sequence[Run]) -> Iterator[tuple[int, Result]]:
        """The position of each run and its result, in the order in which they come in.

        The first run that fails ends all with a `PdorsError`.
        """
        ...


def default_folder() -> Path:
    """Where results are kept: in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "pdors" / "runs"


def run_all(
    runs: Sequence[Run], *, backend: Backend, folder: Path, fresh: bool = False,
    on_result: Callable[[], None] = lambda: None,
) -> list[Result]:  # fmt: skip
    """The results of all runs, in their order; equal ones are run once, and `fresh` runs again what is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{_key(run)}.json" for run in runs]
    first_of = {file: index for index, file in reversed(list(enumerate(files)))}
    missing = [index for file, index in first_of.items() if fresh or not file.exists()][::-1]
    for _ in range(len(runs) - len(missing)):
        on_result()
    for position, result in backend.compute([runs[index] for index in missing]):
        write_bytes(json.dumps(result).encode(), files[missing[position]])
        on_result()
    return [json.loads(file.read_bytes()) for file in files]


def _key(run: Run) -> str:
    return blake2b(f"{code_fingerprint()}\n{run.identity}".encode(), digest_size=16).hexdigest()


@cache
def code_fingerprint() -> str:
    """Of the whole package: results of other code are not those of this one."""
    digest = blake2b(digest_size=16)
    for path in sorted(Path(pdors.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
