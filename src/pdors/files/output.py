"""Data to files: the same data gives the same bytes, and a file is there as a whole or not at all."""

from __future__ import annotations

import json
import math
import os
import secrets
from pathlib import Path

import yaml

from pdors.errors import DocumentError, ModelError, Problem
from pdors.files.text import YAML_SUFFIXES
from pdors.files.yaml_text import FLOAT, PREFIXED_INTEGER

_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def plain(number: float) -> int | float:
    """A number as documents write it: without a fraction where it has none."""
    if not math.isfinite(number):
        raise ModelError(f"a document holds finite numbers alone, got {number}")
    return int(number) if number == int(number) and abs(number) < 2**53 else float(number)


def write_document(document: dict[str, object], path: str | Path) -> None:
    """YAML if the suffix asks for it, else JSON."""
    is_yaml = Path(path).suffix.lower() in YAML_SUFFIXES
    write_bytes((_yaml_text if is_yaml else _json_text)(document).encode(), path)


def write_bytes(content: bytes, path: str | Path) -> None:
    try:
        _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        problem = Problem("file", error.strerror or str(error), "a file that can be written")
        raise DocumentError(str(path), (problem,)) from None


def _json_text(document: dict[str, object]) -> str:
    """One line per key, and one per entry of a list of mappings: compact, and quick to compare by eye and by diff."""
    lines = [f"{_json(key)}: {_json_value(value)}" for key, value in document.items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def _json_value(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n    " + ",\n    ".join(map(_json, value)) + "\n  ]"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _yaml_text(document: dict[str, object]) -> str:
    text: str = yaml.dump(
        document, Dumper=_DocumentDumper, sort_keys=False, allow_unicode=True, default_flow_style=None
    )
    return text


class _DocumentDumper(_Dumper):  # type: ignore[misc, valid-type]  # its base depends on how PyYAML was built
    """Quotes every text that YAML 1.1 or the core schema of 1.2 would read as something else; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  # the signature of the method it replaces
        return True


_DocumentDumper.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+.0123456789"))
_DocumentDumper.add_implicit_resolver("tag:yaml.org,2002:int", PREFIXED_INTEGER, ["0"])


def _replace(path: Path, content: bytes) -> None:
    """Writes a new file beside `path` and renames it; a pipe or a device is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    draft = path.with_name(f".pdors-{secrets.token_hex(8)}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
