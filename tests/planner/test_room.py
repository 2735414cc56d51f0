import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdors.planner.room import by_price, cost_of, fits, fitting, fitting_beside, needed_out, take

AMOUNTS = st.lists(st.integers(0, 12), min_size=3, max_size=3).map(lambda amounts: np.array(amounts, dtype=float))
COUNTS = st.integers(0, 6)


@given(AMOUNTS, AMOUNTS, COUNTS)
def test_fitting_is_the_largest_count_that_fits(free, demand, most):
    count = fitting(free, demand, most)
    assert 0 <= count <= most
    assert count == 0 or (count * demand <= free).all()
    assert count == most or not ((count + 1) * demand <= free).all()


@given(AMOUNTS, AMOUNTS, COUNTS, AMOUNTS, st.integers(-3, 3))
def test_fitting_beside_others_is_fitting_into_what_they_leave(free, demand, most, other, count):
    left = free - count * other
    if (left >= 0).all():
        assert fitting_beside(free, demand, most, other, count) == fitting(left, demand, most)


@given(AMOUNTS, AMOUNTS, AMOUNTS, COUNTS)
def test_needed_out_is_the_fewest_that_make_room(free, wanted, leaving, held):
    enough = [count for count in range(1, held + 1) if fits(free + count * leaving, wanted)]
    if not fits(free, wanted):
        assert needed_out(free, wanted, leaving, held) == min(enough, default=0)


@given(AMOUNTS, AMOUNTS, st.integers(-3, 3))
def test_take_and_give_back(free, demand, count):
    left = free.copy()
    take(left, demand, count)
    assert (left == free - count * demand).all()
    take(left, demand, -count)
    assert (left == free).all()


@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 1.0, 5e300]), max_size=50))
def test_machines_by_price_and_equal_ones_in_their_order(prices):
    price = np.array(prices)
    order = np.empty(len(price), dtype=np.int64)
    by_price(price, order)
    assert order.tolist() == np.argsort(price, kind="stable").tolist()


def test_cost_by_hand():
    w, s = np.array([2, 0, 1]), np.array([0, 1, 3])
    assert cost_of(w, np.array([1.0, 5.0, 2.0]), s, np.array([7.0, 4.0, 0.5])) == 2 * 1 + 4 + 2 + 3 * 0.5
