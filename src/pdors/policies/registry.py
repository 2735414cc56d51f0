"""Policies by name, or from a file of the user's own: `path/to/mine.py:Mine`."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from pdors.errors import PolicyError
from pdors.policies.policy import Policy

_HOMES = {
    "pdors": "PdOrs",
    "oasis": "Oasis",
    "elasticflow": "ElasticFlow",
    "greedy": "Greedy",
    "optimus": "Optimus",
    "dorm": "Dorm",
    "drf": "Drf",
    "fifo": "Fifo",
}
POLICY_NAMES = tuple(_HOMES)


def find_policy(name: str) -> type[Policy]:
    """The class of a policy; only what is asked for is loaded."""
    if name in _HOMES:
        found: type[Policy] = getattr(import_module(f"pdors.policies.{name}"), _HOMES[name])
        return found
    path = policy_file(name)
    if path is None:
        near = get_close_matches(name, POLICY_NAMES, cutoff=0.5)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise PolicyError(f"no policy {name!r}{hint}; there are {', '.join(POLICY_NAMES)}, or FILE.py:CLASS")
    return _from_file(path, name.rpartition(":")[2])


def policy_file(name: str) -> Path | None:
    """The file of a policy of the user's own; None for one by name."""
    path, colon, _ = name.rpartition(":")
    return Path(path) if colon else None


def _from_file(path: Path, class_name: str) -> type[Policy]:
    spec = spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise PolicyError(f"{path}: expected a Python file with the class {class_name}")
    module = module_from_spec(spec)
    # What the file defines is looked up by the name of its module: by dataclasses, and where objects are pickled.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PolicyError(f"{path}: {type(error).__name__}: {error}") from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise PolicyError(f"{path}: expected a class {class_name} that derives from pdors.policies.policy.Policy")
    return found
