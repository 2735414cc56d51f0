"""`pdors check`: hold decisions against their instance."""

from __future__ import annotations

import typer

from pdors.cli.options import DecisionsPath, InstancePath, Json
from pdors.cli.screen import number, plural, show, show_json


def check(instance: InstancePath, decisions: DecisionsPath, *, json: Json = False) -> None:
    """Check decisions against their instance, with none of the planner's code.

    Exit code 1 where a rule is broken, with one line for each.
    """
    from pdors.check import check as check_documents
    from pdors.files import load_document

    posed, source = load_document(instance)
    report = check_documents(posed, load_document(decisions)[0], source=source)
    if json:
        show_json(report.document())
    else:
        for violation in report.violations:
            show(str(violation))
        verdict = "every rule is kept" if report.ok else plural(len(report.violations), "violation")
        show(f"{verdict}; total utility {number(report.total_utility)}")
    if not report.ok:
        raise typer.Exit(1)
