"""What holds of every policy; `python -m benchmarks.contests` goes on where this ends."""

from __future__ import annotations

import numpy as np
import pytest

from pdors.policies.registry import POLICY_NAMES, find_policy
from pdors.workloads.paper import generate
from pdors.workloads.paper_settings import PaperWorkload
from tests.support.contests import broken_contest
from tests.support.random_instances import random_instance


@pytest.mark.parametrize("seed", range(25))
def test_decisions_pass_the_check_and_nobody_beats_the_bound(seed: int) -> None:
    assert list(broken_contest(random_instance(seed))) == []


@pytest.mark.parametrize("seed", range(2))
def test_the_same_on_the_jobs_of_the_paper(seed: int) -> None:
    instance = generate(PaperWorkload(jobs=40, machines=20, slots=30), np.random.default_rng(seed))
    assert list(broken_contest(instance)) == []


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_lies_between_the_bound_and_every_policy(seed: int) -> None:
    instance = generate(PaperWorkload(jobs=8, machines=8, slots=8), np.random.default_rng(seed))
    assert list(broken_contest(instance, optimum_seconds=20)) == []


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_names_are_those_of_the_classes(policy: str) -> None:
    assert find_policy(policy).name == policy
