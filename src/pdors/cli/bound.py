"""`pdors bound`: what nobody could exceed, with all jobs known beforehand."""

from __future__ import annotations

from pdors.cli.offline import TimeLimit, closing_in
from pdors.cli.options import InstancePath, Json
from pdors.cli.screen import number, show, show_json


def bound(instance: InstancePath, *, time_limit: TimeLimit = 60.0, json: Json = False) -> None:
    """An upper bound on the total utility of any schedules, whoever makes them and whatever they know of the future.

    It is found by column generation on the linear relaxation; at any time limit it is valid, with time it falls.
    """
    from pdors.cli.planning import ready_to_compile
    from pdors.files import read_instance
    from pdors.offline.bound import bound as find_bound
    from pdors.offline.documents import bound_document

    posed = read_instance(instance)
    with ready_to_compile(), closing_in("bound", "not below") as tell:
        found = find_bound(posed, time_limit=time_limit, on_progress=tell)
    if json:
        show_json(bound_document(posed, found))
        return
    show(
        f"no schedules are worth more than {number(found.value)}",
        f"the relaxation itself is worth {number(found.relaxation)} at least: gap {100 * found.gap:.2g}%",
        f"with all machines as one the bound is {number(found.pooled)}",
        f"proven by prices and payoffs that are dual feasible (--json shows them); "
        f"{found.iterations} pricing steps in {found.seconds:.2f} seconds",
    )
