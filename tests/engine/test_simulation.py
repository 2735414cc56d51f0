"""The loop: who is asked when, what is reserved and credited, and which answers are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pdors import plan
from pdors.check import check
from pdors.engine.simulation import Simulation, simulate
from pdors.errors import OverbookingError, PolicyError
from pdors.files import decisions_document, instance_document
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.decision import Admitted, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.ledger import Ledger
from pdors.model.schedule import Placement, Run, Schedule
from pdors.model.speed import ParameterServerSpeed, TableSpeed
from pdors.model.utility import DeadlineUtility
from pdors.policies.fifo import Fifo
from pdors.policies.pdors import PdOrs
from pdors.policies.policy import Allotment, Answer, Policy, Queued, Setting, View
from tests.support.random_instances import random_instance

TWO_GPUS = Cluster(("gpu",), (MachineGroup("m", (2,)),))
SLOTS = 10


def hourly(job_id: str, hours: float, *, arrival: int = 0, batch: int = 2) -> Job:
    """A worker takes one GPU and trains one sample a second; `hours` of it are its work."""
    speed = TableSpeed(tuple(range(1, batch + 1)), tuple(float(count) for count in range(1, batch + 1)))
    return Job(job_id, arrival, 1, 3600 * hours, batch, speed, (1,), (0,), DeadlineUtility(1, 100))


def instance_of(*jobs: Job, slots: int = SLOTS) -> Instance:
    return Instance(slots, 3600, TWO_GPUS, jobs)


class Notes(Policy):
    """Gives each job of the queue one GPU, in order, for as long as it may, and notes what it was asked."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.asked: list[tuple[int, list[str]]] = []

    def allot(self, view: View) -> Allotment:
        self.asked.append((view.slot, [queued.job.id for queued in view.queue]))
        one = Placement.of([(0, 1, 0)])
        return Allotment({queued.job.id: one for queued in view.queue[:2]}, until=self.setting.slots)


def test_a_policy_is_asked_when_a_job_comes_or_goes_and_at_no_other_time() -> None:
    instance = instance_of(hourly("a", 4), hourly("b", 2), hourly("c", 1), hourly("late", 1, arrival=7))
    simulation = Simulation(instance, Notes)
    simulation.run()
    assert isinstance(simulation.policy, Notes)
    assert simulation.policy.asked == [(0, ["a", "b", "c"]), (2, ["a", "c"]), (3, ["a"]), (7, ["late"])]
    ends = {decision.job_id: decision.completion for decision in simulation.outcome().decisions.decisions}
    assert ends == {"a": 3, "b": 1, "c": 2, "late": 7}


def test_work_is_credited_by_the_placement_and_the_last_slot_counts_whole() -> None:
    outcome = simulate(instance_of(hourly("a", 2.5)), Notes)
    decision = outcome.decisions["a"]
    assert decision == Admitted("a", Schedule((Run(0, 3, Placement.of([(0, 1, 0)])),)), 2, 1.0)


def test_what_is_not_done_at_the_horizon_stays_without_completion_and_utility() -> None:
    decision = simulate(instance_of(hourly("a", 11)), Notes).decisions["a"]
    assert isinstance(decision, Admitted)
    assert (decision.completion, decision.utility) == (None, 0)
    assert decision.schedule.worker_slots() == SLOTS


def test_a_job_that_arrives_after_the_horizon_is_answered_all_the_same() -> None:
    outcome = simulate(instance_of(hourly("a", 20), hourly("b", 1, arrival=SLOTS + 3)), Notes)
    assert outcome.decisions["b"] == Admitted("b", Schedule(()), None, 0.0)


def test_a_policy_may_queue_a_job_and_promise_a_slot() -> None:
    class Promising(Notes):
        def decide(self, job: Job, view: View) -> Answer:
            return Queued(view.slot + 5)

    outcome = simulate(instance_of(hourly("a", 1), hourly("b", 1, arrival=2)), Promising)
    assert outcome.promises == {"a": 5, "b": 7}
    assert outcome.per_job()["promise_slot"] == [5, 7]


def test_no_jobs_no_decisions() -> None:
    assert simulate(instance_of(), Fifo).decisions.decisions == ()


