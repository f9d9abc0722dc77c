"""Qt's own controls as the program dresses them: what a person sees, chooses and types."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, load_theme
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.fields import (
    Choice,
    Dropdown,
    NumberField,
    Range,
    SearchField,
)
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from tests.gui.hands import press

TYPES = (
    Choice("float32", "float32", "4 B"),
    Choice("int8", "int8", refused="not with randn"),
    Choice("float64", "float64", "8 B"),
)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    QHBoxLayout(window)
    qtbot.addWidget(window)
    return window


def show(window: QWidget, qtbot: QtBot, *controls: QWidget) -> None:
    row = window.layout()
    assert row is not None
    for each in controls:
        row.addWidget(each)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_the_drawings_of_the_style_sheet_have_the_colours_of_their_theme(
    scheme: Scheme,
) -> None:
    theme = load_theme(scheme)
    for drawing, colour in (
        ("up", theme.quiet),
        ("down", theme.quiet),
        ("check", theme.inverse),
    ):
        written = resource("themes", f"{drawing}-{scheme}.svg").read_text("utf-8")
        assert f'stroke="{colour.name()}"' in written


def test_an_icon_changes_with_the_theme_by_itself() -> None:
    def colour() -> QColor:
        drawn = icon.pixmap(40, 40, QIcon.Mode.Active).toImage()
        places = ((x, y) for x in range(40) for y in range(40))
        return max((drawn.pixelColor(*each) for each in places), key=QColor.alpha)

    look().choose(Scheme.DARK)
    icon = look().icons.for_button(Icon.CLOSE)
    assert colour().rgb() == look().theme.text.rgb()
    look().choose(Scheme.LIGHT)
    assert colour().rgb() == look().theme.text.rgb()


def test_an_icon_that_has_no_room_is_not_drawn() -> None:
    # What Qt said of a painter without a picture would fail this test.
    assert look().icons.for_button(Icon.CLOSE).pixmap(QSize(16, 0)).isNull()


def test_what_is_refused_is_listed_and_passed_over(window: QWidget, qtbot: QtBot) -> None:
    field = Dropdown("Type", lambda: TYPES)
    field.show_choice(TYPES[0])
    show(window, qtbot, field)
    field.setFocus()
    with qtbot.waitSignal(field.chosen) as chosen:
        press(field, Qt.Key.Key_Down)
    assert chosen.args == ["float64"]
    assert field.itemText(1) == "int8, not with randn"
    assert field.currentText() == "float32, 4 B"  # until it is decided
    field.show_choice(TYPES[2])
    assert field.currentText() == "float64, 8 B"


def test_the_arrow_keys_choose_in_a_row_that_is_one_stop_of_the_tab_key(
    window: QWidget, qtbot: QtBot
) -> None:
    row = Segmented("Span", ((1, "1 min"), (5, "5 min"), (60, "1 h")))
    row.chosen.connect(row.show_choice)
    row.show_choice(5)
    button = IconButton(Icon.CLOSE)
    show(window, qtbot, row, button)
    row.holder().setFocus(Qt.FocusReason.TabFocusReason)
    press(row.holder(), Qt.Key.Key_Right)
    now = QApplication.focusWidget()
    assert now is not None
    assert now.accessibleName() == "1 h"
    press(now, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button
    QTest.keyClick(window, Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is row.holder()


def test_a_number_is_stepped_typed_and_taken_back(window: QWidget, qtbot: QtBot) -> None:
    field = NumberField("Interval", Range(0.1, 60, (0.5, 1, 2, 5)), "s")
    field.show_number(1)
    show(window, qtbot, field)
    taken: list[float] = []
    field.chosen.connect(taken.append)
    field.setFocus()
    press(field, Qt.Key.Key_Up)
    field.selectAll()
    QTest.keyClicks(field, "0,7")
    assert taken == [2]  # not while it is typed
    press(field, Qt.Key.Key_Return)
    assert taken == [2, 0.7]
    field.selectAll()
    QTest.keyClicks(field, "90")
    press(field, Qt.Key.Key_Escape)
    assert field.text() == "0.7 s"
    field.selectAll()
    QTest.keyClicks(field, "90")
    press(field, Qt.Key.Key_Return)
    assert taken == [2, 0.7, 60]


def test_escape_clears_what_is_looked_for_and_then_leaves(
    window: QWidget, qtbot: QtBot
) -> None:
    field = SearchField("Search facts")
    show(window, qtbot, field)
    QTest.keyClicks(field, "bus")
    with qtbot.assertNotEmitted(field.left):
        press(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    with qtbot.waitSignal(field.left):
        press(field, Qt.Key.Key_Escape)
