"""Documents changed at random, and placements at random: no surprise, and the same answers as the readers and model."""

import copy
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdors.check import check
from pdors.check.instance import Instance
from pdors.check.report import Findings
from pdors.check.training import Training
from pdors.errors import DocumentError
from pdors.files import decisions_document, instance_document, parse_decisions, parse_instance
from pdors.planning import plan
from tests.support.instances import instances, json_data, schedules_for, small_instance

KEYS = ("kind", "count", "server", "external", "late_value", "step_overhead_seconds", "gpu", "m-0", "big", "stranger")
ODD_VALUES = (math.nan, math.inf, -math.inf, 10**400, 2**53, -1, 0.5, True, None, "", [], {}, [1, 1], [0, 0])


@pytest.fixture(scope="module")
def documents():
    instance = small_instance()
    return instance_document(instance), decisions_document(plan(instance), instance)


@st.composite
def changed(draw, document):
    """The document with up to three values replaced, repeated, taken away or put in."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        containers = list(_containers(document))
        if not containers:
            break
        parent = draw(st.sampled_from(containers))
        keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
        value = copy.deepcopy(draw(json_data() | st.sampled_from(ODD_VALUES)))  # a later change may go into it
        match draw(st.sampled_from(["replace", "drop", "insert"])) if keys else "insert":
            case "replace":
                parent[draw(st.sampled_from(keys))] = value
            case "drop":
                del parent[draw(st.sampled_from(keys))]
            case _ if isinstance(parent, dict):
                parent[draw(st.sampled_from(KEYS))] = value
            case _:
                parent.insert(0, copy.deepcopy(parent[-1]) if keys and draw(st.booleans()) else value)
    return document


def _containers(node):
    if isinstance(node, dict | list):
        yield node
        for child in node.values() if isinstance(node, dict) else node:
            yield from _containers(child)


def _error(read, *arguments):
    try:
        read(*arguments)
    except DocumentError as error:
        return str(error)
    return None


@given(data=st.data())
def test_a_changed_instance_is_refused_by_the_checker_if_and_only_if_it_is_by_the_reader(documents, data):
    instance, _ = documents
    document = data.draw(changed(instance))
    by_checker, by_reader = _error(Instance, document), _error(parse_instance, document, "instance")
    if by_checker is None and by_reader is not None:
        assert "expected an integer of at most" in by_reader  # the reader has limits of its own
    else:
        assert (by_checker is None) == (by_reader is None), (by_checker, by_reader)


@given(data=st.data())
def test_what_the_checker_accepts_can_be_read(documents, data):
    instance, decisions = documents
    document = data.draw(changed({key: value for key, value in decisions.items() if key not in ("seed", "options")}))
    if isinstance(document, dict):
        document = {"seed": 0, "options": {}} | document
    report = check(instance, document)
    assert report.ok == (not report.violations)
    if report.ok:
        read = parse_decisions(document, small_instance(), "decisions")
        assert read.total_utility == pytest.approx(report.total_utility)


@given(document=json_data())
def test_any_document_is_answered(documents, document):
    assert not check(documents[0], document).ok
    assert _error(Instance, document) is not None


@given(data=st.data(), wide=st.booleans())
def test_the_model_and_the_checker_credit_the_same(data, wide):
    instance = data.draw(instances(max_jobs=2, wide=wide))
    reading, names = Instance(instance_document(instance)), instance.cluster.machine_names
    for job in instance.jobs:
        schedule = data.draw(schedules_for(instance, job))
        document = [
            {"slot": slot, "placement": {names[share.machine]: [share.workers, share.servers] for share in held.shares}}
            for slot, held in schedule.by_slot()
        ]
        trained = Training(reading, Findings()).of(reading.jobs[job.id], document)
        if wide:  # what overflows on the way depends on the order of the factors
            assert trained.samples >= 0
        else:
            assert trained.samples == pytest.approx(schedule.samples(job, instance.slot_seconds), rel=1e-12, abs=0)
        workers = [slot for slot, placement in schedule.by_slot() if placement.workers]
        assert trained.last_slot == max(workers, default=None)


@given(data=st.data(), wide=st.booleans())
def test_the_model_and_the_checker_agree_on_what_a_duration_is_worth(data, wide):
    instance = data.draw(instances(max_jobs=2, wide=wide))
    reading = Instance(instance_document(instance))
    for job in instance.jobs:
        duration = data.draw(st.integers(0, 30))
        found = reading.jobs[job.id].utility(duration)
        assert found == pytest.approx(job.utility.value(duration), rel=1e-12, abs=1e-300)
