"""`pdors trace`: instances from traces of real clusters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pdors.cli.options import Json, Seed, output_option
from pdors.cli.screen import plural, say, show_json
from pdors.workloads.paper_settings import Mix

if TYPE_CHECKING:
    import numpy as np

    from pdors.traces.excerpt import Excerpt
    from pdors.traces.report import Trace

_TIME = "Time and load"
_CLUSTER = "Machines"

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH",
        help="Files of the trace, plain or gzip; a folder stands for the .csv and .csv.gz files in it and below.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int, typer.Option("--jobs", min=1, metavar="N", help="How many jobs to draw from the trace.", show_default=False)
]
Slots = Annotated[int, typer.Option("--slots", min=1, metavar="T", help="Slots of the horizon.", show_default=False)]
Output = Annotated[Path, output_option("INSTANCE", "the instance")]
SlotSeconds = Annotated[
    float, typer.Option("--slot-seconds", metavar="S", help="Length of a slot, seconds.", rich_help_panel=_TIME)
]
Arrivals = Annotated[
    Literal["scaled", "recorded"],
    typer.Option(
        "--arrivals",
        help="Scale the arrivals of the sample into all slots, or take a second for a second.",
        rich_help_panel=_TIME,
    ),
]
Start = Annotated[
    float,
    typer.Option(
        "--start",
        metavar="S",
        help="With --arrivals recorded: where slot 0 begins, seconds after the first job.",
        rich_help_panel=_TIME,
    ),
]
Load = Annotated[
    float,
    typer.Option(
        "--load", metavar="X", help="Press arrivals together: the same jobs in 1/X of the time.", rich_help_panel=_TIME
    ),
]
Machines = Annotated[
    int, typer.Option("--machines", min=1, metavar="H", help="Machines of the paper.", rich_help_panel=_CLUSTER)
]
Nodes = Annotated[int, typer.Option("--nodes", min=1, metavar="H", help="Nodes.", rich_help_panel=_CLUSTER)]
GpusPerNode = Annotated[
    int, typer.Option("--gpus-per-node", min=1, metavar="G", help="GPUs of a node.", rich_help_panel=_CLUSTER)
]
MixText = Annotated[
    str,
    typer.Option(
        "--mix",
        metavar="INSENSITIVE/SENSITIVE/CRITICAL",
        help="Percent of the jobs of each urgency, where the trace does not say it.",
    ),
]
_MACHINES = 30
_MIX = "10/55/35"


def google(
    paths: Paths,
    *,
    jobs: Jobs,
    slots: Slots,
    output: Output,
    seed: Seed = 0,
    slot_seconds: SlotSeconds = 3600,
    arrivals: Arrivals = "scaled",
    start: Start = 0,
    load: Load = 1,
    machines: Machines = _MACHINES,
    json: Json = False,
) -> None:
    """The Google cluster trace of 2011: arrivals and urgencies, and with task events CPUs and memory.

    PATH are parts of job_events, and of task_events if wanted.
    """
    from pdors.traces import google
    from pdors.traces.excerpt import Excerpt

    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds, load=load, arrivals=arrivals, start=start)
    _write(lambda rng: google.read(paths, excerpt, rng, machines=machines), excerpt, seed, output, json=json)


def elasticflow(
    paths: Paths,
    *,
    jobs: Jobs,
    slots: Slots,
    output: Output,
    seed: Seed = 0,
    throughputs: Annotated[
        Path | None,
        typer.Option(
            "--throughputs", metavar="FOLDER", help="Tables of iterations per second, MODEL.csv.", show_default=False
        ),
    ] = None,
    measured_within: Annotated[
        int,
        typer.Option(
            "--measured-within",
            min=1,
            metavar="G",
            help="GPUs of the nodes on which those were measured: of more GPUs they hold between nodes.",
        ),
    ] = 8,
    value: Annotated[
        str, typer.Option("--value", metavar="gpu-hours|X", help="What a job is worth that keeps its deadline.")
    ] = "gpu-hours",
    slot_seconds: SlotSeconds = 300,
    arrivals: Arrivals = "scaled",
    start: Start = 0,
    load: Load = 1,
    nodes: Nodes = 16,
    gpus_per_node: GpusPerNode = 8,
    json: Json = False,
) -> None:
    """The traces of ElasticFlow: jobs with deadlines, and speeds measured by number of GPUs.

    PATH are files of jobs; tables of throughputs may stand among them.
    """
    from pdors.traces import elasticflow
    from pdors.traces.excerpt import Excerpt
    from pdors.traces.nodes import Nodes as NodesOfGpus

    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds, load=load, arrivals=arrivals, start=start)
    worth, cluster = _value(value), NodesOfGpus(nodes, gpus_per_node)

    def read(rng: np.random.Generator) -> Trace:
        return elasticflow.read(
            paths, excerpt, rng, throughputs=throughputs, nodes=cluster, measured_within=measured_within, value=worth
        )

    _write(read, excerpt, seed, output, json=json)


def pollux(
    paths: Paths,
    *,
    jobs: Jobs,
    slots: Slots,
    output: Output,
    seed: Seed = 0,
    profiles: Annotated[
        Path | None,
        typer.Option(
            "--profiles",
            metavar="FOLDER",
            help="Measured step times, APPLICATION/placements-*.csv and others.",
            show_default=False,
        ),
    ] = None,
    hardware: Annotated[
        str, typer.Option("--hardware", metavar="NAME", help="Whose step times: those of placements-NAME.csv.")
    ] = "aws",
    mix: MixText = _MIX,
    slot_seconds: SlotSeconds = 300,
    arrivals: Arrivals = "scaled",
    start: Start = 0,
    load: Load = 1,
    nodes: Nodes = 16,
    gpus_per_node: GpusPerNode = 4,
    json: Json = False,
) -> None:
    """The workloads of Pollux and Sia: jobs of seven applications, with measured speeds and epochs.

    PATH are workloads; profiles may stand among them.
    """
    from pdors.traces import pollux
    from pdors.traces.excerpt import Excerpt
    from pdors.traces.nodes import Nodes as NodesOfGpus

    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds, load=load, arrivals=arrivals, start=start)
    shares, cluster = Mix.parse(mix), NodesOfGpus(nodes, gpus_per_node)

    def read(rng: np.random.Generator) -> Trace:
        return pollux.read(paths, excerpt, rng, profiles=profiles, hardware=hardware, nodes=cluster, mix=shares)

    _write(read, excerpt, seed, output, json=json)


def alibaba(
    paths: Paths,
    *,
    jobs: Jobs,
    slots: Slots,
    output: Output,
    seed: Seed = 0,
    mix: MixText = _MIX,
    slot_seconds: SlotSeconds = 300,
    arrivals: Arrivals = "scaled",
    start: Start = 0,
    load: Load = 1,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes",
            min=1,
            metavar="H",
            help="How many nodes to draw from the trace; all without it.",
            show_default=False,
            rich_help_panel=_CLUSTER,
        ),
    ] = None,
    machines: Machines = _MACHINES,
    json: Json = False,
) -> None:
    """Alibaba's GPU trace of 2023: its nodes are the machines, its pods the jobs.

    PATH are a list of pods and a list of nodes; without nodes --machines holds.
    """
    from pdors.traces import alibaba
    from pdors.traces.excerpt import Excerpt

    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds, load=load, arrivals=arrivals, start=start)
    shares = Mix.parse(mix)
    _write(
        lambda rng: alibaba.read(paths, excerpt, rng, nodes=nodes, machines=machines, mix=shares),
        excerpt,
        seed,
        output,
        json=json,
    )


def csv(
    paths: Paths,
    *,
    jobs: Jobs,
    slots: Slots,
    output: Output,
    seed: Seed = 0,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="FIELD=COLUMN",
            help="Which column is which field of a job; as often as needed. Columns called like a field need none.",
            show_default=False,
        ),
    ] = None,
    mix: MixText = _MIX,
    slot_seconds: SlotSeconds = 3600,
    arrivals: Arrivals = "scaled",
    start: Start = 0,
    load: Load = 1,
    machines: Machines = _MACHINES,
    json: Json = False,
) -> None:
    """Any table with a header, one row per job: what its columns do not tell comes from the paper's ranges."""
    from pdors.traces import columns as reader
    from pdors.traces.excerpt import Excerpt

    excerpt = Excerpt(jobs=jobs, slots=slots, slot_seconds=slot_seconds, load=load, arrivals=arrivals, start=start)
    mapped, shares = reader.parse_map(columns or ()), Mix.parse(mix)
    _write(
        lambda rng: reader.read(paths, excerpt, rng, columns=mapped, machines=machines, mix=shares),
        excerpt,
        seed,
        output,
        json=json,
    )


def _value(text: str) -> float | None:
    """None for the GPU hours of each job."""
    if text == "gpu-hours":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise typer.BadParameter(f"got {text!r}, expected gpu-hours or a number of at least 0", param_hint="--value")
    return value


def _write(
    read: Callable[[np.random.Generator], Trace], excerpt: Excerpt, seed: int, output: Path, *, json: bool
) -> None:
    import numpy as np

    from pdors.cli.trace_report import report_lines
    from pdors.files import write_instance

    trace = read(np.random.default_rng(seed))
    write_instance(trace.instance, output)
    for line in report_lines(trace.report):
        say(line)
    instance = trace.instance
    say(
        f"wrote {plural(len(instance.jobs), 'job')} on {plural(len(instance.cluster), 'machine')} "
        f"in {plural(excerpt.slots, 'slot')} of {excerpt.slot_seconds:g} s to {output}"
    )
    if json:
        show_json({"instance": str(output), "seed": seed} | trace.report.document())
