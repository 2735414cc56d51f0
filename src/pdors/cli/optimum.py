"""`pdors optimum`: the best that anyone could have done, with all jobs known beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pdors.cli.offline import TimeLimit, closing_in
from pdors.cli.options import InstancePath, Json, output_option
from pdors.cli.screen import number, show, show_json


def optimum(
    instance: InstancePath,
    *,
    time_limit: TimeLimit = 300.0,
    output: Annotated[Path | None, output_option("DECISIONS", "its schedules, as decisions")] = None,
    json: Json = False,
) -> None:
    """The best total utility of any schedules, exactly, by integer programming: for about ten jobs and slots.

    When the time is up: the best schedules found, and what none can exceed.
    """
    from pdors.cli.planning import ready_to_compile
    from pdors.cli.views import decisions_table
    from pdors.files import read_instance, write_decisions
    from pdors.offline.documents import optimum_document
    from pdors.offline.optimum import optimum as find_optimum

    posed = read_instance(instance)
    with ready_to_compile(), closing_in("best", "not above") as tell:
        found = find_optimum(posed, time_limit=time_limit, on_progress=tell)
    if output is not None:
        write_decisions(found.decisions, posed, output)
    if json:
        show_json(optimum_document(found))
        return
    proof = "the optimum" if found.proven else f"the best found; none is worth more than {number(found.bound)}"
    show(
        decisions_table(posed, found.decisions),
        "",
        f"total utility {number(found.value)}: {proof}",
        f"{found.rounds} integer programs in {found.decisions.seconds:.2f} seconds",
    )
