"""Qt's own controls as the program dresses them: what a person sees, chooses and types."""

import gc

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.resources import resource
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, load_theme
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import (
    Choice,
    Dropdown,
    NumberField,
    Range,
    SearchField,
)
from gpuexplorer.gui.widgets.controls.keyboard import ArrowKeys
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import row
from gpuexplorer.gui.widgets.sheets.sheet import Popup
from tests.gui.frame.steps import keys
from tests.gui.hands import press

TYPES = (
    Choice("float32", "float32", "4 B"),
    Choice("int8", "int8", refused="not with randn"),
    Choice("float64", "float64", "8 B"),
)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


def show(window: QWidget, qtbot: QtBot, *controls: QWidget) -> None:
    row(*controls, within=window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_what_is_drawn_beside_the_style_sheet_has_the_colours_of_its_theme(
    scheme: Scheme,
) -> None:
    theme = load_theme(scheme)
    for drawing, colour in (
        ("up", theme.quiet),
        ("down", theme.quiet),
        ("check", theme.inverse),
        ("knob", theme.text if theme.dark else theme.surface),
    ):
        written = resource("themes", f"{drawing}-{scheme}.svg").read_text("utf-8")
        assert f'="{colour.name()}"' in written


def test_an_icon_changes_with_the_theme_by_itself(qapp: QApplication) -> None:
    icon = icon_of(Icon.CLOSE)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        drawn = icon.pixmap(40, 40, QIcon.Mode.Active).toImage()
        pixels = (drawn.pixelColor(x, y) for x in range(40) for y in range(40))
        assert max(pixels, key=QColor.alpha).rgb() == look().theme.text.rgb()
    # Without room it is not drawn: what Qt said of a painter without a picture would fail here.
    assert icon.pixmap(QSize(16, 0)).isNull()


def test_what_is_refused_is_listed_and_passed_over(window: QWidget, qtbot: QtBot) -> None:
    field = Dropdown("Type")
    field.show_choices(TYPES, "float32")
    show(window, qtbot, field)
    field.setFocus()
    with qtbot.waitSignal(field.chosen) as chosen:
        press(field, Qt.Key.Key_Down)
    assert chosen.args == ["float64"]
    assert field.itemText(1) == "int8, not with randn"
    assert field.currentText() == "float32, 4 B"  # until it is decided
    field.show_choices((), None, "Nothing is there yet.")
    assert (field.currentIndex(), field.placeholderText()) == (-1, "Nothing is there yet.")


def test_the_arrow_keys_choose_in_a_row_that_is_one_stop_of_the_tab_key(
    window: QWidget, qtbot: QtBot
) -> None:
    spans = Segmented("Span", ((1, "1 min"), (5, "5 min"), (60, "1 h")))
    spans.chosen.connect(spans.show_choice)
    spans.show_choice(5)
    button = IconButton(Icon.CLOSE)
    show(window, qtbot, spans, button)
    spans.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Qt.Key.Key_Right)
    assert spans.segments[60].hasFocus()
    keys(Qt.Key.Key_Tab)
    assert button.hasFocus()
    QTest.keyClick(window, Qt.Key.Key_Backtab)
    assert spans.holder().hasFocus()


def test_a_number_is_stepped_typed_and_taken_back(window: QWidget, qtbot: QtBot) -> None:
    field = NumberField("Interval", Range(0.1, 60, (0.5, 1, 2, 5)), "s")
    field.show_number(1)
    taken: list[float] = []
    field.chosen.connect(taken.append)
    show(window, qtbot, field)
    field.setFocus()
    press(field, Qt.Key.Key_Up)
    for typed, key in (("0,7", Qt.Key.Key_Return), ("90", Qt.Key.Key_Escape)):
        field.selectAll()
        QTest.keyClicks(field, typed)
        assert len(taken) == (1 if typed == "0,7" else 2)  # not while it is typed
        press(field, key)
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


def test_what_a_card_is_called_is_never_taken_for_markup(qtbot: QtBot) -> None:
    chips = CardChips()
    qtbot.addWidget(chips)
    evil = "Card 0, <img src='file:///etc/passwd'>\nbusy"
    choices = [Choice(CardId(each), each, evil, colour=0) for each in "01"]
    chips.show_choices(choices, CardId("0"))
    tips = {each.toolTip() for each in chips.findChildren(QAbstractButton)}
    assert "<qt>Card 0, &lt;img src=&#x27;file:///etc/passwd&#x27;&gt;<br>busy</qt>" in tips


class Row(QWidget):
    """Holds its keys and is held by them, as rows do."""

    def __init__(self) -> None:
        super().__init__()
        self.buttons = [QPushButton(str(number)) for number in range(4)]
        row(*self.buttons, within=self)
        self.keys = ArrowKeys(self)
        self.keys.take(self.buttons)
        self.itself = self


def test_a_row_that_python_takes_down_by_itself_goes_without_a_word(
    qapp: QApplication, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        made = Row()
        made.show()
        made.buttons[1].setFocus()
        del made
        gc.collect()
        qapp.sendPostedEvents()
    assert "Error" not in capfd.readouterr().err


@pytest.mark.parametrize(("top", "height"), [(0, 200), (0.95, 460)])
def test_a_popup_never_covers_the_button_that_opened_it(
    top: float, height: int, window: QWidget
) -> None:
    room = window.screen().availableGeometry()
    window.setGeometry(room)
    button = QPushButton("Choose plots", window)
    button.setGeometry(600, round(top * room.height()), 120, 30)
    window.show()
    popup = Popup(400, height, button)
    popup.open()
    place = popup.geometry()
    assert room.contains(place)
    assert not place.intersects(QRect(button.mapToGlobal(QPoint()), button.size()))
    assert place.height() == height or place.height() > 0.4 * room.height()
    popup.close()
