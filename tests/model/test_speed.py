"""What a slot trains: the formulas of the three kinds by hand, and against exact rational arithmetic."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pdors.errors import ModelError
from pdors.model.speed import AllReduceSpeed, ParameterServerSpeed, Speed, TableSpeed
from tests.support.instances import allreduce_speeds, ps_speeds, speeds

PS = ParameterServerSpeed(0.5, 50, 2, 100, 10)
PS_WITH_OVERHEAD = ParameterServerSpeed(0.5, 50, 2, 100, 10, 0.2)
RING = AllReduceSpeed(0.5, 50, 100, 10)
RING_WITH_OVERHEAD = AllReduceSpeed(0.5, 50, 100, 10, 0.2)
TABLE = TableSpeed((1, 2, 4), (210.0, 400.0, None), (210.0, 330.0, 610.0))
TABLE_OF_ONE_COLUMN = TableSpeed((1, 2, 4), (210.0, 400.0, None))

COUNTS = st.integers(1, 64)


@pytest.mark.parametrize(
    ("speed", "workers", "servers", "colocated", "seconds"),
    [
        # F = 8: one sample takes tau + (overhead + 2g / (S b)) W / F seconds on each of the W workers.
        (PS, 1, 1, True, 0.5 + 1.0 * 1 / 8),
        (PS, 4, 2, True, 0.5 + 0.5 * 4 / 8),
        (PS, 4, 2, False, 0.5 + 5.0 * 4 / 8),
        (PS, 8, 4, False, 0.5 + 2.5),
        (PS_WITH_OVERHEAD, 4, 2, True, 0.5 + (0.2 + 0.5) * 4 / 8),
        # tau + (overhead + 2g (W-1) / (W b)) W / F
        (RING, 1, 0, True, 0.5),
        (RING, 4, 0, True, 0.5 + 0.75 * 4 / 8),
        (RING, 4, 0, False, 0.5 + 7.5 * 4 / 8),
        (RING_WITH_OVERHEAD, 1, 0, True, 0.5 + 0.2 / 8),
        (RING_WITH_OVERHEAD, 4, 0, True, 0.5 + (0.2 + 0.75) * 4 / 8),
    ],
)
def test_by_hand(speed: Speed, workers: int, servers: int, *, colocated: bool, seconds: float) -> None:
    per_second = speed.samples_per_second(workers, servers, 8, colocated=colocated)
    assert per_second == pytest.approx(workers / seconds, rel=1e-14)


@pytest.mark.parametrize(
    ("speed", "workers", "internal", "external"),
    [
        (TABLE, 1, 210, 210),
        (TABLE, 2, 400, 330),
        (TABLE, 3, 0, 0),
        (TABLE, 4, 0, 610),
        (TABLE, 0, 0, 0),
        (TABLE_OF_ONE_COLUMN, 2, 400, 400),
        (TABLE_OF_ONE_COLUMN, 4, 0, 0),
    ],
)
def test_a_table_says_what_was_measured(speed: TableSpeed, workers: int, internal: float, external: float) -> None:
    assert speed.samples_per_second(workers, 0, 8, colocated=True) == internal
    assert speed.samples_per_second(workers, 0, 8, colocated=False) == external


@given(speed=ps_speeds(), workers=COUNTS, servers=COUNTS, batch=COUNTS, colocated=st.booleans())
def test_parameter_servers_follow_equation_1(
    speed: ParameterServerSpeed, workers: int, servers: int, batch: int, *, colocated: bool
) -> None:
    share = Fraction(workers, batch)
    rate = Fraction(speed.internal_mb_s if colocated else speed.external_mb_s)
    overhead, gradient = Fraction(speed.step_overhead_seconds), Fraction(speed.gradient_mb)
    seconds = Fraction(speed.sample_seconds) + overhead * share + (2 * gradient / (servers * rate)) * share
    exact = float(workers / seconds)
    assert speed.samples_per_second(workers, servers, batch, colocated=colocated) == pytest.approx(exact, rel=1e-13)


@given(speed=allreduce_speeds(), workers=COUNTS, batch=COUNTS, colocated=st.booleans())
def test_all_reduce_follows_its_formula(speed: AllReduceSpeed, workers: int, batch: int, *, colocated: bool) -> None:
    share = Fraction(workers, batch)
    rate = Fraction(speed.internal_mb_s if colocated else speed.external_mb_s)
    overhead, gradient = Fraction(speed.step_overhead_seconds), Fraction(speed.gradient_mb)
    traffic = 2 * gradient * (workers - 1) / (workers * rate)
    exact = float(workers / (Fraction(speed.sample_seconds) + overhead * share + traffic * share))
    assert speed.samples_per_second(workers, 0, batch, colocated=colocated) == pytest.approx(exact, rel=1e-13)


@given(speed=speeds(), workers=COUNTS, servers=COUNTS, batch=COUNTS, colocated=st.booleans())
def test_nothing_is_trained_if_and_only_if_workers_or_servers_are_missing(
    speed: Speed, workers: int, servers: int, batch: int, *, colocated: bool
) -> None:
    assert speed.samples_per_second(0, servers, batch, colocated=colocated) == 0
    if isinstance(speed, ParameterServerSpeed):
        assert speed.samples_per_second(workers, 0, batch, colocated=colocated) == 0
    if not isinstance(speed, TableSpeed):
        assert speed.samples_per_second(workers, servers, batch, colocated=colocated) > 0


@given(speed=speeds(wide=True), workers=COUNTS, servers=COUNTS, batch=COUNTS, colocated=st.booleans())
@example(speed=AllReduceSpeed(1, 1e308, 1, 1), workers=1, servers=0, batch=1, colocated=True)
@example(speed=AllReduceSpeed(1, 1e308, 1e308, 1), workers=4, servers=0, batch=1, colocated=True)
@example(speed=ParameterServerSpeed(1, 1e308, 1, 1, 1e308), workers=4, servers=4, batch=1, colocated=True)
def test_numbers_of_any_size_give_a_number(
    speed: Speed, workers: int, servers: int, batch: int, *, colocated: bool
) -> None:
    assert speed.samples_per_second(workers, servers, batch, colocated=colocated) >= 0


@given(ps_speeds(), COUNTS, COUNTS, COUNTS)
def test_more_servers_or_a_faster_network_never_train_less(
    speed: ParameterServerSpeed, workers: int, servers: int, batch: int
) -> None:
    inside, outside, more = (
        speed.samples_per_second(workers, count, batch, colocated=colocated)
        for count, colocated in ((servers, True), (servers, False), (servers + 1, False))
    )
    assert more >= outside
    assert inside >= outside if speed.internal_mb_s >= speed.external_mb_s else inside <= outside


@pytest.mark.parametrize(
    ("workers", "per_server", "servers"),
    [
        (0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (8, 4, 2), (9, 4, 3), (1, 1e308, 1), (10, 2.5, 4), (1, 0.5, 2),
        (1, 0.1, 10), (3, 0.1, 30), (3, 0.3, 10), (7, 0.7, 10), (49, 0.49, 100), (3, 1 / 3, 9),
        (21, 0.35, 60),  # though 21 / 0.35 is above 60 in floats
        (29, 0.29, 101), (1, 1 / 49, 50),  # 100 times the float 0.29 is less than 29, 49 times that of 1/49 less than 1
    ],
)  # fmt: skip
def test_servers_by_hand(workers: int, per_server: float, servers: int) -> None:
    assert ParameterServerSpeed(1, 1, per_server, 1, 1).servers_for(workers) == servers


@given(st.floats(0, exclude_min=True, max_value=1e308) | st.floats(0.01, 20), st.integers(1, 2**31 - 1), st.data())
def test_servers_are_the_fewest_that_serve_all_workers(per_server: float, batch: int, data: st.DataObject) -> None:
    speed = ParameterServerSpeed(1, 1, per_server, 1, 1)
    counts = speed.worker_counts(batch)
    if not counts:
        assert per_server * (2**31 - 1) < 1, "a worker needs more servers than can be counted"
        return
    workers = data.draw(st.integers(1, counts[-1]))
    servers = speed.servers_for(workers)
    assert servers >= 1
    assert servers * per_server >= workers
    assert servers == 1 or (servers - 1) * per_server < workers


@pytest.mark.parametrize("speed", [RING, TABLE])
def test_only_parameter_servers_are_servers(speed: Speed) -> None:
    assert speed.servers_for(4) == 0


@pytest.mark.parametrize(
    ("speed", "batch", "counts"),
    [
        (PS, 3, [1, 2, 3]),
        (RING, 2, [1, 2]),
        (TABLE, 8, [1, 2, 4]),
        (TABLE, 3, [1, 2]),
        # A third worker would need 3e9 servers, the first of the other one 1e300: more than are counted.
        (replace(PS, workers_per_server=1e-9), 8, [1, 2]),
        (replace(PS, workers_per_server=1e-300), 8, []),
    ],
)
def test_worker_counts_end_at_the_batch(speed: Speed, batch: int, counts: list[int]) -> None:
    assert list(speed.worker_counts(batch)) == counts


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
@pytest.mark.parametrize(
    "field", ["sample_seconds", "workers_per_server", "internal_mb_s", "external_mb_s", "gradient_mb", "step_overhead"]
)
def test_numbers_of_a_speed_are_finite_and_above_0(field: str, bad: float) -> None:
    if bad == 0 and field in ("gradient_mb", "step_overhead"):
        return  # nothing to send, and no overhead, are possible
    name = "step_overhead_seconds" if field == "step_overhead" else field
    numbers = {"sample_seconds": 1, "gradient_mb": 1, "internal_mb_s": 1, "external_mb_s": 1} | {name: bad}
    with pytest.raises(ModelError, match=f"{field}.*{bad}"):
        ParameterServerSpeed(**({"workers_per_server": 1} | numbers))
    if field != "workers_per_server":
        with pytest.raises(ModelError, match=field):
            AllReduceSpeed(**numbers)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (((), ()), "workers must be increasing"),
        (((0, 1), (1.0, 1.0)), "at least 1"),
        (((2, 1), (1.0, 1.0)), "workers must be increasing"),
        (((1, 1), (1.0, 1.0)), "workers must be increasing"),
        (((1, 2), (1.0,)), "internal must have one entry per worker count"),
        (((1, 2), (1.0, 2.0), (1.0,)), "external must have one entry per worker count"),
        (((1,), (0.0,)), "internal"),
        (((1,), (1.0,), (math.nan,)), "external"),
    ],
)
def test_tables_that_cannot_be(table: tuple[tuple[int, ...], tuple[float, ...]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        TableSpeed(*table)
