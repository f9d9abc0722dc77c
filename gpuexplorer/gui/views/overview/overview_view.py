"""OverviewView: every card, the computer, what is good to know and what took place."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.views.overview.banner import Banner
from gpuexplorer.gui.views.overview.events_panel import EventsPanel
from gpuexplorer.gui.views.overview.faces import Known, Shown, arrange, card_face, host_face
from gpuexplorer.gui.views.overview.notes_panel import NotesPanel
from gpuexplorer.gui.views.overview.short_silence import ShortSilence
from gpuexplorer.gui.widgets.card_face import CardFace
from gpuexplorer.gui.widgets.card_tile import CardTile
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.host_strip import HostStrip
from gpuexplorer.gui.widgets.page import Page
from gpuexplorer.gui.widgets.tile_grid import TileGrid
from gpuexplorer.telemetry.session import Session

# The processor's use over less than a second is mostly noise.
_HOST_EVERY = 1.0
_NOTES_EVERY = 2.0
_SIDE_BY_SIDE_FROM = 820


class OverviewView(Page):
    """Pulls from the session at every tick, while it is on screen."""

    reasons_asked_for = Signal()

    def __init__(
        self,
        look: Look,
        session: Session,
        frame_clock: FrameClock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._frame_clock = frame_clock
        self._following = False
        self._short_silence = ShortSilence()
        self._faces: dict[CardId, tuple[object, CardFace]] = {}
        self._host_read_at = self._notes_read_at = float("-inf")
        self.setAccessibleName("Overview of all cards")

        self._banner = Banner(look)
        self._banner.hide()
        self._banner.reasons_asked_for.connect(self.reasons_asked_for)
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
        for widget in (self._banner, self._legend, self._grid, self._host):
            self.body.addWidget(widget)
        self.body.addLayout(self._below)
        self.body.addStretch(1)

    def show_banner(self, shown: bool) -> None:
        self._banner.setVisible(shown)

    def pull(self) -> None:
        """Bring everything up to date now."""
        now = self._session.clock.now()
        cards = arrange(self._session.cards())
        known = {
            each.card.id: self._known(each.card.id, now)
            for shown in cards
            for each in (shown, *shown.instances)
        }
        self._grid.show_faces({shown.card.id: self._face(shown, known) for shown in cards})
        self._legend.setVisible(self._grid.cells)
        self._banner.show_count(len(cards))
        listed = {each.card.id: each for shown in cards for each in (shown, *shown.instances)}
        self._events.show_happenings(self._session.happenings(), listed)
        if now - self._host_read_at >= _HOST_EVERY:
            self._host_read_at = now
            self._host.show_face(host_face(self._session.host, self._session.read_host()))
        if now - self._notes_read_at >= _NOTES_EVERY:
            self._notes_read_at = now
            self._notes.show_notes(self._session.notes())

    def _face(self, shown: Shown, known: Mapping[CardId, Known]) -> CardFace:
        """The face of the tick before, where nothing was read since."""
        ids = {each.card.id for each in (shown, *shown.instances)}
        # Only who does not answer says something about the others.
        another_answers = not known[shown.card.id].answers and any(
            each.answers for card, each in known.items() if card not in ids
        )
        stamp = (shown, another_answers, [_stamp(known[card]) for card in sorted(ids)])
        before = self._faces.get(shown.card.id)
        if before is not None and before[0] == stamp:
            return before[1]
        face = card_face(shown, known, another_answers)
        self._faces[shown.card.id] = (stamp, face)
        return face

    def _known(self, card: CardId, now: float) -> Known:
        known = Known(
            self._session.reading(card),
            self._session.sampler.silence(card),
            self._session.state_sentence(card),
        )
        return self._short_silence.carry_over(card, known, now)

    def _on_tile_focused(self, tile: CardTile) -> None:
        self.ensureWidgetVisible(tile)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = event.size().width() >= _SIDE_BY_SIDE_FROM
        direction = QBoxLayout.Direction
        self._below.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._following:
            self._following = True
            self._frame_clock.ticked.connect(self.pull)
        self.setFocus()
        self.pull()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Qt also hides what was never shown, when it enters a stack of screens.
        if self._following:
            self._following = False
            self._frame_clock.ticked.disconnect(self.pull)


def _stamp(now: Known) -> tuple[int | None, bool, float, int, int]:
    """Differs as soon as something else would be shown."""
    silence = None if now.silence is None else int(now.silence)
    reading = now.reading
    if reading is None:
        return silence, now.slow, 0.0, 0, 0
    # A slower round may bring more without being the newest.
    return silence, now.slow, reading.at, len(reading.values), len(reading.missing)
