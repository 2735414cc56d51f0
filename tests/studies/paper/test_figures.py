"""The declarations: complete, and the same jobs for every policy of a point."""

from __future__ import annotations

import pickle
from collections import defaultdict

import pytest

from pdors.studies.paper.cells import FeasibilityRun
from pdors.studies.paper.declaration import Figure
from pdors.studies.paper.figures import BY_NAME, FIGURES
from pdors.studies.paper.options import PaperOptions
from pdors.studies.paper.runner import cells_of, with_others

OF_THE_PAPER = {
    "Gdelta", "jobFixed", "machineFixed", "UtilityComp_1", "actual_time", "ratio", "Factor_ApprRatio",
    "jobFixed_response", "serverFixed_response", "jobFixed1", "jobFixed2", "serverFixed1", "serverFixed2",
}  # fmt: skip
QUICK = PaperOptions(seeds=(0, 1, 2), quick=True)
FULL = PaperOptions(seeds=tuple(range(10)))


def test_every_figure_of_the_paper_is_there() -> None:
    assert {figure.name for figure in FIGURES if not figure.beyond} == OF_THE_PAPER
    assert len(BY_NAME) == len(FIGURES)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_figure_says_what_it_is(figure: Figure) -> None:
    assert figure.title
    assert figure.said
    assert figure.claims
    assert len({claim.text for claim in figure.claims}) == len(figure.claims)
    assert all(claim.test and claim.unit for claim in figure.claims)
    assert figure.axis.name
    assert all(panel.axis.name for panel in figure.panels)
    assert figure.setting.told(figure.vary)
    assert list(figure.points) == sorted(set(figure.points))
    assert len(figure.quick_points) <= len(figure.points)
    assert all(name in BY_NAME for name in figure.others)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_all_that_is_drawn_and_claimed_is_run(figure: Figure) -> None:
    keys = {curve.key for curve in figure.curves}
    drawn = {key for panel in figure.panels for key in panel.curves or ()}
    drawn |= {line.curve for panel in figure.panels for line in panel.lines}
    wanted = {other for claim in figure.claims for other in getattr(claim, "others", ())}
    assert drawn | wanted <= keys


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_policies_of_a_point_have_the_same_jobs(figure: Figure) -> None:
    jobs = defaultdict(set)
    for (_, x, seed), run in figure.runs(QUICK):
        if not isinstance(run, FeasibilityRun):
            jobs[x, seed].add(run.source.identity)  # type: ignore[attr-defined]  # every other run has a source
            assert run.seed == seed  # type: ignore[attr-defined]
    assert all(len(identities) == 1 for identities in jobs.values())


def test_points_differ_in_what_varies_alone() -> None:
    figure = BY_NAME["jobFixed"]
    few, many = (figure.setting.source(figure.vary, x, FULL).instance(3) for x in (20, 60))
    assert few.jobs == many.jobs
    assert (len(few.cluster), len(many.cluster)) == (20, 60)


def test_the_two_mixes_differ_in_urgency_alone() -> None:
    first, second = (
        BY_NAME[name].setting.source("machines", 20, FULL).instance(3) for name in ("jobFixed1", "jobFixed2")
    )
    assert [(job.arrival, job.speed, job.worker) for job in first.jobs] == [
        (job.arrival, job.speed, job.worker) for job in second.jobs
    ]
    assert [job.utility for job in first.jobs] != [job.utility for job in second.jobs]


def test_cells_are_shared_between_figures_and_can_be_sent() -> None:
    every = [run for figure in FIGURES for _, run in figure.runs(QUICK)]
    cells = cells_of(FIGURES, QUICK)
    assert len(cells) < 0.8 * len(every)
    assert {run.identity for run in every} == set(cells)
    run = next(iter(cells.values()))
    assert pickle.loads(pickle.dumps(run)).identity == run.identity  # noqa: S301 - our own bytes


def test_at_least_thirty_instances_carry_a_ratio() -> None:
    figure = BY_NAME["ratio"]
    seeds = figure.seeds_for(PaperOptions(seeds=(0, 1)))
    assert len(seeds) == 60
    assert figure.seeds_for(QUICK) == tuple(range(15))


def test_figures_that_claims_look_at_come_along() -> None:
    names = [figure.name for figure in with_others([BY_NAME["jobFixed2"]], BY_NAME)]
    assert names == ["jobFixed2", "jobFixed1"]


def test_both_prices_of_every_policy_that_has_them() -> None:
    for figure in FIGURES:
        keys = {curve.key for curve in figure.curves}
        assert "pdors" not in keys or figure.name == "Factor_ApprRatio" or "pdors:paper" in keys


def test_a_stand_in_is_called_so() -> None:
    figure = BY_NAME["jobFixed_response"]
    assert "STAND-IN" in figure.jobs_told(FULL)
    assert figure.title_for(FULL).endswith("(synthetic stand-in)")
    assert "stand-in" not in BY_NAME["jobFixed"].title_for(FULL)
