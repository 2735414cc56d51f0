"""The theory of an instance as a document: keys are words, amounts are in the units of the instance.

Prices and constants may be beyond all floats, so they stand as natural logarithms; null is the logarithm of 0, or
infinity, or that there is nothing to say.
"""

from __future__ import annotations

import math
from dataclasses import asdict

from pdors.model.cluster import Cluster
from pdors.offline.bound import UpperBound
from pdors.offline.documents import optimum_document
from pdors.planner.theory import FavouredResources, LargestStep
from pdors.studies.premises import premises
from pdors.studies.theory import Achieved, JobPrograms, Theory


def theory_document(told: Theory) -> dict[str, object]:
    return {
        "delta": told.delta,
        "draws": told.draws,
        "prices": _prices(told),
        "jobs": [_job(one) for one in told.programs],
        "jobs_without_external_program": len(told.instance.jobs) - len(told.programs),
        "all_jobs": _whole(told),
        "achieved": [_run(told, run) for run in told.runs],
        "bound": _bound(told.upper),
        "optimum": None if told.optimum is None else optimum_document(told.optimum),
        "premises": [asdict(premise) for premise in premises(told)],
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _prices(told: Theory) -> dict[str, object]:
    bounds, constants = told.run.bounds, told.constants
    per_resource = zip(
        told.instance.cluster.resources, bounds.log_ceiling, bounds.log_floor, told.whole.log_ratios, strict=True
    )
    return {
        "name": told.prices,
        "resources": {
            resource: {
                "log_ceiling_per_unit_and_slot": _finite(high),
                "log_floor_per_unit_and_slot": _finite(low),
                "log_ceiling_over_floor": _finite(ratio),
            }
            for resource, high, low, ratio in per_resource
        },
        "paper": None
        if constants is None
        else {
            "log_floor_per_cluster_share_and_slot": _finite(constants.log_floor),
            "floor_set_by": constants.floor_job,
            "log_scaling": constants.log_mu,
            "scaling_set_by": constants.smallest_job,
        },
        "epsilon": told.whole.epsilon,
        "log_initial_worth": _finite(told.whole.log_initial_worth),
    }


def _job(one: JobPrograms) -> dict[str, object]:
    return {
        "job": one.job,
        "most_workers": one.workers,
        "program_of_most_workers": asdict(one.sizes),
        "program_of_fewest_workers": asdict(one.fewest),
        "favour_resources": _favoured_resources(one.favour_resources),
        "favour_work": asdict(one.favour_work),
        "favour_work_of_fewest_workers": asdict(one.favour_work_fewest),
    }


def _favoured_resources(claim: FavouredResources) -> dict[str, object]:
    held = {"chernoff_holds": claim.chernoff_holds, "cover_says_something": claim.cover_says_something}
    return asdict(claim) | held


def _whole(told: Theory) -> dict[str, object]:
    whole = told.whole
    return {
        "competitive_ratio": {
            "favour_resources": _finite(whole.ratio_favour_resources),
            "favour_work": _finite(whole.ratio_favour_work),
        },
        "feasible_with_probability_claimed": {
            "favour_resources": 1 - whole.failure_favour_resources,
            "favour_work": 1 - whole.failure_favour_work,
        },
        "infeasible_with_probability_claimed": {
            "favour_resources": whole.failure_favour_resources,
            "favour_work": whole.failure_favour_work,
            "favour_resources_for_all_jobs": whole.failure_all_favour_resources,
            "favour_work_for_all_jobs": whole.failure_all_favour_work,
        },
        "largest_step": None if whole.step is None else _step(whole.step, told.instance.cluster),
    }


def _step(step: LargestStep, cluster: Cluster) -> dict[str, object]:
    return {
        "job": step.job,
        "machine": cluster.machine_names[step.machine],
        "resource": cluster.resources[step.resource],
        "share": step.share,
        "log_epsilon_needed": step.log_epsilon,
    }


def _run(told: Theory, run: Achieved) -> dict[str, object]:
    tally = run.rounding
    rounding = None
    if tally is not None:
        rounding = {
            "questions": tally.questions,
            "questions_without_feasible_draw": tally.failures,
            "draws": tally.draws,
            "feasible_draws": tally.feasible_draws,
            "cost_over_linear_program_mean": tally.ratio_mean,
            "cost_over_linear_program_most": tally.ratio_most if tally.priced else None,
        }
    return {
        "solver": run.solver,
        "options": dict(run.outcome.decisions.options),
        "total_utility": run.total_utility,
        "jobs_admitted": len(run.admitted),
        "seconds": run.outcome.decisions.seconds,
        "ratio": told.achieved_ratio(run),
        "ratio_is_exact": told.most_is_optimum,
        "rounding": rounding,
    }


def _bound(upper: UpperBound) -> dict[str, object]:
    return {"value": upper.value, "gap": upper.gap, "seconds": upper.seconds}
