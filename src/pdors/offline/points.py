"""The points of a slot: samples trained, and workers and servers that it takes.

What a job may do in a slot is any of its whole points, and an upper bound may allow all their mixtures. Where the
points are few they are listed. Where they are many, a few take their place that are at least as good: every whole
point is a mixture of them, and of nothing, that trains no less. They lie on rays S = r W, as far out as the machines
reach, and on levels of

    y = 1 / (compute / W + exchange / S)

which grows in proportion along a ray; between two rays, and between two levels, a mixture loses a share that is known,
and that the points are given beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pdors.offline.paces import SLACK, Counts, Pace, Way, most_that_fit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_LISTED = 600
_BETWEEN_RAYS = 2.5e-4
"""About the share of samples that points are given, at most, so that mixtures of two rays lose nothing."""
_LEVEL_RATIO = 1.06


@dataclass(frozen=True, eq=False)
class Points:
    """Samples with the workers and servers behind them; `listed`: whole points that stand for themselves."""

    samples: Floats
    workers: Floats
    servers: Floats
    listed: bool = True

    def capped(self, work: float) -> Floats:
        """No whole point is worth more samples than there is work; one that stands for others may be used in part."""
        return np.minimum(self.samples, work) if self.listed else self.samples


@dataclass(frozen=True, eq=False)
class Region:
    """Where points may lie: on machines with this capacity in all, which hold that many of either task."""

    worker: Floats
    server: Floats
    capacity: Floats
    most_workers: float
    most_servers: float

    @staticmethod
    def on_one_machine(worker: Floats, server: Floats, capacity: Floats) -> Region:
        return Region(worker, server, capacity, most_that_fit(worker, capacity), most_that_fit(server, capacity))

    def servers_beside(self, workers: Integers) -> Floats:
        """The most servers beside so many workers; infinitely many where they need nothing, below 0 for none at all."""
        left = self.capacity * (1 + SLACK) - np.outer(workers, self.worker)
        used = self.server > 0
        beside = np.full(len(workers), self.most_servers)
        if used.any():
            share = np.floor((left[:, used] + SLACK * self.capacity[used]) / self.server[used])
            beside = np.minimum(beside, share.min(axis=1))
        return np.where((left < -SLACK * self.capacity).any(axis=1) | (workers > self.most_workers), -1.0, beside)

    def reach(self, ratio: Floats) -> Floats:
        """The W at which the ray S = ratio W leaves the region, infinite where it never does."""
        reach: Floats = np.minimum(self.most_workers, self.most_servers / ratio)
        for worker, server, capacity in zip(self.worker, self.server, self.capacity, strict=True):
            if worker or server:
                reach = np.minimum(reach, capacity * (1 + SLACK) / (worker + server * ratio))
        return reach

    def corners(self) -> list[float]:
        """The ratios S / W of all corners where servers grow on workers."""
        lines = [(self.worker[r], self.server[r], self.capacity[r] * (1 + SLACK)) for r in range(len(self.capacity))]
        lines += [(1.0, 0.0, self.most_workers), (0.0, 1.0, self.most_servers)]
        found = []
        for index, (a, b, c) in enumerate(lines):
            for d, e, f in lines[:index]:
                determinant = a * e - b * d
                if determinant and math.isfinite(c) and math.isfinite(f):
                    workers, servers = (c * e - b * f) / determinant, (a * f - c * d) / determinant
                    if workers > 0 and servers > 0:
                        found.append(servers / workers)
        return found


def points_of(way: Way, region: Region) -> Points:
    """What stands for all whole points of this way in the region."""
    if isinstance(way.rule, Counts):
        return _fitting(way.rule.samples, way.rule.workers, np.zeros_like(way.rule.workers), region)
    most_workers = int(min(way.most_workers, region.most_workers))
    if most_workers < way.least_workers:
        return Points(np.empty(0), np.empty(0), np.empty(0))
    counts = np.arange(way.least_workers, most_workers + 1)
    fewest = way.fewest_servers(counts)
    if way.rule.exchange == 0:
        return _one_row(way.rule, counts, fewest, region)
    most = np.minimum(region.servers_beside(counts), float(np.iinfo(np.int32).max))
    room = np.maximum(most - fewest + 1, 0)
    if room.sum() == 0:
        return Points(np.empty(0), np.empty(0), np.empty(0))
    if room.sum() <= MOST_LISTED:
        rows = room.astype(np.int64)
        workers: Floats = np.repeat(counts, rows).astype(np.float64)
        servers: Floats = np.concatenate(
            [np.arange(low, low + many, dtype=np.float64) for low, many in zip(fewest, rows, strict=True)]
        )
        return Points(way.rule.samples(workers, servers), workers, servers)
    held = room > 0
    return _on_rays(way.rule, float(counts[held].max()), float((fewest[held] / counts[held]).min()), region)


def _fitting(samples: Floats, workers: Integers, servers: Integers, region: Region) -> Points:
    fits = region.servers_beside(workers) >= servers
    return Points(samples[fits], workers[fits].astype(np.float64), servers[fits].astype(np.float64))


def _one_row(pace: Pace, counts: Integers, fewest: Integers, region: Region) -> Points:
    """Servers add nothing, or there are none: one point for each number of workers, or for some of very many."""
    fits = region.servers_beside(counts) >= fewest
    counts, fewest = counts[fits], fewest[fits]
    if len(counts) <= MOST_LISTED:
        ones = np.ones(len(counts))
        return Points(
            pace.samples(counts.astype(np.float64), ones), counts.astype(np.float64), fewest.astype(np.float64)
        )
    ratio = float((fewest / counts).min())
    kept: Floats = np.unique(np.rint(np.geomspace(counts[0], counts[-1], MOST_LISTED // 2)))
    samples = pace.samples(kept, np.ones(len(kept)))
    given = 1 + _excess(kept, pace.fixed / pace.compute)
    return Points(samples * given, kept, ratio * kept, listed=False)


def _excess(levels: Floats, fixed: float) -> Floats:
    """For each level the largest share by which y / (1 + fixed y) exceeds its chords to the neighbours.

    A concave function lies below its tangents at both ends, and those exceed the chord most where they meet.
    """
    low, high = levels[:-1], levels[1:]
    at_low, at_high = low / (1 + fixed * low), high / (1 + fixed * high)
    slope_low, slope_high = 1 / (1 + fixed * low) ** 2, 1 / (1 + fixed * high) ** 2
    bend = slope_low - slope_high
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = np.where(bend > 0, (at_high - at_low + slope_low * low - slope_high * high) / bend, low)
        meet = np.clip(meet, low, high)
        chord = at_low + (at_high - at_low) * (meet - low) / (high - low)
        over = np.where(bend > 0, (at_low + slope_low * (meet - low)) / chord - 1, 0.0)
    over = np.maximum(over, 0.0)
    return _at_ends(over)


def _on_rays(pace: Pace, most_workers: float, least_ratio: float, region: Region) -> Points:
    region = replace(region, most_workers=most_workers)
    ratios = _rays(pace, least_ratio, region)
    reach = region.reach(ratios)
    y = (1 + _between(pace, ratios)) / (pace.compute / reach + pace.exchange / (reach * ratios))
    if ratios[-1] < region.most_servers:
        # More servers than on the last ray bring this share at most.
        y[-1] *= 1 + pace.exchange / (pace.compute * ratios[-1])
    if pace.fixed == 0:
        return Points(pace.slot_seconds * y, reach, reach * ratios, listed=False)
    per_worker = y / reach
    least = 1 / (pace.compute + pace.exchange)
    widest = max(float(y.max()), least * _LEVEL_RATIO)
    levels = np.geomspace(least, widest, 1 + math.ceil(math.log(widest / least) / math.log(_LEVEL_RATIO)))
    samples = pace.slot_seconds * levels / (1 + pace.fixed * levels) * (1 + _excess(levels, pace.fixed))
    workers = levels[None, :] / per_worker[:, None]
    # A level is needed as far as mixtures with a neighbouring ray reach above the one below it.
    ends = np.maximum(y, np.maximum(np.append(y[1:], 0.0), np.insert(y[:-1], 0, 0.0)))
    kept = np.concatenate([np.ones((len(ratios), 1), dtype=np.bool_), levels[None, :-1] < ends[:, None]], axis=1)
    every = np.broadcast_to(samples, workers.shape)
    return Points(every[kept], workers[kept], (workers * ratios[:, None])[kept], listed=False)


def _rays(pace: Pace, least_ratio: float, region: Region) -> Floats:
    """Ratios from the least one on, so dense that two neighbours lose about `_BETWEEN_RAYS`."""
    scale = pace.exchange / pace.compute
    last = max(least_ratio, scale / _BETWEEN_RAYS)
    if math.isfinite(region.most_servers):
        last = max(least_ratio, min(last, region.most_servers))
    # The loss between two ratios that differ by a factor exp(step) is about step^2 x / (4 (1 + x)^2) at x = r / scale.
    ratios = [least_ratio]
    while ratios[-1] < last:
        x = ratios[-1] / scale
        step = min(0.5, math.sqrt(4 * _BETWEEN_RAYS * (1 + x) ** 2 / x))
        ratios.append(ratios[-1] * math.exp(step))
    ratios[-1] = last
    return np.unique([*ratios, *(corner for corner in region.corners() if least_ratio < corner < last)])


def _between(pace: Pace, ratios: Floats) -> Floats:
    """For each ray the largest share by which y exceeds its mixtures with a neighbouring ray, at equal y.

    Both points scaled to y = 1, the sum compute / W + exchange / S is least on the line between them where
    S sqrt(-compute dW) = W sqrt(exchange dS).
    """
    workers = pace.compute + pace.exchange / ratios
    servers = workers * ratios
    falling, rising = np.maximum(workers[:-1] - workers[1:], 0.0), np.maximum(servers[1:] - servers[:-1], 0.0)
    for_workers, for_servers = np.sqrt(pace.compute * falling), np.sqrt(pace.exchange * rising)
    bend = rising * for_workers + falling * for_servers
    away = workers[:-1] * for_servers - servers[:-1] * for_workers
    share = np.clip(np.divide(away, bend, out=np.zeros_like(bend), where=bend > 0), 0.0, 1.0)
    least = pace.compute / (workers[:-1] - share * falling) + pace.exchange / (servers[:-1] + share * rising)
    over = np.maximum(1 / least - 1, 0.0)
    return _at_ends(over)


def _at_ends(between: Floats) -> Floats:
    """For each of a row of values the larger of the two gaps beside it."""
    larger: Floats = np.maximum(np.concatenate([[0.0], between]), np.concatenate([between, [0.0]]))
    return larger
