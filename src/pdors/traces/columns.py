"""Any table with a header: a map says which column is which field of a job, and the paper's ranges fill in the rest.

A column that is called like a field is that field. Arrivals are numbers, or dates as in ISO 8601.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np

from pdors.errors import ModelError
from pdors.model.cluster import Amounts
from pdors.model.job import Instance, Job
from pdors.model.speed import ParameterServerSpeed
from pdors.model.utility import SigmoidUtility
from pdors.traces.excerpt import Arrival, Excerpt
from pdors.traces.filling import CLASSES, SPEED, URGENCIES, WORK, Filling, paper_machines, told_machines
from pdors.traces.names import Names
from pdors.traces.report import Tally, Trace
from pdors.traces.row import Row, RowError, as_number, shown
from pdors.traces.sources import find
from pdors.traces.table import Table, numbered_lines, split, unusable
from pdors.workloads.paper_settings import RESOURCES, Mix, PaperWorkload

_DELIMITERS = ",\t;"
_SMALLEST = 1e-12
"""Below it a number that must be above 0 is a mistake: products and quotients of such ones leave the floats."""
_AMOUNTS = tuple(f"{task}_{resource}" for task in ("worker", "server") for resource in RESOURCES)
_CLASS_OF = {name: place for place, name in enumerate(CLASSES)} | {"0": 0, "1": 1, "2": 1, "3": 2}
"""By name, or as Google's scheduling classes are read."""


def _above_zero(row: Row, column: str) -> float:
    return row.number(column, least=_SMALLEST)


def _at_least_zero(row: Row, column: str) -> float:
    return row.number(column, least=0)


def _batch(row: Row, column: str) -> float:
    return row.integer(column, least=1)


def _class(row: Row, column: str) -> float:
    text = row.text(column)
    if text not in _CLASS_OF:
        raise RowError(f"{column}: got {shown(text)}, expected {', '.join(CLASSES)} or 0 to 3")
    return _CLASS_OF[text]


def _seconds(row: Row, column: str) -> float:
    """A number as it is; of a date the seconds since 1970, in UTC if it does not say where."""
    text = row.text(column)
    if math.isfinite(as_number(text)):
        return row.number(column)
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise RowError(f"{column}: got {shown(text)}, expected a number or a date") from None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


_FIELDS: dict[str, Callable[[Row, str], float]] = {
    "arrival": _seconds,
    "epochs": _above_zero,
    "samples": _above_zero,
    "batch": _batch,
    "sample_seconds": _above_zero,
    "gradient_mb": _at_least_zero,
    "workers_per_server": _above_zero,
    "external_mb_s": _above_zero,
    "internal_mb_s": _above_zero,
    **dict.fromkeys(_AMOUNTS, _at_least_zero),
    "priority": _at_least_zero,
    "class": _class,
    "urgency": _at_least_zero,
    "target_slots": Row.number,
}
FIELDS = ("id", *_FIELDS)
"""What a column can be."""


@dataclass(frozen=True, slots=True)
class _Row:
    job_id: str | None
    values: dict[str, float]


def parse_map(texts: Iterable[str]) -> dict[str, str]:
    """`arrival=submit_time`: the field, and the column that tells it."""
    columns: dict[str, str] = {}
    for text in texts:
        name, equals, column = text.partition("=")
        if not equals or not column or name not in FIELDS:
            raise ModelError(f"map: got {text!r}, expected FIELD=COLUMN; the fields are {', '.join(FIELDS)}")
        if name in columns:
            raise ModelError(f"map: got {name} twice, expected each field once")
        columns[name] = column.strip()
    return columns


def read(
    paths: Iterable[Path],
    excerpt: Excerpt,
    rng: np.random.Generator,
    *,
    columns: Mapping[str, str],
    machines: int,
    mix: Mix = PaperWorkload.mix,
) -> Trace:
    """An instance on `machines` machines of the paper; `columns` has those that are not called like their field."""
    paths, tally = list(paths), Tally()
    sampling, of_arrivals, drawing = rng.spawn(3)
    given = [_table(file.path, columns, tally) for file in find(paths)]
    known = set(given[0][1])
    for table, fields in given:
        if set(fields) != known:
            raise unusable(table.path, "header", _listed(fields), f"the fields of {given[0][0].path}, {_listed(known)}")
    names, rows = Names(), list[_Row]()
    for table, fields in given:
        rows += table.read(_parser(table, fields, names), tally)
    tally.jobs_found = len(rows)
    if "arrival" in known:
        arrivals = excerpt.take([row.values["arrival"] for row in rows], sampling, tally)
    else:
        drawn = Filling(len(rows), excerpt, of_arrivals, mix=mix, slots=excerpt.slots)
        arrivals = excerpt.take_drawn([drawn.job(index).arrival for index in range(len(rows))], sampling, tally)
    filling = Filling(len(arrivals), excerpt, drawing, mix=mix)
    cluster = paper_machines(machines)
    jobs = tuple(_job(rows[arrival.index], arrival, filling, index) for index, arrival in enumerate(arrivals))
    tally.filled |= told_machines(cluster)
    _tell(known, filling, tally)
    return tally.trace(Instance(excerpt.slots, excerpt.slot_seconds, cluster, jobs), excerpt.jobs)


