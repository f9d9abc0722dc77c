"""TopBar: which computer this is, where the figures come from, and which time is looked at."""

from PySide6.QtCore import QSysInfo, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.bars.record_button import RecordButton
from gpuexplorer.gui.widgets.bars.source_badge import SourceBadge
from gpuexplorer.gui.widgets.bars.time_pill import TimePill
from gpuexplorer.gui.widgets.controls.buttons import IconButton, SearchButton, link_button
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, row
from gpuexplorer.recording.recorded_session import RECORDED
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import Session

HEIGHT = 52
_MOST_HOST_WIDTH, _HOST_SHARE = 240, 0.18
_MARGIN, _GAP = 24, 12
_LEAST_HOST, _LEAST_LABEL = 48, 90
_WIDE_SEARCH_FROM = 860
STOP_SIMULATING = mark("Stop simulating")


def is_elsewhere(session: Session) -> bool:
    """Of another computer, or of whichever was recorded."""
    return not session.stream.here


def host_name(session: Session | None = None) -> str:
    """Of the computer whose cards are shown: this one, where no session is."""
    if session is not None and is_elsewhere(session):
        return session.computer or tr("A computer whose name was left out")
    return QSysInfo.machineHostName() or tr("This computer")


class TopBar(QFrame):
    """The badge stands at the same place whatever it says: the host's name does not change."""

    search_asked = Signal()
    real_cards_asked = Signal()

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__()
        self._time_window = time_window
        self._source: Source | None = None
        self._can_look = False
        self.setProperty("panel", "top")
        self.setFixedHeight(HEIGHT)
        self._host = ElidedLabel(look().letters.title, Tone.TEXT, host_name())
        self._badge = SourceBadge()
        self._label = ElidedLabel(look().letters.body, Tone.QUIET)
        self._stop = link_button(tr(STOP_SIMULATING))
        self._stop.setToolTip(tr("Look for real cards, and read these if there are some."))
        self._stop.clicked.connect(self.real_cards_asked)
        self._pill = TimePill(time_window)
        self._spans = Segmented(tr("Time span"), SPANS)
        self._spans.chosen.connect(self._on_span_chosen)
        self._pause = IconButton(Icon.PAUSE)
        self._pause.clicked.connect(time_window.toggle_pause)
        self.record = RecordButton()
        self.record.longest_changed.connect(self._arrange)
        self._search = SearchButton()
        self._search.clicked.connect(self.search_asked)
        self._badge.setObjectName("top.source")
        self._spans.setObjectName("top.time")
        self._pause.setObjectName("top.pause")
        self.record.setObjectName("top.record")
        self._search.setObjectName("top.search")
        source = (self._host, self._badge, self._label, Grow(1000))
        time = (self._stop, self._pill, self._spans, self._pause, self.record)
        margins = (_MARGIN, 0, _MARGIN, 0)
        row(*source, FREE, *time, self._search, within=self, gap=_GAP, margins=margins)
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()
        self._say_source()

    def show_computer(self, name: str) -> None:
        if name != self._host.text():
            self._host.show_text(name)
            self._arrange()

    def show_source(self, source: Source) -> None:
        if source != self._source:
            self._source = source
            self._say_source()

    def offer_real_cards(self, *, offered: bool) -> None:
        """Simulated cards can be left for real ones from now on, or not."""
        self._can_look = offered
        self._arrange()

    def _say_source(self) -> None:
        source = self._source
        self._badge.show_source(source)
        if source is None or not source.cards:
            self._label.show_text("")
        elif source.name == RECORDED:
            self._label.show_text("")  # the banner below says it
        elif source.simulated and "cards" in source.label.values:
            cards = str(source.label.values["cards"]).replace("NVIDIA ", "")
            self._label.show_text(tr("{cards}; no real card is read", cards=cards))
        else:
            self._label.show_text(tr(source.label))
        self._arrange()

    def _arrange(self) -> None:
        """What can be said shorter gives way first; badge, span and pause are always there."""
        room = self.width() - 2 * _MARGIN
        # As a rule decided by the window alone, so that the badge beside it stays where it is.
        host = min(self._host.sizeHint().width(), _MOST_HOST_WIDTH, round(room * _HOST_SHARE))
        self._search.show_wide(wide=room >= _WIDE_SEARCH_FROM)
        room -= host + self._badge.sizeHint().width() + self._search.width()
        room -= 2 * _GAP
        looking_back = self._time_window.looking_back
        # A recording is played and paused in its own bar.
        replaying = self._time_window.replaying
        self._pause.setVisible(not replaying)
        room -= 0 if replaying else self._pause.width() + _GAP
        room -= self.record.shortest() + _GAP
        # Where one looks matters more than where else one could look.
        pill = self._pill.longest() + _GAP if looking_back else 0
        self._spans.show_compact(room < self._spans.full_width() + _GAP + pill)
        room -= self._spans.sizeHint().width() + _GAP
        if looking_back:
            room -= self._pill.show_within(room - _GAP) + _GAP
        self._pill.setVisible(looking_back)
        room += self.record.shortest()
        room -= self.record.show_within(room)
        link = self._stop.sizeHint().width() + _GAP
        source = self._source
        simulated = source is not None and source.simulated and source.name != RECORDED
        offered = self._can_look and simulated
        # A long name gives way to what can be pressed.
        given = max(0, min((link if offered else 0) - room, host - _LEAST_HOST))
        self._host.setFixedWidth(host - given)
        room += given
        self._stop.setVisible(offered and room >= link)
        if offered:
            room -= link
        # A few letters of it and an ellipsis would say nothing.
        self._label.setVisible(room >= _LEAST_LABEL + _GAP)

    def _on_span_chosen(self, seconds: float) -> None:
        self._time_window.choose_span(seconds)

    def _on_time_changed(self) -> None:
        window = self._time_window
        known = any(seconds == window.span for seconds, _ in SPANS)
        self._spans.show_choice(window.span, "" if known else span_words(window.span))
        if window.following:
            self._pause.show_meaning(
                Icon.PAUSE, tr("Pause the plots; reading goes on"), "Space"
            )
        else:
            self._pause.show_meaning(Icon.PLAY, tr("Resume the plots"), "Space")
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