def test_jobs_of_a_slot_are_put_in_the_order_of_the_instance() -> None:
    told: list[str] = []
    jobs = hourly("z", 1, arrival=1), hourly("a", 1, arrival=1), hourly("m", 1)
    simulate(instance_of(*jobs), Notes, on_decision=lambda job, _: told.append(job.id))
    assert told == ["m", "z", "a"]


# Answers against the rules

ONE = Placement.of([(0, 1, 0)])


def with_schedule(schedule: Schedule, completion: int, utility: float = 1.0, job_id: str = "a") -> type[Policy]:
    class Fixed(Policy):
        def decide(self, job: Job, view: View) -> Answer:
            return Admitted(job_id, schedule, completion, utility)

    return Fixed


@pytest.mark.parametrize(
    ("schedule", "completion", "utility", "job_id", "complaint"),
    [
        (Schedule(()), 1, 1.0, "a", "is empty"),
        (Schedule((Run(0, 2, ONE),)), 1, 1.0, "a", "leaves the slots 1 to 9"),
        (Schedule((Run(9, 11, ONE),)), 10, 1.0, "a", "leaves the slots 1 to 9"),
        (Schedule((Run(1, 2, ONE),)), 1, 1.0, "a", "does not do all of its work"),
        (Schedule((Run(1, 3, ONE),)), 3, 1.0, "a", "ends in slot 2, and the promise is 3 for job a"),
        (Schedule((Run(1, 3, ONE),)), 2, 1.0, "b", "ends in slot 2, and the promise is 2 for job b"),
        (Schedule((Run(1, 3, ONE),)), 2, 2.0, "a", "is not worth 2"),
        (Schedule((Run(1, 3, Placement.of([(0, 3, 0)])),)), 2, 1.0, "a", "3 workers for job a, expected 1 to 2"),
        (Schedule((Run(1, 3, Placement.of([(0, 1, 1)])),)), 2, 1.0, "a", "1 servers for job a, expected none"),
    ],
)
def test_a_schedule_that_breaks_a_rule_is_refused(
    schedule: Schedule, completion: int, utility: float, job_id: str, complaint: str
) -> None:
    with pytest.raises(PolicyError, match=complaint):
        simulate(instance_of(hourly("a", 2, arrival=1)), with_schedule(schedule, completion, utility, job_id))


def test_too_few_servers_are_refused() -> None:
    speed = ParameterServerSpeed(1, 0, 2, 1, 1)
    job = replace(hourly("a", 1, batch=4), speed=speed)
    with pytest.raises(PolicyError, match="1 servers for job a, expected at least 2"):
        simulate(instance_of(job), with_schedule(Schedule((Run(0, 1, Placement.of([(0, 3, 1)])),)), 0))


def test_more_than_the_cluster_has_is_refused() -> None:
    jobs = hourly("a", 2), hourly("b", 2)
    both = Placement.of([(0, 2, 0)])

    class Twice(Policy):
        def decide(self, job: Job, view: View) -> Answer:
            return Admitted(job.id, Schedule((Run(0, 1, both),)), 0, 1.0)

    class Allots(Policy):
        def allot(self, view: View) -> Allotment:
            return Allotment({queued.job.id: both for queued in view.queue})

    for policy in (Twice, Allots):
        with pytest.raises(OverbookingError, match="machine m in slot 0"):
            simulate(instance_of(*jobs), policy)


@pytest.mark.parametrize("machine", [1, 10**9])
def test_machines_that_there_are_not_are_refused(machine: int) -> None:
    elsewhere = Placement.of([(machine, 1, 0)])

    class Allots(Policy):
        def allot(self, view: View) -> Allotment:
            return Allotment({queued.job.id: elsewhere for queued in view.queue})

    for policy in (Allots, with_schedule(Schedule((Run(0, 2, elsewhere),)), 1)):
        with pytest.raises(PolicyError, match=f"machine {machine} for job a, expected 0 to 0"):
            simulate(instance_of(hourly("a", 2)), policy)