def _table(path: Path, columns: Mapping[str, str], tally: Tally) -> tuple[Table, list[str]]:
    """The file as a table whose columns go by the names of fields, and which fields it has."""
    line = next((text for _, text in islice(numbered_lines(path), 1)), None)
    if line is None:
        raise unusable(path, "file", "nothing in it", "a table with a header")
    delimiter = max(_DELIMITERS, key=line.count)
    try:
        header = [name.strip() for name in split(line, delimiter)]
    except RowError as error:
        raise unusable(path, "header", shown(line), f"names of columns ({error})") from None
    stands = ", ".join(map(shown, header))
    for column in columns.values():
        if header.count(column) != 1:
            raise unusable(path, "header", stands, f"the column {shown(column)} once")
    places = {name: header.index(columns.get(name, name)) for name in FIELDS if columns.get(name, name) in header}
    if not places:
        raise unusable(path, "header", stands, f"a column mapped, or called like a field: {', '.join(FIELDS)}")
    tally.unused |= {
        name: "is no field of a job" for place, name in enumerate(header) if place not in places.values() and name
    }
    return Table(path, places, len(header), has_header=True, delimiter=delimiter), list(places)


def _parser(table: Table, fields: list[str], names: Names) -> Callable[[Row], _Row]:
    read_fields = {name: _FIELDS[name] for name in fields if name != "id"}

    def parse(row: Row) -> _Row:
        values = {name: read_field(row, name) for name, read_field in read_fields.items()}
        return _Row(names.take(row.text("id"), table) if "id" in fields else None, values)

    return parse


def _job(row: _Row, arrival: Arrival, filling: Filling, index: int) -> Job:
    values = row.values
    drawn = filling.job(index, int(values["class"]) if "class" in values else None)
    utility = cast("SigmoidUtility", drawn.utility)
    return Job(
        id=row.job_id or f"job-{arrival.index}",
        arrival=arrival.slot,
        epochs=values.get("epochs", drawn.epochs),
        samples=values.get("samples", drawn.samples),
        batch=int(values.get("batch", drawn.batch)),
        speed=_speed(values, cast("ParameterServerSpeed", drawn.speed)),
        worker=_demand("worker", values, drawn.worker),
        server=_demand("server", values, drawn.server),
        utility=SigmoidUtility(
            priority=values.get("priority", utility.priority),
            urgency=values.get("urgency", utility.urgency),
            target=values.get("target_slots", utility.target),
        ),
    )


def _demand(task: str, values: Mapping[str, float], drawn: Amounts) -> Amounts:
    return tuple(values.get(f"{task}_{name}", amount) for name, amount in zip(RESOURCES, drawn, strict=True))


def _speed(values: Mapping[str, float], drawn: ParameterServerSpeed) -> ParameterServerSpeed:
    """Of the two rates one that is not given keeps the drawn ratio to the one that is."""
    ratio = drawn.internal_mb_s / drawn.external_mb_s
    external = values["internal_mb_s"] / ratio if "internal_mb_s" in values else drawn.external_mb_s
    external = values.get("external_mb_s", external)
    return replace(
        drawn,
        sample_seconds=values.get("sample_seconds", drawn.sample_seconds),
        gradient_mb=values.get("gradient_mb", drawn.gradient_mb),
        workers_per_server=values.get("workers_per_server", drawn.workers_per_server),
        internal_mb_s=values.get("internal_mb_s", external * ratio),
        external_mb_s=external,
    )


def _tell(known: set[str], filling: Filling, tally: Tally) -> None:
    drawn = {*WORK, "batch", *SPEED, *_AMOUNTS, "priority", "target_slots"} - known
    if "internal_mb_s" in known:
        drawn -= {"external_mb_s", "internal_factor"} if "external_mb_s" in known else {"external_mb_s"}
    tally.filled |= filling.told(*sorted(drawn))
    if "id" not in known:
        tally.filled["id"] = "job-0 and on, by the place in the files"
    if "urgency" not in known:
        tally.filled |= filling.told(*URGENCIES) if "class" in known else filling.told_classes()


def _listed(fields: Iterable[str]) -> str:
    return ", ".join(sorted(fields))
