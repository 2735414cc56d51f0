"""How fast a job trains, as Optimus sees it: told by the job, or fitted to what was measured.

An iteration takes, by the model of the paper for synchronous training,

    t0 M / W + t1 + t2 W / S + t3 W + t4 S      seconds, all t >= 0

    M     global batch          -> batch
    W, S  workers, servers      -> workers, servers
    t     found by non-negative least squares over what was measured, each measurement by its relative error

Without servers the terms with S are left out. What the job tells has 1 / S in place of W / S, so the model is not exact
even for a job that is always placed alike; and it knows nothing of where tasks lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pdors.model.job import Job
from pdors.model.speed import ParameterServerSpeed
from pdors.planner.shape import JobShape
from pdors.planner.streams import stream_of
from pdors.policies.optimus_gains import TERMS
from pdors.policies.optimus_placing import place

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PROFILE_RUNS = 10
"""Numbers of workers and servers that a job is tried with before it starts."""


@dataclass(frozen=True, eq=False)
class SpeedModel:
    """`terms` (together and apart, TERMS) of an iteration's seconds for jobs with servers; for others samples per slot
    for every number of workers, 0 where it cannot be had."""

    terms: Floats
    together: Floats
    apart: Floats


def told(shape: JobShape) -> SpeedModel:
    """The job's own speed."""
    terms = np.zeros((2, TERMS))
    speed = shape.job.speed
    if isinstance(speed, ParameterServerSpeed):
        for row, rate in enumerate((speed.internal_mb_s, speed.external_mb_s)):
            terms[row, 0] = speed.sample_seconds * shape.job.batch
            terms[row, 1] = speed.step_overhead_seconds
            terms[row, 2] = 2 * speed.gradient_mb / rate
    return SpeedModel(terms, shape.together, shape.apart)


class Measurements:
    """Seconds of an iteration by workers, servers and whether all lay on one machine; the model fitted to them."""

    def __init__(self, shape: JobShape, slot_seconds: float) -> None:
        self._shape = shape
        self._slot_seconds = slot_seconds
        self._seconds: dict[tuple[int, int, bool], float] = {}
        self._model: SpeedModel | None = None

    @staticmethod
    def of_profile(shape: JobShape, capacity: Floats, slot_seconds: float, seed: int) -> Measurements:
        """The least that trains, and numbers drawn at random, each run as it would be placed on the empty cluster."""
        measured = Measurements(shape, slot_seconds)
        rng = stream_of(seed, shape.job.id)
        usable = np.flatnonzero((shape.together > 0) | (shape.apart > 0))
        for run in range(PROFILE_RUNS):
            workers = int(usable[0] if run == 0 else rng.choice(usable))
            least = int(shape.servers[workers])
            servers = least if run == 0 or least == 0 else int(rng.integers(least, max(least, workers), endpoint=True))
            measured.try_out(workers, servers, capacity.copy())
        return measured

    def try_out(self, workers: int, servers: int, free: Floats) -> None:
        """Run it where there is room, if there is."""
        shape = self._shape
        w, s = np.zeros(len(free), dtype=np.int64), np.zeros(len(free), dtype=np.int64)
        rates = float(shape.together[workers]), float(shape.apart[workers])
        machines = place(free, shape.worker, shape.server, workers, servers, *rates, w, s)
        if machines > 0:
            self.observe(workers, servers, colocated=machines == 1)

    def observe(self, workers: int, servers: int, *, colocated: bool) -> None:
        """Measure, unless that has been done."""
        if (workers, servers, colocated) not in self._seconds:
            job = self._shape.job
            samples = job.samples_in_slot(workers, servers, self._slot_seconds, colocated=colocated)
            self._seconds[workers, servers, colocated] = self._slot_seconds * job.batch / samples
            self._model = None

    def model(self) -> SpeedModel:
        """The fit to all that has been measured so far."""
        if self._model is None:
            self._model = self._fitted()
        return self._model

    def _fitted(self) -> SpeedModel:
        shape, job = self._shape, self._shape.job
        if not self._seconds:
            return told(shape)
        counts = np.array([(workers, servers) for workers, servers, _ in self._seconds], dtype=np.float64)
        seconds = np.array(list(self._seconds.values()))
        rows = _rows(job, counts[:, 0], counts[:, 1])
        times = non_negative_least_squares(rows / seconds[:, np.newaxis], np.ones(len(seconds)))
        terms = np.zeros((2, TERMS))
        if job.needs_servers:
            terms[:, [0, 1, 3, 4, 5]] = times * (job.batch, 1, 1, 1, 1)
            return SpeedModel(terms, shape.together, shape.apart)
        workers = np.arange(1, shape.max_workers + 1, dtype=np.float64)
        samples = np.zeros(shape.max_workers + 1)
        samples[1:] = self._slot_seconds * job.batch / (_rows(job, workers, np.zeros(len(workers))) @ times)
        return SpeedModel(terms, np.where(shape.together > 0, samples, 0), np.where(shape.apart > 0, samples, 0))


def _rows(job: Job, workers: Floats, servers: Floats) -> Floats:
    ones = np.ones(len(workers))
    columns = [job.batch / workers, ones]
    columns += [workers / servers, workers, servers] if job.needs_servers else [workers]
    return np.stack(columns, axis=1)


def non_negative_least_squares(a: Floats, b: Floats) -> Floats:
    """The x >= 0 with the least |a x - b| (Lawson and Hanson, 1974)."""
    scale = np.linalg.norm(a, axis=0)
    scale[scale == 0] = 1.0
    a = a / scale
    columns = a.shape[1]
    x, is_free = np.zeros(columns), np.zeros(columns, dtype=np.bool_)
    tolerance = 1e-12 * np.linalg.norm(b)
    for _ in range(10 * columns):
        descent = np.where(is_free, -np.inf, a.T @ (b - a @ x))
        enters = int(np.argmax(descent))
        if descent[enters] <= tolerance:
            break
        is_free[enters] = True
        while True:
            candidate = np.zeros(columns)
            candidate[is_free] = np.linalg.lstsq(a[:, is_free], b, rcond=None)[0]
            below = is_free & (candidate <= 0)
            if not below.any():
                break
            step = (x[below] / (x[below] - candidate[below])).min()
            x += step * (candidate - x)
            is_free &= x > 1e-15
            x[~is_free] = 0.0
        x = candidate
    return np.asarray(x / scale)