def test_one_who_moves_is_held_against_the_machines_again() -> None:
    class Moves(Policy):
        def allot(self, view: View) -> Allotment:
            return Allotment({"a": Placement.of([(view.slot, 1, 0)])})

    with pytest.raises(PolicyError, match="machine 1 for job a"):
        simulate(instance_of(hourly("a", 2)), Moves)


def test_allotments_name_the_queue_and_the_future() -> None:
    class Strange(Policy):
        def allot(self, view: View) -> Allotment:
            return Allotment({"stranger": ONE})

    class Late(Policy):
        def allot(self, view: View) -> Allotment:
            return Allotment({}, until=view.slot)

    with pytest.raises(PolicyError, match="stranger is not in the queue"):
        simulate(instance_of(hourly("a", 1)), Strange)
    with pytest.raises(PolicyError, match="an allotment of slot 0 until slot 0"):
        simulate(instance_of(hourly("a", 1)), Late)


# Schedules and a queue together


class Mixed(Policy):
    """The first job gets a schedule on one GPU, the others share what is left."""

    def decide(self, job: Job, view: View) -> Answer:
        if job.id != "first":
            return Queued() if job.id != "unwanted" else Rejected(job.id, Reason.FULL)
        return Admitted(job.id, Schedule((Run(0, 4, ONE),)), 3, 1.0)

    def allot(self, view: View) -> Allotment:
        free = view.ledger.units.capacity - view.ledger.used(view.slot)
        room = int(free[0, 0] / view.ledger.units.demand((1.0,))[0])
        return Allotment({queued.job.id: ONE for queued in view.queue[:room]})


def test_the_queue_gets_what_schedules_leave() -> None:
    jobs = hourly("first", 4), hourly("b", 2), hourly("c", 3), hourly("unwanted", 1)
    outcome = simulate(instance_of(*jobs), Mixed)
    ends = {d.job_id: getattr(d, "completion", None) for d in outcome.decisions.decisions}
    assert ends == {"first": 3, "b": 1, "c": 4, "unwanted": None}
    assert outcome.promises == {"first": 3}
    report = check(instance_document(outcome.instance), decisions_document(outcome.decisions, outcome.instance))
    assert report.ok


# Any instance


@pytest.mark.parametrize("policy", [PdOrs, Fifo], ids=lambda policy: policy.name)
def test_decisions_of_any_instance_are_the_same_again_and_pass_the_check(policy: type[Policy]) -> None:
    for seed in range(60):
        instance = random_instance(seed)
        outcome = simulate(instance, policy)
        report = check(instance_document(instance), decisions_document(outcome.decisions, instance))
        assert report.ok, (seed, report.violations)
        assert report.total_utility == pytest.approx(outcome.total_utility)
        again = simulate(instance, policy).decisions
        assert again.decisions == outcome.decisions.decisions


def test_planning_is_a_simulation_of_the_policy() -> None:
    for seed in range(20):
        instance = random_instance(seed)
        assert simulate(instance, PdOrs).decisions.decisions == plan(instance).decisions


def test_the_past_is_let_go_of() -> None:
    """A thousand short jobs one after the other: the ledger holds the segments of a few."""
    jobs = tuple(hourly(f"job-{slot}", 1, arrival=slot) for slot in range(1000))
    simulation = Simulation(instance_of(*jobs, slots=1000), PdOrs)
    simulation.run()
    assert isinstance(simulation.ledger, Ledger)
    assert simulation.ledger.segment_count < 100
    with pytest.raises(Exception, match="is forgotten"):
        simulation.ledger.used(10)
    assert all(isinstance(decision, Admitted) for decision in simulation.outcome().decisions.decisions)


def test_use_per_slot_is_the_sum_of_what_is_held() -> None:
    for seed in range(20):
        instance = random_instance(seed)
        outcome = simulate(instance, PdOrs)
        expected = np.zeros((instance.slots, len(instance.cluster.resources)))
        for job, decision in outcome.answered():
            if isinstance(decision, Admitted):
                for slot, placement in decision.schedule.by_slot():
                    expected[slot] += placement.workers * np.array(job.worker)
                    expected[slot] += placement.servers * np.array(job.server)
        np.testing.assert_allclose(outcome.use(), expected, atol=1e-6 * (1 + expected.max()))
