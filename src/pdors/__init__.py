"""Online primal-dual scheduling of distributed training jobs.

The names below are all that most programs need: build or read an instance, plan it, quote a job, read the decisions.
The kinds of speed and utility are in the modules `speed` and `utility`; `pdors.errors` has the errors. Names are loaded
when they are first used, so that a command line that only prints its help starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdors.files import read_decisions, read_instance, write_decisions, write_instance
    from pdors.model import speed, utility
    from pdors.model.cluster import Cluster, MachineGroup
    from pdors.model.decision import Admitted
    from pdors.model.job import Instance, Job
    from pdors.planner.prices import PriceBounds
    from pdors.planning import plan, quote

_NAMES_OF = {
    "pdors.files": ("read_decisions", "read_instance", "write_decisions", "write_instance"),
    "pdors.model.cluster": ("Cluster", "MachineGroup"),
    "pdors.model.decision": ("Admitted",),
    "pdors.model.job": ("Instance", "Job"),
    "pdors.planner.prices": ("PriceBounds",),
    "pdors.planning": ("plan", "quote"),
}
_HOME_OF = {name: home for home, names in _NAMES_OF.items() for name in names}
_MODULES = {"speed": "pdors.model.speed", "utility": "pdors.model.utility"}

__all__ = [
    "Admitted",
    "Cluster",
    "Instance",
    "Job",
    "MachineGroup",
    "PriceBounds",
    "plan",
    "quote",
    "read_decisions",
    "read_instance",
    "speed",
    "utility",
    "write_decisions",
    "write_instance",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
