"""Optimus: who gains most gets the next task, the smallest jobs are placed first, and nothing useful stays idle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from pdors.check import check
from pdors.engine.simulation import simulate
from pdors.errors import PolicyError
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.policies import optimus
from pdors.policies.optimus import Optimus
from pdors.policies.optimus_gains import Contenders, Counts, allocate
from pdors.policies.packing import spread_evenly
from pdors.policies.policy import Allotment, Policy, QueuedJob, Setting, View
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.random_instances import random_instance

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SLOT_SECONDS = 3600.0
LINEAR = TableSpeed(tuple(range(1, 9)), tuple(float(count) for count in range(1, 9)))
"""One worker trains one sample a second, wherever it is."""


def hourly(name: str, hours: float, **changes: object) -> Job:
    """`hours` of one worker; a worker takes one GPU."""
    job = Job(name, 0, 1, SLOT_SECONDS * hours, 8, LINEAR, (1,), (0,), DeadlineUtility(1, 100))
    return replace(job, **changes)  # type: ignore[arg-type]


def run(cluster: Cluster, slots: int, *jobs: Job) -> list[Decision]:
    return list(simulate(Instance(slots, SLOT_SECONDS, cluster, jobs), Optimus).decisions.decisions)


def gpus(capacity: float, count: int = 1) -> Cluster:
    return Cluster(("gpu",), (MachineGroup("m", (capacity,), count),))


def workers(decision: Decision) -> list[int]:
    assert isinstance(decision, Admitted)
    return [placement.workers for _, placement in decision.schedule.by_slot()]


# By hand


def test_the_longest_job_gains_most_by_a_worker() -> None:
    # Slot 0: of 12 hours a second worker takes 6 and a third one 2, of 3 hours a second worker 1.5.
    long, short = run(gpus(4), 6, hourly("long", 12), hourly("short", 3))
    assert (workers(long), workers(short)) == ([3, 3, 3, 3], [1, 1, 1])
    # Of 5 hours it takes 2.5; in slot 1 of the 10 that are left 5 and 1.67, of 3 again 1.5.
    long, short = run(gpus(4), 6, hourly("long", 12), hourly("short", 5))
    assert (workers(long), workers(short)) == ([2, 3, 3, 3, 1], [2, 1, 1, 1])


def test_gains_are_weighed_by_what_a_worker_takes() -> None:
    # 3 hours are gained by a second worker and 1 by a third, for one of the GPUs or for two of them.
    light, heavy = run(gpus(7), 6, hourly("light", 6), hourly("heavy", 6, worker=(2.0,)))
    assert (workers(light)[0], workers(heavy)[0]) == (3, 2)
    heavy, light = run(gpus(5), 6, hourly("heavy", 6, worker=(2.0,)), hourly("light", 6))
    assert (workers(heavy)[0], workers(light)[0]) == (1, 3)


def test_no_more_workers_than_finish_the_job_within_the_slot() -> None:
    (only,) = run(gpus(8), 3, hourly("only", 3))
    assert workers(only) == [3]


def test_those_who_came_first_get_their_first_worker_first() -> None:
    decisions = run(gpus(2), 2, *(hourly(name, 2) for name in "abc"))
    assert [getattr(decision, "completion", -1) for decision in decisions] == [1, 1, None]


def test_servers_come_with_workers_and_on_their_own() -> None:
    # A second: 64 samples / (0.5 * 64 / W + 200 / (S * 10)); the machine holds them all.
    speed = ParameterServerSpeed(0.5, 100, 4, 10, 10)
    job = hourly("ps", 1, samples=1e6, batch=64, speed=speed, server=(1.0,))
    for capacity in (2, 3, 6, 10):
        (decision,) = run(gpus(capacity), 1000, job)
        assert isinstance(decision, Admitted)
        placement = decision.schedule.runs[0].placement
        best = [(1, 1)]
        while sum(best[-1]) < capacity:
            held = best[-1]
            steps = [(held[0], held[1] + 1)] if held[1] < held[0] else []
            steps += [(held[0] + 1, max(held[1], -(-(held[0] + 1) // 4)))]
            best.append(min(steps, key=lambda step: 32 / step[0] + 20 / step[1]))
        assert (placement.workers, placement.servers) == best[-1]


def test_a_job_leaps_over_the_dip_where_it_outgrows_its_machine() -> None:
    speed = TableSpeed(tuple(range(1, 9)), tuple(map(float, range(1, 9))), (1, 1.2, 1.4, 1.6, 1.8, 2, 5, 6))
    (alone,) = run(gpus(4, 2), 100, hourly("alone", 100, speed=speed))
    assert workers(alone)[0] == 8
    (alone,) = run(gpus(3, 2), 100, hourly("alone", 100, speed=speed))
    assert workers(alone)[0] == 3
    # Others are served first.
    leaping, other = run(gpus(4, 2), 100, hourly("leaping", 100, speed=speed), hourly("other", 100))
    assert (workers(leaping)[0], workers(other)[0]) == (4, 4)


def test_what_lies_between_two_counts_of_a_table_is_not_used() -> None:
    speed = TableSpeed((2, 3, 6), (2.0, 3.0, 6.0))
    assert workers(run(gpus(5), 100, hourly("job", 99, speed=speed))[0]) == [3] * 33
    assert workers(run(gpus(6), 100, hourly("job", 12, speed=speed))[0]) == [6, 6]
    assert run(gpus(1), 1, hourly("job", 1, speed=speed)) == [Rejected("job", Reason.INFEASIBLE)]


def test_the_smallest_are_placed_first_and_who_does_not_fit_waits() -> None:
    # Three workers of two GPUs fit the cluster of 3 + 3 as a whole, but not its machines: the last one waits.
    decisions = run(gpus(3, 2), 3, *(hourly(name, 1, worker=(2.0,)) for name in "abc"))
    assert [getattr(decision, "completion", -1) for decision in decisions] == [0, 0, 1]


def test_who_does_not_fit_shrinks_or_waits() -> None:
    # In slot 0 the short job has two of 3 + 3 GPUs, and two workers of two GPUs fit what is left, but not the machines.
    jobs = hourly("short", 2, batch=2), hourly("long", 6, worker=(2.0,))
    instance = Instance(9, SLOT_SECONDS, gpus(3, 2), jobs)
    shrunk = simulate(instance, Optimus).decisions["long"]
    assert isinstance(shrunk, Admitted)
    assert (shrunk.schedule.runs[0].start, workers(shrunk)) == (0, [1, 2, 2, 1])
    waiting = simulate(instance, partial(Optimus, unplaced="wait")).decisions["long"]
    assert isinstance(waiting, Admitted)
    assert (waiting.schedule.runs[0].start, workers(waiting)) == (1, [2, 2, 2])
    # A table has no three.
    some = TableSpeed((1, 2, 4), (None, 2.0, 4.0), (None, 2.0, 4.0))
    instance = replace(instance, cluster=gpus(6, 2), jobs=(hourly("job", 6, worker=(3.0,), speed=some),))
    assert workers(simulate(instance, Optimus).decisions["job"]) == [4, 2]
    instance = replace(instance, cluster=Cluster(("gpu",), (MachineGroup("a", (9,)), MachineGroup("b", (3,)))))
    assert workers(simulate(instance, Optimus).decisions["job"]) == [2, 2, 2]


def test_fewer_workers_keep_their_part_of_the_servers() -> None:
    # Four workers and three servers of one GPU each fit 6 + 1 GPUs as a whole, but not the machines.
    speed = ParameterServerSpeed(0.5, 100, 4, 10, 10)
    greedy = hourly("greedy", 1, samples=1e6, batch=64, speed=speed, server=(1.0,))
    decisions = run(Cluster(("gpu",), (MachineGroup("a", (6,)), MachineGroup("b", (1,)))), 1000, greedy)
    assert isinstance(decisions[0], Admitted)
    placement = decisions[0].schedule.runs[0].placement
    assert (placement.workers, placement.servers) == (3, 3)


def test_a_count_is_not_placed_where_it_cannot_be_had() -> None:
    together_only = TableSpeed((2,), (2.0,), (None,))
    apart_only = TableSpeed((2,), (None,), (2.0,))
    decisions = run(gpus(2, 2), 2, hourly("x", 2, speed=apart_only), hourly("y", 2, speed=together_only))
    assert all(isinstance(decision, Admitted) and decision.completion is not None for decision in decisions)
    placed = [next(decision.schedule.by_slot())[1] for decision in decisions if isinstance(decision, Admitted)]
    assert [placement.colocated for placement in placed] == [False, True]


def test_one_machine_comes_last_where_it_is_slower() -> None:
    slow_together = TableSpeed((1, 2), (1.0, 1.0), (1.0, 2.0))
    for machines in (1, 2):
        (decision,) = run(gpus(2, machines), 5, hourly("job", 4, speed=slow_together))
        assert isinstance(decision, Admitted)
        assert decision.completion == (3 if machines == 1 else 1)


def test_options() -> None:
    setting = Setting(gpus(1), 1, SLOT_SECONDS)
    assert Optimus(setting).options() == {"speed": "told", "unplaced": "shrink"}
    assert Optimus(setting, speed="fitted", unplaced="wait").options() == {"speed": "fitted", "unplaced": "wait"}
    with pytest.raises(PolicyError, match="speed must be one of told, fitted, got 'guessed'"):
        Optimus(setting, speed="guessed")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match="unplaced must be one of shrink, wait, got 'drop'"):
        Optimus(setting, unplaced="drop")  # type: ignore[arg-type]


# An even spread on the fewest machines


def spread(free: list[float], workers: int, servers: int, fewest: int = 1, most: int = 99) -> list[tuple[int, int]]:
    """Workers take 2, servers 1."""
    left = np.array(free)[:, np.newaxis]
    w, s = np.zeros((2, len(free)), dtype=np.int64)
    used = spread_evenly(left, np.array([2.0]), np.array([1.0]), workers, servers, fewest, most, w, s)
    assert used == np.count_nonzero(w + s)
    assert (left[:, 0] == np.array(free) - 2 * w - s).all()
    return list(zip(w.tolist(), s.tolist(), strict=True))


def test_the_emptiest_machine_that_holds_all() -> None:
    assert spread([7, 9, 8], 3, 1) == [(0, 0), (3, 1), (0, 0)]


def test_as_few_as_hold_an_even_spread() -> None:
    assert spread([6, 9, 6], 5, 1) == [(2, 1), (3, 0), (0, 0)]
    assert spread([5, 4, 4], 4, 2) == [(2, 0), (1, 1), (1, 1)]
    # 8 + 3 hold four workers, but not two and two of them.
    assert spread([8, 3], 4, 1) == [(0, 0), (0, 0)]
    assert spread([9, 3], 4, 1) == [(4, 1), (0, 0)]


def test_no_fewer_and_no_more_machines_than_allowed() -> None:
    assert spread([9, 9, 9], 2, 1, fewest=2) == [(1, 1), (1, 0), (0, 0)]
    assert spread([9, 9, 9], 9, 0, most=2) == [(0, 0)] * 3
    assert spread([9, 9, 9], 1, 0, fewest=2) == [(0, 0)] * 3


@pytest.mark.parametrize("seed", range(200))
def test_spreads_are_even_and_no_smaller_one_fits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    machines, workers, servers = (int(number) for number in rng.integers((1, 1, 0), (8, 12, 6)))
    free = rng.integers(0, 20, size=(machines, 2)).astype(np.float64)
    worker, server = rng.integers(0, 6, size=(2, 2)).astype(np.float64)
    left, w, s = free.copy(), np.zeros(machines, dtype=np.int64), np.zeros(machines, dtype=np.int64)
    used = spread_evenly(left, worker, server, workers, servers, 1, machines, w, s)
    assert (left == free - w[:, np.newaxis] * worker - s[:, np.newaxis] * server).all()
    assert (left >= 0).all()
    if used:
        held = (w + s) > 0
        assert (held.sum(), w.sum(), s.sum()) == (used, workers, servers)
        assert max(np.ptp(w[held]), np.ptp(s[held]), np.ptp((w + s)[held])) <= 1
    amount = workers * worker + servers * server
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(amount > 0, free / amount, np.inf).min(axis=1)
    order = np.argsort(-room, kind="stable")
    for fewer in range(1, used or min(machines, workers + servers) + 1):
        tasks = [0] * workers + [1] * servers
        dealt = np.zeros((fewer, 2))
        for place, kind in enumerate(tasks):
            dealt[place % fewer, kind] += 1
        assert (dealt[:, :1] * worker + dealt[:, 1:] * server > free[order[:fewer]]).any()


# Whole runs, against a slow reference


@dataclass(frozen=True)
class Asked:
    """One slot: the queue, the machines, and what was decided to give out."""

    slot_seconds: float
    queue: tuple[QueuedJob, ...]
    free: Floats
    counts: list[tuple[int, int]]
    placements: dict[str, Placement]

    def pace(self, queued: QueuedJob, workers: int, servers: int) -> float:
        job, shape = queued.job, queued.shape
        apart = job.samples_in_slot(workers, servers, self.slot_seconds, colocated=False)
        if workers + servers == 1:
            apart = 0.0
        if (workers * shape.worker + servers * shape.server <= self.free).all(axis=1).any():
            return max(apart, job.samples_in_slot(workers, servers, self.slot_seconds, colocated=True))
        return apart

    def steps(self, queued: QueuedJob, workers: int, servers: int) -> Iterator[tuple[int, int]]:
        shape, now = queued.shape, self.pace(queued, workers, servers) if workers else 0.0
        if queued.job.needs_servers and servers < workers:
            yield workers, servers + 1
        more = [(count, max(servers, int(shape.servers[count]))) for count in range(workers + 1, shape.max_workers + 1)]
        yield from [state for state in more if self.pace(queued, *state) > 0][:1]
        yield from [state for state in more if self.pace(queued, *state) > now][:1]

    def gain(self, queued: QueuedJob, held: tuple[int, int], state: tuple[int, int]) -> float:
        left = queued.samples_left
        before = max(left / self.pace(queued, *held), 1.0) if held[0] else np.inf
        return float(before - max(left / self.pace(queued, *state), 1.0))


def asked_by(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    given: list[Counts] = []
    asked: list[Asked] = []

    def noted(room: Floats, total: Floats, largest: Floats, contenders: Contenders) -> Counts:
        given.append(allocate(room, total, largest, contenders))
        return given[-1]

    class Noted(Optimus):
        def allot(self, view: View) -> Allotment:
            allotment = super().allot(view)
            counts = list(zip(given[-1].workers.tolist(), given[-1].servers.tolist(), strict=True))
            capacity = view.ledger.units.capacity
            asked.append(Asked(instance.slot_seconds, tuple(view.queue), capacity, counts, dict(allotment.placements)))
            return allotment

    monkeypatch.setattr(optimus, "allocate", noted)
    simulate(instance, Noted)
    return asked


def instance_of(seed: int) -> Instance:
    if seed % 4:
        return random_instance(seed)
    return generate(PaperWorkload(jobs=12, machines=1 + seed % 9, slots=8), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(80))
def test_nothing_that_would_help_anybody_stays_idle(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for asked in asked_by(instance_of(seed), monkeypatch)[::4]:
        taken = sum(
            workers * queued.shape.worker + servers * queued.shape.server
            for queued, (workers, servers) in zip(asked.queue, asked.counts, strict=True)
        )
        room = asked.free.sum(axis=0) - taken
        assert (room >= 0).all()
        for queued, held in zip(asked.queue, asked.counts, strict=True):
            for state in asked.steps(queued, *held):
                more = (state[0] - held[0]) * queued.shape.worker + (state[1] - held[1]) * queued.shape.server
                gain = asked.gain(queued, held, state)
                assert (more > room).any() or gain <= 1e-9 * queued.samples_left / asked.pace(queued, *state)
            placement = asked.placements.get(queued.job.id)
            if placement is not None and (placement.workers, placement.servers) != held:
                workers, servers = placement.workers, placement.servers
                assert workers < held[0]
                assert servers == max(queued.shape.servers[workers], np.ceil(held[1] * workers / held[0]))


def document_of(instance: Instance, policy: type[Policy] | partial[Optimus]) -> str:
    decisions = simulate(instance, policy, seed=5).decisions
    document = decisions_document(decisions, instance)
    assert check(instance_document(instance), document).ok
    return json.dumps({key: value for key, value in document.items() if key != "seconds"})


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("speed", ["told", "fitted"])
def test_every_rule_is_kept_and_the_same_run_gives_the_same_decisions(seed: int, speed: optimus.SpeedName) -> None:
    instance = instance_of(seed)
    policy = partial(Optimus, speed=speed)
    assert document_of(instance, policy) == document_of(instance, policy)


def test_both_speeds_serve_a_whole_workload() -> None:
    instance = generate(PaperWorkload(jobs=50, machines=100, slots=20), np.random.default_rng(1))
    for speed in ("told", "fitted"):
        decisions = simulate(instance, partial(Optimus, speed=speed)).decisions.decisions
        done = [
            decision for decision in decisions if isinstance(decision, Admitted) and decision.completion is not None
        ]
        assert len(done) >= 5
