"""Which jobs of a trace are taken, and into which slots they are put."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pdors.errors import ModelError
from pdors.traces.report import Tally
from pdors.traces.row import LARGEST_COUNT

Arrivals = Literal["scaled", "recorded"]

SAMPLED_AWAY = "sampled away"
TOO_LATE = "arrive after the last slot"
TOO_EARLY = "arrive before the start"

_SLOT_SECONDS = (1e-3, 1e9)
_LOADS = (1e-6, 1e6)
_STARTS = (0, 1e18)
"""Wider than any use; beyond them quotients of times leave the floats."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A job that is taken: `index` is its place in the trace, `seconds` its submission after the start of slot 0."""

    index: int
    slot: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """`jobs` jobs, drawn at random, that arrive within `slots` slots.

    scaled    submissions are scaled linearly: the first job of the sample arrives in slot 0, the last in the last slot;
              each counts as submitted at the start of its slot
    recorded  a second is a second: `start` seconds after the first job of the trace slot 0 begins, and a job arrives in
              the first slot that begins after its submission; the sample is drawn from those that arrive in time

    `load` presses arrivals together: at 1.5 the same jobs come in two thirds of the time. Below 1 it draws them apart,
    and those that come too late are left out.
    """

    jobs: int
    slots: int
    slot_seconds: float
    load: float = 1.0
    arrivals: Arrivals = "scaled"
    start: float = 0.0

    def __post_init__(self) -> None:
        for name, count in (("jobs", self.jobs), ("slots", self.slots)):
            if not 1 <= count <= LARGEST_COUNT:
                raise ModelError(f"{name}: got {count}, expected 1 to {LARGEST_COUNT}")
        for name, value, (least, most) in (
            ("slot_seconds", self.slot_seconds, _SLOT_SECONDS),
            ("load", self.load, _LOADS),
            ("start", self.start, _STARTS),
        ):
            if not least <= value <= most:
                raise ModelError(f"{name}: got {value:g}, expected {least:g} to {most:g}")
        if self.start and self.arrivals == "scaled":
            raise ModelError(f"start: got {self.start:g}, expected none where arrivals are scaled")

    def take(self, submitted: Sequence[float], rng: np.random.Generator, tally: Tally) -> list[Arrival]:
        """The sample of jobs submitted at these seconds, in order of submission; ties keep the order of the trace."""
        tally.filled["arrival"] = self._told()
        seconds = np.asarray(submitted, dtype=np.float64)
        taken = self._recorded(seconds, rng, tally) if self.arrivals == "recorded" else self._scaled(seconds, rng)
        if self.arrivals == "scaled":
            tally.leave_out(SAMPLED_AWAY, len(seconds) - len(taken))
        order = sorted(taken, key=lambda arrival: (seconds[arrival.index], arrival.index))
        return self._in_time(order, tally)

    def take_drawn(self, slots: Sequence[int], rng: np.random.Generator, tally: Tally) -> list[Arrival]:
        """The sample where the trace has no times: these slots were drawn for its jobs instead."""
        tally.filled["arrival"] = f"drawn from {self.slots} slots, odd and even ones as 1 to 2{self._pressed}"
        picked = self._sample(np.arange(len(slots)), rng)
        tally.leave_out(SAMPLED_AWAY, len(slots) - len(picked))
        taken = [self._at(int(index), int(slots[index] / self.load)) for index in picked]
        return self._in_time(sorted(taken, key=lambda arrival: (arrival.slot, arrival.index)), tally)

    def _told(self) -> str:
        if self.arrivals == "scaled":
            return f"submissions scaled linearly into {self.slots} slots{self._pressed}"
        return f"submissions as recorded, from {self.start:g} s after the first{self._pressed}"

    @property
    def _pressed(self) -> str:
        return "" if self.load == 1 else f", pressed together {self.load:g} times"

    def _scaled(self, seconds: NDArray[np.float64], rng: np.random.Generator) -> list[Arrival]:
        picked = self._sample(np.arange(len(seconds)), rng)
        if not len(picked):
            return []
        first, last = seconds[picked].min(), seconds[picked].max()
        span = self.slots / self.load
        shares = (seconds[picked] - first) / (last - first) if last > first else np.zeros(len(picked))
        slots = np.minimum(np.floor(shares * span), math.ceil(span) - 1)
        return [self._at(int(index), int(slot)) for index, slot in zip(picked, slots, strict=True)]

    def _recorded(self, seconds: NDArray[np.float64], rng: np.random.Generator, tally: Tally) -> list[Arrival]:
        if not len(seconds):
            return []
        since = (seconds - (seconds.min() + self.start)) / self.load
        slots = np.ceil(since / self.slot_seconds)
        early, late = since < 0, slots >= self.slots
        tally.leave_out(TOO_EARLY, int(early.sum()))
        tally.leave_out(TOO_LATE, int(late.sum()))
        within = np.flatnonzero(~early & ~late)
        picked = self._sample(within, rng)
        tally.leave_out(SAMPLED_AWAY, len(within) - len(picked))
        return [Arrival(int(index), int(slots[index]), float(since[index])) for index in picked]

    def _sample(self, candidates: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """A larger sample with the same seed has the jobs of the smaller one."""
        return np.sort(rng.permutation(candidates)[: self.jobs])

    def _at(self, index: int, slot: int) -> Arrival:
        return Arrival(index, slot, slot * self.slot_seconds)

    def _in_time(self, arrivals: list[Arrival], tally: Tally) -> list[Arrival]:
        kept = [arrival for arrival in arrivals if arrival.slot < self.slots]
        tally.leave_out(TOO_LATE, len(arrivals) - len(kept))
        if not kept:
            raise ModelError(f"start: got {self.start:g}, and no job arrives within {self.slots} slots from there")
        return kept
