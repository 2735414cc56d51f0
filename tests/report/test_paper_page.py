"""The page of the evaluation: a row for each claim, pictures within, nothing that names become."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pdors.report.paper_page import ClaimRow, FigurePart, PaperPage, html_page, markdown_page

NUMBERS = {"default_number": "3 [1, 5]", "paper_number": "2 [1, 3]"}
ROWS = (
    ClaimRow(figure="one", claim="it is above", default=True, paper=True, why="", **NUMBERS),
    ClaimRow(figure="one", claim="it grows", default=False, paper=True, why="because", **NUMBERS),
    ClaimRow(figure="two", claim="it crosses", default=True, paper=None, why="", default_number="1", paper_number=""),
)
PAGE = PaperPage(
    title="All of it",
    lead=("Two hold.",),
    claims=ROWS,
    figures=[
        FigurePart(name=name, title="A title", facts={"setting": "T=20"}, table=[("curve", "1"), ("FIFO", "3")],
                   svg=b"<svg/>")
        for name in ("one", "two")
    ],
    facts={"seeds": "0, 1"},
)  # fmt: skip


@pytest.mark.parametrize("page", [html_page, markdown_page])
def test_a_row_for_each_claim_and_a_part_for_each_figure(page: object) -> None:
    text = page(PAGE)  # type: ignore[operator]
    for row in ROWS:
        assert text.count(row.claim) == 1
        assert row.default_number in text
    assert text.count("A title") >= 2
    assert "because" in text
    assert text == page(PAGE)  # type: ignore[operator]


def test_verdicts_in_the_order_of_the_columns() -> None:
    rows = [line for line in markdown_page(PAGE).splitlines() if line.startswith(("| one", "| two"))]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [(row[2], row[4]) for row in cells] == [("holds", "holds"), ("fails", "holds"), ("holds", "")]


def test_what_holds_at_one_of_the_prices_alone_is_said() -> None:
    marked = [line for line in markdown_page(PAGE).splitlines() if "only one of the two prices" in line]
    assert len(marked) == 1
    assert "it grows" in marked[0]


def test_html_asks_for_nothing_and_markdown_for_what_lies_beside_it() -> None:
    html = html_page(PAGE)
    assert all(source.startswith("data:image/svg+xml;base64,") for source in re.findall(r'src="([^"]*)', html))
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)', html))
    targets = re.findall(r"\]\(([^)]*)\)", markdown_page(PAGE))
    assert sorted(targets) == sorted(
        f"{name}.{kind}" for name in ("one", "two") for kind in ("png", "csv", "json", "svg")
    )


def test_names_stay_text() -> None:
    nasty = replace(PAGE, title="<script>", claims=[replace(ROWS[0], claim="a | b <i>")])
    assert "<script>" not in html_page(nasty)
    assert "<i>" not in html_page(nasty)
    assert r"a \| b" in markdown_page(nasty)
