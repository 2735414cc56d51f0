"""What was measured for a figure, as what is drawn of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pdors.report.drawing import Look, PanelDrawing, Series
from pdors.report.palette import POLICIES, SPARE
from pdors.studies.paper.claims import relative_gain, turned_over
from pdors.studies.paper.declaration import Line, Panel
from pdors.studies.paper.measured import label_of
from pdors.studies.paper.runner import Studied
from pdors.studies.paper.statistics import Interval, mean_interval

Floats = NDArray[np.float64]

_MARKERS = {
    "pdors": "o", "oasis": "s", "elasticflow": "P", "greedy": "*", "optimus": "D", "dorm": "^", "drf": "v",
    "fifo": "X", "bound": "", "rounding": "h",
}  # fmt: skip
_MORE_MARKERS = ("o", "s", "^", "D", "v")


def panels_of(studied: Studied) -> list[PanelDrawing]:
    return [_panel(studied, panel) for panel in studied.figure.panels]


def _panel(studied: Studied, panel: Panel) -> PanelDrawing:
    figure = studied.figure
    keys = panel.curves or studied.measured.curves
    x_axis = panel.along or figure.axis
    return PanelDrawing(
        kind=panel.kind,
        x_label="" if panel.kind == "bars" else str(x_axis),
        y_label=str(panel.axis),
        series=[_series(studied, panel, key, place) for place, key in enumerate(keys)]
        + [_line(studied, line) for line in panel.lines],
        x_logarithmic=x_axis.logarithmic,
        y_logarithmic=panel.axis.logarithmic,
        shade=panel.shade,
        diagonal=panel.diagonal,
    )


def _series(studied: Studied, panel: Panel, key: str, place: int) -> Series:
    policy, _, prices = key.partition(":")
    look: Look = "bound" if policy == "bound" else "paper" if prices else "main" if policy == "pdors" else "other"
    style = {
        "label": label_of(key),
        "colour": SPARE[0].light if policy == "bound" else _colour(policy, place),
        "marker": _MARKERS.get(policy, _MORE_MARKERS[place % len(_MORE_MARKERS)]),
        "look": look,
    }
    if panel.kind == "distribution":
        x, y = _shares(studied.measured.shares(key, studied.measured.points[0], panel.ratio_of or "optimum"))
        return Series(**style, x=x, y=y)  # type: ignore[arg-type]  # the values of the dictionary are of several types
    found = _intervals(studied, panel, key)
    several = len(studied.measured.seeds) > 1
    return Series(
        **style,  # type: ignore[arg-type]  # the same
        x=studied.measured.points,
        y=[one.value for one in found],
        low=[one.low for one in found] if several else None,
        high=[one.high for one in found] if several else None,
    )


def _colour(policy: str, place: int) -> str:
    if policy == "rounding":
        return SPARE[3].light
    return POLICIES[policy].light if policy in POLICIES else list(POLICIES.values())[place].light


def _intervals(studied: Studied, panel: Panel, key: str) -> list[Interval]:
    measured = studied.measured
    if panel.ratio_of is not None:
        return [turned_over(mean_interval(measured.shares(key, x, panel.ratio_of))) for x in measured.points]
    if panel.gain_over is None:
        return [mean_interval(measured.at(key, x, panel.column)) for x in measured.points]
    policy, _, prices = key.partition(":")
    values = relative_gain(measured, prices or "default", panel.gain_over, policy)
    return [mean_interval(column) for column in 100 * values.T]


def _shares(shares: Floats) -> tuple[Sequence[float], Sequence[float]]:
    """Ratios 1 / share in rising order, and the share of all up to each one; infinite ones count, and are not drawn."""
    ratios = np.sort(1 / shares[shares > 0])
    return ratios.tolist(), (np.arange(1, len(ratios) + 1) / max(len(shares), 1)).tolist()


def _line(studied: Studied, line: Line) -> Series:
    measured = studied.measured
    return Series(
        label=line.label, colour=SPARE[0].light, marker="", look=line.look, x=measured.points,
        y=[float(np.mean(measured.at(line.curve, x, line.column))) for x in measured.points],
    )  # fmt: skip
