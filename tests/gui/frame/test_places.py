"""What is remembered from one start to the next, and that it is safe."""

from PySide6.QtCore import QRect, Qt

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.settings import Settings
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, session_with_past, working
from tests.gui.frame.steps import ALT, keys, simulated_cards


def test_the_card_is_the_one_that_was_looked_at(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(simulated_cards("3xTitanRTX"), settings=settings)
    before.navigation.open_card(CardId("SIM-2"))
    before.close()
    after = open_window(simulated_cards("3xTitanRTX"), settings=settings)
    assert (after.navigation.screen, after.navigation.card) == ("card", "SIM-2")
    # To have been there the last time is no step to go back on.
    keys(Qt.Key.Key_Left, ALT)
    assert (after.navigation.screen, after.navigation.card) == ("card", "SIM-2")


def test_the_window_comes_back_where_it_was(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(session_of({card(0): working()}), settings=settings)
    before.setGeometry(40, 60, 620, 500)
    before.close()
    after = open_window(session_of({card(0): working()}), settings=settings, resized=False)
    assert after.geometry() == QRect(40, 60, 620, 500)


def test_a_look_back_is_not_where_the_next_start_begins(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(session_with_past({card(0): working()}), settings=settings)
    keys(Qt.Key.Key_1, ALT)
    now = before.time_window.now()
    before.time_window.look_at(now - 900.0, now - 890.0)
    before.close()
    after = open_window(simulated_cards("1xT4"), settings=settings)
    assert after.time_window.span == 60.0
    assert after.time_window.following
