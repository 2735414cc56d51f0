"""The independent checker: does a decisions document keep every rule of its instance?

Nothing here is shared with the model, the planner or the file readers. Both documents are taken as parsed (dicts,
lists, numbers), and capacities, trained samples, completions and utilities are worked out again from the instance
alone.
"""

from pdors.check.checker import check
from pdors.check.report import CheckReport, Kind, Violation

__all__ = ["CheckReport", "Kind", "Violation", "check"]
