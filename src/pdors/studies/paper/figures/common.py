"""What several figures have in common."""

from __future__ import annotations

from pdors.studies.paper.declaration import Axis, BoundCurve, Curve, Panel, both_prices, policies

UTILITY = Axis("total utility")
MACHINES = Axis("machines H")
JOBS = Axis("jobs I")
TRAINING = Axis("median training time", "slots")

EVERYONE: tuple[Curve, ...] = (
    *both_prices("pdors", "oasis"), *policies("elasticflow", "optimus", "dorm", "drf", "fifo"), BoundCurve(),
)  # fmt: skip
PAPERS = ("fifo", "drf", "dorm")
"""The baselines of the paper's first comparison."""
TOTAL = Panel(axis=UTILITY)
