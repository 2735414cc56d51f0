"""The parts of a job that come in several kinds, in and out of a document: how fast it trains, what it is worth."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from pdors.files.output import plain
from pdors.files.place import Fields, Place
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from pdors.model.utility import DeadlineUtility, SigmoidUtility, TableUtility, Utility

PARAMETER_SERVER = "ps"
ALL_REDUCE = "allreduce"
SIGMOID = "sigmoid"
DEADLINE = "deadline"
TABLE = "table"


def read_speed(fields: Fields) -> Speed:
    return fields.by_kind(_SPEED_READERS)


def read_utility(fields: Fields) -> Utility:
    return fields.by_kind(_UTILITY_READERS)


def speed_document(speed: Speed) -> dict[str, object]:
    if isinstance(speed, ParameterServerSpeed):
        return {"kind": PARAMETER_SERVER} | _numbers(speed)
    if isinstance(speed, AllReduceSpeed):
        return {"kind": ALL_REDUCE} | _numbers(speed)
    workers = [int(count) for count in speed.workers]
    document: dict[str, object] = {"kind": TABLE, "workers": workers, "internal": _column_document(speed.internal)}
    return document if speed.external is None else document | {"external": _column_document(speed.external)}


def utility_document(utility: Utility) -> dict[str, object]:
    if isinstance(utility, SigmoidUtility):
        return {"kind": SIGMOID} | _numbers(utility)
    if isinstance(utility, DeadlineUtility):
        numbers = _numbers(utility)
        return {"kind": DEADLINE, "value": numbers.pop("worth")} | numbers
    return {"kind": TABLE, "after": [*map(plain, utility.after)], "value": [*map(plain, utility.worth)]}


def _numbers(model: ParameterServerSpeed | AllReduceSpeed | SigmoidUtility | DeadlineUtility) -> dict[str, object]:
    """The fields by name, without those that have their default."""
    values = {field.name: (getattr(model, field.name), field.default) for field in dataclasses.fields(model)}
    return {name: plain(value) for name, (value, default) in values.items() if value != default}


def _column_document(entries: tuple[float | None, ...]) -> list[float | None]:
    return [None if entry is None else plain(entry) for entry in entries]


def _read_ps(fields: Fields) -> ParameterServerSpeed:
    return fields.build(
        ParameterServerSpeed,
        sample_seconds=fields("sample_seconds").number(above=0),
        gradient_mb=fields("gradient_mb").number(least=0),
        workers_per_server=fields("workers_per_server").number(above=0),
        internal_mb_s=fields("internal_mb_s").number(above=0),
        external_mb_s=fields("external_mb_s").number(above=0),
        step_overhead_seconds=fields("step_overhead_seconds", 0).number(least=0),
    )


def _read_allreduce(fields: Fields) -> AllReduceSpeed:
    return fields.build(
        AllReduceSpeed,
        sample_seconds=fields("sample_seconds").number(above=0),
        gradient_mb=fields("gradient_mb").number(least=0),
        internal_mb_s=fields("internal_mb_s").number(above=0),
        external_mb_s=fields("external_mb_s").number(above=0),
        step_overhead_seconds=fields("step_overhead_seconds", 0).number(least=0),
    )


def _read_speed_table(fields: Fields) -> TableSpeed:
    workers: list[int] = []
    fewest = 1
    for place in fields("workers").items(at_least_one="worker count"):
        workers.append(place.integer(least=fewest))
        fewest = fewest if workers[-1] is None else workers[-1] + 1

    def column(place: Place) -> tuple[float | None, ...]:
        entries = place.items()
        if workers and isinstance(place.value, list) and len(entries) != len(workers):
            place.wrong(f"a list of {len(workers)}, one entry per worker count")
        return tuple(None if entry.value is None else entry.number(above=0) for entry in entries)

    return fields.build(TableSpeed, tuple(workers), column(fields("internal")), fields.optional("external", column))


def _read_sigmoid(fields: Fields) -> SigmoidUtility:
    return fields.build(
        SigmoidUtility,
        priority=fields("priority").number(least=0),
        urgency=fields("urgency").number(least=0),
        target=fields("target").number(),
    )


def _read_deadline(fields: Fields) -> DeadlineUtility:
    worth = fields("value").number(least=0)
    return fields.build(
        DeadlineUtility,
        worth=worth,
        deadline=fields("deadline").number(),
        late_value=fields("late_value", 0).number(least=0, most=math.inf if worth is None else worth),
    )


def _read_utility_table(fields: Fields) -> TableUtility:
    after: list[float] = []
    previous = -math.inf
    for place in fields("after").items(at_least_one="duration"):
        after.append(place.number(above=previous))
        previous = previous if after[-1] is None else after[-1]
    worth: list[float] = []
    values = fields("value")
    previous = math.inf
    for place in values.items(at_least_one="value"):
        worth.append(place.number(least=0, most=previous))
        previous = previous if worth[-1] is None else worth[-1]
    if after and worth and len(after) != len(worth):
        values.wrong(f"a list of {len(after)}, one entry per entry of after")
    return fields.build(TableUtility, tuple(after), tuple(worth))


_SPEED_READERS: dict[str, Callable[[Fields], Speed]] = {
    PARAMETER_SERVER: _read_ps,
    ALL_REDUCE: _read_allreduce,
    TABLE: _read_speed_table,
}
_UTILITY_READERS: dict[str, Callable[[Fields], Utility]] = {
    SIGMOID: _read_sigmoid,
    DEADLINE: _read_deadline,
    TABLE: _read_utility_table,
}
