"""One small trace: what is written on it."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.gui.widgets.strip import Strip, StripShown, Wear
from tests.gui.pixels import colours_of
from tests.gui.plots.made import NOTHING, NOW, steady, written

SHOWN = StripShown(
    steady(0.5),
    NOW - 300,
    NOW,
    highest=1.0,
    scale=((1.0, "100 %"),),
    ticks=(TimeTick(NOW, "now"), TimeTick(NOW - 1, "12:00"), TimeTick(NOW - 150, "11:58")),
)


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    made = Strip(scaled=True)
    qtbot.addWidget(made)
    made.resize(400, 80)
    made.show_past(SHOWN, Wear(0))
    return made


def test_of_times_that_would_touch_the_weightier_is_kept(strip: Strip) -> None:
    assert written(strip) == ["100 %", "now", "11:58"]


def test_the_value_stands_where_one_points_and_the_moment_below(strip: Strip) -> None:
    strip.point_at(NOW - 150, "50 %", "11:57:30")
    assert written(strip) == ["100 %", "50 %", "11:57:30", "now"]
    strip.point_at(None)
    assert "50 %" not in written(strip)


def test_what_was_not_read_is_no_line_at_zero(strip: Strip) -> None:
    ink = strip.look.theme.card(0).name()
    assert ink in colours_of(strip.grab().toImage())
    strip.show_past(replace(SHOWN, trace=NOTHING, unread="not read"), Wear(0))
    assert "not read" in written(strip)
    assert ink not in colours_of(strip.grab().toImage())
