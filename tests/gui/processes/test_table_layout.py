"""What is remembered of the table, and that nothing remembered can break it."""

import json
from dataclasses import replace

import pytest

from gpuexplorer.gui.views.processes.arrangement import Grouping
from gpuexplorer.gui.views.processes.columns import COLUMNS, Column
from gpuexplorer.gui.views.processes.table_layout import (
    USUAL,
    TableLayout,
    fitting,
    from_text,
    width_of,
)


def test_what_was_left_comes_back() -> None:
    order = tuple(reversed(USUAL.order))
    layout = TableLayout(
        shown=frozenset({Column.PID, Column.SM}),
        order=order,
        widths={Column.PID: 99},
        sorted_by=Column.CPU,
        falling=False,
        grouping=Grouping.PROGRAM,
    )
    assert from_text(layout.as_text()) == layout
    assert from_text(USUAL.as_text()) == USUAL


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[]",
        "7",
        '{"shown": 3, "order": {"a": 1}, "widths": [1], "sorted_by": [], "falling": "no"}',
        '{"sorted_by": "gone", "grouping": "gone", "widths": {"gone": 4, "pid": "wide"}}',
    ],
)
def test_what_cannot_be_read_stays_as_it_usually_is(text: str | None) -> None:
    assert from_text(text) == USUAL


def test_columns_of_another_version_are_left_out_and_new_ones_come_last() -> None:
    layout = from_text(json.dumps({"order": ["gone", "sm", "sm"], "shown": ["gone", "pid"]}))
    assert layout.order[0] is Column.SM
    assert set(layout.order) == set(Column)
    assert len(layout.order) == len(COLUMNS)
    assert layout.shown == frozenset({Column.PID})


def test_no_width_is_lost_or_absurd() -> None:
    layout = from_text(json.dumps({"widths": {"pid": -5, "user": 10**9}}))
    assert 30 < width_of(layout, Column.PID) < 100
    assert width_of(layout, Column.USER) == 2000


def test_as_many_columns_are_shown_as_fit() -> None:
    narrow, usual, wide = (fitting(USUAL, room) for room in (400, 900, 3000))
    assert narrow < usual < wide
    assert {Column.CARD, Column.COMMAND} <= narrow
    assert wide == set(Column)


def test_what_was_chosen_is_shown_whether_it_fits_or_not() -> None:
    chosen = replace(USUAL, shown=frozenset({Column.CONTAINER}))
    assert fitting(chosen, 100) == {Column.CARD, Column.COMMAND, Column.CONTAINER}
