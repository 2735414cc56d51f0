"""One file that holds all it needs, and in which no text of others becomes anything but text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from pdors.report.page import page

NASTY = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "\u2028",
    "\ud800",
    "{{data}}",
    r"\1",
    "&lt;",
    "'\"",
)
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=20)).flatmap(
    lambda text: st.sampled_from([text, text * 2, f"x{text}"])
)


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = str(dict(attrs).get("id") or tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


def parsed(text: str) -> Elements:
    elements = Elements()
    elements.feed(text)
    elements.close()
    return elements


PLAIN = parsed(page("plain", {}))


@given(title=TEXTS, data=st.dictionaries(TEXTS, st.lists(TEXTS)))
@example(title=NASTY[0], data={NASTY[0]: list(NASTY)})
def test_text_stays_text(title: str, data: dict[str, list[str]]) -> None:
    made = page(title, data)
    assert made.encode().count(b"<script") == 3
    elements = parsed(made)
    assert [tag for tag, _ in elements.found] == [tag for tag, _ in PLAIN.found]
    assert json.loads(elements.texts["data"]) == data


def test_the_title_reads_as_given() -> None:
    assert parsed(page("a < b & c", {})).texts["title"] == "a < b & c"


def test_nothing_comes_from_elsewhere() -> None:
    for tag, attributes in PLAIN.found:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not attributes.keys() & {"src", "srcset", "data", "action", "style"}
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]


def test_the_browser_is_told_to_ask_nobody_and_to_run_these_scripts_alone() -> None:
    allowed = next(made["content"] for _, made in PLAIN.found if made.get("http-equiv") == "Content-Security-Policy")
    assert allowed is not None
    assert allowed.startswith("default-src 'none';")
    assert len(re.findall(r"'sha256-[\w+/]{43}='", allowed)) == 3
    assert "unsafe" not in allowed
    assert "http" not in allowed
