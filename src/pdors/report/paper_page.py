"""The evaluation on one page, as HTML that needs nothing else and as Markdown beside the pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files


@dataclass(frozen=True, kw_only=True)
class ClaimRow:
    """`default` and `paper` are the verdicts at either prices, such as "holds"; None where prices play no part."""

    figure: str
    claim: str
    default: bool
    default_number: str
    paper: bool | None
    paper_number: str
    why: str

    @property
    def depends_on_prices(self) -> bool:
        return self.paper is not None and self.paper != self.default


@dataclass(frozen=True, kw_only=True)
class FigurePart:
    """`facts` say what was set, `table` has the means behind the picture, its first row being the header."""

    name: str
    title: str
    facts: Mapping[str, str]
    table: Sequence[Sequence[str]]
    svg: bytes
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True, kw_only=True)
class PaperPage:
    title: str
    lead: Sequence[str]
    claims: Sequence[ClaimRow]
    figures: Sequence[FigurePart]
    facts: Mapping[str, str]


CLAIM_COLUMNS = ("figure", "claim", "default prices", "number [95%]", "paper's prices", "number [95%]", "why")


def html_page(page: PaperPage) -> str:
    style = (files("pdors.report") / "assets" / "paper.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(page.title)}</title><style>{style}</style></head><body><main>",
        f"<h1>{escape(page.title)}</h1>",
        *(f"<p>{escape(sentence)}</p>" for sentence in page.lead),
        "<h2>Claims</h2>",
        _html_claims(page.claims),
        *(_html_figure(part) for part in page.figures),
        "<h2>Settings</h2>",
        _html_facts(page.facts),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def markdown_page(page: PaperPage) -> str:
    """Pictures and data are those that lie beside it."""
    claims = _markdown_table([CLAIM_COLUMNS, *map(_cells, page.claims)])
    lines = [
        f"# {page.title}",
        "",
        *_paragraphs(page.lead),
        "## Claims",
        "",
        *claims,
    ]
    for part in page.figures:
        lines += ["", f"## {part.name}: {part.title}", "", f"![{part.title}]({part.name}.png)", ""]
        lines += [f"- {name}: {value}" for name, value in part.facts.items() if value]
        lines += ["", *_paragraphs(part.notes), *_markdown_table(part.table), ""]
        lines += [f"[data]({part.name}.csv), [how it was made]({part.name}.json), [as SVG]({part.name}.svg)"]
    lines += ["", "## Settings", "", *_markdown_table([("setting", "value"), *page.facts.items()])]
    return "\n".join(lines) + "\n"


def _cells(row: ClaimRow) -> tuple[str, ...]:
    prices = "" if row.paper is None else _verdict(held=row.paper)
    why = "Holds with only one of the two prices. " * row.depends_on_prices + row.why
    return (
        row.figure, row.claim, _verdict(held=row.default), row.default_number, prices, row.paper_number, why.strip(),
    )  # fmt: skip


def _verdict(*, held: bool) -> str:
    return "holds" if held else "fails"


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [line for sentence in sentences for line in (sentence, "")]


def _markdown_table(rows: Sequence[Sequence[str]]) -> list[str]:
    header, *body = [[_one_cell(cell) for cell in row] for row in rows]
    return [
        "| " + " | ".join(header) + " |",
        "|" + " --- |" * len(header),
        *("| " + " | ".join(row) + " |" for row in body),
    ]


def _one_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _html_claims(claims: Sequence[ClaimRow]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in CLAIM_COLUMNS[:-1])
    rows = "".join(map(_html_claim, claims))
    return f'<table class="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _html_claim(row: ClaimRow) -> str:
    """What is behind a verdict has a row to itself, beneath."""
    figure, claim, default, number, paper, paper_number, why = map(escape, _cells(row))
    reason = f'<tr class="why"><td></td><td colspan="5">{why}</td></tr>\n' if why else ""
    return (
        f'<tr class="claim"><td><a href="#{figure}">{figure}</a></td><td>{claim}</td>'
        f'<td class="{default}">{default}</td>'
        f'<td class="number">{number}</td><td class="{paper}">{paper}</td><td class="number">{paper_number}</td></tr>\n'
        f"{reason}"
    )


def _html_figure(part: FigurePart) -> str:
    picture = b64encode(part.svg).decode("ascii")
    header, *body = part.table
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in body)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    notes = "".join(f"<p>{escape(note)}</p>" for note in part.notes)
    return (
        f'<section id="{escape(part.name)}"><h2>{escape(part.name)}: {escape(part.title)}</h2>'
        f'<img alt="{escape(part.title)}" src="data:image/svg+xml;base64,{picture}">{_html_facts(part.facts)}{notes}'
        f"<details><summary>Means over seeds</summary>"
        f'<table class="means"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></details></section>'
    )


def _html_facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items() if value)
    return f"<dl>{rows}</dl>"
