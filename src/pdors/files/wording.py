"""How a problem names a place in a document and the value that stands there: short, on one line, whatever it is."""

from __future__ import annotations

import json
import re

_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")
_LONGEST = 60


def at_key(path: str, key: object) -> str:
    """`jobs[3]` and `worker` give `jobs[3].worker`; a key that would be misread so gives `worker["a b"]`."""
    text = str(key)
    if not _PLAIN_KEY.fullmatch(text):
        return f"{path}[{shown(text)}]"
    return f"{path}.{text}" if path else text


def at_index(path: str, index: int) -> str:
    return f"{path}[{index}]"


def shown(value: object) -> str:
    """A value as JSON writes it, cut when it is long; containers by their kind, without looking into them."""
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if not isinstance(value, str | int | float | None):
        return f"a {type(value).__name__}"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST:
        return f"an integer of more than {_LONGEST} digits"
    text = json.dumps(value, ensure_ascii=False)
    if not text.isprintable():
        text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
