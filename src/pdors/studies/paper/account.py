"""Verdicts in words and as documents: what decided, by how much, and the numbers that let one see why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pdors.studies.paper.measured import Measured, key_at
from pdors.studies.paper.runner import Studied, Verdict

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
        "test": claim.test,
        "at": judged.at,
        "seeds": len(studied.measured.seeds),
        "more": judged.more,
        "cause": why(studied, verdict),
    }


def why(studied: Studied, verdict: Verdict) -> str:
    """What is behind a claim that fails: the numbers at the point that decided, then what was found out."""
    if verdict.judgement.holds:
        return ""
    return " ".join(part for part in (_behind(studied, verdict), verdict.claim.cause) if part)


def _behind(studied: Studied, verdict: Verdict) -> str:
    judged = verdict.judgement
    if judged.at is None or judged.against is None:
        return ""
    keys = (key_at("pdors", verdict.prices or "default"), judged.against)
    both = "; ".join(f"{key}: {numbers_at(studied.measured, key, judged.at)}" for key in keys)
    return f"At {studied.figure.axis.name} = {judged.at:g}, mean over seeds: {both}."


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
