"""What jobs ask for in a fair dealing, and a book in which it stands from round to round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pdors.planner.shape import JobShape

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Scalar = TypeVar("Scalar", np.float64, np.int64)

_SPARE = 64
"""Jobs that are gone stay in the book until there are so many more of them than of the others."""


class Claims(NamedTuple):
    """What the jobs of a queue ask for. The tables over W of job j begin at `first[j]`.

    worker, server             demands in units, (jobs, resources)
    most                       the most workers of a job
    longest                    the most tasks of one kind, workers or servers
    left                       samples that it has to train
    servers, together, apart   as in `JobShape`, of all jobs one after another
    """

    worker: Floats
    server: Floats
    most: Integers
    longest: Integers
    left: Floats
    first: Integers
    servers: Integers
    together: Floats
    apart: Floats

    @staticmethod
    def of(shapes: Sequence[JobShape], left: Sequence[float]) -> Claims:
        book = Book(len(shapes[0].worker))
        for shape in shapes:
            book.enter(shape)
        return book.claims([shape.job.id for shape in shapes], np.array(left, dtype=np.float64))


class Book:
    """The shapes of jobs, each written down once, so that a round copies none of their tables."""

    def __init__(self, resources: int) -> None:
        self._resources = resources
        self._shapes: dict[str, JobShape] = {}
        self._clear()

    def enter(self, shape: JobShape) -> None:
        self._shapes[shape.job.id] = shape
        self._write(shape)

    def claims(self, job_ids: Sequence[str], left: Floats) -> Claims:
        """Of these jobs, in this order; others are forgotten from time to time."""
        if len(self._rows) > 2 * len(job_ids) + _SPARE:
            self._shapes = {job_id: self._shapes[job_id] for job_id in job_ids}
            self._clear()
            for shape in self._shapes.values():
                self._write(shape)
        rows = np.array([self._rows[job_id] for job_id in job_ids], dtype=np.int64)
        return Claims(
            self._worker.filled[rows],
            self._server.filled[rows],
            self._most.filled[rows],
            self._longest.filled[rows],
            left,
            self._first.filled[rows],
            self._servers.filled,
            self._together.filled,
            self._apart.filled,
        )

    def _clear(self) -> None:
        self._rows: dict[str, int] = {}
        nobody = np.zeros((0, self._resources))
        self._worker, self._server = _Growing(nobody), _Growing(nobody)
        self._together, self._apart = _Growing(nobody[:, 0]), _Growing(nobody[:, 0])
        nothing = np.zeros(0, dtype=np.int64)
        self._most, self._longest, self._first, self._servers = (_Growing(nothing) for _ in range(4))

    def _write(self, shape: JobShape) -> None:
        self._rows[shape.job.id] = len(self._rows)
        self._worker.extend(shape.worker[np.newaxis])
        self._server.extend(shape.server[np.newaxis])
        self._most.extend(np.array([shape.max_workers]))
        self._longest.extend(np.array([max(shape.max_workers, int(shape.servers.max()))]))
        self._first.extend(np.array([len(self._servers.filled)]))
        self._servers.extend(shape.servers)
        self._together.extend(shape.together)
        self._apart.extend(shape.apart)


class _Growing(Generic[Scalar]):
    """An array that grows at its end; `filled` is what has been put in."""

    def __init__(self, empty: NDArray[Scalar]) -> None:
        self._room: NDArray[Scalar] = empty
        self.filled: NDArray[Scalar] = empty

    def extend(self, entries: NDArray[Scalar]) -> None:
        size = len(self.filled) + len(entries)
        if size > len(self._room):
            self._room = np.zeros((2 * size, *entries.shape[1:]), dtype=entries.dtype)
            self._room[: len(self.filled)] = self.filled
        self._room[len(self.filled) : size] = entries
        self.filled = self._room[:size]
