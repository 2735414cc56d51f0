"""A study of figures as files: pictures, data, how they were made, claims, and one page of all."""

from __future__ import annotations

import csv
import json
import platform
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import pdors
from pdors.cli.paper_drawings import panels_of
from pdors.files.output import write_bytes, write_document
from pdors.report.drawing import Drawn, draw
from pdors.report.paper_page import ClaimRow, FigurePart, PaperPage, html_page, markdown_page
from pdors.studies.paper.account import beside_the_claims, entries, means_at, why
from pdors.studies.paper.measured import label_of
from pdors.studies.paper.options import PaperOptions
from pdors.studies.paper.runner import Studied, Verdict

_LIBRARIES = ("numpy", "numba", "highspy", "matplotlib")


def write_study(studied: Sequence[Studied], options: PaperOptions, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    parts = []
    for one in studied:
        name = one.figure.name
        drawn = draw(one.figure.title_for(options), panels_of(one))
        write_bytes(drawn.png, out / f"{name}.png")
        write_bytes(drawn.svg, out / f"{name}.svg")
        write_bytes(data_of(one).encode(), out / f"{name}.csv")
        write_document(how_made(one, options), out / f"{name}.json")
        parts.append(_part(one, options, drawn))
    claims = json.dumps(entries(studied), indent=1, ensure_ascii=False, allow_nan=False)
    write_bytes(f"{claims}\n".encode(), out / "claims.json")
    page = PaperPage(
        title="The evaluation of the paper, run again",
        lead=_lead(studied, options),
        claims=[row for one in studied for row in claim_rows(one)],
        figures=parts,
        facts=_facts(options),
    )
    write_bytes(html_page(page).encode(), out / "index.html")
    write_bytes(markdown_page(page).encode(), out / "README.md")


def data_of(studied: Studied) -> str:
    """One row for each cell; nothing in it depends on how long anything took."""
    rows = studied.measured.rows
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([studied.figure.vary, "curve", "seed", *columns])
    for (curve, x, seed), row in rows.items():
        table.writerow([f"{x:g}", curve, seed, *("" if row.get(column) is None else row[column] for column in columns)])
    return text.getvalue()


def how_made(studied: Studied, options: PaperOptions) -> dict[str, object]:
    figure = studied.figure
    return {
        "figure": figure.name,
        "setting": figure.setting.told(figure.vary),
        "points": list(studied.measured.points),
        "curves": list(studied.measured.curves),
        "seeds": list(studied.measured.seeds),
        "options": options.told(),
        "versions": {"pdors": version("pdors"), "python": platform.python_version()}
        | {name: version(name) for name in _LIBRARIES},
        "commit": _commit(),
        "cpu_seconds": sum(studied.seconds.values()),
        "cells": [
            {
                "curve": curve,
                figure.vary: x,
                "cpu_seconds": [round(studied.seconds[curve, x, seed], 4) for seed in studied.measured.seeds],
            }
            for curve in studied.measured.curves
            for x in studied.measured.points
        ],
    }


def _commit() -> str | None:
    """That of the checkout which is run, if it is one."""
    folder = Path(pdors.__file__).parent
    try:
        done = subprocess.run(  # noqa: S603 - fixed words alone
            ["git", "-C", str(folder), "rev-parse", "HEAD"],  # noqa: S607 - wherever git is
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError:
        return None
    return done.stdout.strip() or None


def claim_rows(studied: Studied) -> list[ClaimRow]:
    """The two verdicts of each claim as one row."""
    by_claim: dict[str, dict[str, Verdict]] = {}
    for verdict in studied.verdicts:
        by_claim.setdefault(verdict.claim.text, {})[verdict.prices or "default"] = verdict
    return [_claim_row(studied, found["default"], found.get("paper")) for found in by_claim.values()]


def _claim_row(studied: Studied, default: Verdict, paper: Verdict | None) -> ClaimRow:
    reasons = [why(studied, default)]
    if paper is not None and default.judgement.holds:
        reasons.append(why(studied, paper))
    more = default.judgement.more
    return ClaimRow(
        figure=studied.figure.name,
        claim=default.claim.text,
        default=default.judgement.holds,
        default_number=_number(default),
        paper=None if paper is None else paper.judgement.holds,
        paper_number="" if paper is None else _number(paper),
        why=" ".join(part for part in (f"{more[:1].upper()}{more[1:]}." if more else "", *reasons) if part),
    )


def _number(verdict: Verdict) -> str:
    found = verdict.judgement.interval
    at = "" if verdict.judgement.at is None else f" at {verdict.judgement.at:g}"
    return f"{found.value:.4g} [{found.low:.4g}, {found.high:.4g}] {verdict.claim.unit}{at}"


def _part(studied: Studied, options: PaperOptions, drawn: Drawn) -> FigurePart:
    figure = studied.figure
    facts = {
        "the text says": figure.said,
        "setting": figure.setting.told(figure.vary),
        "chosen where the text is silent": figure.silent,
        "jobs": figure.jobs_told(options),
    }
    return FigurePart(
        name=figure.name,
        title=figure.title_for(options),
        facts=facts,
        table=_means(studied),
        svg=drawn.svg,
        notes=beside_the_claims(studied),
    )


def _means(studied: Studied) -> list[tuple[str, ...]]:
    """Of what the panels draw, at every point."""
    measured = studied.measured
    columns = list(dict.fromkeys(panel.column for panel in studied.figure.panels))
    rows: list[tuple[str, ...]] = [("curve", "mean of", *(f"{x:g}" for x in measured.points))]
    for curve in measured.curves:
        for column in columns:
            means = [means_at(measured, curve, x).get(column) for x in measured.points]
            if any(mean is not None for mean in means):
                numbers = ("" if mean is None else f"{mean:.4g}" for mean in means)
                rows.append((label_of(curve), column.replace("_", " "), *numbers))
    return rows


def _lead(studied: Sequence[Studied], options: PaperOptions) -> list[str]:
    rows = [row for one in studied for row in claim_rows(one)]
    priced = [row for row in rows if row.paper is not None]
    seeds = len(options.seeds)
    lead = [
        f"{sum(row.default for row in rows)} of {len(rows)} claims hold at the default prices.",
        (
            f"Of the {len(priced)} in which prices play a part {sum(bool(row.paper) for row in priced)} hold at the "
            "paper's literal constants."
        ),
        f"A claim holds if the 95% interval over {seeds} seeds supports it.",
    ]
    if options.quick:
        lead.append("A quick run: few seeds and few points, so intervals are wide.")
    return lead


def _facts(options: PaperOptions) -> dict[str, str]:
    told = options.told()
    ranges = told.pop("synthetic_jobs")
    facts = {name.replace("_", " "): _plain(value) for name, value in told.items()}
    return facts | (dict(ranges) if isinstance(ranges, dict) else {})


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{name} {_plain(one)}" for name, one in value.items())
    return "none" if value is None else str(value)
