"""Bins hold everything once, and their means weigh every thing alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdors.report.bins import edges, means


@given(count=st.integers(1, 5000), most=st.integers(1, 600))
def test_bins_are_few_not_empty_and_as_wide_as_each_other_up_to_one(count: int, most: int) -> None:
    bins = edges(count, most)
    assert (bins[0], bins[-1]) == (0, count)
    assert len(bins) - 1 == min(count, most)
    widths = np.diff(bins)
    assert widths.min() >= 1
    assert widths.max() - widths.min() <= 1


def test_means_along_the_first_axis() -> None:
    values = np.array([[1.0, 10.0], [3.0, 20.0], [5.0, 60.0]])
    assert means(values, np.array([0, 2, 3])).tolist() == [[2.0, 15.0], [5.0, 60.0]]
