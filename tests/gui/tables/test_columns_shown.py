"""Which columns of a table are there, and that nothing remembered can break it."""

import json
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QByteArray, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHeaderView, QMenu
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from tests.gui.tables.things import WEIGHT, Thing, thing_model

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
KEY = "things/columns"
THINGS = [Thing("a", 1), Thing("b", 3), Thing("c", 2)]

Open = Callable[..., Table[Thing]]


@pytest.fixture
def open_table(qtbot: QtBot) -> Iterator[Open]:
    tables: list[Table[Thing]] = []

    def open_one(settings: Settings | None = None, width: int = 600) -> Table[Thing]:
        model = thing_model()
        table = Table("Things", model)
        model.setParent(table)
        tables.append(table)
        qtbot.addWidget(table)
        table.columns.begin_with("weight", falling=True)
        table.columns.remember_in(settings or Settings(), KEY)
        table.resize(width, 300)
        table.show()
        table.show_rows(THINGS)
        return table

    yield open_one
    for table in tables:
        table.close()


def headings(table: Table[Thing]) -> list[str]:
    return [column.heading for column in table.columns.in_order()]


def rows(table: Table[Thing]) -> list[str]:
    model = table.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def menu_of(table: Table[Thing]) -> QMenu:
    [menu] = [each for each in table.findChildren(QMenu) if each.isVisible()]
    return menu


def entry(menu: QMenu, text: str) -> QAction:
    [found] = [each for each in menu.actions() if each.text() == text]
    return found


def test_a_column_gets_no_narrower_than_what_must_not_be_cut(open_table: Open) -> None:
    settings = Settings()
    table = open_table(settings)
    table.header().resizeSection(WEIGHT, 40)
    assert table.columnWidth(WEIGHT) == 90
    remembered = json.loads(settings.remembered(KEY) or "")
    bare = QHeaderView(Qt.Orientation.Horizontal)
    bare.setModel(table.model())
    assert bare.restoreState(QByteArray.fromBase64(remembered["header"].encode()))
    bare.resizeSection(WEIGHT, 50)
    remembered["header"] = bytes(bare.saveState().toBase64().data()).decode()
    settings.remember(KEY, json.dumps(remembered))
    assert open_table(settings).columnWidth(WEIGHT) == 90


def test_as_many_columns_are_shown_as_fit(open_table: Open) -> None:
    assert headings(open_table(width=600)) == ["Name", "Weight, kg", "Size"]
    assert headings(open_table(width=350)) == ["Name", "Weight, kg"]
    assert headings(open_table(width=200)) == ["Name"]


def test_the_menu_of_a_heading_lists_also_what_is_hidden(open_table: Open) -> None:
    table = open_table(width=350)
    table.headings.menu_asked.emit(QPoint(10, 10))
    menu = menu_of(table)
    assert entry(menu, "As many as fit").isChecked()
    assert entry(menu, "Weight of the thing").isChecked()
    assert not entry(menu, "Size").isChecked()
    entry(menu, "Size").trigger()
    menu.close()
    assert headings(table) == ["Name", "Weight, kg", "Size"]


def test_the_menu_opens_below_the_headings_and_sorts(open_table: Open) -> None:
    table = open_table()
    assert rows(table) == ["b", "c", "a"]
    table.open_column_menu()
    menu = menu_of(table)
    sorting = entry(menu, "Sort by").menu()
    assert isinstance(sorting, QMenu)
    assert entry(sorting, "Weight of the thing").isChecked()
    entry(sorting, "Smallest first").trigger()
    menu.close()
    assert rows(table) == ["a", "c", "b"]


def test_a_click_on_a_heading_sorts_and_another_sorts_the_other_way(open_table: Open) -> None:
    table = open_table()
    place = QPoint(20, 10)
    for order in (["a", "b", "c"], ["c", "b", "a"]):
        QTest.mouseClick(
            table.headings.viewport(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            place,
        )
        assert rows(table) == order


def test_what_was_left_comes_back(open_table: Open) -> None:
    settings = Settings()
    first = open_table(settings)
    first.columns.show_column("size", shown=False)
    first.headings.moveSection(1, 0)
    first.headings.resizeSection(1, 133)
    first.columns.sort_by("name", falling=True)
    again = open_table(settings)
    assert headings(again) == ["Weight, kg", "Name"]
    assert again.headings.sectionSize(1) == 133
    assert rows(again) == ["c", "b", "a"]
    assert not again.columns.fitting


def test_the_columns_can_be_reset(open_table: Open) -> None:
    table = open_table()
    table.columns.show_column("size", shown=False)
    table.columns.sort_by("name", falling=False)
    table.columns.begin_again()
    assert headings(table) == ["Name", "Weight, kg", "Size"]
    assert rows(table) == ["b", "c", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '{"columns": ["name", "weight", "size"], "fits": 3, "least": "x", "header": ""}',
        '{"columns": ["name", "weight", "size"], "fits": true, "least": 0, "header": "AAAA"}',
        '{"columns": ["gone"], "fits": true, "least": 0, "header": "AAAA"}',
    ],
)
def test_what_cannot_be_read_leaves_the_columns_as_they_usually_are(
    open_table: Open, text: str
) -> None:
    settings = Settings()
    settings.remember(KEY, text)
    table = open_table(settings)
    assert headings(table) == ["Name", "Weight, kg", "Size"]
    assert rows(table) == ["b", "c", "a"]


def test_a_width_that_is_remembered_is_never_absurd(open_table: Open) -> None:
    settings = Settings()
    open_table(settings).columns.sort_by("name", falling=False)
    kept = json.loads(settings.remembered(KEY) or "")
    settings.remember(KEY, json.dumps({**kept, "least": 10**9}))
    assert open_table(settings).headings.sectionSize(0) <= 2000


def test_the_column_that_stretches_takes_what_the_others_leave(open_table: Open) -> None:
    table = open_table(width=600)
    sizes = [table.headings.sectionSize(at) for at in range(3)]
    assert sum(sizes) == table.viewport().width()
    assert sizes[1:] == [100, 100]
