"""A line says the longest of its wordings that fits, and cuts no unit off."""

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.line import Line, Wording, fitting, grouped, width_of, wordings
from tests.gui.pixels import colours_of

POWER = Figure("Power", number="1280", unit="W", limit="1400")


def said(wording: Wording) -> str:
    return "".join(str(text) for text, _, _ in wording)


def test_what_a_figure_is_out_of_goes_where_it_does_not_fit(qtbot: QtBot) -> None:
    letters = look().letters
    long, short = wordings(POWER, letters.body, letters.caption)
    assert (said(long), said(short)) == (
        "1\N{THIN SPACE}280 of 1\N{THIN SPACE}400 W",
        said(short),
    )
    assert fitting([long, short], width_of(long)) is long
    assert fitting([long, short], width_of(long) - 1) is short
    assert fitting([long, short], 1) is short


def test_a_reason_stands_in_the_place_of_a_figure_at_the_length_there_is() -> None:
    letters = look().letters
    fan = Figure("Fan", absent=("none on this card", "none"))
    found = wordings(fan, letters.body, letters.caption, "fan")
    assert [said(each) for each in found] == ["fan: none on this card", "fan: none"]


@pytest.mark.parametrize(
    ("number", "shown"),
    [("999", "999"), ("1710", "1 710"), ("up 1710", "up 1 710"), ("–", "–")],
)
def test_thousands_stand_apart(number: str, shown: str) -> None:
    assert grouped(number) == shown.replace("1 7", "1\N{THIN SPACE}7")


def test_a_line_takes_what_room_there_is_and_is_named(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    line = Line(height=42)
    line.setParent(window)
    line.resize(300, 42)
    line.show_captioned(POWER)
    window.show()
    assert line.accessibleName() == "Power 1280 of 1400 W"
    assert look().theme.text.name() in colours_of(line.grab().toImage())
    assert line.minimumSizeHint().width() == 0
