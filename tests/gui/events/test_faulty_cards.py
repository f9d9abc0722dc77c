"""What the window says while cards answer without figures, and when they give them again."""

from collections.abc import Callable

from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import throttle
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, working
from tests.gui.hands import rows_of
from tests.gui.leaping_clock import LeapingClock

TileSaying = Callable[[MainWindow, str], CardTile]
LIMIT = throttle("sw_power_cap")


def newest(window: MainWindow) -> str:
    return next(iter(rows_of(window, "Events")), "")


def test_a_card_that_gives_no_figures_is_told_on_its_tile_and_among_the_events(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer, clock = working(), LeapingClock()
    session = session_of({card(0): answer, card(1): working()}, clock=clock)
    window = open_window(session)
    tile_saying(window, "GPU busy 97 %")
    figures = answer.values
    answer.values, answer.otherwise = {}, Absence.NO_PERMISSION
    tile_saying(window, "Gives no usable figure")
    assert newest(window) == ""
    clock.ahead += 6
    reason = "this user may not read it"
    qtbot.waitUntil(
        lambda: newest(window).endswith(
            f"Card 0: The card gives no usable figure: {reason} (ongoing)"
        )
    )
    assert session.state_sentence(card(0).id) == f"no usable figure ({reason})"
    answer.values = figures
    qtbot.waitUntil(lambda: session.state_sentence(card(0).id) == "working")
    clock.ahead += 6
    qtbot.waitUntil(lambda: f"no usable figure: {reason} (ended " in newest(window))
    assert " after " in newest(window)
