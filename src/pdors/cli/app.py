"""The commands under their names."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from pdors.cli.check import check
from pdors.cli.explain import explain
from pdors.cli.plan import plan
from pdors.cli.quote import quote
from pdors.cli.workload import paper

app = typer.Typer(
    help="Schedule distributed training jobs as they arrive: admitted with a promise, or rejected with the reason.",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
app.command()(plan)
app.command()(check)
app.command()(quote)
app.command()(explain)

workload = typer.Typer(help="Generate instances.", no_args_is_help=True)
workload.command()(paper)
app.add_typer(workload, name="workload")


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
