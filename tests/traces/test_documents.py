"""docs/traces.md: its commands run, its Python runs, its fields are the fields."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pdors.cli.main import run
from pdors.files import read_instance
from pdors.traces.columns import FIELDS
from tests.traces import samples

PAGE = (Path(__file__).parents[2] / "docs/traces.md").read_text()
COMMANDS = re.findall(r"^    pdors (trace .*)$", PAGE, re.MULTILINE)


@pytest.fixture(autouse=True)
def _downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples under the names that the page uses."""
    for name, text in (
        ("job_events/part-00000-of-00500.csv", samples.JOB_EVENTS),
        ("task_events/part-00000-of-00500.csv", samples.TASK_EVENTS),
        ("cluster06.csv", samples.ELASTICFLOW_JOBS),
        ("throughputs_A100/vgg.csv", samples.THROUGHPUTS),
        ("workload-1.csv", samples.POLLUX_JOBS),
        ("openb_pod_list_default.csv", samples.PODS),
        ("openb_node_list_all_node.csv", samples.NODES),
        ("jobs.csv", samples.TABLE.replace("submitted", "submit_time")),
    ):
        samples.write(tmp_path, name, text)
    samples.write_profiles(tmp_path / "traces")
    monkeypatch.chdir(tmp_path)


def test_there_is_a_command_for_each_kind() -> None:
    assert [command.split()[1] for command in COMMANDS] == ["google", "elasticflow", "pollux", "alibaba", "csv"]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str) -> None:
    assert run(shlex.split(command)) == 0
    assert read_instance("instance.json").slots == 80


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(program, {})  # noqa: S102 - the page is ours
    assert capsys.readouterr().out.startswith("2 jobs, 0 broken rows\nnet-0 0 TableSpeed(")


def test_fields_of_a_table() -> None:
    rows = PAGE.partition("## `csv`")[2].partition("## From Python")[0]
    told = re.findall(r"^\| (`.*?`) \|", rows, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(told))) == set(FIELDS)
