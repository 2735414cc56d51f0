"""How every command ends: exit codes, one line for each problem, files whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from pdors.cli import main
from pdors.cli.app import app
from tests.cli.conftest import Cli, Outcome

PDORS = (sys.executable, "-m", "pdors")
EXAMPLE = "examples/cluster.yaml"
COMMANDS = (
    "plan", "check", "quote", "explain", "simulate", "compare", "bound", "optimum", "theory", "paper", "workload",
    "workload paper", "trace", "trace google", "trace elasticflow", "trace pollux", "trace alibaba", "trace csv",
)  # fmt: skip
GROUPS = ("workload", "trace")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_with_an_example(cli: Cli, command: str) -> None:
    outcome = cli(*command.split(), "--help")
    assert (outcome.code, outcome.err) == (0, "")
    shown = " ".join(outcome.out.split())
    assert f"Usage: pdors {command} " in shown
    assert command in GROUPS or f"Example: pdors {command} " in shown


def test_every_command_is_held_to_that() -> None:
    group = typer.main.get_command(app)
    assert {name.split()[0] for name in COMMANDS} == set(group.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("", None),
        ("plam", "No such command 'plam'."),
        ("plan", "Missing argument 'INSTANCE'."),
        ("plan {known} --nope", "No such option: --nope"),
        ("plan {known} --seed -1", "Invalid value for '--seed': "),
        ("plan {known} --seed one", "Invalid value for '--seed': "),
        ("plan {known} --solver best", "Invalid value for '--solver': "),
        ("plan {known} --prices low", "Invalid value for '--prices': "),
        ("plan {folder}/none.yaml", "{folder}/none.yaml: file: got nothing at this path, expected a file"),
        ("plan {folder}", "{folder}: file: got a folder, expected a file"),
        (
            "plan {known} -o {folder}/none/plan.json",
            "Invalid value for '--output' / '-o': got {folder}/none/plan.json, and there is no folder {folder}/none",
        ),
        ("plan {known} -o {folder}", "Invalid value for '--output' / '-o': got {folder}, expected the name of a file"),
        ("plan {known} -o -", "Invalid value for '--output' / '-o': got -, expected the name of a file"),
        ("quote {known}", "Missing option '--job'."),
        ("quote {known} --job fist", "Invalid value for --job: the instance has no job 'fist'; did you mean first?"),
        ("quote {known} --job 7", "Invalid value for --job: the instance has no job '7'"),
        (
            "explain {known} {planned} --job ling",
            "Invalid value for --job: the instance has no job 'ling'; did you mean long?",
        ),
        ("explain {known} {known} --job long", '{known}: format: got "pdors/instance/1", expected pdors/decisions/1'),
        ("check {known} {folder}/none.json", "{folder}/none.json: file: got nothing at this path, expected a file"),
        ("workload paper --jobs 1", "Missing option "),
        ("workload paper --jobs 0 --machines 1 --slots 1 -o x", "Invalid value for '--jobs': "),
    ],
)
def test_bad_usage_and_bad_input_end_with_one_line_and_2(
    cli: Cli, known: Path, planned: Path, arguments: str, complaint: str | None
) -> None:
    named = {"known": known, "planned": planned, "folder": known.parent}
    outcome = cli(*arguments.format(**named).split())
    assert outcome.code == 2
    if complaint is not None:
        assert outcome.out == ""
        assert outcome.err.count("\n") == 1
        assert outcome.err.startswith("pdors: " + complaint.format(**named))


def test_every_problem_of_a_document_has_its_line(cli: Cli, known: Path) -> None:
    known.write_text(known.read_text().replace("arrival: 0", "arrival: 7"))
    outcome = cli("plan", known)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        f"pdors: {known}: jobs[{index}].arrival: got 7, expected an integer of at most 2" for index in range(5)
    ]


def test_unreadable_file(cli: Cli) -> None:
    name = "x" * 300
    outcome = cli("plan", name)
    assert (outcome.code, outcome.err) == (
        2, f"pdors: {name}: file: got File name too long, expected a file that can be read\n",
    )  # fmt: skip


def test_interrupt_within_compiled_code_is_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numba wraps what is raised while its code runs."""

    inner, outer = SystemError("returned a result with an exception set"), SystemError("and once more")
    outer.__cause__, inner.__cause__ = inner, KeyboardInterrupt()

    def interrupted(_arguments: object) -> int:
        raise outer

    monkeypatch.setattr(main, "run", interrupted)
    with pytest.raises(SystemExit) as left:
        main.main()
    assert left.value.code == 130
    assert capsys.readouterr().err == "pdors: interrupted\n"


def test_other_errors_of_the_interpreter_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_arguments: object) -> int:
        raise SystemError("something else")

    monkeypatch.setattr(main, "run", broken)
    with pytest.raises(SystemError, match="something else"):
        main.main()


def real(*arguments: str, **options: object) -> Outcome:
    done = subprocess.run(
        [*PDORS, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_real_process_done_then_bad_input_then_broken_rules(tmp_path: Path) -> None:
    path = str(tmp_path / "decisions.json")
    planned = real("plan", EXAMPLE, "--json", "-o", path)
    assert planned.code == 0
    assert len(planned.document["jobs"]) == 13
    missing = real("check", EXAMPLE, str(tmp_path / "none.json"))
    assert (missing.code, missing.out, missing.err.count("\n")) == (2, "", 1)
    Path(path).write_text(Path(path).read_text().replace('"completion": 7,', '"completion": 8,'))
    assert real("check", EXAMPLE, path).code == 1


@pytest.mark.parametrize("arguments", [("plan", "--help"), ("--version",)])
def test_reader_that_has_left_is_no_error(arguments: tuple[str, ...]) -> None:
    """As `pdors ... | head` has it: a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        process = subprocess.run([*PDORS, *arguments], stdout=pipe, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (process.returncode, process.stderr) == (141, b"")


def heeds_interrupts() -> None:
    """Whatever runs the tests in the background has interrupts ignored, and its children with it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupt_ends_with_130_and_leaves_no_file(tmp_path: Path) -> None:
    """The instance comes through a pipe that stays open, so that the interrupt finds the command at work."""
    target = tmp_path / "decisions.json"
    with subprocess.Popen(
        [*PDORS, "plan", "-", "-o", str(target)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heeds_interrupts,  # noqa: PLW1509 - there are no threads here
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(Path(EXAMPLE).read_text())
        process.stdin.flush()
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(60) == 130
    assert said == "pdors: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_instance_from_standard_input() -> None:
    with Path(EXAMPLE).open() as instance:
        assert real("quote", "-", "--job", "class-project", "--json", stdin=instance).document["reason"] == "price"
