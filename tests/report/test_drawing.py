"""Every kind of panel from small made-up numbers: a real picture, the same each time."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from pdors.report.drawing import PanelDrawing, Series, draw


def series(label: str, colour: str, *y: float, look: str = "other") -> Series:
    return Series(
        label=label, colour=colour, marker="o", look=look, x=list(range(1, len(y) + 1)), y=y,  # type: ignore[arg-type]
        low=[value - 0.5 for value in y], high=[value + 0.5 for value in y],
    )  # fmt: skip


LINES = PanelDrawing(
    kind="lines", x_label="machines H", y_label="total utility",
    series=(series("PD-ORS", "#2062e6", 1, 4, 6, look="main"), series("FIFO", "#6a0815", 1, 2, 3)),
)  # fmt: skip
PANELS = {
    "lines": LINES,
    "logarithmic with a shade": replace(LINES, y_logarithmic=True, x_logarithmic=True, shade=(1.0, 1.4)),
    "diagonal": replace(LINES, diagonal=True),
    "bars": replace(LINES, kind="bars", series=(series("a", "#2062e6", 3), series("b", "#6a0815", 2, look="paper"))),
    "distribution": replace(LINES, kind="distribution", shade=(1.0, 1.4), x_logarithmic=True),
    "nothing to draw": replace(LINES, kind="distribution", series=(series("none", "#2062e6"),)),
}


@pytest.mark.parametrize("name", PANELS)
def test_every_kind_is_drawn(name: str) -> None:
    panel = PANELS[name]
    drawn = draw("A title", [panel])
    assert drawn.png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn.png[16:24])
    assert width > 400
    assert height > 300
    root = ET.fromstring(drawn.svg)  # noqa: S314 - our own bytes
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    if panel.series[0].x:
        assert panel.series[0].colour.encode() in drawn.svg
    assert draw("A title", [panel]) == drawn


def test_values_change_the_picture() -> None:
    other = replace(LINES, series=(series("PD-ORS", "#2062e6", 1, 4, 7, look="main"), LINES.series[1]))
    assert draw("A title", [LINES]) != draw("A title", [other])


def test_nothing_tells_when_or_where_it_was_drawn() -> None:
    svg = draw("A title", [LINES]).svg.decode()
    assert not re.findall(r"dc:date|dc:creator|20\d\d-\d\d", svg)


def test_two_panels_share_one_legend() -> None:
    one, two = (draw("A title", [LINES] * count).svg.decode().count('id="legend_') for count in (1, 2))
    assert (one, two) == (1, 1)


def test_a_whole_line_of_doubt_is_left_out() -> None:
    """One seed has an endless interval."""
    endless = replace(LINES.series[0], low=[float("-inf")] * 3, high=[float("inf")] * 3)
    assert draw("A title", [replace(LINES, series=(endless,))]).png
