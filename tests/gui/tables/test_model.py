"""The model of all tables, as Qt and whoever picked a row see it."""

from random import Random

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tests.gui.tables.things import NAME, WEIGHT, Thing, columns, shown, thing_model, things

FALLING, RISING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
ACROSS, ROLE = Qt.Orientation.Horizontal, Qt.ItemDataRole


@pytest.mark.parametrize("under", [(), (Thing("c", 1), Thing("d", 2))])
def test_the_model_is_one(under: tuple[Thing, ...], qtmodeltester: ModelTester) -> None:
    model = thing_model()
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt says no types
    model.show([Thing("a", 3, under), Thing("b", 2)])
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt says no types


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


def test_rows_stand_as_they_are_given_until_a_column_sorts_them() -> None:
    model = thing_model()
    model.show(things(1, None, 2))
    assert shown(model) == ["a", "b", "c"]
    model.sort(WEIGHT, FALLING)
    assert shown(model) == ["c", "a", "b"]  # what is not known comes last in any case
    model.sort(WEIGHT, RISING)
    assert shown(model) == ["a", "c", "b"]
    model.sort(-1)
    assert shown(model) == ["a", "b", "c"]


def test_rows_that_stand_still_keep_their_order_and_new_ones_come_last() -> None:
    model = thing_model()
    model.sort(WEIGHT, FALLING)
    model.show(things(1, 2, 3))
    model.show(things(9, 2, 3, 20), still=True)
    assert shown(model) == ["c", "b", "a", "d"]
    model.show(things(9, 2, 3, 20))
    assert shown(model) == ["d", "a", "c", "b"]


def test_rows_change_in_place_and_nobody_loses_their_row(qtbot: QtBot) -> None:
    model = thing_model()
    model.sort(WEIGHT, FALLING)
    model.show(things(3, 2, 1))
    second = QPersistentModelIndex(model.index(1, NAME))
    with qtbot.assertNotEmitted(model.modelReset):
        model.show([Thing("a", 3), Thing("b", 9), Thing("d", 1)])
    assert shown(model) == ["b", "a", "d"]
    assert (second.row(), second.data()) == (0, "b")
    model.show([Thing("a", 3)])
    assert not second.isValid()


def test_only_what_somebody_saw_and_what_changed_is_told(qtbot: QtBot) -> None:
    model = thing_model()
    model.show(things(3, 2))
    assert shown(model, NAME) + shown(model, WEIGHT) == ["a", "b", "3", "2"]
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, last: told.extend((first, last)))
    with (
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
    ):
        model.show(things(3, 5))
    assert told == [model.index(1, WEIGHT)] * 2
    assert shown(model, WEIGHT) == ["3", "5"]


def test_of_very_many_rows_those_below_come_as_they_are_wanted() -> None:
    model = thing_model()
    model.show([Thing(f"thing {at}", float(at)) for at in range(9000)])
    model.sort(WEIGHT, FALLING)
    first = model.rowCount()
    assert 1000 < first < len(model.things) == 9000
    assert model.index(0, NAME).data() == "thing 8999"
    assert model.more
    model.take_more()
    assert first < model.rowCount() < 9000
    assert model.index_of("thing 1000").row() == 7999
    assert not model.index_of("nobody").isValid()
    # More than can be compared one by one are asked anew.
    assert len(shown(model, WEIGHT)) > 8000
    model.show([Thing(each.name, 7.0) for each in model.things])
    assert set(shown(model, WEIGHT)) == {"7"}


def test_headings_say_what_they_mean_and_change_with_the_units(qtbot: QtBot) -> None:
    model = thing_model()
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_columns(columns("lb"))
    assert model.headerData(WEIGHT, ACROSS) == "Weight, lb"
    assert model.headerData(WEIGHT, ACROSS, ROLE.ToolTipRole) == "How heavy it is."
    assert model.headerData(9, ACROSS) is None
    with qtbot.waitSignal(model.modelReset):
        model.show_columns(columns()[:1])
    assert (model.columnCount(), model.rowCount()) == (1, 0)


def test_a_screen_reader_is_told_what_each_figure_is_and_a_tip_is_never_markup() -> None:
    model = thing_model()
    model.show([Thing("python -c 'print(\"<b>\")' " + "--again " * 20, 3)])
    assert model.index(0, WEIGHT).data(ROLE.AccessibleTextRole) == "Weight, kg: 3"
    told = model.index(0, NAME).data(ROLE.ToolTipRole)
    assert "&lt;b&gt;" in told
    assert told.count("--again") == 20
