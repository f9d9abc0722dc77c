"""The screen of one card in a window of its own, on cards a test chooses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.card.fact_list import FactRow, FactsTree
from gpuexplorer.gui.card.view import CardHeader, CardView, MemoryPanel
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.laid_out import GROWS, column
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session
from tests.gui.desks import desk_of
from tests.gui.hands import the

_EVERYWHERE = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive


@dataclass(frozen=True)
class Screen:
    """What a person sees of the screen, and the state it follows."""

    window: QWidget
    view: CardView
    desk: Desk
    qtbot: QtBot

    @property
    def tree(self) -> FactsTree:
        return the(FactsTree, self.window)

    @property
    def facts(self) -> list[str]:
        """Line by line, as far as they are unfolded."""
        tree, said = self.tree, []
        index = tree.model().index(0, 0)
        while index.isValid():
            said += [] if tree.itemFromIndex(index).isHidden() else [str(index.data())]
            index = tree.indexBelow(index)
        return said

    @property
    def said(self) -> str:
        header, memory = the(CardHeader, self.window), the(MemoryPanel, self.window)
        head = f"{header.accessibleName()}. {header.accessibleDescription()}"
        labels = [e.text() for e in self.window.findChildren(QLabel) if e.isVisible()]
        return "\n".join([head, memory.accessibleDescription(), *labels, *self.facts])

    @property
    def stack(self) -> PlotStack:
        return the(PlotStack, self.window)

    @property
    def plots(self) -> dict[str, list[str]]:
        return {e.title: [line.metric.id for line in e.lines] for e in self.stack.contents}

    def reads(self, *words: str) -> None:
        """Waits until these words can be read in the head, in the memory or among the facts."""
        self.qtbot.waitUntil(lambda: all(each in self.said for each in words))

    def row(self, line: str) -> FactRow:
        [found] = self.tree.findItems(line, _EVERYWHERE)
        assert isinstance(found, FactRow)
        return found


OpenCard = Callable[..., Screen]


@pytest.fixture
def open_card(qtbot: QtBot) -> Iterator[OpenCard]:
    """Shows the screen of a card and starts to read."""
    closing: list[Callable[[], object]] = []

    def open_one(
        session: Session, card: str | None = None, settings: Settings | None = None
    ) -> Screen:
        window = QWidget()
        qtbot.addWidget(window)
        desk = desk_of(session, window, settings=settings)
        if card is not None:
            desk.navigation.choose_card(CardId(card))
        view = CardView(desk)
        # Else the window is asked to be as large as its content wants at the least.
        layout = column(view, GROWS, within=window)
        layout.setSizeConstraint(layout.SizeConstraint.SetNoConstraint)
        window.resize(1392, 918)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        session.start()
        closing.extend([view.stop, window.close, session.stop])
        return Screen(window, view, desk, qtbot)

    yield open_one
    for each in closing:
        each()
