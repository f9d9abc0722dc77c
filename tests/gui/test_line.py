"""A line says the longest of its wordings that fits, and cuts no unit off."""

import pytest

from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.line import Line, Wording, fitting, grouped, width_of, wordings

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
