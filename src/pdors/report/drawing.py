"""Figures with one style for all: lines with bands, bars with intervals, distributions; as PNG and SVG.

What is drawn is the same to the byte for the same numbers: no dates, no random names, no state outside of the figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Look = Literal["main", "other", "paper", "bound"]
"""PD-ORS itself, another policy, a policy at the paper's prices, a limit that nobody exceeds."""

_DASHES = {"main": "-", "other": "-", "paper": (0, (4, 2)), "bound": (0, (1, 1.5))}
_WIDTHS = {"main": 2.2, "other": 1.3, "paper": 1.3, "bound": 1.3}
_DOTS = (95, 90)
"""Per inch of a single panel, and of several: pictures are to stay small."""
_GRID = "#d9dde2"
_INK = "#23272e"
_SHADE = "#e9edf2"
_BAND = 0.14
_WHISKER = 0.55
_FARTHEST = 100.0
"""Where the axis of a distribution ends; its last steps may lie beyond."""
_MOST_TICKS = 10
_SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "svg.hashsalt": "pdors",
    "svg.fonttype": "path",
    "axes.edgecolor": "#8a929c",
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.color": _INK,
    "axes.titlesize": 9.0,
}


@dataclass(frozen=True, kw_only=True)
class Series:
    """Values over x; `low` and `high` are the ends of their intervals. `marker` is matplotlib's."""

    label: str
    colour: str
    marker: str
    look: Look
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


@dataclass(frozen=True, kw_only=True)
class PanelDrawing:
    """`lines` against x; `bars`, one of each series at its only x; `distribution`: y is the share of values up to x.

    `shade` is the range of x, or of y where there are lines, that the text names; `diagonal` draws y = x.
    """

    kind: Literal["lines", "bars", "distribution"]
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_logarithmic: bool = False
    y_logarithmic: bool = False
    shade: tuple[float, float] | None = None
    diagonal: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    png: bytes
    svg: bytes


def draw(title: str, panels: Sequence[PanelDrawing]) -> Drawn:
    """All panels side by side, one legend beneath them."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_SETTINGS):
        figure = Figure(
            figsize=(6.6 if len(panels) == 1 else 4.6 * len(panels), 4.3),
            dpi=_DOTS[len(panels) > 1],
            layout="constrained",
        )
        figure.suptitle(title, fontsize=10.5)
        handles: dict[str, Artist] = {}
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(1, len(panels), place + 1)
            _DRAWERS[panel.kind](axes, panel, handles)
            _finish(axes, panel)
        if len(handles) > 1:
            figure.legend(
                list(handles.values()), list(handles), loc="outside lower center", ncols=min(5, len(handles)),
                frameon=False, fontsize=8, columnspacing=0.9, handlelength=2.2,
            )  # fmt: skip
        png, svg = BytesIO(), BytesIO()
        FigureCanvasAgg(figure).print_png(png, metadata={"Software": None}, pil_kwargs={"optimize": True})  # type: ignore[no-untyped-call]
        FigureCanvasSVG(figure).print_svg(svg, metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    return Drawn(png.getvalue(), svg.getvalue())


def _lines(axes: Axes, panel: PanelDrawing, handles: dict[str, Artist]) -> None:
    if panel.shade is not None:
        axes.axhspan(*panel.shade, color=_SHADE, zorder=0)
    for place, series in enumerate(panel.series):
        aligned = panel.x_logarithmic or series.low is None
        x = list(series.x) if aligned else _aside(series.x, place - len(panel.series) / 2)
        (line,) = axes.plot(x, series.y, **_line_style(series))
        handles.setdefault(series.label, line)
        if series.low is not None and series.high is not None:
            if series.look == "main":
                axes.fill_between(x, series.low, series.high, color=series.colour, alpha=_BAND, linewidth=0, zorder=1)
            else:
                axes.vlines(x, series.low, series.high, color=series.colour, alpha=_WHISKER, linewidth=1.0, zorder=2)
    if panel.diagonal:
        ends = (min(panel.series[0].x), max(panel.series[0].x))
        (line,) = axes.plot(ends, ends, color=_INK, linewidth=1.0, linestyle=(0, (4, 3)))
        handles.setdefault("y = x", line)


def _aside(x: Sequence[float], place: float) -> list[float]:
    """A hair to the side, so that intervals of several series do not hide each other."""
    span = max(x, default=0.0) - min(x, default=0.0)
    return [value + 0.0035 * span * place for value in x]


def _bars(axes: Axes, panel: PanelDrawing, handles: dict[str, Artist]) -> None:  # noqa: ARG001 - each bar has its name beneath
    for place, series in enumerate(panel.series):
        ends = None
        if series.low is not None and series.high is not None:
            ends = np.array([[series.y[0] - series.low[0]], [series.high[0] - series.y[0]]])
        axes.bar(
            [place], series.y, width=0.62, color=series.colour, alpha=0.55 if series.look == "paper" else 0.9,
            hatch="///" if series.look == "paper" else None, edgecolor="white", linewidth=0.8, yerr=ends, capsize=3,
            error_kw={"ecolor": _INK, "elinewidth": 1.0},
        )  # fmt: skip
    names = [series.label for series in panel.series]
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right")


def _distribution(axes: Axes, panel: PanelDrawing, handles: dict[str, Artist]) -> None:
    if panel.shade is not None:
        axes.axvspan(*panel.shade, color=_SHADE, zorder=0)
    for series in panel.series:
        style = _line_style(series) | {"marker": ""}
        (line,) = axes.plot(series.x, series.y, drawstyle="steps-post", **style)
        handles.setdefault(series.label, line)
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0.95, _FARTHEST)


def _line_style(series: Series) -> dict[str, Any]:
    return {
        "color": series.colour, "linestyle": _DASHES[series.look], "linewidth": _WIDTHS[series.look],
        "marker": series.marker, "markersize": 5 if series.look == "main" else 4.2, "markeredgewidth": 0.9,
        "markerfacecolor": "white" if series.look == "paper" else series.colour,
        "zorder": 4 if series.look == "main" else 3,
    }  # fmt: skip


def _finish(axes: Axes, panel: PanelDrawing) -> None:
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.y_logarithmic:
        axes.set_yscale("log")
    elif panel.kind != "distribution" and min(min(series.y) for series in panel.series) >= 0:
        axes.set_ylim(bottom=0)
    if panel.x_logarithmic:
        axes.set_xscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(_minor_label)
    if panel.kind == "lines":
        ticks = list(panel.series[0].x)
        if len(ticks) <= _MOST_TICKS:
            axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
            axes.xaxis.minorticks_off()
    axes.grid(axis="y" if panel.kind == "bars" else "both", color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _minor_label(value: float, _place: float) -> str:
    """Between powers of ten only 2 and 5 are named."""
    return f"{value:g}" if f"{value:e}"[0] in "25" else ""


_DRAWERS = {"lines": _lines, "bars": _bars, "distribution": _distribution}
