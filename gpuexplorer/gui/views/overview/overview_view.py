"""OverviewView: every card, the computer, what is good to know and what took place."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.views.overview.events_panel import EventsPanel
from gpuexplorer.gui.views.overview.notes_panel import NotesPanel
from gpuexplorer.gui.widgets.card_tile import CardTile
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.host_strip import HostStrip
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.page import Page
from gpuexplorer.gui.widgets.tile_grid import TileGrid

_NOTES_EVERY = 2.0
_SIDE_BY_SIDE_FROM = 820


class OverviewView(LiveView):
    """The first screen: who is busy, who is full, and whether anything is wrong."""

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        time_window: TimeWindow,
        navigation: Navigation,
        settings: Settings,
        frame_clock: FrameClock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(machine, time_window, frame_clock, processes=True, parent=parent)
        self._navigation = navigation
        self._settings = settings
        self._notes_read_at = float("-inf")
        self._legend = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._legend.show_text(
            "Busy in %, memory in the line below it, the card's number in the corner"
        )
        self._legend.hide()
        self._grid = TileGrid(look)
        self._grid.tile_focused.connect(self._on_tile_focused)
        self._host = HostStrip(look)
        self._notes = NotesPanel(look)
        self._events = EventsPanel(look)
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.setSpacing(16)
        self._below.addWidget(self._events, 3)
        self._below.addWidget(self._notes, 2)
        self._page = Page()
        for widget in (self._legend, self._grid, self._host):
            self._page.body.addWidget(widget)
        self._page.body.addLayout(self._below)
        self._page.body.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._page)
        self.setFocusProxy(self._page)

    def pull(self) -> None:
        machine = self.machine
        now = machine.session.clock.now()
        cards = machine.cards()
        self._grid.show_faces({shown.card.id: machine.face(shown) for shown in cards})
        self._legend.setVisible(self._grid.cells)
        listed = {each.card.id: each for shown in cards for each in (shown, *shown.instances)}
        self._events.show_happenings(machine.session.happenings(), listed)
        self._host.show_face(machine.host_face())
        if now - self._notes_read_at >= _NOTES_EVERY:
            self._notes_read_at = now
            self._notes.show_notes(machine.session.notes())

    def _on_tile_focused(self, tile: CardTile) -> None:
        self._page.ensureWidgetVisible(tile)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = event.size().width() >= _SIDE_BY_SIDE_FROM
        direction = QBoxLayout.Direction
        self._below.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        super().resizeEvent(event)
