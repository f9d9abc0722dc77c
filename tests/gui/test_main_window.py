"""The frame around the screens: badge, title, keys, and that it costs nothing when hidden."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.card_tile import CardTile
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import Answer, card, session_of, working

TileSaying = Callable[[MainWindow, str], CardTile]


def test_a_hidden_window_pulls_nothing_and_a_shown_one_catches_up(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = working(busy=0.25)
    window = open_window(session_of({card(0): answer}))
    tile = tile_saying(window, "GPU busy 25 %")
    window.hide()
    assert not window.frame_clock.running
    answer.values = working(busy=0.75).values
    window.show()
    tile_saying(window, "GPU busy 75 %")
    window.showMinimized()
    qtbot.waitUntil(lambda: not window.frame_clock.running)
    assert tile.accessibleDescription()


def test_closing_does_not_wait_for_a_card_that_hangs(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    session = session_of({card(0): Answer(hangs=True)})
    window = open_window(session)
    tile_saying(window, "No answer")
    began = session.clock.now()
    window.close()
    assert session.clock.now() - began < 0.2


@pytest.mark.parametrize("width", [560, 1000, 1600])
def test_the_window_can_be_small_and_large(
    open_window: OpenWindow, tile_saying: TileSaying, width: int
) -> None:
    long = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition, engineering sample"
    window = open_window(session_of({card(i, long): working() for i in range(3)}))
    window.resize(width, 700)
    tile = tile_saying(window, "GPU busy 97 %")
    assert tile.mapTo(window, tile.rect().topRight()).x() < width
