"""Files to data: JSON and YAML, with one clear line for whatever cannot be read."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pdors.errors import DocumentError, Problem
from pdors.files.wording import at_index, at_key, shown
from pdors.files.yaml_text import Pairs, UnreadableYamlError, parse_yaml

STANDARD_INPUT = "-"
YAML_SUFFIXES = frozenset({".yaml", ".yml"})
_MAX_DEPTH = 32
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")

Mapping = dict[str, object]


@dataclass(frozen=True, slots=True)
class RawDocument:
    """What a file says, as plain data; `problems` are the keys that stand in one mapping more than once."""

    data: object
    source: str
    problems: tuple[Problem, ...]


def load_document(path: str | Path) -> tuple[object, str]:
    """The plain data of a JSON or YAML file (`-`: standard input), and the name that errors about it use.

    Every number of the file is as it stands there: whether it is finite is for the reader of the data to judge.
    """
    document = read_raw(path)
    if document.problems:
        raise DocumentError(document.source, document.problems)
    return document.data, document.source


def read_raw(path: str | Path) -> RawDocument:
    source = "standard input" if str(path) == STANDARD_INPUT else str(path)
    return parse_raw(_read_bytes(path, source), source)


def parse_raw(content: bytes, source: str) -> RawDocument:
    """JSON or YAML as the suffix of `source` says; without a known one, JSON if it reads as JSON, else YAML."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(source, f"byte {error.start}", "no UTF-8", "text in UTF-8") from None
    if not text.strip():
        raise _unreadable(source, "document", "nothing", "JSON or YAML")
    repeated = _RepeatedKeys()
    data = _parse(text, source, repeated)
    _require_moderate_depth(data, source)
    if _SURROGATE_ESCAPE.search(text):
        _require_whole_characters(data, source)
    return RawDocument(data, source, tuple(repeated.problems(data)))


def _read_bytes(path: str | Path, source: str) -> bytes:
    try:
        if str(path) == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise _unreadable(source, "file", "nothing at this path", "a file") from None
    except IsADirectoryError:
        raise _unreadable(source, "file", "a folder", "a file") from None
    except OSError as error:
        raise _unreadable(source, "file", error.strerror or str(error), "a file that can be read") from None
    except ValueError:
        raise _unreadable(shown(source), "file", "a path with a null character", "a path") from None


def _parse(text: str, source: str, repeated: _RepeatedKeys) -> object:
    suffix = Path(source).suffix.lower()
    if suffix == ".json":
        return _parse_json(text, source, repeated)
    if suffix in YAML_SUFFIXES:
        return _parse_yaml(text, source, repeated)
    try:
        return _parse_json(text, source, repeated)
    except DocumentError as json_error:
        repeated.forget()
        try:
            return _parse_yaml(text, source, repeated)
        except DocumentError:
            if text.lstrip()[0] in "{[":
                raise json_error from None
            raise


def _parse_json(text: str, source: str, repeated: _RepeatedKeys) -> object:
    try:
        return json.loads(text, object_pairs_hook=repeated.mapping)
    except json.JSONDecodeError as error:
        raise _broken(source, text, error.pos, f"JSON ({error.msg})") from None
    except RecursionError:
        raise _too_deep(source) from None
    except ValueError:
        digits = sys.get_int_max_str_digits()
        raise _unreadable(source, "document", f"a number of more than {digits} digits", "numbers") from None


def _parse_yaml(text: str, source: str, repeated: _RepeatedKeys) -> object:
    try:
        return parse_yaml(text, repeated.mapping, _MAX_DEPTH)
    except UnreadableYamlError as error:
        raise _broken(source, text, error.index, f"YAML ({error.reason})") from None


class _RepeatedKeys:
    """Makes mappings from pairs, and remembers those in which a key stands more than once."""

    def __init__(self) -> None:
        self._found: list[tuple[Mapping, list[str]]] = []

    def mapping(self, pairs: Pairs) -> Mapping:
        mapping = dict(pairs)
        if len(mapping) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            self._found.append((mapping, [key for key, count in counts.items() if count > 1]))
        return mapping

    def forget(self) -> None:
        self._found.clear()

    def problems(self, data: object) -> Iterator[Problem]:
        if not self._found:
            return
        keys_of = {id(mapping): keys for mapping, keys in self._found}
        for path, mapping in _mappings(data, ""):
            for key in keys_of.get(id(mapping), ()):
                yield Problem(at_key(path, key), "this key more than once", "each key once")


def _mappings(data: object, path: str) -> Iterator[tuple[str, Mapping]]:
    if isinstance(data, dict):
        yield path, data
        for key, value in data.items():
            yield from _mappings(value, at_key(path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _mappings(value, at_index(path, index))


def _require_moderate_depth(data: object, source: str) -> None:
    level = [data]
    for _ in range(_MAX_DEPTH + 1):
        inner = [node for node in level if isinstance(node, dict | list)]
        level = [child for node in inner for child in (node.values() if isinstance(node, dict) else node)]
        if not level:
            return
    raise _too_deep(source)


def _require_whole_characters(data: object, source: str) -> None:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = shown(error.object[error.start])
        raise _unreadable(source, "document", f"half a character ({half})", "whole characters") from None


def _broken(source: str, text: str, index: int, expected: str) -> DocumentError:
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    rest = text[index : index + 20].strip()
    return _unreadable(source, f"line {line}, column {column}", shown(rest) if rest else "the end", expected)


def _too_deep(source: str) -> DocumentError:
    return _unreadable(source, "document", "lists and mappings too deep", f"at most {_MAX_DEPTH} levels")


def _unreadable(source: str, path: str, value: str, expected: str) -> DocumentError:
    return DocumentError(source, (Problem(path, value, expected),))
