"""Qt's own controls as the program dresses them: what a person sees, chooses and types."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, NumberField, Range
from gpuexplorer.gui.widgets.laid_out import row
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


def test_what_a_card_is_called_is_never_taken_for_markup(qtbot: QtBot) -> None:
    chips = CardChips()
    qtbot.addWidget(chips)
    evil = "Card 0, <img src='file:///etc/passwd'>\nbusy"
    choices = [Choice(CardId(each), each, evil, colour=0) for each in "01"]
    chips.show_choices(choices, CardId("0"))
    tips = {each.toolTip() for each in chips.findChildren(QAbstractButton)}
    assert "<qt>Card 0, &lt;img src=&#x27;file:///etc/passwd&#x27;&gt;<br>busy</qt>" in tips
