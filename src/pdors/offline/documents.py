"""Bounds and optima as documents."""

from __future__ import annotations

from pdors.model.job import Instance
from pdors.offline.bound import UpperBound
from pdors.offline.optimum import Optimum


def bound_document(instance: Instance, found: UpperBound) -> dict[str, object]:
    """`proof` has all that is needed to work the bound out again: it is the sum of all prices and payoffs."""
    names, resources = instance.cluster.machine_names, instance.cluster.resources
    proof = found.proof
    groups = [
        {
            "machines": [names[machine] for machine in group.machines],
            "prices": [dict(zip(resources, slot, strict=True)) for slot in prices.tolist()],
        }
        for group, prices in zip(proof.groups, proof.prices, strict=True)
    ]
    payoffs = dict(zip((job.id for job in instance.jobs), proof.payoffs.tolist(), strict=True))
    return {
        "bound": found.value,
        "pooled": found.pooled,
        "relaxation": found.relaxation,
        "gap": found.gap,
        "iterations": found.iterations,
        "seconds": found.seconds,
        "proof": {"groups": groups, "payoffs": payoffs},
    }


def optimum_document(found: Optimum) -> dict[str, object]:
    return {
        "optimum": found.value,
        "bound": found.bound,
        "proven": found.proven,
        "relaxation_bound": found.upper.value,
        "rounds": found.rounds,
        "seconds": found.decisions.seconds,
    }
