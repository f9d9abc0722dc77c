"""The model of all tables, as Qt and whoever picked a row see it."""

from random import Random

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tests.gui.tables.things import NAME, WEIGHT, Thing, columns, shown, thing_model, things

FALLING, RISING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
ACROSS, ROLE = Qt.Orientation.Horizontal, Qt.ItemDataRole


@pytest.mark.parametrize("seed", range(8))
def test_it_stays_one_whatever_comes_goes_and_is_sorted(seed: int, qtbot: QtBot) -> None:
    chance = Random(seed)
    model = thing_model()
    tester = QAbstractItemModelTester(
        model, QAbstractItemModelTester.FailureReportingMode.Fatal
    )

    def some(names: str) -> tuple[Thing, ...]:
        found = chance.sample(names, chance.randrange(len(names) + 1))
        return tuple(Thing(name, chance.choice((None, 1.0, 2.0, 3.0))) for name in found)

    for _ in range(25):
        given = [
            Thing(each.name, each.weight, some("xyz") if chance.random() < 0.4 else ())
            for each in some("abcdefgh")
        ]
        model.show(given, still=chance.random() < 0.3)
        by_name = {each.name: each for each in given}
        assert sorted(shown(model)) == sorted(by_name)
        for row in range(model.rowCount()):
            first = model.index(row, 0)
            assert model.thing(first) is by_name[first.data()]
            under = [model.index(at, 0, first).data() for at in range(model.rowCount(first))]
            assert sorted(under) == sorted(each.name for each in by_name[first.data()].under)
        model.sort(chance.choice((-1, NAME, WEIGHT)), chance.choice((FALLING, RISING)))
    del tester


def test_rows_are_sorted_and_those_that_stand_still_keep_their_order() -> None:
    model = thing_model()
    model.show(things(1, None, 2))
    for column, order, names in (
        (-1, RISING, "abc"),
        (WEIGHT, FALLING, "cab"),  # what is not known comes last in any case
        (WEIGHT, RISING, "acb"),
    ):
        model.sort(column, order)
        assert shown(model) == list(names)
    model.show(things(9, 2, 3, 1), still=True)
    assert shown(model) == ["a", "c", "b", "d"]
    model.show(things(9, 2, 3, 1))
    assert shown(model) == ["d", "b", "c", "a"]


def test_rows_change_in_place_and_only_what_changed_is_told(qtbot: QtBot) -> None:
    model = thing_model()
    model.sort(WEIGHT, FALLING)
    model.show(things(3, 2, 1))
    second = QPersistentModelIndex(model.index(1, NAME))
    model.show([Thing("a", 3), Thing("b", 9), Thing("d", 1)])
    assert (second.row(), second.data()) == (0, "b")
    model.show([Thing("a", 3)])
    assert not second.isValid()
    assert shown(model, WEIGHT) == ["3"]
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, last: told.extend((first, last)))
    with qtbot.assertNotEmitted(model.layoutChanged):
        model.show([Thing("a", 5)])
    assert told == [model.index(0, WEIGHT)] * 2


def test_of_very_many_rows_those_below_come_as_they_are_wanted() -> None:
    model = thing_model()
    model.show([Thing(f"thing {at}", float(at)) for at in range(9000)])
    model.sort(WEIGHT, FALLING)
    first = model.rowCount()
    assert 1000 < first < len(model.things) == 9000
    model.take_more()
    assert first < model.rowCount() < 9000
    model.take_more(9000)
    assert model.index_of("thing 1000").row() == 7999


def test_headings_and_cells_say_what_they_mean_and_a_tip_is_never_markup(qtbot: QtBot) -> None:
    model = thing_model()
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_columns(columns("lb"))
    assert model.headerData(WEIGHT, ACROSS) == "Weight, lb"
    assert model.headerData(WEIGHT, ACROSS, ROLE.ToolTipRole) == "How heavy it is."
    model.show([Thing("python -c 'print(\"<b>\")' " + "--again " * 20, 3)])
    assert model.index(0, WEIGHT).data(ROLE.AccessibleTextRole) == "Weight, lb: 3"
    told = model.index(0, NAME).data(ROLE.ToolTipRole)
    assert "&lt;b&gt;" in told
    assert told.count("--again") == 20
    model.show_columns(columns()[:1])
    assert (model.columnCount(), model.rowCount()) == (1, 0)
