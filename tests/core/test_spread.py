"""Labels that would touch move apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.core.axes import spread

HEIGHTS = st.lists(st.floats(-50, 250), max_size=12)


@given(HEIGHTS)
def test_labels_never_overlap_and_stay_inside(wanted: list[float]) -> None:
    places = spread(wanted, 10, 0, 200)
    for place in places:
        assert -1e-6 <= place <= 200 + 1e-6
    for one, next_one in zip(sorted(places), sorted(places)[1:], strict=False):
        assert next_one - one >= 10 - 1e-6


@given(HEIGHTS)
def test_labels_keep_the_order_of_their_lines(wanted: list[float]) -> None:
    places = spread(wanted, 10, 0, 200)
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    assert [places[label] for label in order] == sorted(places)


def test_labels_with_room_stay_where_their_lines_are() -> None:
    assert spread([20, 80, 50], 10, 0, 100) == [20, 80, 50]


def test_labels_that_touch_share_the_way() -> None:
    assert spread([50, 50], 10, 0, 100) == [45, 55]


def test_more_labels_than_fit_stand_closer() -> None:
    assert spread([5, 5, 5], 80, 0, 100) == pytest.approx([0, 50, 100])
