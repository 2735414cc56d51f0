"""One run on a machine of a Ray cluster.

This module is sent by value, so that it can tell of a machine that has no `pdors`, or another one: nothing but the
standard library is imported before that is known.
"""

from __future__ import annotations

import os
import pickle
import platform
import traceback
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

_COMPUTE = ("numpy", "numba", "highspy")
"""The packages whose releases may differ in the last bit of a result."""

Cell = tuple[bool, Any]
"""Whether it went well, and the result or what went wrong."""


def software() -> dict[str, str]:
    """What the results of this machine come from."""
    from pdors.studies.runs import code_fingerprint

    return {"Python": platform.python_version()} | {name: _release(name) for name in _COMPUTE} | {
        "the code of pdors": code_fingerprint()
    }  # fmt: skip


def told_by_cell(expected: Mapping[str, str], posed: bytes) -> Iterator[str | Cell]:
    """The id of the machine as soon as it begins there, then what `compute_cell` gives."""
    from ray import get_runtime_context
    from ray.util import get_node_ip_address

    os.environ["NUMBA_NUM_THREADS"] = "1"
    yield get_runtime_context().get_node_id()
    yield compute_cell(f"the machine {get_node_ip_address()}", expected, posed)


def compute_cell(node: str, expected: Mapping[str, str], posed: bytes) -> Cell:
    """`posed`: the identity of a run and the run, pickled; `expected`: the `software` of whoever sent it."""
    try:
        found = software()
    except ImportError as error:
        return False, f"{node} cannot run this: {error}; every machine of the cluster needs the same pdors as this one"
    differing = [name for name in expected if found.get(name) != expected[name]]
    if differing:
        return False, _difference(node, differing[0], found[differing[0]], expected[differing[0]])
    from pdors.errors import PdorsError

    try:
        identity, run = pickle.loads(posed)  # noqa: S301 - from the driver, which starts what it likes here anyway
        if run.identity != identity:
            return False, f"{node} has other files than this machine at the paths that a run reads"
        return True, run()
    except PdorsError as error:
        return False, str(error)
    except OSError as error:
        return False, f"{node}: {error}; a file that a run reads must be at the same path on every machine"
    except Exception:
        return False, f"a run failed on {node}:\n{traceback.format_exc()}"


def _release(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _difference(node: str, name: str, found: str, expected: str) -> str:
    return f"{node} has {name} {found}, this machine {expected}: results would not be the same; install the same there"
