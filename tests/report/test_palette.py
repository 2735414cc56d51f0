"""Colours that can be told apart, by everybody, on either ground."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.policies.registry import POLICY_NAMES
from pdors.report.palette import DARK_GROUND, LIGHT_GROUND, POLICIES, SPARE, colours

Floats = NDArray[np.float64]

# Machado, Oliveira, Fernandes 2009, severity 1: what is left of linear red, green and blue.
SIGHT = {
    "all colours": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.01182, 0.04294, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                         [0.004733, 0.691367, 0.3039]]),
}  # fmt: skip


def linear(colour: str) -> Floats:
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(light: Floats) -> Floats:
    to_cones = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                         [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
    to_lab = np.array([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
                       [0.0259040371, 0.7827717662, -0.808675766]])  # fmt: skip
    lab: Floats = to_lab @ np.cbrt(to_cones @ light)
    return lab


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("ground", ["light", "dark"])
def test_the_eight_policies_differ_for_every_sight(ground: str, sight: str) -> None:
    seen = [oklab((SIGHT[sight] @ linear(getattr(colour, ground))).clip(0, 1)) for colour in POLICIES.values()]
    apart = min(float(np.linalg.norm(a - b)) for i, a in enumerate(seen) for b in seen[:i])
    assert apart > 0.1


@pytest.mark.parametrize("colour", [*POLICIES.values(), *SPARE], ids=str)
def test_every_colour_stands_out_from_its_ground(colour: object) -> None:
    assert contrast(getattr(colour, "light"), LIGHT_GROUND) >= 3  # noqa: B009 - of any type pytest likes
    assert contrast(getattr(colour, "dark"), DARK_GROUND) >= 3  # noqa: B009


def test_every_policy_of_the_registry_has_a_colour_of_its_own_wherever_it_stands() -> None:
    assert set(POLICIES) == set(POLICY_NAMES)
    assert colours(["fifo", "pdors"])["pdors"] == colours(POLICY_NAMES)["pdors"] == POLICIES["pdors"]


def test_other_policies_share_no_colour_while_there_are_spare_ones() -> None:
    own = [f"file.py:Mine{number}" for number in range(len(SPARE))]
    chosen = colours(["pdors", *own])
    assert len(set(chosen.values())) == len(own) + 1
    assert chosen[own[0]] == colours([own[0]])[own[0]]
    assert set(colours([*own, "one more"])) == {*own, "one more"}
