"""What a new reader runs first does what it says: the examples, the quickstart, and the README."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from pdors import Admitted, plan, read_instance, speed, utility
from pdors.check import check
from pdors.cli.main import run
from pdors.files import decisions_document, load_document

EXAMPLE = Path("examples/cluster.yaml")
POLICY = Path("examples/shortest_first.py")

PRINTED = {
    "plan_and_quote.py": """\
resnet50: done by the end of slot 3, worth 52.8
ads-ranking: done by the end of slot 5, worth 20.0
resnet50-again: slot 14 for 21.897, worth 10.1
resnet50-again: slot 15 for 18.517, worth 7.2
resnet50-again: slot 18 for 18.317, worth 2.3
resnet50-again: would be rejected
total utility 72.8
""",
    "what_if.py": """\
class-project, worth 0.7: rejected for price
a worth of 1.39 would get it in, done by slot 30
  worth 0.8: rejected
  worth 1: rejected
  worth 1.2: rejected
  worth 1.4: admitted, done by slot 30
  worth 1.6: admitted, done by slot 30
  deadline later by 4: rejected
  deadline later by 8: rejected
  deadline later by 12: rejected
  deadline later by 16: admitted, done by slot 44
""",
}


def test_there_is_no_other_example() -> None:
    assert {path.name for path in Path("examples").iterdir() if path.is_file()} == {*PRINTED, EXAMPLE.name, POLICY.name}


@pytest.mark.parametrize("name", PRINTED)
def test_example_prints_this(name: str) -> None:
    done = subprocess.run([sys.executable, f"examples/{name}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", PRINTED[name])


def test_example_shows_everything() -> None:
    """All kinds of speed and utility; promises at many slots; a job for each reason; and every rule is kept."""
    instance = read_instance(EXAMPLE)
    assert {type(job.speed) for job in instance.jobs} == set(get_args(speed.Speed))
    assert {type(job.utility) for job in instance.jobs} == set(get_args(utility.Utility))
    assert len({group.capacity for group in instance.cluster.groups}) == 3
    decisions = plan(instance)
    admitted = [decision for decision in decisions.decisions if isinstance(decision, Admitted)]
    assert len({decision.completion for decision in admitted}) >= 8
    rejected = {decision.reason for decision in decisions.decisions if not isinstance(decision, Admitted)}
    assert rejected == {"price", "infeasible", "full"}
    assert check(load_document(EXAMPLE)[0], decisions_document(decisions, instance)).violations == ()


def test_the_commands_in_the_policy_of_one_s_own_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    commands = re.findall(r"^\$ (pdors .*)$", POLICY.read_text(), re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"^admitted 13 of 13 jobs, 3 of them unfinished, total utility 250\.8$", printed, re.MULTILINE)
    assert re.search(r"ShortestFirst +250\.8 +\S+ +53% +77%", printed)


@pytest.fixture(scope="module")
def quickstart() -> str:
    # Passed on explicitly: what readline puts into the environment of pytest is not the width of any screen.
    unsized = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(["scripts/quickstart"], capture_output=True, text=True, check=False, env=unsized)
    assert done.returncode == 0, done.stderr
    return re.sub(r" +$", "", done.stdout, flags=re.MULTILINE)


def test_quickstart_plans_and_checks(quickstart: str) -> None:
    assert re.search(r"^llm-pretrain .* rejected: infeasible$", quickstart, re.MULTILINE)
    assert re.search(r"^every rule is kept; total utility ", quickstart, re.MULTILINE)


def next_steps(printed: str) -> list[str]:
    lines = printed.partition("\nWhere to look next:\n")[2].splitlines()
    return [line.strip() for line in lines if line.startswith("  ") and not line.startswith("  #")]


def test_next_steps_work_verbatim(quickstart: str) -> None:
    """All of them in one shell, in order, as somebody would copy them."""
    steps = next_steps(quickstart)
    assert {tuple(step.split()[:2]) for step in steps} >= {
        ("pdors", "explain"), ("pdors", "quote"), ("pdors", "workload"), ("python", "examples/what_if.py"),
    }  # fmt: skip
    script = "\n".join(["set -e", *steps])
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "it would get in if it were worth" in done.stdout


README = Path("README.md").read_text()
SHOWN = re.findall(r"^\$ pdors (.*)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)


def test_readme_shows_the_commands() -> None:
    assert [command.split()[0] for command, _ in SHOWN] == ["plan", "quote", "explain", "check"]


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command.split()[0] for command, _ in SHOWN])
def test_readme_shows_what_is_printed(
    quickstart: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, shown: str
) -> None:
    """All but the seconds, which are never the same."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert run(shlex.split(command)) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if not line.startswith("decided in ")]
    assert lines == shown.rstrip("\n").splitlines()


def test_readme_commands_without_output_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = re.findall(r"^    pdors (.*)$", README, re.MULTILINE)
    assert len(commands) == 6
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert [run(shlex.split(command)) for command in commands] == [0] * 6


def test_readme_python_works() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "class-project is rejected for price" in done.stdout
    assert "(30, 1.39" in done.stdout


def test_errors_are_shown_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page on documents shows what a broken one is told."""
    page = Path("docs/formats.md").read_text()
    (shown,) = re.findall(r"^\$ pdors plan broken.yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    text = EXAMPLE.read_text().replace("resources: [gpu, cpu, memory_gb]", "resources: [gpu, cpu]")
    text = re.sub(r", memory_gb: \d+", "", text)
    text = text.replace("arrival: 0 ", "arrival: -1 ", 1).replace("{gpu: 1", "{gpus: 1", 1)
    (tmp_path / "broken.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pdors", "plan", "broken.yaml"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, shown)
