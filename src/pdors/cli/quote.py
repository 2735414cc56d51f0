"""`pdors quote`: what every completion time would cost a job, before it is submitted."""

from __future__ import annotations

from pdors.cli.options import HistoryPath, InstancePath, JobId, Json, PricesName, Seed, SolverName
from pdors.cli.screen import show, show_json


def quote(
    instance: InstancePath,
    *,
    job: JobId,
    solver: SolverName = "fast",
    prices: PricesName = "default",
    seed: Seed = 0,
    history: HistoryPath = None,
    json: Json = False,
) -> None:
    """Price every completion a job could have, as the cluster stands once the jobs before it are planned.

    Says what would get it in where it would be rejected.
    """
    from pdors import planning
    from pdors.cli.planning import announce_compilation, history_jobs
    from pdors.cli.views import quote_document, quote_summary, quote_table
    from pdors.files import read_instance

    posed = read_instance(instance)
    past = history_jobs(history, posed)
    announce_compilation()
    answer = planning.quote(posed, job, solver=solver, prices=prices, seed=seed, history=past)
    if json:
        show_json(quote_document(answer))
        return
    if answer.options:
        show(quote_table(answer), "")
    show(*quote_summary(answer))
