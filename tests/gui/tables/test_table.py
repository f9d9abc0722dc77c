"""The one table: what is drawn, when rows may move, and which columns are there."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, Spark
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import ROW_HEIGHT, Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from tests.clocks import ManualClock
from tests.gui.hands import press
from tests.gui.tables.things import Thing, thing_model

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
WIDTH, KEY = 120, "things/columns"
TIMES = [float(at) for at in range(100)]
THINGS = [Thing("a", 1), Thing("b", 3), Thing("c", 2)]

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
    cells = (
        Cell("0"),
        Cell(absent=("late",)),
        Cell(),
        Cell("1" * 40),
        Cell(absent=(long, "late")),
    )
    zero, late, nothing, one, long_or_late = (drawn(show(cell, right=True)) for cell in cells)
    assert zero != late != nothing != zero
    assert long_or_late == late
    assert one == drawn(show(Cell("2" * 40), right=True))


def test_the_same_reason_is_said_once_and_then_meant(show: Show) -> None:
    same = show(Cell(absent=("lost",)), Cell(absent=("lost",)))
    other = show(Cell(absent=("lost",)), Cell(absent=("late",)))
    assert 0 < ink(same, 1) < ink(other, 1)


def test_a_curve_has_a_gap_where_nothing_was_told(show: Show) -> None:
    torn = [*[0.9] * 40, *[float("nan")] * 30, *[0.9] * 30]
    sparks = [Spark(TIMES, values, 0.0, 100.0, 1.0, 0) for values in ([0.9] * 100, torn)]
    whole, with_gap = (ink(show(Cell(spark=spark))) for spark in sparks)
    assert with_gap < whole
    for few in ([], [0.5], [float("nan")] * 3, [0.0] * 5, [7.0] * 5):
        drawn(show(Cell(spark=Spark(TIMES[: len(few)], few, 0.0, 10.0, 1.0, None))))


def test_who_is_picked_is_seen_and_who_has_the_keyboard(show: Show) -> None:
    table, accent = show(Cell()), look().theme.accent.name()
    table.show_branches(0)
    table.clearFocus()
    plain = drawn(table)
    table.setCurrentIndex(table.model().index(0, 0))
    assert set(drawn(table)) != set(plain)
    assert len(set(drawn(table))) == 1  # also beside its branch
    table.setFocus()
    assert accent in drawn(table)


def test_a_row_is_lit_under_the_pointer_and_not_picked(show: Show, qtbot: QtBot) -> None:
    table, hover = show(Cell("one")), look().theme.hover.name()
    assert hover not in drawn(table)
    # A pointer that stands there already does not move.
    QTest.mouseMove(table.viewport(), QPoint(60, 130))
    QTest.mouseMove(table.viewport(), QPoint(60, 10))
    qtbot.waitUntil(lambda: hover in drawn(table))
    assert not table.picked()


def test_rows_rest_again_some_seconds_after_somebody_read_along(
    show: Show, clock: ManualClock
) -> None:
    table = show(Cell("one"))
    clock.advance(60.0)
    assert table.may_move()
    table.setFocus()
    press(table, Qt.Key.Key_Down)
    clock.advance(3.0)
    assert not table.may_move()
    clock.advance(2.0)
    assert table.may_move()


@pytest.fixture
def open_table(qtbot: QtBot) -> Open:
    def open_one(settings: Settings | None = None, width: int = 600) -> Table[Thing]:
        model = thing_model()
        table = Table("Things", model)
        model.setParent(table)
        qtbot.addWidget(table)
        table.columns.begin_with("weight", falling=True)
        table.columns.remember_in(settings or Settings(), KEY)
        table.resize(width, 300)
        table.show()
        table.show_rows(THINGS)
        return table

    return open_one


def headings(table: Table[Thing]) -> list[str]:
    return [column.heading for column in table.columns.in_order()]


def rows(table: Table[Thing]) -> list[str]:
    return [str(table.model().index(row, 0).data()) for row in range(3)]


def entry(menu: QMenu, text: str) -> QAction:
    [found] = [each for each in menu.actions() if each.text() == text]
    return found


def test_whoever_reads_further_down_is_not_moved_by_what_comes_in_on_top(
    open_table: Open, qtbot: QtBot
) -> None:
    table = open_table()
    table.show_rows([Thing(str(at)) for at in range(100, 200)])
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() > 0)
    table.verticalScrollBar().setValue(20 * ROW_HEIGHT)
    before = table.indexAt(QPoint(5, 5)).data()
    table.show_rows([Thing(str(at)) for at in range(90, 200)])
    assert table.indexAt(QPoint(5, 5)).data() == before == "120"


def test_what_is_picked_stays_picked_when_it_comes_under_another(open_table: Open) -> None:
    table = open_table()
    table.pick("c")
    table.show_rows([Thing("a", 1, (Thing("c", 2),))])
    assert [each.name for each in table.picked()] == ["c"]
    table.show_rows([Thing("a", 1)])
    assert not table.picked()


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
    assert entry(menu, "Weight of the thing").isChecked()
    assert not entry(menu, "Size").isChecked()
    entry(menu, "Size").trigger()
    assert headings(table) == ["Name", "Weight, kg", "Size"]
    sorting = entry(menu, "Sort by").menu()
    assert isinstance(sorting, QMenu)
    assert entry(sorting, "Weight of the thing").isChecked()
    assert rows(table) == ["b", "c", "a"]
    entry(sorting, "Smallest first").trigger()
    assert rows(table) == ["a", "c", "b"]
    entry(menu, "Reset the columns").trigger()
    assert (headings(table), rows(table)) == (["Name", "Weight, kg"], ["b", "c", "a"])


def test_a_click_on_a_heading_sorts_and_another_sorts_the_other_way(open_table: Open) -> None:
    table, left = open_table(), Qt.MouseButton.LeftButton
    for order in (["a", "b", "c"], ["c", "b", "a"]):
        QTest.mouseClick(table.columns.viewport(), left, pos=QPoint(20, 10))
        assert rows(table) == order


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
    assert not again.columns.fitting


@pytest.mark.parametrize(
    "text",
    ["", "7", "name weight size:fits:AAAA", "name weight size:", '{"columns": ["name"]}'],
)
def test_what_cannot_be_read_leaves_the_columns_as_they_usually_are(
    open_table: Open, text: str
) -> None:
    settings = Settings()
    settings.remember(KEY, text)
    table = open_table(settings)
    assert headings(table) == ["Name", "Weight, kg", "Size"]
    assert rows(table) == ["b", "c", "a"]
