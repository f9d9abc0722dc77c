"""The one style of tables: what is drawn, and when rows may move."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.tables.cell import Cell, Chip, Column, Spark
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import ROW_HEIGHT, Table
from gpuexplorer.gui.theme.look import Look, look
from gpuexplorer.gui.theme.palette import Scheme
from tests.clocks import ManualClock
from tests.gui.hands import press

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
WIDTH = 120

Show = Callable[..., Table[int]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=[Scheme.DARK, Scheme.LIGHT])
def themed(request: pytest.FixtureRequest, qtbot: QtBot) -> Look:
    look().choose(request.param)
    return look()


@pytest.fixture
def show(themed: Look, qtbot: QtBot, clock: ManualClock) -> Iterator[Show]:
    windows: list[QWidget] = []

    def show_one(*cells: Cell) -> Table[int]:
        window = QWidget()
        windows.append(window)
        window.setPalette(themed.palette())
        window.setStyleSheet(themed.style_sheet())
        columns = [_always(f"Heading {at}", cell) for at, cell in enumerate(cells)]
        model = TableModel(columns, lambda each: each, parent=window)
        table = Table("Things", model, clock, window)
        table.show_rows([0, 1])
        window.resize(600, 200)
        table.resize(600, 200)
        qtbot.addWidget(window)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        return table

    yield show_one
    for window in windows:
        window.close()


def _always(heading: str, cell: Cell) -> Column[int]:
    return Column(heading, heading, lambda _: cell, width=WIDTH)


def drawn(table: Table[int], column: int) -> set[str]:
    """The colours in a cell of the first row."""
    image = table.viewport().grab().toImage()
    return {
        QColor(image.pixel(x, y)).name()
        for x in range(column * WIDTH, (column + 1) * WIDTH)
        for y in range(2, ROW_HEIGHT - 2)
    }


def test_a_chip_has_the_colour_of_its_card(show: Show, themed: Look) -> None:
    table = show(Cell(chips=(Chip("1", 1),)), Cell(chips=(Chip("12", None),)))
    assert themed.theme.card(1).name() in drawn(table, 0)
    assert themed.theme.card(1).name() not in drawn(table, 1)
    assert len(drawn(table, 1)) > 2


def test_chips_that_do_not_fit_are_counted(show: Show) -> None:
    chips = tuple(Chip(str(at), None) for at in range(40))
    many, few = show(Cell(chips=chips)), show(Cell(chips=chips[:3]))
    right = range(80, WIDTH)
    assert ink(many, right) > ink(few, right)


def test_zero_looks_different_from_missing(show: Show) -> None:
    zero = show(Cell(text="0")).viewport().grab().toImage()
    missing = show(Cell(absent=("not reported",))).viewport().grab().toImage()
    nothing = show(Cell()).viewport().grab().toImage()
    assert zero != missing
    assert missing != nothing


def test_the_longest_reason_that_fits_is_drawn(show: Show) -> None:
    long = "a reason that is much too long for the width of this column"
    fits = show(Cell(absent=(long, "short"))).viewport().grab().toImage()
    assert fits == show(Cell(absent=("short",))).viewport().grab().toImage()
    assert fits != show(Cell(absent=(long,))).viewport().grab().toImage()


def test_the_same_reason_is_said_once_and_then_meant(show: Show) -> None:
    same = show(Cell(absent=("lost",)), Cell(absent=("lost",)))
    other = show(Cell(absent=("lost",)), Cell(absent=("late",)))
    place = range(WIDTH, 2 * WIDTH)
    assert ink(same, place) < ink(other, place)
    assert ink(same, place) > 0


def test_a_curve_has_a_gap_where_nothing_was_told(show: Show) -> None:
    times = [float(at) for at in range(100)]
    whole = Spark(times, [0.9] * 100, 0.0, 100.0, 1.0, 0)
    torn = Spark(times, [*[0.9] * 40, *[float("nan")] * 30, *[0.9] * 30], 0.0, 100.0, 1.0, 0)
    assert ink(show(Cell(spark=torn)), range(WIDTH)) < ink(
        show(Cell(spark=whole)), range(WIDTH)
    )


@pytest.mark.parametrize("values", [[], [0.5], [float("nan")] * 3, [0.0] * 5, [7.0] * 5])
def test_a_curve_of_little_is_drawn_without_complaint(show: Show, values: list[float]) -> None:
    times = [float(at) for at in range(len(values))]
    show(Cell(spark=Spark(times, values, 0.0, 10.0, 1.0, None))).viewport().grab()


def test_who_is_picked_is_seen_and_who_has_the_keyboard(show: Show, themed: Look) -> None:
    table = show(Cell(text="one"))
    table.clearFocus()
    plain = drawn(table, 0)
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    assert themed.theme.accent.name() in drawn(table, 0)
    assert themed.theme.accent.name() not in plain
    table.clearFocus()
    assert themed.theme.accent.name() not in drawn(table, 0)
    assert drawn(table, 0) != plain


def test_a_picked_row_has_one_ground_also_beside_its_branch(show: Show, themed: Look) -> None:
    table = show(Cell())
    table.show_branches(0)
    table.setCurrentIndex(table.model().index(0, 0))
    table.clearFocus()
    assert len(drawn(table, 0)) == 1


def test_a_row_is_lit_under_the_pointer(show: Show, themed: Look, qtbot: QtBot) -> None:
    table = show(Cell(text="one"))
    assert themed.theme.hover.name() not in drawn(table, 0)
    # A pointer that stands there already does not move.
    QTest.mouseMove(table.viewport(), QPoint(60, 130))
    QTest.mouseMove(table.viewport(), QPoint(60, 10))
    qtbot.waitUntil(lambda: themed.theme.hover.name() in drawn(table, 0))


def test_rows_rest_again_some_seconds_after_somebody_read_along(
    show: Show, clock: ManualClock
) -> None:
    table = show(Cell(text="one"))
    clock.advance(60.0)
    assert table.may_move()
    table.setFocus()
    press(table, Qt.Key.Key_Down)
    assert not table.may_move()
    clock.advance(3.0)
    assert not table.may_move()
    clock.advance(2.0)
    assert table.may_move()


def test_a_theme_that_changes_is_worn_at_once(show: Show, themed: Look) -> None:
    table = show(Cell(chips=(Chip("0", 0),)))
    before = drawn(table, 0)
    themed.choose(Scheme.LIGHT if themed.theme.dark else Scheme.DARK)
    assert drawn(table, 0) != before


def ink(table: Table[int], columns: range) -> int:
    """How many pixels of the first row are not ground."""
    image: QImage = table.viewport().grab().toImage()
    ground = image.pixel(image.width() - 3, image.height() - 3)
    return sum(image.pixel(x, y) != ground for x in columns for y in range(2, ROW_HEIGHT - 2))


def test_a_figure_that_does_not_fit_is_never_shortened_to_another(
    themed: Look, qtbot: QtBot
) -> None:
    def drawn_at(width: int, text: str) -> QImage:
        column = Column[int]("pid", "PID", lambda _: Cell(text), width=width, right=True)
        model = TableModel([column], lambda each: each)
        table = Table("Things", model)
        model.setParent(table)
        table.show_rows([0])
        table.resize(300, 100)
        qtbot.addWidget(table)
        return table.viewport().grab().toImage()

    assert drawn_at(100, "4194303") != drawn_at(100, "41")
    assert drawn_at(40, "4194303") == drawn_at(40, "4194999")


def test_whoever_reads_further_down_is_not_moved_by_what_comes_in_on_top(
    themed: Look, qtbot: QtBot
) -> None:
    column = Column[int]("n", "Number", lambda each: Cell(str(each)))
    model = TableModel([column], lambda each: each)
    table = Table("Numbers", model)
    model.setParent(table)
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    table.show_rows(list(range(100, 200)))
    qtbot.waitUntil(lambda: table.verticalScrollBar().maximum() > 0)
    table.verticalScrollBar().setValue(20 * ROW_HEIGHT)
    before = table.indexAt(QPoint(5, 5)).data()
    table.show_rows(list(range(90, 200)))
    assert table.indexAt(QPoint(5, 5)).data() == before
