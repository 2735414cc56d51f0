"""Instances that the checker refuses, with the path of what is wrong; what it imports."""

import subprocess
import sys

import pytest

from pdors.check import check
from pdors.errors import DocumentError
from tests.support.check_documents import DROPPED, decisions_document, edited, instance_document


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({"format": "pdors/instance/2"}, "format: got 'pdors/instance/2', expected pdors/instance/1"),
        ({"slots": 0}, "slots: got 0, expected an integer from 1"),
        ({"slots": True}, "slots: got True, expected an integer"),
        ({"slot_seconds": 0}, "slot_seconds: got 0, expected a number above 0"),
        ({"slot_seconds": float("nan")}, "slot_seconds: got nan, expected a finite number"),
        ({"resources": []}, "resources: got [], expected at least one resource"),
        ({"resources": ["gpu", "gpu"]}, "resources: got ['gpu', 'gpu'], expected at least one resource, each"),
        ({"machines": []}, "machines: got [], expected at least one machine"),
        ({"machines/1/name": "m-1"}, "machines[1]: got {'capacity': "),
        ({"machines/0/count": 0}, "machines[0].count: got 0, expected an integer from 1 to 1000000"),
        ({"machines/0/count": 2**50}, "machines[0].count: got 1125899906842624, expected an integer from 1 to 1000000"),
        ({"machines/0/count": 10**6}, "machines[1]: got {'capacity': "),
        ({"machines/0/capacity/gpu": -1}, "machines[0].capacity.gpu: got -1, expected a number of at least 0"),
        ({"machines/0/capacity/disk": 1}, "machines[0].capacity.disk: got 1, expected no such key"),
        ({"machines/0/capacity": []}, "machines[0].capacity: got [], expected a mapping"),
        ({"jobs/0/colour": "red"}, "jobs[0].colour: got 'red', expected no such key; the keys here are id, arrival"),
        ({"jobs/1/id": "ps"}, "jobs[1].id: got 'ps', expected an id that no other job has"),
        ({"jobs/0/id": ""}, "jobs[0].id: got '', expected a text that is not empty"),
        ({"jobs/0/arrival": 10}, "jobs[0].arrival: got 10, expected an integer from 0 to 9"),
        ({"jobs/0/arrival": 0.5}, "jobs[0].arrival: got 0.5, expected an integer from 0 to 9"),
        ({"jobs/0/batch": 0}, "jobs[0].batch: got 0, expected an integer from 1"),
        ({"jobs/0/epochs": DROPPED}, "jobs[0].epochs: got nothing, expected a value"),
        (
            {"jobs/0/epochs": 1e200, "jobs/0/samples": 1e200},
            "jobs[0].samples: got 1e+200, expected a number that, times",
        ),
        ({"jobs/0/server": DROPPED}, "jobs[0].server: got nothing, expected a value"),
        ({"jobs/0/worker/gpu": "1"}, "jobs[0].worker.gpu: got '1', expected a finite number"),
        ({"jobs/0/speed/kind": "magic"}, "jobs[0].speed.kind: got 'magic', expected ps, allreduce or table"),
        ({"jobs/0/speed/internal_mb_s": 0}, "jobs[0].speed.internal_mb_s: got 0, expected a number above 0"),
        ({"jobs/1/speed/workers_per_server": 1}, "jobs[1].speed.workers_per_server: got 1, expected no such key"),
        (
            {"jobs/2/speed/workers": [1, 2, 2]},
            "jobs[2].speed.workers: got [1, 2, 2], expected worker counts in increasing",
        ),
        (
            {"jobs/2/speed/internal": [1, 2]},
            "jobs[2].speed.internal: got [1, 2], expected one entry per worker count (3)",
        ),
        ({"jobs/2/speed/external": [1, 2, 0]}, "jobs[2].speed.external[2]: got 0, expected a number above 0"),
        ({"jobs/0/utility/priority": -1}, "jobs[0].utility.priority: got -1, expected a number of at least 0"),
        ({"jobs/0/utility/urgency": -1}, "jobs[0].utility.urgency: got -1, expected a number of at least 0"),
        ({"jobs/1/utility/late_value": 11}, "jobs[1].utility.late_value: got 11, expected at most the value before"),
        (
            {"jobs/2/utility/value": [1, 2, 0]},
            "jobs[2].utility.value: got [1, 2, 0], expected values that do not increase",
        ),
        ({"jobs/2/utility/after": [0, 0, 1]}, "jobs[2].utility.after: got [0, 0, 1], expected durations in increasing"),
    ],
)
def test_an_impossible_instance_is_refused_by_path_value_and_what_was_expected(edits, message):
    with pytest.raises(DocumentError) as refused:
        check(edited(instance_document(), edits), decisions_document(), source="cluster.yaml")
    assert str(refused.value).startswith(f"cluster.yaml: {message}")


def test_servers_may_be_left_out_where_there_are_none():
    alike = edited(instance_document(), {"jobs/1/server": {"gpu": 4}, "jobs/2/server": {}})
    assert check(alike, decisions_document()).ok


def test_the_checker_imports_nothing_of_the_package_but_the_errors():
    program = "import sys, pdors.check; print(*sorted(name for name in sys.modules if name.startswith('pdors')))"
    listed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    foreign = [name for name in listed if not name.startswith("pdors.check")]
    assert foreign == ["pdors", "pdors.errors"]
