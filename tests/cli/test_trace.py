"""`pdors trace`: every kind from the files to the instance, and what is said on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pdors.files import read_instance
from pdors.traces import pollux
from pdors.traces.profiles import EPOCHS, PLACEMENTS, SCALABILITY
from pdors.workloads.paper_settings import PaperWorkload
from tests.cli.conftest import Cli
from tests.traces import samples

SIZE = ("--jobs", "3", "--slots", "10", "--seed", "4")
KINDS = {
    "google": ("google2011/job_events", "google2011/task_events"),
    "elasticflow": ("elasticflow",),
    "pollux": ("pollux/workloads", "sia/traces"),
    "alibaba": ("alibaba_gpu_v2023",),
    "csv": ("jobs.csv", "--map", "arrival=submitted", "--map", "id=job"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All samples, and the working directory among them."""
    monkeypatch.chdir(samples.write_all(tmp_path))
    samples.write(tmp_path, "jobs.csv", samples.TABLE)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_help_teaches_with_an_example(cli: Cli, kind: str) -> None:
    outcome = cli("trace", kind, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    shown = " ".join(outcome.out.split())
    assert f"Usage: pdors trace {kind} [OPTIONS] " in shown
    assert f"Example: pdors trace {kind} " in shown


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_writes_an_instance(cli: Cli, folder: Path, kind: str) -> None:
    outcome = cli("trace", kind, *KINDS[kind], *SIZE, "-o", "a.json")
    assert (outcome.code, outcome.out) == (0, "")
    lines = outcome.err.splitlines()
    assert lines[0].startswith("read ")
    assert lines[-1].startswith("wrote ")
    instance = read_instance("a.json")
    assert 1 <= len(instance.jobs) <= 3
    assert instance.slots == 10
    assert cli("trace", kind, *KINDS[kind], *SIZE, "-o", "b.json").code == 0
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_slots_of_another_length(cli: Cli, folder: Path, kind: str) -> None:
    usual = {"google": 3600, "csv": 3600}.get(kind, 300)
    for options, seconds in (((), usual), (("--slot-seconds", "60"), 60)):
        assert cli("trace", kind, *KINDS[kind], *SIZE, *options, "-o", "a.json").code == 0
        assert read_instance("a.json").slot_seconds == seconds


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    assert cli("trace", *arguments, "-o", "instance.json").code == 0
    written: dict[str, Any] = json.loads(Path("instance.json").read_text())
    return written


ALL = ("--jobs", "9", "--slots", "10")


@pytest.mark.parametrize(
    ("kind", "options", "arrivals"),
    [
        ("pollux", (), [0, 5, 9]),
        ("pollux", ("--load", "2"), [0, 2, 4]),
        ("pollux", ("--load", "0.5"), [0]),
        ("pollux", ("--arrivals", "recorded"), [0, 1, 2]),
        ("pollux", ("--arrivals", "recorded", "--load", "0.5"), [0, 2, 4]),
        ("pollux", ("--arrivals", "recorded", "--start", "300"), [0, 1]),
        ("google", (), [0, 2, 5, 9]),
        ("google", ("--arrivals", "recorded"), [0, 1, 1, 2]),
        ("elasticflow", ("--arrivals", "recorded", "--slot-seconds", "1000"), [0, 1, 4]),
        ("alibaba", ("--load", "10"), [0, 0, 0]),
        ("csv", ("--arrivals", "recorded", "--slot-seconds", "43200"), [0, 1, 2]),
    ],
)
def test_time_and_load(cli: Cli, folder: Path, kind: str, options: tuple[str, ...], arrivals: list[int]) -> None:
    paths = {"pollux": ("pollux/workloads",), "google": ("google2011/job_events",)}.get(kind, KINDS[kind])
    assert [job["arrival"] for job in document(cli, kind, *paths, *ALL, *options)["jobs"]] == arrivals


@pytest.mark.parametrize(
    ("arguments", "count", "gpus"),
    [
        (("google", "google2011/job_events"), 30, 36),
        (("google", "google2011/job_events", "--machines", "7"), 7, 36),
        (("elasticflow", "elasticflow"), 16, 8),
        (("elasticflow", "elasticflow", "--nodes", "3", "--gpus-per-node", "4"), 3, 4),
        (("pollux", "pollux"), 16, 4),
        (("pollux", "pollux", "--nodes", "3", "--gpus-per-node", "2"), 3, 2),
        (("alibaba", "alibaba_gpu_v2023/openb_pod_list_default.csv", "--machines", "5"), 5, 36),
        (("csv", "jobs.csv", "--machines", "6"), 6, 36),
    ],
)
def test_machines(cli: Cli, folder: Path, arguments: tuple[str, ...], count: int, gpus: int) -> None:
    [machines] = document(cli, *arguments, *ALL)["machines"]
    assert (machines["count"], machines["capacity"]["gpu"]) == (count, gpus)


def test_nodes_of_alibaba(cli: Cli, folder: Path) -> None:
    assert len(document(cli, "alibaba", "alibaba_gpu_v2023", *ALL)["machines"]) == 3
    assert len(document(cli, "alibaba", "alibaba_gpu_v2023", *ALL, "--nodes", "2")["machines"]) == 2


def test_options_of_elasticflow(cli: Cli, folder: Path) -> None:
    jobs = "elasticflow/cluster01.csv"
    [first, *_] = document(cli, "elasticflow", jobs, *ALL)["jobs"]
    assert (first["speed"]["workers"], first["utility"]["value"]) == ([2], 0.5)
    tables = ("--throughputs", "elasticflow/throughputs_A100", "--measured-within", "2", "--value", "7")
    [first, *_] = document(cli, "elasticflow", jobs, *ALL, *tables)["jobs"]
    assert first["speed"]["internal"] == [128, 256, None, None, None]
    assert first["utility"]["value"] == 7


def test_options_of_pollux(cli: Cli, folder: Path) -> None:
    given = ("pollux", "pollux", "--profiles", "sia/traces", *ALL)
    assert document(cli, *given)["jobs"][0]["speed"]["workers"] == [1, 2, 4, 8]
    assert [job["utility"]["urgency"] for job in document(cli, *given, "--mix", "100/0/0")["jobs"]] == [0, 0]
    outcome = cli("trace", *given, "--hardware", "dgx", "-o", "a.json")
    assert outcome.code == 2
    assert outcome.err.endswith(": hardware: got step times of aws alone, expected dgx\n")


@pytest.mark.parametrize("kind", ["alibaba", "csv"])
def test_mix(cli: Cli, folder: Path, kind: str) -> None:
    paths = {"alibaba": "alibaba_gpu_v2023/openb_pod_list_multigpu50.csv", "csv": "plain.csv"}[kind]
    samples.write(folder, "plain.csv", "epochs\n1\n2\n")
    for mix, urgent in (("100/0/0", False), ("0/0/100", True)):
        jobs = document(cli, kind, paths, *ALL, "--mix", mix)["jobs"]
        assert [job["utility"]["urgency"] >= 4 for job in jobs] == [urgent, urgent]


def test_the_mix_shown_in_help_is_that_of_the_paper(cli: Cli) -> None:
    assert f"[default: {PaperWorkload.mix}]" in " ".join(cli("trace", "pollux", "--help").out.split())


def test_what_is_said(cli: Cli, folder: Path) -> None:
    broken = "".join(f"b{index},-1,net,1,16\n" for index in range(7))
    path = samples.write(folder, "more/jobs.csv", samples.POLLUX_JOBS + broken)
    samples.write(folder, "more/x.csv", "x,y\n1,2\n")
    formats = " or ".join(map(str, (pollux.JOBS, PLACEMENTS, SCALABILITY, EPOCHS)))
    not_a_format = f'first row: got "x", "y", expected {formats}'
    outcome = cli("trace", "pollux", "more", "sia", "--jobs", "5", "--slots", "4", "-o", "a.json")
    assert outcome.err.splitlines() == [
        "read 23 rows of 4 files: 16 used",
        "  7 broken",
        *[
            f'    {path.relative_to(folder)}, line {line}: time: got "-1", expected a number of at least 0'
            for line in range(5, 10)
        ],
        "    ... and 2 more",
        "did not read 1 file",
        f"  more/x.csv: {not_a_format}",
        "took 2 of 3 jobs; 5 were asked for",
        "  1 left out: have no step times of their application and batch",
        "filled in:",
        "  arrival              submissions scaled linearly into 4 slots",
        "  machines             16 alike with gpu 4",
        "  priority             1:100, drawn from the range of the paper",
        "  target_slots         1:15 slots, drawn from the range of the paper",
        "  class                10/55/35 percent of jobs insensitive, sensitive, critical",
        "  insensitive_urgency  0 per slot, as in the paper",
        "  sensitive_urgency    0.01:1 per slot, drawn from the range of the paper",
        "  critical_urgency     4:6 per slot, drawn from the range of the paper",
        "not used:",
        "  num_replicas  how many GPUs a job gets is for the scheduler",
        "wrote 2 jobs on 16 machines in 4 slots of 300 s to a.json",
    ]


def test_json(cli: Cli, folder: Path) -> None:
    told = cli("trace", "google", "google2011/job_events", *SIZE, "--json", "-o", "a.json").document
    assert (told["instance"], told["seed"]) == ("a.json", 4)
    assert (told["rows_read"], told["rows_used"], told["broken"]) == (7, 5, [])
    assert (told["jobs_asked"], told["jobs_found"], told["jobs_used"]) == (3, 5, 3)
    assert told["passed_over"] == {"events other than a submission": 2}
    assert told["left_out"] == {"were submitted before the trace begins or after it ends": 1, "sampled away": 1}
    assert told["filled"]["epochs"] == "50:200, drawn from the range of the paper"
    samples.write(folder, "jobs.csv", samples.TABLE + "w,1\n")
    told = cli("trace", "csv", *KINDS["csv"], *SIZE, "--json", "-o", "a.json").document
    assert told["broken"] == [{"file": "jobs.csv", "line": 5, "why": "columns: got 2, expected 7"}]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("google none.csv", "none.csv: file: got nothing at this path, expected a file or a folder"),
        (
            "google jobs.csv",
            'jobs.csv: first row: got "job", "submitted", "E", "K", "batch", "tau", "class", expected job',
        ),
        ("elasticflow pollux", "pollux/workloads/workload-1.csv: first row: got "),
        ("elasticflow elasticflow --value cheap", "Invalid value for --value: got 'cheap', expected gpu-hours or "),
        ("elasticflow elasticflow --value -1", "Invalid value for --value: got '-1', expected gpu-hours or "),
        ("pollux pollux --mix 1/2", "got '1/2', expected the percentages INSENSITIVE/SENSITIVE/CRITICAL"),
        ("pollux pollux --nodes 2000000", "nodes: got 2000000, expected 1 to 1000000"),
        ("csv jobs.csv --map size=E", "map: got 'size=E', expected FIELD=COLUMN; the fields are id, arrival, "),
        ("csv jobs.csv --map epochs=size", 'jobs.csv: header: got "job", "submitted", '),
        ("csv jobs.csv --load 0", "load: got 0, expected 1e-06 to 1e+06"),
        ("csv jobs.csv --slot-seconds nan", "slot_seconds: got nan, expected 0.001 to 1e+09"),
        ("csv jobs.csv --start 5", "start: got 5, expected none where arrivals are scaled"),
        ("csv jobs.csv --arrivals early", "Invalid value for '--arrivals': "),
        ("csv", "Missing argument 'PATH'."),
    ],
)
def test_bad_input_ends_with_one_line_and_2(cli: Cli, folder: Path, arguments: str, complaint: str) -> None:
    outcome = cli("trace", *arguments.split(), *SIZE, "-o", "a.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"pdors: {complaint}")
    assert outcome.err.count("\n") == 1
    assert not Path("a.json").exists()
