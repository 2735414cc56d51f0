"""The book of claims: whoever is asked for, in whatever order, has what its own shape says."""

from __future__ import annotations

import numpy as np

from pdors.model.units import Units
from pdors.planner.shape import JobShape
from pdors.policies.drf_claims import Book, Claims
from pdors.workloads.paper import PaperWorkload, generate


def shapes_of(count: int) -> list[JobShape]:
    instance = generate(PaperWorkload(jobs=count, machines=2, slots=9), np.random.default_rng(2))
    units = Units(instance.cluster)
    return [JobShape.of(job, units, instance.slot_seconds) for job in instance.jobs]


def same(claims: Claims, shapes: list[JobShape]) -> bool:
    for row, shape in enumerate(shapes):
        own = slice(claims.first[row], claims.first[row] + claims.most[row] + 1)
        assert claims.longest[row] == max(shape.max_workers, shape.servers.max())
        for found, expected in (
            (claims.worker[row], shape.worker),
            (claims.server[row], shape.server),
            (claims.servers[own], shape.servers),
            (claims.together[own], shape.together),
            (claims.apart[own], shape.apart),
        ):
            np.testing.assert_array_equal(found, expected)
    return len(claims.most) == len(claims.left) == len(shapes)


def test_jobs_come_and_go_and_the_book_stays_small() -> None:
    """One comes and one goes in each round: after 500 of them it holds the tables of a few more than are asked for."""
    shapes, present = shapes_of(500), []
    book = Book(4)
    rng = np.random.default_rng(0)
    for shape in shapes:
        book.enter(shape)
        present.append(shape)
        if len(present) > 10:
            present.pop(int(rng.integers(len(present))))
        claims = book.claims([kept.job.id for kept in present], np.zeros(len(present)))
        assert same(claims, present)
    tables = sum(len(shape.servers) for shape in shapes)
    assert len(claims.servers) < tables / 3


def test_claims_of_shapes() -> None:
    shapes = shapes_of(7)
    claims = Claims.of(shapes, list(range(7)))
    assert same(claims, shapes)
    assert claims.left.tolist() == list(range(7))
