"""Whether the system asks for less motion: told when it is known, and never waited for."""

import sys

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desktop.stillness import Stillness

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asked in another way there")


@pytest.mark.parametrize(("answer", "still"), [("v b false", True), ("v b true", False)])
def test_what_the_desktop_says_is_told(qtbot: QtBot, answer: str, still: bool) -> None:
    stillness = Stillness(("/bin/echo", answer))
    with qtbot.waitSignal(stillness.told) as told:
        stillness.ask()
    assert told.args == [still]


def test_a_desktop_that_does_not_know_tells_nothing(qtbot: QtBot) -> None:
    stillness = Stillness(("/bin/false",))
    with qtbot.assertNotEmitted(stillness.told, wait=200):
        stillness.ask()


def test_where_nobody_can_be_asked_nothing_is_started(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    stillness = Stillness()
    with qtbot.assertNotEmitted(stillness.told):
        stillness.ask()
    stillness.stop()


def test_a_desktop_that_hangs_is_left_behind(qtbot: QtBot) -> None:
    stillness = Stillness(("/bin/sleep", "60"))
    stillness.ask()
    stillness.stop()
