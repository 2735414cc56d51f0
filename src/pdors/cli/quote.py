"""`pdors quote`: what every completion time would cost a job, before it is submitted."""

from __future__ import annotations

from pdors.cli.options import Delta, Draws, Gain, HistoryPath, InstancePath, JobId, Json, PricesName, Seed, SolverName
from pdors.cli.screen import show, show_json


def quote(
    instance: InstancePath,
    *,
    job: JobId,
    solver: SolverName = "fast",
    gain: Gain = None,
    delta: Delta = None,
    draws: Draws = None,
    prices: PricesName = "default",
    seed: Seed = 0,
    history: HistoryPath = None,
    json: Json = False,
) -> None:
    """Price every completion a job could have, as the cluster stands once the jobs before it are planned.

    Where it would be rejected: what would get it in. Price, utility and payoff are in the unit of the jobs' utilities.
    """
    from pdors import planning
    from pdors.cli.planning import chosen_solver, find_job, history_jobs, ready_to_compile
    from pdors.cli.views import quote_document, quote_summary, quote_table
    from pdors.files import read_instance

    chosen = chosen_solver(solver, gain, delta, draws)
    posed = read_instance(instance)
    asked = find_job(posed, job)
    past = history_jobs(history, posed)
    with ready_to_compile():
        answer = planning.quote(posed, asked.id, solver=chosen, prices=prices, seed=seed, history=past)
    if json:
        show_json(quote_document(answer))
        return
    if answer.options:
        show(quote_table(answer), "")
    show(*quote_summary(answer))
