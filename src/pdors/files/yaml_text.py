"""YAML text to data: the YAML 1.2 core schema, read from the parser's events.

PyYAML's own constructors follow YAML 1.1 (`1e5` a text, `on` a truth value, `12:30` a number) and let a mapping name
a key twice. Here 1.2 decides what a plain scalar is, every key is the text that stands there, tags are refused, and
neither depth nor aliases can make a small file large.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

import yaml

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML can be built without its parser in C

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
PREFIXED_INTEGER = re.compile(r"^(?:0o[0-7]+|0x[0-9a-fA-F]+)$")
FLOAT = re.compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MOST_ALIASED = 100_000

Pairs = list[tuple[str, object]]


class UnreadableYamlError(Exception):
    """Text that is not YAML, or YAML that a document may not use; `index` counts characters from the start."""

    def __init__(self, index: int, reason: str) -> None:
        self.index = index
        self.reason = reason
        super().__init__(reason)


def parse_yaml(text: str, mapping: Callable[[Pairs], object], max_depth: int) -> object:
    """The one document in `text`, with every mapping made from its pairs by `mapping`."""
    try:
        return _Reader(text, mapping, max_depth).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableYamlError(mark.index if mark else 0, error.problem or "") from None
    except yaml.reader.ReaderError as error:
        raise UnreadableYamlError(text.find(chr(error.character)), "no such characters") from None


def plain_scalar(text: str) -> object:
    """What an unquoted scalar means in the core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _DECIMAL.fullmatch(text):
        return int(text)
    if PREFIXED_INTEGER.fullmatch(text):
        return int(text, 0)
    if FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


class _Reader:
    def __init__(self, text: str, mapping: Callable[[Pairs], object], max_depth: int) -> None:
        self._events = yaml.parse(text, Loader=_Loader)
        self._mapping = mapping
        self._max_depth = max_depth
        self._values_read = 0
        self._values_aliased = 0
        self._anchored: dict[str, tuple[object, int]] = {}
        """Value of each anchor, and how many values it holds."""

    def document(self) -> object:
        self._next_event()  # the start of the stream
        start = self._next_event()
        if isinstance(start, yaml.StreamEndEvent):
            _refuse(start, "no document in it")
        value = self._value(self._next_event(), depth=0)
        self._next_event()  # the end of the document
        rest = self._next_event()
        if not isinstance(rest, yaml.StreamEndEvent):
            _refuse(rest, "one document alone")
        return value

    def _next_event(self) -> yaml.Event:
        event: yaml.Event = next(self._events)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            _refuse(event, "no tags")
        return event

    def _value(self, event: yaml.Event, depth: int) -> object:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > self._max_depth:
            _refuse(event, f"at most {self._max_depth} levels")
        if not isinstance(event, yaml.NodeEvent):
            _refuse(event, "a value")
        before = self._values_read
        self._values_read += 1
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(depth)
        else:
            value = self._pairs(depth)
        if event.anchor is not None:
            self._anchored[event.anchor] = (value, self._values_read - before)
        return value

    def _sequence(self, depth: int) -> object:
        items: list[object] = []
        while not isinstance(item := self._next_event(), yaml.SequenceEndEvent):
            items.append(self._value(item, depth + 1))
        return items

    def _pairs(self, depth: int) -> object:
        pairs: Pairs = []
        while not isinstance(key := self._next_event(), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                _refuse(key, "a text as the key")
            pairs.append((key.value, self._value(self._next_event(), depth + 1)))
        return self._mapping(pairs)

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        is_plain = event.implicit[0]
        if not is_plain:
            return event.value
        try:
            return plain_scalar(event.value)
        except ValueError:
            _refuse(event, "a number of fewer digits")

    def _alias(self, event: yaml.AliasEvent) -> object:
        if event.anchor not in self._anchored:
            _refuse(event, "an anchor before its alias")
        value, size = self._anchored[event.anchor]
        self._values_read += size
        self._values_aliased += size
        if self._values_aliased > _MOST_ALIASED:
            _refuse(event, f"aliases for at most {_MOST_ALIASED} values")
        return value


def _refuse(event: yaml.Event, reason: str) -> NoReturn:
    mark = event.start_mark
    raise UnreadableYamlError(mark.index if mark else 0, reason)
