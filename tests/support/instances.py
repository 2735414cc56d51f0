"""Instances, jobs and decisions of every kind: hypothesis strategies, and small ones built by hand.

What the strategies draw can be written as a document and read back. Decisions are well formed, not plans: they may
overbook machines and finish no work. `wide` numbers reach from the smallest to the largest finite float; the others
have the size of numbers in real documents, so that they can be planned with.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from pdors.model.cluster import Amounts, Cluster, MachineGroup
from pdors.model.decision import Admitted, Decision, Decisions, Reason, Rejected
from pdors.model.job import Instance, Job
from pdors.model.schedule import Placement, Schedule
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility

ODD_NAMES = (
    "yes", "no", "on", "null", "Null", "~", "true", "FALSE", ".nan", "-.inf", "1e3", "1_000", "0x1F", "0o17",
    "12:30", "2026-01-31", "-", "- a", "? a", ": a", "a: b", "a #b", "#a", "&a", "*a", "!a", "!!str a", "%a", "@a",
    "`a", "{a}", "[a]", "=", "<<", ">", "|", "'", '"', "it's", 'say "so"', "back\\slash", " leading", "trailing ",
    "tab\tinside", "two\nlines", "carriage\r", "null\0", "bell\a", "delete\x7f", "next line\x85",
    "separator\u2028", "\ufeffmark", "\ufffe", "\U0001f600", "\U0010ffff", "ключ", "名前", "e\u0301", "\u00e9",
    "---", "...", "a.b[0]", "long " * 200,
)  # fmt: skip
"""Texts that a careless reader or writer would change."""

RESOURCES = ("gpu", "cpu", "memory_gb", "storage_gb")


def names() -> st.SearchStrategy[str]:
    """Texts that a document may hold as a name."""
    simple = st.text("abcxyz0189-_.", min_size=1, max_size=8)
    return simple | st.sampled_from(ODD_NAMES) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def positive_numbers(*, wide: bool = False) -> st.SearchStrategy[float]:
    if wide:
        return st.floats(min_value=0, exclude_min=True, max_value=sys.float_info.max)
    return st.integers(1, 1000).map(float) | st.floats(0.01, 1000)


def numbers(*, wide: bool = False) -> st.SearchStrategy[float]:
    """Finite numbers of at least 0."""
    return st.just(0.0) | positive_numbers(wide=wide)


def amounts(resources: Sequence[str], *, wide: bool = False) -> st.SearchStrategy[Amounts]:
    """One amount per resource; zeros are common."""
    return st.tuples(*(numbers(wide=wide) for _ in resources))


@st.composite
def ps_speeds(draw: st.DrawFn, *, wide: bool = False) -> ParameterServerSpeed:
    positive, number = positive_numbers(wide=wide), numbers(wide=wide)
    return ParameterServerSpeed(
        sample_seconds=draw(positive),
        gradient_mb=draw(number),
        workers_per_server=draw(positive if wide else st.floats(0.1, 16)),
        internal_mb_s=draw(positive),
        external_mb_s=draw(positive),
        step_overhead_seconds=draw(number),
    )


@st.composite
def allreduce_speeds(draw: st.DrawFn, *, wide: bool = False) -> AllReduceSpeed:
    positive, number = positive_numbers(wide=wide), numbers(wide=wide)
    return AllReduceSpeed(draw(positive), draw(number), draw(positive), draw(positive), draw(number))


@st.composite
def table_speeds(draw: st.DrawFn, *, wide: bool = False) -> TableSpeed:
    workers = tuple(sorted(draw(st.sets(st.integers(1, 40), min_size=1, max_size=5))))
    column = st.tuples(*(st.none() | positive_numbers(wide=wide) for _ in workers))
    return TableSpeed(workers, draw(column), draw(st.none() | column))


def speeds(*, wide: bool = False) -> st.SearchStrategy[Speed]:
    return ps_speeds(wide=wide) | allreduce_speeds(wide=wide) | table_speeds(wide=wide)


@st.composite
def utilities(draw: st.DrawFn, *, wide: bool = False) -> Utility:
    number = numbers(wide=wide)
    signed = st.builds(lambda value, sign: value * sign, number, st.sampled_from([1, -1]))
    match draw(st.sampled_from(["sigmoid", "deadline", "table"])):
        case "sigmoid":
            return SigmoidUtility(draw(number), draw(number if wide else st.floats(0, 10)), draw(signed))
        case "deadline":
            late_value, worth = sorted([draw(number), draw(number)])
            return DeadlineUtility(worth, draw(signed), draw(st.sampled_from([0.0, late_value])))
        case _:
            after = sorted(draw(st.sets(signed, min_size=1, max_size=4)))
            worth_falling = sorted((draw(number) for _ in after), reverse=True)
            return TableUtility(tuple(after), tuple(worth_falling))


@st.composite
def jobs(draw: st.DrawFn, resources: Sequence[str], *, slots: int = 8, wide: bool = False) -> Job:
    """A job for a cluster with these resources that arrives within these slots."""
    speed = draw(speeds(wide=wide))
    has_servers = isinstance(speed, ParameterServerSpeed)
    epochs, samples = draw(
        st.tuples(*[positive_numbers(wide=wide)] * 2).filter(lambda pair: 0 < math.prod(pair) < math.inf)
    )
    return Job(
        id=draw(names()),
        arrival=draw(st.integers(0, slots - 1)),
        epochs=epochs,
        samples=samples,
        batch=draw(st.integers(1, 2**31 - 1 if wide else 64)),
        speed=speed,
        worker=draw(amounts(resources, wide=wide)),
        server=draw(amounts(resources, wide=wide)) if has_servers else (0.0,) * len(resources),
        utility=draw(utilities(wide=wide)),
    )


@st.composite
def clusters(draw: st.DrawFn, *, wide: bool = False) -> Cluster:
    """Up to three groups of machines, with and without a count, with up to four resources of any names."""
    resources = tuple(draw(st.lists(names(), min_size=1, max_size=4, unique=True)))
    groups: list[MachineGroup] = []
    taken: set[str] = set()
    for name in draw(st.lists(names(), min_size=1, max_size=3)):
        group = MachineGroup(name, draw(amounts(resources, wide=wide)), draw(st.none() | st.integers(1, 4)))
        if taken.isdisjoint(group.machine_names):
            taken.update(group.machine_names)
            groups.append(group)
    return Cluster(resources, tuple(groups))


@st.composite
def instances(draw: st.DrawFn, *, max_slots: int = 12, max_jobs: int = 4, wide: bool = False) -> Instance:
    slots = draw(st.integers(1, max_slots))
    cluster = draw(clusters(wide=wide))
    of_any_kind = jobs(cluster.resources, slots=slots, wide=wide)
    drawn = draw(st.lists(of_any_kind, max_size=max_jobs, unique_by=lambda job: job.id))
    return Instance(slots, draw(positive_numbers(wide=wide)), cluster, tuple(drawn))


@st.composite
def schedules_for(draw: st.DrawFn, instance: Instance, job: Job) -> Schedule:
    """Some tasks on some machines in some slots from the arrival on; servers only for jobs that have them."""
    most_servers = 4 if job.needs_servers else 0
    tasks = st.tuples(st.integers(0, 6), st.integers(0, most_servers))
    shares = st.dictionaries(st.integers(0, len(instance.cluster) - 1), tasks, max_size=3)
    placements = shares.map(lambda drawn: Placement.of((machine, *counts) for machine, counts in drawn.items()))
    slots = st.dictionaries(st.integers(job.arrival, instance.slots - 1), placements, max_size=5)
    return Schedule.from_slots(draw(slots).items())


@st.composite
def decisions_for(draw: st.DrawFn, instance: Instance, *, wide: bool = False) -> Decisions:
    """A well-formed document for that instance: jobs that complete, jobs left unfinished, and rejected jobs."""
    return Decisions(
        policy=draw(names()),
        decisions=tuple(draw(_decision(instance, job, wide=wide)) for job in instance.jobs),
        seconds=draw(numbers(wide=wide)),
        seed=draw(st.integers(0, 2**53 - 1)),
        options=draw(st.dictionaries(st.text(max_size=5), json_data(), max_size=3)),
    )


@st.composite
def _decision(draw: st.DrawFn, instance: Instance, job: Job, *, wide: bool) -> Decision:
    amount = st.floats(-1e300, 1e300) if wide else st.floats(-1000, 1000)
    payoff = draw(st.none() | amount)
    if draw(st.booleans()):
        return Rejected(job.id, draw(st.sampled_from(Reason)), payoff)
    schedule = draw(schedules_for(instance, job))
    finished = any(run.placement.workers for run in schedule.runs) and draw(st.booleans())
    utility = abs(draw(amount)) if finished else 0.0
    price = None if payoff is None else utility - payoff
    return Admitted(job.id, schedule, schedule.completion if finished else None, utility, payoff, price)


def json_data() -> st.SearchStrategy[object]:
    """Whatever JSON can say, with finite numbers."""
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | names()
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names(), inner, max_size=3), max_leaves=5
    )


def small_job(**changes: object) -> Job:
    """A parameter-server job for `small_instance`, with these fields changed.

    One worker with one server trains 3600 / (0.5 + 2 * 50 / 100 / 8) = 5760 samples in a slot on one machine.
    """
    job = Job(
        id="job-0",
        arrival=0,
        epochs=10,
        samples=1000,
        batch=8,
        speed=ParameterServerSpeed(0.5, 50, 2, 100, 10),
        worker=(1, 2),
        server=(0, 1),
        utility=SigmoidUtility(50, 0.5, 3),
    )
    return replace(job, **changes)  # type: ignore[arg-type]


def small_instance(*more_jobs: Job) -> Instance:
    """Ten hours, machines m-0, m-1 and big with GPUs and CPUs, and a job of each speed and each utility."""
    cluster = Cluster(("gpu", "cpu"), (MachineGroup("m", (4, 16), 2), MachineGroup("big", (8, 32))))
    jobs_of_each_kind = (
        small_job(),
        small_job(
            id="job-1",
            arrival=1,
            speed=AllReduceSpeed(0.5, 50, 100, 10),
            server=(0, 0),
            utility=DeadlineUtility(20, 4, 5),
        ),
        small_job(
            id="job-2",
            arrival=1,
            speed=TableSpeed((1, 2, 4), (2.0, 3.5, None), (2.0, 3.0, 5.0)),
            server=(0, 0),
            utility=TableUtility((0, 2, 6), (30, 10, 0)),
        ),
    )
    return Instance(10, 3600, cluster, jobs_of_each_kind + more_jobs)


def small_decisions() -> Decisions:
    """For `small_instance`: one job completes in slot 2, one is left unfinished, one is rejected."""
    alone, apart = Placement.of([(0, 2, 1)]), Placement.of([(0, 1, 0), (2, 3, 0)])
    return Decisions(
        policy="pdors",
        decisions=(
            Admitted("job-0", Schedule.from_slots([(1, alone), (2, alone)]), 2, 40.5, 30.25, 10.25),
            Admitted("job-1", Schedule.from_slots([(3, apart)]), None, 0, None, None),
            Rejected("job-2", Reason.PRICE, -1.5),
        ),
        seconds=0.5,
        seed=7,
        options={"solver": "fast"},
    )
