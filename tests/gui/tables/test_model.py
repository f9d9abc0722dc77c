"""The model of all tables, as Qt and whoever picked a row see it."""

from random import Random

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.model import CELL, TableModel
from tests.gui.tables.things import NAME, WEIGHT, Thing, columns, shown, thing_model

FALLING, RISING = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
ACROSS = Qt.Orientation.Horizontal


def things(*weights: float | None) -> list[Thing]:
    return [Thing(name, weight) for name, weight in zip("abcdefgh", weights, strict=False)]


@pytest.mark.parametrize("under", [(), (Thing("c", 1), Thing("d", 2))])
def test_the_model_is_one(under: tuple[Thing, ...], qtmodeltester: ModelTester) -> None:
    model = thing_model()
    model.show([Thing("a", 3, under), Thing("b", 2)])
    qtmodeltester.check(model)  # type: ignore[no-untyped-call]  # pytest-qt says no types


def test_an_empty_model_is_one(qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(thing_model())  # type: ignore[no-untyped-call]  # pytest-qt says no types


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
        still = chance.random() < 0.3
        model.show(given, still=still)
        assert sorted(shown(model)) == sorted(each.name for each in given)
        by_name = {each.name: each for each in given}
        for row in range(model.rowCount()):
            first = model.index(row, 0)
            assert model.thing(first) is by_name[first.data()]
            under = [
                model.thing(model.index(at, 0, first)) for at in range(model.rowCount(first))
            ]
            assert {each.name for each in under if each} == {
                each.name for each in by_name[first.data()].under
            }
        model.sort(chance.choice((-1, NAME, WEIGHT)), chance.choice((FALLING, RISING)))
    del tester


def test_rows_stand_as_they_are_given_until_a_column_sorts_them(qtbot: QtBot) -> None:
    model = thing_model()
    model.show(things(1, 3, 2))
    assert shown(model) == ["a", "b", "c"]
    model.sort(WEIGHT, FALLING)
    assert shown(model) == ["b", "c", "a"]
    model.sort(-1)
    assert shown(model) == ["a", "b", "c"]


@pytest.mark.parametrize("order", [FALLING, RISING])
def test_what_is_not_known_comes_last_whichever_way_the_rest_goes(
    order: Qt.SortOrder, qtbot: QtBot
) -> None:
    model = thing_model()
    model.show(things(None, 1, 2))
    model.sort(WEIGHT, order)
    assert shown(model)[-1] == "a"


def test_rows_that_stand_still_keep_their_order_and_new_ones_come_last(qtbot: QtBot) -> None:
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
    assert shown(model, NAME) == ["a", "b"]
    assert shown(model, WEIGHT) == ["3", "2"]
    told: list[tuple[int, int, int]] = []
    model.dataChanged.connect(
        lambda first, last: told.append((first.row(), first.column(), last.column()))
    )
    with (
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.assertNotEmitted(model.rowsInserted),
    ):
        model.show(things(3, 5))
    assert told == [(1, WEIGHT, WEIGHT)]
    assert shown(model, WEIGHT) == ["3", "5"]


def test_of_very_many_rows_those_below_come_as_they_are_wanted(qtbot: QtBot) -> None:
    model = thing_model()
    many = [Thing(f"thing {at}", float(at)) for at in range(9000)]
    model.show(many)
    model.sort(WEIGHT, Qt.SortOrder.DescendingOrder)
    first = model.rowCount()
    assert 1000 < first < 9000
    assert model.index(0, NAME).data() == "thing 8999"
    assert len(model.things) == 9000
    assert model.more
    model.take_more()
    assert first < model.rowCount() < 9000
    assert model.index_of("thing 1000").row() == 7999
    assert model.index_of("nobody").row() == -1
    model.sort(WEIGHT)
    assert model.rowCount() == first


def test_more_than_can_be_compared_are_told_together(qtbot: QtBot) -> None:
    model = thing_model()
    many = [Thing(f"thing {at}", float(at)) for at in range(3000)]
    model.show(many)
    model.take_more()
    assert len(shown(model, NAME)) == len(shown(model, WEIGHT)) == 3000
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, last: told.append(last))
    model.show([Thing(each.name, 7.0) for each in many])
    assert [each.row() for each in told] == [2999]
    assert shown(model, WEIGHT) == ["7"] * 3000


def test_new_rows_on_top_move_the_others_down_and_change_nothing_else(qtbot: QtBot) -> None:
    model = thing_model()
    model.show(things(1, 2))
    with (
        qtbot.assertNotEmitted(model.layoutChanged),
        qtbot.waitSignal(model.rowsInserted) as put,
    ):
        model.show([Thing("y"), Thing("z"), *things(1, 2)])
    assert put.args is not None
    assert put.args[1:] == [0, 1]
    assert shown(model) == ["y", "z", "a", "b"]


def test_a_row_gets_rows_under_it_and_loses_them() -> None:
    model = thing_model()
    model.show([Thing("a", 5)])
    assert not model.hasChildren(model.index(0, 0))
    model.show([Thing("a", 5, (Thing("b", 3), Thing("c", 2)))])
    above = model.index(0, 0)
    assert [model.index(at, NAME, above).data() for at in range(2)] == ["b", "c"]
    assert [each.data() for each in model.branches()] == ["a"]
    model.show([Thing("a", 5)])
    assert not model.hasChildren(model.index(0, 0))


def test_headings_say_what_they_mean_and_change_with_the_units(qtbot: QtBot) -> None:
    model = thing_model()
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_columns(columns("lb"))
    assert model.headerData(WEIGHT, ACROSS) == "Weight, lb"
    assert model.headerData(WEIGHT, ACROSS, Qt.ItemDataRole.ToolTipRole) == "How heavy it is."
    assert model.headerData(9, ACROSS) is None


def test_a_long_text_is_told_whole_on_asking_and_never_as_markup() -> None:
    model = thing_model()
    model.show([Thing("python -c 'print(\"<b>\")' " + "--again " * 20)])
    told = model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;" in told
    assert told.count("--again") == 20


def test_a_screen_reader_is_told_what_each_figure_is() -> None:
    model = thing_model()
    model.show(things(3))
    spoken = model.index(0, WEIGHT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Weight, kg: 3"
    assert isinstance(model.index(0, WEIGHT).data(CELL), Cell)


def test_a_row_is_found_by_its_key() -> None:
    model: TableModel[Thing] = thing_model()
    model.show([Thing("a", 1, (Thing("b"),))])
    assert model.index_of("b").parent() == model.index(0, 0)
    assert not model.index_of("c").isValid()
