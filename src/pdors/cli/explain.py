"""`pdors explain`: what was decided on one job, and why."""

from __future__ import annotations

from pdors.cli.options import DecisionsPath, InstancePath, JobId, Json
from pdors.cli.screen import show, show_json


def explain(instance: InstancePath, decisions: DecisionsPath, *, job: JobId, json: Json = False) -> None:
    """Show where a job's work sits, slot by slot, what it pays and what it was promised, or why it was rejected."""
    from pdors.cli.account import account, account_document
    from pdors.cli.planning import find_job
    from pdors.cli.views import account_summary, account_table
    from pdors.files import read_decisions, read_instance

    posed = read_instance(instance)
    asked = find_job(posed, job)
    told = account(posed, asked, read_decisions(decisions, posed)[asked.id])
    if json:
        show_json(account_document(told))
        return
    show(*account_summary(told))
    if told.stretches:
        show("", account_table(told))
