"""What a run waits for compiled code."""

from __future__ import annotations

import numpy as np

from pdors import plan
from pdors.readiness import seconds_getting_ready
from pdors.workloads.paper import PaperWorkload, generate


def test_plans_of_a_kind_seen_before_wait_for_no_compiled_code() -> None:
    """No function has a signature of its own for some numbers of an instance."""

    def plan_small_and_large(seed: int) -> None:
        for machines in (20, 150):
            plan(generate(PaperWorkload(jobs=30, machines=machines, slots=20), np.random.default_rng(seed)))

    plan_small_and_large(1)
    waited = seconds_getting_ready()
    assert waited > 0
    plan_small_and_large(2)
    assert seconds_getting_ready() == waited
