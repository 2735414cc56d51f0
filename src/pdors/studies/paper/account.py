"""Verdicts in words and as documents: what decided, by how much, and the numbers that let one see why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pdors.studies.paper.measured import Measured, key_at, label_of
from pdors.studies.paper.runner import Studied, Verdict
from pdors.studies.paper.statistics import mean_interval

_NOT_IN_THE_PAPER = {"optimus": "Optimus", "elasticflow": "ElasticFlow"}
_NUMBERS = (
    ("done", "{:.3g} jobs done"),
    ("use_of_scarcest", "{:.0%} of the scarcest resource held"),
    ("rejected_price", "{:.3g} rejected for price"),
    ("rejected_full", "{:.3g} for full"),
    ("rejected_infeasible", "{:.3g} for infeasible"),
)


def entries(studied: Iterable[Studied]) -> list[dict[str, Any]]:
    """One for each claim and choice of prices."""
    return [entry(one, verdict) for one in studied for verdict in one.verdicts]


def entry(studied: Studied, verdict: Verdict) -> dict[str, Any]:
    claim, judged = verdict.claim, verdict.judgement
    named = f"{claim.text} (the paper's price constants)" if verdict.prices == "paper" else claim.text
    return {
        "figure": verdict.figure,
        "claim": named,
        "holds": judged.holds,
        "value": _finite(judged.interval.value),
        "interval": [_finite(judged.interval.low), _finite(judged.interval.high)],
        "unit": claim.unit,
        "prices": verdict.prices,
        "beyond_the_paper": studied.figure.beyond,
        "test": claim.test,
        "at": judged.at,
        "seeds": len(studied.measured.seeds),
        "more": judged.more,
        "cause": why(studied, verdict),
    }


def why(studied: Studied, verdict: Verdict) -> str:
    """What is behind a claim that fails: the numbers at the point that shows it, then what was found out."""
    if verdict.judgement.holds:
        return ""
    parts = (_behind(studied, verdict), _of_the_constants(studied.measured, verdict), verdict.claim.cause)
    return " ".join(part for part in parts if part)


def beside_the_claims(studied: Studied) -> list[str]:
    """How PD-ORS stands to the policies that the paper does not compare with: paired, mean over the points."""
    told = []
    for policy, name in _NOT_IN_THE_PAPER.items():
        if {"pdors", policy} <= set(studied.measured.curves):
            ours, theirs = (studied.measured.over(key).mean(axis=1) for key in ("pdors", policy))
            found = mean_interval(ours - theirs)
            told.append(
                f"Beside the claims: PD-ORS less {name}, total utility, mean over the points: "
                f"{found.value:.4g} [{found.low:.4g}, {found.high:.4g}]."
            )
    return told


def _of_the_constants(measured: Measured, verdict: Verdict) -> str:
    """At the paper's constants alone, where the numbers show it."""
    x = verdict.judgement.shown_at
    if verdict.prices != "paper" or x is None or not {"pdors", "pdors:paper"} <= set(measured.curves):
        return ""
    usual, literal = (means_at(measured, key, x) for key in ("pdors", "pdors:paper"))
    if "rejected_price" not in usual or literal["rejected_price"] >= usual["rejected_price"]:
        return ""
    return (
        f"The paper's constants turn away {literal['rejected_price']:.3g} jobs for price and "
        f"{literal['rejected_full']:.3g} for want of room; the default prices {usual['rejected_price']:.3g} and "
        f"{usual['rejected_full']:.3g}."
    )


def _behind(studied: Studied, verdict: Verdict) -> str:
    judged = verdict.judgement
    if judged.shown_at is None or judged.against is None:
        return ""
    keys = (key_at("pdors", verdict.prices or "default"), judged.against)
    both = "; ".join(f"{label_of(key)}: {numbers_at(studied.measured, key, judged.shown_at)}" for key in keys)
    return f"At {studied.figure.axis.name} = {judged.shown_at:g}, mean over seeds: {both}."


def numbers_at(measured: Measured, key: str, x: float) -> str:
    means = means_at(measured, key, x)
    told = [f"utility {means['total_utility']:.4g}"]
    told += [words.format(means[column]) for column, words in _NUMBERS if column in means]
    return ", ".join(told)


def means_at(measured: Measured, key: str, x: float) -> Mapping[str, float]:
    """Of every column that each seed has, the mean over seeds."""
    first = measured.rows[key, x, measured.seeds[0]]
    columns = [column for column, value in first.items() if value is not None]
    return {column: float(np.mean(measured.at(key, x, column))) for column in columns}


def _finite(number: float) -> float | None:
    """JSON has no infinities: an end that is not known is null."""
    return number if math.isfinite(number) else None
