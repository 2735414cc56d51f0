"""One colour for each policy, the same wherever it is drawn, on a light and on a dark ground.

The eight colours of each ground were searched for as far apart as they can be for readers who see all colours and for
those who see no red, no green or no blue, each with a contrast of 3 or more to the ground.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

LIGHT_GROUND = "#ffffff"
DARK_GROUND = "#171c22"


@dataclass(frozen=True, slots=True)
class Colour:
    """As `#rrggbb`, on a light and on a dark ground."""

    light: str
    dark: str


POLICIES = {
    "pdors": Colour("#2062e6", "#2986f4"),
    "oasis": Colour("#e2772c", "#fd932c"),
    "elasticflow": Colour("#7d9b87", "#1cd69a"),
    "greedy": Colour("#ad40a3", "#a564a7"),
    "optimus": Colour("#174e5c", "#afeefe"),
    "dorm": Colour("#72640e", "#f0e434"),
    "drf": Colour("#470079", "#d0a1f6"),
    "fifo": Colour("#6a0815", "#e4373a"),
}
SPARE = (
    Colour("#5b6470", "#a3adba"),
    Colour("#98705a", "#c89f86"),
    Colour("#23272e", "#f3f5f7"),
    Colour("#2f8f98", "#5fb9c1"),
)
"""For policies of the user's own."""


def colours(policies: Iterable[str]) -> dict[str, Colour]:
    """Any other name picks a spare colour by a checksum, and the next one if that is taken in the same comparison."""
    chosen: dict[str, Colour] = {}
    for name in policies:
        start = crc32(name.encode("utf-8", "surrogatepass")) % len(SPARE)
        inclined = (*SPARE[start:], *SPARE[:start])
        free = (colour for colour in inclined if colour not in chosen.values())
        chosen[name] = POLICIES.get(name) or next(free, inclined[0])
    return chosen
