"""Online primal-dual scheduling of distributed training jobs.

The names below are all that most programs need: build or read an instance, plan it, quote a job, read the decisions.
They are loaded when they are first used, so that a command line that only prints its help starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdors.files import read_decisions, read_instance, write_decisions, write_instance
    from pdors.model.cluster import Cluster, MachineGroup
    from pdors.model.decision import Admitted, Decisions, Reason, Rejected
    from pdors.model.job import Instance, Job
    from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, TableSpeed
    from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility
    from pdors.planner.prices import PriceBounds
    from pdors.planner.quotes import Quote
    from pdors.planning import plan, quote

_HOMES = {
    "pdors.files": ("read_decisions", "read_instance", "write_decisions", "write_instance"),
    "pdors.model.cluster": ("Cluster", "MachineGroup"),
    "pdors.model.decision": ("Admitted", "Decisions", "Reason", "Rejected"),
    "pdors.model.job": ("Instance", "Job"),
    "pdors.model.speed": ("AllReduceSpeed", "ParameterServerSpeed", "TableSpeed"),
    "pdors.model.utility": ("DeadlineUtility", "SigmoidUtility", "TableUtility"),
    "pdors.planner.prices": ("PriceBounds",),
    "pdors.planner.quotes": ("Quote",),
    "pdors.planning": ("plan", "quote"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Admitted",
    "AllReduceSpeed",
    "Cluster",
    "DeadlineUtility",
    "Decisions",
    "Instance",
    "Job",
    "MachineGroup",
    "ParameterServerSpeed",
    "PriceBounds",
    "Quote",
    "Reason",
    "Rejected",
    "SigmoidUtility",
    "TableSpeed",
    "TableUtility",
    "plan",
    "quote",
    "read_decisions",
    "read_instance",
    "write_decisions",
    "write_instance",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
