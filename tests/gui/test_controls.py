"""Qt's controls as the program dresses them, lines that fit, and whether motion is wanted."""

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.desktop.desktop import ask_for_stillness
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, NumberField, Range
from gpuexplorer.gui.widgets.laid_out import row
from gpuexplorer.gui.widgets.line import Line, Wording, fitting, grouped, width_of, wordings
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


POWER = Figure("Power", number="1280", unit="W", limit="1400")
FAN = Figure("Fan", absent=("none on this card", "none"))


def said(wording: Wording) -> str:
    return "".join(str(text) for text, _, _ in wording).replace("\N{THIN SPACE}", " ")


def test_what_a_figure_is_out_of_goes_where_it_does_not_fit(qapp: object) -> None:
    letters = look().letters
    long, short = wordings(POWER, letters.body, letters.caption)
    assert said(long) == "1 280 of 1 400 W"
    assert fitting([long, short], width_of(long)) is long
    assert fitting([long, short], 1) is short
    why = wordings(FAN, letters.body, letters.caption, "fan")
    assert [said(each) for each in why] == ["fan: none on this card", "fan: none"]
    line = Line(height=42)
    line.show_captioned(POWER)
    assert line.accessibleName() == "Power 1280 of 1400 W"


@pytest.mark.parametrize("number", ["999", "1710", "up 1710", "–"])
def test_thousands_stand_apart(number: str) -> None:
    assert grouped(number) == number.replace("17", "1\N{THIN SPACE}7")


@pytest.mark.skipif(sys.platform != "linux", reason="asked in another way there")
@pytest.mark.parametrize(
    ("script", "told"),
    [("echo v b false", [True]), ("echo v b true", [False]), ("exit 1", []), ("sleep 60", [])],
)
def test_what_the_desktop_says_is_told_and_nothing_where_it_does_not_know(
    qtbot: QtBot, tmp_path: Path, script: str, told: list[bool]
) -> None:
    (tmp_path / "busctl").write_text(f"#!/bin/sh\nexec {script}\n", "utf-8")
    (tmp_path / "busctl").chmod(0o755)
    heard: list[bool] = []
    parent = QObject()
    call = ask_for_stillness(heard.append, parent, str(tmp_path / "busctl"))
    if not script.startswith("sleep"):
        with qtbot.waitSignal(call.answered):
            pass
    call.stop()
    assert heard == told
