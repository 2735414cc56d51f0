"""One loop for every policy: jobs arrive, are answered, and train slot by slot.

A round at slot t, in this order:

1. the jobs that arrive in t, in the order of the instance, are put to the policy one by one
2. what it admits is held against the rules and reserved
3. the queue, if there is one, is allotted its machines, and trains
4. time goes on to the next slot in which something can change: an arrival, a completion, the end of an allotment

Idle time costs nothing, and the same instance, policy and seed give the same decisions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise

from pdors.engine.outcome import Moment, Outcome
from pdors.engine.queue import Waiting
from pdors.engine.rules import require_counts, require_machines, require_sound
from pdors.errors import PolicyError
from pdors.model.decision import Admitted, Decision, Decisions, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger, LedgerView
from pdors.model.schedule import NOTHING
from pdors.planner.shape import JobShape
from pdors.policies.policy import Answer, Policy, Queue, Queued, Setting
from pdors.readiness import seconds_getting_ready

MakePolicy = Callable[[Setting], Policy]
OnDecision = Callable[[Job, Answer], None]
OnRound = Callable[["Simulation", int], None]


def simulate(
    instance: Instance, make_policy: MakePolicy, *, seed: int = 0, record_prices: bool = True,
    on_decision: OnDecision | None = None, on_round: OnRound | None = None,
) -> Outcome:  # fmt: skip
    """Run a policy on the jobs of the instance; it sees each one when it arrives, and no sooner.

    `on_decision` is told of every answer, `on_round` of every round: the simulation, and the slot of the next one.
    """
    simulation = Simulation(
        instance, make_policy, seed=seed, record_prices=record_prices, on_decision=on_decision, on_round=on_round
    )
    simulation.run()
    return simulation.outcome()


class Simulation:
    """The state of a run: the clock, the ledger and the queue; as a `View` it is all that the policy sees."""

    def __init__(
        self, instance: Instance, make_policy: MakePolicy, *, seed: int = 0, record_prices: bool = True,
        on_decision: OnDecision | None = None, on_round: OnRound | None = None,
    ) -> None:  # fmt: skip
        self.instance = instance
        self.setting = Setting(instance.cluster, instance.slots, instance.slot_seconds, seed)
        self.policy = make_policy(self.setting)
        self.slot = 0
        self._ledger = Ledger(instance.cluster)
        self._waiting = Waiting(self._ledger.units, instance.slot_seconds)
        self._decisions: dict[str, Decision] = {}
        self._promises: dict[str, int] = {}
        self._moments: list[Moment] = []
        self._decision_seconds: dict[str, float] = {}
        self._seconds = 0.0
        self._record_prices = record_prices
        self._on_decision = on_decision
        self._on_round = on_round

    @property
    def ledger(self) -> LedgerView:
        return self._ledger

    @property
    def queue(self) -> Queue:
        return self._waiting.seen(self.slot)

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """Of the jobs that have been answered and, if they came into the queue, are done."""
        return self._decisions

    def run(self) -> None:
        """All rounds, to the horizon."""
        started = _now()
        arrivals = [(slot, list(jobs)) for slot, jobs in groupby(self.instance.in_arrival_order(), _arrival)]
        for (slot, jobs), (next_slot, _) in pairwise([*arrivals, (self.setting.slots, [])]):
            self.slot = slot
            for job in jobs:
                self._answer(job)
            self._train_until(min(next_slot, self.setting.slots), newcomers=[job.id for job in jobs])
        self._waiting.hold(dict.fromkeys(self._waiting.placements, NOTHING), self.setting.slots)
        for queued in self._waiting.seen(self.setting.slots):
            self._decisions[queued.job.id] = Admitted(queued.job.id, self._waiting.schedule(queued.job.id), None, 0.0)
        self._seconds = _now() - started

    def outcome(self) -> Outcome:
        decisions = Decisions(
            policy=self.policy.name,
            decisions=tuple(self._decisions[job.id] for job in self.instance.jobs),
            seconds=self._seconds,
            seed=self.setting.seed,
            options=self.policy.options(),
        )
        return Outcome(self.instance, decisions, self._promises, tuple(self._moments), dict(self._decision_seconds))

    def _answer(self, job: Job) -> None:
        started = _now()
        answer = self.policy.decide(job, self)
        self._decision_seconds[job.id] = _now() - started
        match answer:
            case Admitted():
                require_sound(self.policy.name, answer, job, self.slot, self.setting)
                self._ledger.reserve(job, answer.schedule)
                self._decisions[job.id] = answer
                self._promises[job.id] = answer.schedule.completion
            case Rejected():
                self._decisions[job.id] = answer
            case Queued(promise):
                if promise is not None:
                    self._promises[job.id] = promise
                shape = JobShape.of(job, self._ledger.units, self.setting.slot_seconds)
                self._waiting.add(job, shape, self.slot)
        if self._on_decision is not None:
            self._on_decision(job, answer)

    def _train_until(self, next_arrival: int, newcomers: Sequence[str]) -> None:
        """Rounds without arrivals, from this slot to the next one that has some."""
        while self.slot < next_arrival:
            started = _now()
            stop = self._allot(next_arrival) if self._waiting else next_arrival
            for job_id in newcomers:
                if job_id in self._waiting.ids:
                    self._decision_seconds[job_id] += _now() - started
            newcomers = ()
            prices = self.policy.prices(self) if self._record_prices else None
            self._moments.append(Moment(self.slot, len(self._waiting), prices))
            if self._on_round is not None:
                self._on_round(self, stop)
            self._complete(stop)
            self.slot = stop
            self._ledger.forget(stop)

    def _allot(self, next_arrival: int) -> int:
        """Give the queue its machines; the slot in which to ask again."""
        allotment = self.policy.allot(self)
        if strangers := allotment.placements.keys() - self._waiting.ids:
            raise PolicyError(f"policy {self.policy.name}: {min(strangers)} is not in the queue")
        held, machines = self._waiting.placements, len(self.setting.cluster)
        changes = dict.fromkeys(held.keys() - allotment.placements.keys(), NOTHING)
        for job_id, placement in allotment.placements.items():
            before = held.get(job_id, NOTHING)
            if before is not placement and before != placement:
                changes[job_id] = placement
                require_machines(self.policy.name, placement, job_id, machines)
                if placement.shares and not placement.trains_like(before):
                    require_counts(self.policy.name, placement, self._waiting.job(job_id))
        self._waiting.hold(changes, self.slot)
        asked_for = self.slot + 1 if allotment.until is None else allotment.until
        if asked_for <= self.slot:
            raise PolicyError(f"policy {self.policy.name}: an allotment of slot {self.slot} until slot {asked_for}")
        stop = int(min(asked_for, next_arrival, self._waiting.first_done()))
        self._ledger.reserve_amounts(self.slot, stop, self._waiting.held)
        return stop

    def _complete(self, stop: int) -> None:
        """Let go of who is done by the end of the slot before `stop`."""
        done = self._waiting.done_by(stop)
        self._waiting.hold(dict.fromkeys(done, NOTHING), stop)
        for job_id in done:
            job = self._waiting.job(job_id)
            utility = job.utility.value(stop - 1 - job.arrival)
            self._decisions[job_id] = Admitted(job_id, self._waiting.schedule(job_id), stop - 1, utility)
        self._waiting.remove(done)


def _now() -> float:
    """Seconds of a clock that stands still while code is compiled or loaded."""
    return time.perf_counter() - seconds_getting_ready()


def _arrival(job: Job) -> int:
    return job.arrival
