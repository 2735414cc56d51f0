"""The commands under their names."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from pdors.cli.bound import bound
from pdors.cli.check import check
from pdors.cli.compare import compare
from pdors.cli.explain import explain
from pdors.cli.optimum import optimum
from pdors.cli.paper import paper as paper_figures
from pdors.cli.plan import plan
from pdors.cli.quote import quote
from pdors.cli.simulate import simulate
from pdors.cli.theory import theory
from pdors.cli.trace import alibaba, csv, elasticflow, google, pollux
from pdors.cli.workload import paper


def _example(command: str) -> str:
    return f"Example: pdors {command}"


app = typer.Typer(
    help="Schedule distributed training jobs as they arrive: admitted with a promise, or rejected with the reason.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    epilog=_example("plan examples/cluster.yaml"),
)
app.command(epilog=_example("plan examples/cluster.yaml -o decisions.json"))(plan)
app.command(epilog=_example("check examples/cluster.yaml decisions.json"))(check)
app.command(epilog=_example("quote examples/cluster.yaml --job class-project"))(quote)
app.command(epilog=_example("explain examples/cluster.yaml decisions.json --job diffusion-large"))(explain)

app.command(epilog=_example("simulate --instance examples/cluster.yaml --policy fifo -o decisions.json"))(simulate)
app.command(epilog=_example("compare examples/cluster.yaml --policies pdors,fifo,drf --seeds 3"))(compare)
app.command(epilog=_example("bound examples/cluster.yaml --time-limit 30"))(bound)
app.command(epilog=_example("optimum examples/cluster.yaml --time-limit 60 -o optimum.json"))(optimum)
app.command(name="paper", epilog=_example("paper jobFixed --seeds 5 --out build/paper"))(paper_figures)
app.command(epilog=_example("theory examples/cluster.yaml --prices paper --solver paper --delta 0.5"))(theory)

workload = typer.Typer(help="Generate instances.", no_args_is_help=True)
workload.command(
    epilog=_example("workload paper --jobs 50 --machines 100 --slots 20 --seed 1 --mix 30/69/1 -o instance.json")
)(paper)
app.add_typer(workload, name="workload")

trace = typer.Typer(help="Read traces of real clusters as instances.", no_args_is_help=True)
_SIZE = "--jobs 100 --slots 80 --seed 1"
trace.command(epilog=_example(f"trace google job_events task_events {_SIZE} -o instance.json"))(google)
trace.command(
    epilog=_example(f"trace elasticflow cluster06.csv --throughputs throughputs_A100 {_SIZE} -o instance.json")
)(elasticflow)
trace.command(epilog=_example(f"trace pollux workload-1.csv --profiles traces {_SIZE} -o instance.json"))(pollux)
trace.command(
    epilog=_example(f"trace alibaba openb_pod_list_default.csv openb_node_list_all_node.csv {_SIZE} -o instance.json")
)(alibaba)
trace.command(epilog=_example(f"trace csv jobs.csv --map arrival=submit_time {_SIZE} -o instance.json"))(csv)
app.add_typer(trace, name="trace")


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the signature that typer calls
    if wanted:
        typer.echo(f"pdors {version('pdors')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say the version and leave.")
    ] = False,
) -> None:
    pass
