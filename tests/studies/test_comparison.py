"""The same jobs for every policy: what is measured, and against what."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from pdors.engine import simulate
from pdors.model.cluster import Cluster, MachineGroup
from pdors.model.job import Instance, Job
from pdors.model.speed import TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility
from pdors.policies.fifo import Fifo
from pdors.policies.pdors import PdOrs
from pdors.studies.comparison import Comparison, PolicyRun, compare, mean_of, run_count, spread_of
from pdors.studies.measures import in_time, measure
from pdors.studies.processes import Processes
from pdors.studies.record import outcome_document, parse_outcome
from pdors.studies.sources import Generated, Given
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.random_instances import random_instance

SMALL = Generated(PaperWorkload(jobs=12, machines=5, slots=20))


def hourly(job_id: str, hours: float, deadline: float) -> Job:
    return Job(job_id, 0, 1, 3600 * hours, 1, TableSpeed((1,), (1.0,)), (1,), (0,), DeadlineUtility(10, deadline, 1))


def test_measures_by_hand() -> None:
    """One GPU for six hours: two hours, in time; two more, late; three, for which nothing is left."""
    cluster = Cluster(("gpu", "none"), (MachineGroup("m", (1, 0)),))
    jobs = tuple(
        replace(hourly(name, hours, 1), worker=(1, 0), server=(0, 0))
        for name, hours in zip("abc", (2, 2, 3), strict=True)
    )
    found = measure(simulate(Instance(6, 3600, cluster, jobs), Fifo))
    assert (found.jobs, found.done, found.done_in_time, found.total_utility) == (3, 2, 1, 11)
    assert found.median_training_slots == 3  # of 1, 3 and 6
    assert found.use == {"gpu": 1.0, "none": 0.0}
    assert found.rejections == {}
    assert 0 < found.decision_p50_seconds <= found.decision_p99_seconds <= found.seconds


@pytest.mark.parametrize(
    ("utility", "last"),
    [(SigmoidUtility(1, 1, 3.5), 3), (DeadlineUtility(1, 4), 4), (TableUtility((0, 2, 6), (5, 5, 3)), 5)],
)
def test_in_time_is_up_to_target_deadline_or_the_first_step_down(utility: object, last: int) -> None:
    assert [in_time(utility, duration) for duration in (last, last + 1)] == [True, False]  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", [PdOrs, Fifo], ids=lambda policy: policy.name)
def test_outcomes_come_back_from_documents(policy: type[PdOrs | Fifo]) -> None:
    for seed in range(20):
        instance = random_instance(seed)
        outcome = simulate(instance, policy)
        again = parse_outcome(outcome_document(outcome), instance)
        assert again.per_slot() == outcome.per_slot()
        assert measure(again) == measure(outcome)


def compared(folder: Path, **options: object) -> Comparison:
    return compare(SMALL, ["pdors", "fifo"], [3, 4], folder=folder, backend=Processes(1), **options)  # type: ignore[arg-type]


def test_every_policy_has_the_same_jobs_and_none_beats_the_bound(tmp_path: Path) -> None:
    counted: list[None] = []
    made = compared(tmp_path, bound_seconds=5.0, in_detail=True, on_result=lambda: counted.append(None))
    assert len(counted) == run_count(["pdors", "fifo"], [3, 4], 5.0) == 6
    for policy, maker in (("pdors", PdOrs), ("fifo", Fifo)):
        totals = [found.total_utility for found in made.measures[policy]]
        assert totals == [simulate(SMALL.instance(seed), maker, seed=seed).total_utility for seed in (3, 4)]
        assert all(0 <= share <= 1 for share in made.of_bound(policy) if share is not None)
        assert made.outcomes[policy].total_utility == totals[0]


def test_without_a_bound_there_is_no_share_of_it(tmp_path: Path) -> None:
    made = compared(tmp_path, bound_seconds=None)
    assert made.bounds == made.of_bound("pdors") == (None, None)
    assert made.outcomes == {}


def test_sources_are_told_apart_by_all_that_matters() -> None:
    other = replace(SMALL.workload, jobs=13)
    identities = {SMALL.identity, Generated(other).identity}
    identities |= {Given(SMALL.instance(seed)).identity for seed in (1, 2)}
    assert len(identities) == 4
    assert Given(SMALL.instance(1)).identity in identities


def test_a_policy_of_one_s_own_is_run_again_when_its_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    code = "from pdors.policies.{name} import {name_of_class} as Base\n\n\nclass Mine(Base):\n    pass\n"
    totals = []
    for name, name_of_class in (("fifo", "Fifo"), ("pdors", "PdOrs")):
        file.write_text(code.format(name=name, name_of_class=name_of_class))
        made = compare(SMALL, [f"{file}:Mine"], [3], folder=tmp_path / "kept", bound_seconds=None, backend=Processes(1))
        totals.append(made.measures[f"{file}:Mine"][0].total_utility)
    expected = compared(tmp_path / "kept", bound_seconds=None)
    assert totals == [expected.measures[name][0].total_utility for name in ("fifo", "pdors")]


def test_a_policy_of_one_s_own_goes_with_its_run(tmp_path: Path) -> None:
    """Sent to where its file is another one, or is not."""
    file = tmp_path / "mine.py"
    file.write_text("from pdors.policies.pdors import PdOrs\n\n\nclass Mine(PdOrs):\n    pass\n")
    run = PolicyRun(SMALL, f"{file}:Mine", 3)
    identity = run.identity
    sent = pickle.dumps(run)
    expected = PolicyRun(SMALL, "pdors", 3)()["measures"]["total_utility"]
    for change in (lambda: file.write_text("raise AssertionError"), file.unlink):
        change()
        there = pickle.loads(sent)  # noqa: S301 - what the test has just written
        assert there.identity == identity
        assert there()["measures"]["total_utility"] == expected


def test_mean_and_spread_of_what_is_known() -> None:
    assert mean_of([1.0, None, 3.0]) == 2.0
    assert spread_of([1.0, None, 3.0]) == pytest.approx(2**0.5)
    assert mean_of([None]) is None
    assert spread_of([1.0, None]) is None
