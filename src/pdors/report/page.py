"""One HTML file from a template, styles, scripts and data; nothing in the data can become anything but text.

The data are JSON in a block that is never executed, with no character in it that could end the block. A policy for the
browser admits these very scripts and styles, by their hashes, and forbids every request.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

_SCRIPTS = ("page.js", "controls.js", "tables.js", "charts.js", "gantt.js", "heat.js", "courses.js", "report.js")


def page(title: str, data: object) -> str:
    charts, style = _asset("echarts.min.js"), _asset("report.css")
    script = "(() => {\n" + "\n".join(_asset(name) for name in _SCRIPTS) + "\n})();"
    parts = {
        "title": _text(title),
        "allowed": escape(_allowed(scripts=(charts, script), style=style)),
        "style": style,
        "data": _harmless(data),
        "charts": charts,
        "script": script,
    }
    # In one pass: what is put in is not searched again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("report.html"))


def _allowed(*, scripts: tuple[str, ...], style: str) -> str:
    """The content security policy."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src " + " ".join(_hash(script) for script in scripts),
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _harmless(data: object) -> str:
    """JSON in ASCII; `<` is escaped, so that neither a closing tag nor a comment can begin in it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _text(words: str) -> str:
    """As text between tags; what no encoding has, like half a surrogate pair, as a reference."""
    return escape(words).encode("ascii", "xmlcharrefreplace").decode()


def _asset(name: str) -> str:
    return (files("pdors.report") / "assets" / name).read_text(encoding="utf-8")
