"""The screen of one card in a window of its own, on cards a test chooses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.card.card_header import CardHeader
from gpuexplorer.gui.card.facts_panel import FactsPanel
from gpuexplorer.gui.card.facts_tree import FactsTree
from gpuexplorer.gui.card.memory_bar import MemoryBar
from gpuexplorer.gui.card.view import CardView
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session
from tests.gui.desks import desk_of
from tests.gui.hands import the


def lines_of(panel: QWidget) -> list[str]:
    """What can be read in its list of facts, line by line."""
    tree = the(FactsTree, panel)
    index, said = tree.model().index(0, 0), []
    while index.isValid():
        said.append(str(index.data()))
        index = tree.indexBelow(index)
    return said


@dataclass(frozen=True)
class Screen:
    """What a person sees of the screen, and the state it follows."""

    window: QWidget
    view: CardView
    settings: Settings
    navigation: Navigation
    time_window: TimeWindow

    @property
    def head(self) -> str:
        header = the(CardHeader, self.window)
        return f"{header.accessibleName()}. {header.accessibleDescription()}"

    @property
    def memory(self) -> str:
        return the(MemoryBar, self.window).accessibleDescription()

    @property
    def facts(self) -> list[str]:
        return lines_of(the(FactsPanel, self.window))

    @property
    def chips(self) -> CardChips:
        return the(CardChips, self.window)

    @property
    def plots(self) -> PlotStack:
        return the(PlotStack, self.window)


OpenCard = Callable[..., Screen]


@pytest.fixture
def open_card(qtbot: QtBot) -> Iterator[OpenCard]:
    """Shows the screen of a card and starts to read."""
    sessions: list[Session] = []
    screens: list[Screen] = []

    def open_one(
        session: Session,
        card: str | None = None,
        settings: Settings | None = None,
        width: int = 1392,
        height: int = 918,
    ) -> Screen:
        window = QWidget()
        qtbot.addWidget(window)
        window.setPalette(look().palette())
        window.setFont(look().letters.body.font)
        window.setStyleSheet(look().style_sheet())
        desk = desk_of(session, window, settings=settings)
        if card is not None:
            desk.navigation.choose_card(CardId(card))
        view = CardView(desk)
        column = QVBoxLayout(window)
        column.setContentsMargins(0, 0, 0, 0)
        # Else the window is asked to be as large as its content wants at the least.
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        column.addWidget(view)
        window.resize(width, height)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        screen = Screen(window, view, desk.settings, desk.navigation, desk.time_window)
        sessions.append(session)
        screens.append(screen)
        session.start()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
        screen.window.close()
    for session in sessions:
        session.stop()
