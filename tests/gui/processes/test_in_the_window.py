"""The processes screen in the whole window, read by threads as in earnest."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.rail.rail import RailEntry
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import FakeBackend, card, working
from tests.gui.hands import button, shown, texts
from tests.gui.processes.programs import B, using


class OneOnBoth(FakeBackend):
    """The same process uses every card."""

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        return [using(card, 7)]


def test_the_rail_counts_a_process_on_two_cards_once_as_the_screen_does(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    backend = OneOnBoth({card(0): working(), card(1): working()})
    window = open_window(remembering(session_on(backend, interval=0.1)))
    window.navigation.open_screen("processes")
    qtbot.waitUntil(
        lambda: any(each.startswith("1 process on 2 cards") for each in texts(window)),
        timeout=20_000,
    )
    entries = window.findChildren(RailEntry)
    qtbot.waitUntil(lambda: "Processes, 1" in [each.accessibleName() for each in entries])


class SilentSecond(FakeBackend):
    """The second card says at first who uses it, and then nothing any more."""

    silent = False

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        if card == B:
            return None if self.silent else [using(B, 8), using(B, 9)]
        return [using(card, 7)]


def test_overview_rail_and_screen_count_alike_when_a_card_says_no_more_who_uses_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    backend = SilentSecond({card(0): working(), card(1): working()})
    window = open_window(remembering(session_on(backend, interval=0.1)))
    entries = window.findChildren(RailEntry)

    def everywhere(count: int, words: str) -> bool:
        said = any(each.startswith(words) for each in texts(window))
        return said and f"Processes, {count}" in [each.accessibleName() for each in entries]

    for screen in ("overview", "processes"):
        backend.silent = False
        window.navigation.open_screen(screen)
        qtbot.waitUntil(lambda: everywhere(3, "3 processes on 2 cards"), timeout=20_000)
        backend.silent = True
        qtbot.waitUntil(lambda: everywhere(1, "1 process on 1 card"), timeout=20_000)


def test_nothing_is_squeezed_in_the_smallest_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(remembering(session_on(simulated("2xTitanRTX"), interval=0.1)))
    window.navigation.open_screen("processes")
    window.resize(560, 420)
    table = shown(Table, window)
    qtbot.waitUntil(lambda: table.model().rowCount() > 2, timeout=20_000)
    field = next(each for each in window.findChildren(SearchField) if each.isVisible())
    qtbot.waitUntil(lambda: table.viewport().height() > 100)
    assert field.height() >= field.minimumSizeHint().height()
    assert "Whole command" not in {
        each.accessibleName() for each in window.findChildren(QWidget) if each.isVisible()
    }
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: button(window, "End…").isVisible())
