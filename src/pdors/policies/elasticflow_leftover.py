"""What the promises leave of a slot, given out step by step by diminishing returns.

The next step of a job is the smallest number of workers that trains more than what it has. Its worth is by how much the
total resource-time of the job drops for every worker added:

    (c (min(v', Q) - v) - (share' - share)) / (W' - W)

    Q           samples left to train                          -> left
    W, v        workers, and the samples that they train       -> workers, samples
    share       dominant share                                 -> share_of
    c           share x slots that a sample costs the job later -> cost_per_sample

The step worth most is taken, whether or not the total drops, until no step fits or no job can use one: what nobody
holds is lost. Jobs without a deadline come after all that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdors.compiled import compiled
from pdors.planner.room import copy, fill, take
from pdors.policies.elasticflow_fit import Scaling, place_apart, place_more, place_together, share_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ROUNDING = 1e-12
"""Two steps are worth the same within this much of the cluster for a slot."""


class Crowd(NamedTuple):
    """The jobs of a queue; the tables over the number of workers of job j begin at first[j]."""

    first: Integers
    worker: Floats
    server: Floats
    servers: Integers
    together: Floats
    apart: Floats
    best_together: Integers
    best_apart: Integers
    left: Floats
    cost_per_sample: Floats
    has_deadline: NDArray[np.bool_]

    @staticmethod
    def of(
        scalings: Sequence[Scaling],
        left: Sequence[float],
        cost_per_sample: Sequence[float],
        has_deadline: Sequence[bool],
    ) -> Crowd:
        return Crowd(
            first=np.cumsum([0, *(len(scaling.servers) for scaling in scalings)]),
            worker=np.array([scaling.worker for scaling in scalings]),
            server=np.array([scaling.server for scaling in scalings]),
            servers=np.concatenate([scaling.servers for scaling in scalings]),
            together=np.concatenate([scaling.together for scaling in scalings]),
            apart=np.concatenate([scaling.apart for scaling in scalings]),
            best_together=np.concatenate([scaling.best_together for scaling in scalings]),
            best_apart=np.concatenate([scaling.best_apart for scaling in scalings]),
            left=np.array(left),
            cost_per_sample=np.array(cost_per_sample),
            has_deadline=np.array(has_deadline, dtype=np.bool_),
        )


class Held(NamedTuple):
    """What the jobs hold: tasks per (job, machine), workers in all, and what a slot trains with them."""

    w: Integers
    s: Integers
    workers: Integers
    samples: Floats

    @staticmethod
    def nothing(jobs: int, machines: int) -> Held:
        tables = np.zeros((2, jobs, machines), dtype=np.int64)
        return Held(tables[0], tables[1], np.zeros(jobs, dtype=np.int64), np.zeros(jobs))


@compiled
def give_out(free: Floats, weight: Floats, crowd: Crowd, held: Held) -> None:
    """Take from `free`, and add to what is held, step by step."""
    jobs, machines = held.w.shape
    w, s = np.zeros((jobs, machines), dtype=np.int64), np.zeros((jobs, machines), dtype=np.int64)
    workers, samples, worth = np.zeros(jobs, dtype=np.int64), np.zeros(jobs), np.full(jobs, np.inf)
    placed_after = np.full(jobs, -1)
    steps = 0
    while True:
        # What was placed before the last step may not fit any more, and is tried anew when its turn comes.
        job = _worth_most(worth, crowd.has_deadline)
        if job < 0:
            return
        if placed_after[job] == steps:
            _move(free, crowd.worker[job], crowd.server[job], held.w[job], held.s[job], w[job], s[job])
            held.workers[job], held.samples[job] = workers[job], samples[job]
            steps += 1
        placed_after[job] = steps
        scaling = _scaling_of(crowd, job)
        workers[job] = 0
        if held.samples[job] < crowd.left[job]:
            workers[job], samples[job] = _next_step(
                free, weight, scaling, held.workers[job], held.samples[job], held.w[job], held.s[job], w[job], s[job]
            )
        worth[job] = -np.inf
        if workers[job] > 0:
            gained = min(samples[job], crowd.left[job]) - held.samples[job]
            paid = share_of(scaling, weight, workers[job]) - share_of(scaling, weight, held.workers[job])
            worth[job] = crowd.cost_per_sample[job] * gained - paid
            if workers[job] > held.workers[job]:
                worth[job] /= workers[job] - held.workers[job]


@compiled
def _worth_most(worth: Floats, has_deadline: NDArray[np.bool_]) -> int:
    """Of the jobs with a deadline if any has a step, else of the others; of equal ones the first, -1 if none has."""
    best = -1
    for job in range(len(worth)):
        if worth[job] > -np.inf and (
            best < 0
            or (has_deadline[job] and not has_deadline[best])
            or (has_deadline[job] == has_deadline[best] and worth[job] > worth[best] + _ROUNDING)
        ):
            best = job
    return best


@compiled
def _scaling_of(crowd: Crowd, job: int) -> Scaling:
    begin, end = crowd.first[job], crowd.first[job + 1]
    return Scaling(
        crowd.worker[job], crowd.server[job], crowd.servers[begin:end], crowd.together[begin:end],
        crowd.apart[begin:end], crowd.best_together[begin:end], crowd.best_apart[begin:end],
    )  # fmt: skip


@compiled
def _next_step(free: Floats, weight: Floats, scaling: Scaling, workers: int, samples: float, w: Integers, s: Integers,
               next_w: Integers, next_s: Integers) -> tuple[int, float]:  # fmt: skip
    """Place the fewest workers that train more: how many, 0 if they do not fit, and what they train."""
    alone = _fewest_above(scaling.together, scaling.best_together, samples)
    spread = _fewest_above(scaling.apart, scaling.best_apart, samples)
    if (
        alone > 0
        and (spread == 0 or alone <= spread)
        and _step_together(free, weight, scaling, alone, w, s, next_w, next_s)
    ):
        return alone, scaling.together[alone]
    if spread > 0 and _step_apart(free, weight, scaling, workers, spread, w, s, next_w, next_s):
        return spread, scaling.apart[spread]
    if alone > spread and _step_together(free, weight, scaling, alone, w, s, next_w, next_s):
        return alone, scaling.together[alone]
    return 0, 0.0


@compiled
def _fewest_above(rates: Floats, best: Integers, samples: float) -> int:
    """The fewest workers that train more than so many samples; 0 if none do."""
    low, high = 1, len(best)
    while low < high:
        middle = (low + high) // 2
        if rates[best[middle]] > samples:
            high = middle
        else:
            low = middle + 1
    return low if low < len(best) else 0


@compiled
def _step_together(free: Floats, weight: Floats, scaling: Scaling, workers: int, w: Integers, s: Integers,
                   next_w: Integers, next_s: Integers) -> bool:  # fmt: skip
    _release(free, scaling.worker, scaling.server, w, s, 1)
    machine = place_together(free, weight, scaling, workers)
    _release(free, scaling.worker, scaling.server, w, s, -1)
    if machine < 0:
        return False
    fill(next_w, 0)
    fill(next_s, 0)
    next_w[machine], next_s[machine] = workers, scaling.servers[workers]
    return True


@compiled
def _step_apart(free: Floats, weight: Floats, scaling: Scaling, held: int, workers: int, w: Integers, s: Integers,
                next_w: Integers, next_s: Integers) -> bool:  # fmt: skip
    """Beside what it has if that lies apart, else all anew."""
    used = 0
    for machine in range(len(w)):
        if w[machine] + s[machine] > 0:
            used += 1
    if used > 1 and held < workers:
        copy(w, next_w)
        copy(s, next_s)
        missing = scaling.servers[workers] - scaling.servers[held]
        fitted = place_more(free, weight, scaling.server, missing, next_s, next_w) == missing
        fitted = fitted and place_more(free, weight, scaling.worker, workers - held, next_w, next_s) == workers - held
        _release(free, scaling.worker, scaling.server, next_w, next_s, 1)
        _release(free, scaling.worker, scaling.server, w, s, -1)
        if fitted:
            return True
    _release(free, scaling.worker, scaling.server, w, s, 1)
    placed = place_apart(free, weight, scaling, workers, next_w, next_s)
    _release(free, scaling.worker, scaling.server, w, s, -1)
    return placed == workers


@compiled
def _release(free: Floats, worker: Floats, server: Floats, w: Integers, s: Integers, sign: int) -> None:
    for machine in range(len(w)):
        if w[machine] + s[machine] > 0:
            take(free[machine], worker, -sign * w[machine])
            take(free[machine], server, -sign * s[machine])


@compiled
def _move(
    free: Floats, worker: Floats, server: Floats, w: Integers, s: Integers, next_w: Integers, next_s: Integers
) -> None:
    """From the tasks `w`, `s` to the next ones."""
    _release(free, worker, server, w, s, 1)
    _release(free, worker, server, next_w, next_s, -1)
    copy(next_w, w)
    copy(next_s, s)
