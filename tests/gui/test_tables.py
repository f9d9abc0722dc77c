"""The one table and its model: rows that come and go, what is drawn, which columns show."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QColor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Chip, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import ROW_HEIGHT, Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from tests.clocks import ManualClock

NAME, WEIGHT = 0, 1


@dataclass(frozen=True)
class Thing:
    name: str
    weight: float | None = None
    under: tuple["Thing", ...] = ()


def things(*weights: float | None) -> list[Thing]:
    return [Thing(name, weight) for name, weight in zip("abcdefgh", weights, strict=False)]


def columns(unit: str = "kg") -> list[Column[Thing]]:
    def weight(each: Thing) -> Cell:
        known = each.weight is not None
        return Cell(f"{each.weight:g}") if known else Cell(absent=("not weighed",))

    name, meaning, heavy = "Weight of the thing", "How heavy it is.", f"Weight, {unit}"
    return [
        Column(
            "name",
            "Name",
            lambda each: Cell(each.name),
            lambda each: each.name,
            width=200,
            stretches=True,
        ),
        Column(
            "weight",
            heavy,
            weight,
            lambda each: each.weight,
            meaning,
            name,
            100,
            kept=2,
            right=True,
            largest_first=True,
        ),
        Column("size", "Size", lambda _: Cell("large"), width=100, kept=1),
    ]


def thing_model() -> TableModel[Thing]:
    return TableModel(columns(), lambda each: each.name, lambda each: each.under)


def shown(model: TableModel[Thing], column: int = NAME) -> list[str]:
    """What the column says, from the top down."""
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


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


WIDTH, KEY = 120, "things/columns"
Show = Callable[..., Table[int]]
Open = Callable[..., Table[Thing]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def show(qtbot: QtBot, clock: ManualClock) -> Show:
    windows: list[QWidget] = []  # or they would be gone at once

    def show_one(*cells: Cell, right: bool = False) -> Table[int]:
        window = QWidget()
        windows.append(window)
        qtbot.addWidget(window)
        window.setPalette(look().palette())
        window.setStyleSheet(look().style_sheet())
        columns = [
            Column[int](f"{at}", "", lambda _, cell=cell: cell, width=WIDTH, right=right)  # type: ignore[misc]  # bound now
            for at, cell in enumerate(cells)
        ]
        model = TableModel(columns, lambda each: each, parent=window)
        table = Table("Things", model, clock, window)
        table.show_rows([0, 1])
        window.resize(600, 200)
        table.resize(600, 200)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        return table

    return show_one


def drawn(table: Table[int], column: int = 0) -> list[str]:
    """The colours in a cell of the first row, pixel by pixel."""
    image = table.viewport().grab().toImage()
    return [
        QColor(image.pixel(x, y)).name()
        for x in range(column * WIDTH, (column + 1) * WIDTH)
        for y in range(2, ROW_HEIGHT - 2)
    ]


def ink(table: Table[int], column: int = 0) -> int:
    """How many pixels are not ground."""
    pixels = drawn(table, column)
    return len(pixels) - pixels.count(max(pixels, key=pixels.count))


def test_a_chip_has_the_colour_of_its_card_in_each_theme(show: Show) -> None:
    many = tuple(Chip(str(at), None) for at in range(40))
    table = show(Cell(chips=(Chip("1", 1),)), Cell(chips=many), Cell(chips=many[:30]))
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        assert look().theme.card(1).name() in drawn(table)
        assert look().theme.card(1).name() not in drawn(table, 1)
    # How many there are besides is counted.
    assert drawn(table, 1) != drawn(table, 2)


def test_zero_missing_and_nothing_look_different_and_a_figure_is_never_cut(show: Show) -> None:
    long = "a reason that is much too long for the width of this column"
    reasons, same = Cell(absent=(long, "late")), Cell(absent=("late",))
    cells = Cell("0"), same, Cell(), Cell("1" * 40), reasons
    zero, late, nothing, one, long_or_late = (drawn(show(cell, right=True)) for cell in cells)
    assert zero != late != nothing != zero
    assert long_or_late == late
    assert one == drawn(show(Cell("2" * 40), right=True))
    # The same reason is said once and then meant.
    assert 0 < ink(show(same, same), 1) < ink(show(Cell(), same), 1)


@pytest.fixture
def open_table(qtbot: QtBot) -> Open:
    def open_one(settings: Settings | None = None, width: int = 600) -> Table[Thing]:
        model = thing_model()
        table = Table("Things", model)
        model.setParent(table)
        qtbot.addWidget(table)
        table.columns.sort_by("weight", falling=True)
        table.columns.remember_in(settings or Settings(), KEY)
        table.resize(width, 300)
        table.show()
        table.show_rows([Thing("a", 1), Thing("b", 3), Thing("c", 2)])
        return table

    return open_one


def headings(table: Table[Thing]) -> list[str]:
    return [column.heading for column in table.columns.in_order()]


def rows(table: Table[Thing]) -> list[str]:
    return [str(table.model().index(row, 0).data()) for row in range(3)]


def entry(menu: QMenu, text: str) -> QAction:
    [found] = [each for each in menu.actions() if each.text() == text]
    return found


def test_rows_that_come_leave_what_is_read_and_picked_where_it_is(open_table: Open) -> None:
    table = open_table()
    table.pick("c")
    table.show_rows([Thing("a", 1, (Thing("c", 2),))])
    assert [each.name for each in table.picked()] == ["c"]
    table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    table.show_rows([Thing(str(at)) for at in range(100, 200)])
    assert not table.picked()
    table.scrollTo(table.listed.index_of("120"), Table.ScrollHint.PositionAtTop)
    before = table.indexAt(QPoint(5, 5)).data()
    table.show_rows([Thing(str(at)) for at in range(90, 200)])
    assert table.indexAt(QPoint(5, 5)).data() == before == "120"


def test_as_many_columns_are_shown_as_fit_and_one_takes_what_is_left(open_table: Open) -> None:
    for width, count in ((600, 3), (350, 2), (200, 1)):
        table = open_table(width=width)
        assert headings(table) == ["Name", "Weight, kg", "Size"][:count]
        sizes = [table.columnWidth(at) for at in range(3)]
        assert sum(sizes) == table.viewport().width()
        assert sizes[1:count] == [100] * (count - 1)


def test_the_menu_of_the_headings_shows_what_is_hidden_and_sorts(open_table: Open) -> None:
    table = open_table(width=350)
    menu = QMenu(table)
    table.columns.fill_menu(menu)
    assert entry(menu, "As many as fit").isChecked()
    entry(menu, "Size").trigger()
    assert headings(table) == ["Name", "Weight, kg", "Size"]
    sorting = entry(menu, "Sort by").menu()
    assert isinstance(sorting, QMenu)
    assert rows(table) == ["b", "c", "a"]
    entry(sorting, "Weight of the thing").trigger()
    assert rows(table) == ["a", "c", "b"]
    entry(menu, "Reset the columns").trigger()
    assert (headings(table), rows(table)) == (["Name", "Weight, kg"], ["b", "c", "a"])
    QTest.mouseClick(table.columns.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    assert rows(table) == ["a", "b", "c"]


def test_what_was_left_comes_back(open_table: Open) -> None:
    settings = Settings()
    first = open_table(settings)
    first.columns.show_column("size", shown=False)
    first.columns.moveSection(1, 0)
    first.columns.resizeSection(1, 133)
    first.columns.sort_by("name", falling=True)
    again = open_table(settings)
    assert headings(again) == ["Weight, kg", "Name"]
    assert again.columnWidth(1) == 133
    assert rows(again) == ["c", "b", "a"]
    settings.remember(KEY, "name weight size:fits:AAAA")  # which says nothing
    assert headings(open_table(settings)) == ["Name", "Weight, kg", "Size"]
