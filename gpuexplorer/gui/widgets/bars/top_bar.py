"""TopBar: which computer this is, where the figures come from, and which time is looked at."""

from html import escape

from PySide6.QtCore import QRectF, QSize, QSysInfo, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import (
    IconButton,
    ToolButton,
    link_button,
    with_keys,
)
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, row
from gpuexplorer.gui.widgets.line import ElidedLabel, Tag
from gpuexplorer.recording.recorded_session import RECORDED
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import Session

SIMULATED = mark("SIMULATED")
STOP_SIMULATING = mark("Stop simulating")
_HEIGHT, _MARGIN, _GAP = 52, 24, 12
_MOST_HOST_WIDTH, _HOST_SHARE = 240, 0.18
# Below these widths some of it is said in short, and all of it; more is said while a recording
# is made, and while somebody looks back.
_NARROW, _TIGHT, _TIGHTEST = 860, 720, 560
_WHILE_RECORDING, _WHILE_BACK = 120, (360, 160)
_ICON, _AROUND_ICON, _BESIDE = 16, 9, 12
_RECORD_KEYS = "Ctrl+R"
_BETWEEN = "    "
_USUAL = f"0:00:00{_BETWEEN}000.0 MiB"


def is_elsewhere(session: Session) -> bool:
    """Of another computer, or of whichever was recorded."""
    return not session.stream.here


def host_name(session: Session | None = None) -> str:
    """Of the computer whose cards are shown: this one, where no session is."""
    if session is not None and is_elsewhere(session):
        return session.computer or tr("A computer whose name was left out")
    return QSysInfo.machineHostName() or tr("This computer")


class SourceBadge(Tag):
    """Filled while the cards are make-believe, or were, and outlined otherwise."""

    def __init__(self) -> None:
        super().__init__("badge")

    def show_source(self, source: Source | None) -> None:
        simulated = source is not None and source.simulated
        if source is not None and source.name == RECORDED:
            words = tr("Recording")
            meaning = tr("These figures were recorded earlier; no card is read for them.")
            if simulated:
                words = tr("{simulated}, recording", simulated=tr(SIMULATED))
                made_up = tr("No real card was read: all figures are made up.")
                meaning = f"{meaning} {made_up}"
        elif source is None or not source.cards:
            words, simulated = tr("No card"), False
            meaning = tr("No card answers: only the computer's processor and memory are read.")
        elif simulated:
            self.show_simulated()
            return
        else:
            words = tr("Live, {name}", name=source.name.upper())
            meaning = tr("These figures are read from real cards.")
        self._show(words, meaning, filled=simulated)

    def show_simulated(self) -> None:
        meaning = tr("No real card is read: all figures are made up.")
        self._show(tr(SIMULATED), meaning, filled=True)

    def _show(self, text: str, meaning: str, *, filled: bool) -> None:
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        restyle(self, "filled", filled)


class _Saying(QPushButton):
    """An icon, and words of three lengths. The mouse presses it and leaves the keyboard where
    it is.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._forms, self._level = ("", "", ""), 0
        self._sized_for = ""  # where what it says comes and goes
        self.setProperty("kind", kind)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_level(self, level: int) -> None:
        """0 says most."""
        self._level = level
        self.setText(self._forms[level])
        longest = (self.text(), self._sized_for) if level == 0 else (self.text(),)
        words = max(round(look().letters.body.width(each)) for each in longest)
        alone = 2 * _AROUND_ICON + _ICON
        self.setFixedWidth(words + alone + _BESIDE if words else alone)


class TimePill(_Saying):
    """Says that the plots show the past, and leads back to now."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__("pill")
        self._time_window = time_window
        self.setIcon(look().icons.for_button(Icon.BACK))
        self.setIconSize(QSize(_ICON + 4, _ICON))
        self.clicked.connect(time_window.back_to_now)
        time_window.changed.connect(self._on_time_changed)
        self._say()
        if not time_window.looking_back:
            self.hide()  # and else whoever takes it in shows it

    def _on_time_changed(self) -> None:
        self._say()
        self.setVisible(self._time_window.looking_back)

    def _say(self) -> None:
        """The moment at which what is shown ends."""
        window = self._time_window
        moment = window.moment(window.stretch()[1])
        said = tr("Looking back: ends {moment}. Back to now", moment=moment)
        shorter = tr("Ends {moment}. Back to now", moment=moment)
        self._forms = (said, shorter, tr("Now"))
        self.show_level(self._level)
        self.setAccessibleName(said)
        more = tr("Reading goes on meanwhile. Back to now: Ctrl+End")
        self.setToolTip(f"{tr('Looking back: ends {moment}.', moment=moment)}\n{more}")


class RecordButton(_Saying):
    """A red dot that records what is read, and says for how long and how much."""

    turned = Signal()  # it records from now on, or no longer

    def __init__(self) -> None:
        super().__init__("record")
        self.recording = self._trouble = False
        self.show_idle()

    def show_idle(self, *, trouble: str = "", possible: bool = True) -> None:
        """`trouble`: how the last one ended, until somebody has read it."""
        word = tr("Record")
        why = trouble or tr("Record what is read, into a file ({keys})", keys=_RECORD_KEYS)
        if not possible:
            why = tr("This is a recording already. Go back to the live cards to record.")
        self._trouble = bool(trouble)
        self._show((word, word, ""), word, why, recording=False, enabled=possible)

    def show_recording(self, seconds: float, size: int) -> None:
        time, much = clock_words(seconds), str(memory(size))
        said = tr("Recording, {time}, {size}", time=time, size=much)
        why = tr("Stop recording ({keys}); what is read meanwhile is kept", keys=_RECORD_KEYS)
        self._show((f"{time}{_BETWEEN}{much}", time, ""), said, why)

    def show_busy(self, words: str) -> None:
        """The disk is waited for."""
        self._show((words, words, ""), words, words, enabled=False)

    def _show(
        self,
        forms: tuple[str, str, str],
        said: str,
        why: str,
        *,
        recording: bool = True,
        enabled: bool = True,
    ) -> None:
        turned, self.recording = recording is not self.recording, recording
        self._trouble = self._trouble and not recording
        self._forms, self._sized_for = forms, _USUAL if recording else ""
        self.setEnabled(enabled)
        self.setAccessibleName(said)
        self.setAccessibleDescription(why)
        self.setToolTip(f"<qt>{escape(why)}</qt>")  # file names are no markup
        restyle(self, "on", recording)
        self.show_level(self._level)
        if turned:
            self.turned.emit()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            drawing = Drawing(painter)
            theme, top = drawing.theme, (self.height() - _ICON) / 2
            place = QRectF(_AROUND_ICON, top, _ICON, _ICON)
            if self._trouble:
                drawing.icon(Icon.WARNING, place, theme.warn)
            else:
                ink = theme.bad if self.isEnabled() else theme.faint
                drawing.filled(place.adjusted(3, 3, -3, -3), ink, 5)


def clock_words(seconds: float) -> str:
    """ "0:12:05": as a counter runs, all of its digits there from the start."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


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
        self.setFixedHeight(_HEIGHT)
        self._host = ElidedLabel(look().letters.title, Tone.TEXT, host_name())
        self._badge = SourceBadge()
        self._label = ElidedLabel(look().letters.body, Tone.QUIET)
        self._stop = link_button(tr(STOP_SIMULATING))
        self._stop.setToolTip(tr("Look for real cards, and read these if there are some."))
        self._stop.clicked.connect(self.real_cards_asked)
        self._pill = TimePill(time_window)
        self._spans = Segmented(tr("Time span"), SPANS)
        self._spans.chosen.connect(time_window.choose_span)
        self._pause = IconButton(Icon.PAUSE)
        self._pause.clicked.connect(time_window.toggle_pause)
        self.record = RecordButton()
        self.record.turned.connect(self._arrange)
        meaning = tr("Search all commands, screens and cards")
        words = with_keys(tr("Search"), "Ctrl+K")
        self._search = ToolButton("framed", Icon.SEARCH, words, meaning)
        self._search.setAccessibleName(tr("Search all commands"))
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
        self.show_source(None)

    def show_computer(self, name: str) -> None:
        if name != self._host.text():
            self._host.show_text(name)
            self._arrange()

    def show_source(self, source: Source | None) -> None:
        if source is not None and source == self._source:
            return
        self._source = source
        self._badge.show_source(source)
        words = "" if source is None else tr(source.label)
        if source is None or not source.cards or source.name == RECORDED:
            words = ""  # of a recording a notice says it
        elif source.simulated and "cards" in source.label.values:
            cards = str(source.label.values["cards"]).replace("NVIDIA ", "")
            words = tr("{cards}; no real card is read", cards=cards)
        self._label.show_text(words)
        self._arrange()

    def offer_real_cards(self, *, offered: bool) -> None:
        """Simulated cards can be left for real ones from now on, or not."""
        self._can_look = offered
        self._arrange()

    def _arrange(self) -> None:
        """Badge, span and pause are always there; the computer's name gives way a little."""
        room = self.width() - 2 * _MARGIN
        window, source, back = self._time_window, self._source, self._time_window.looking_back
        more = _WHILE_RECORDING if self.record.recording else 0
        narrow = room < _NARROW + more + back * _WHILE_BACK[0]
        tight = room < _TIGHT + back * _WHILE_BACK[1]
        simulated = source is not None and source.simulated and source.name != RECORDED
        self._host.setMaximumWidth(min(_MOST_HOST_WIDTH, round(room * _HOST_SHARE)))
        self._label.setVisible(bool(self._label.text()) and not narrow)
        self._stop.setVisible(self._can_look and simulated and not tight)
        self._pill.setVisible(back)
        self._pill.show_level(2 if room < _TIGHTEST else int(narrow))
        self._spans.show_compact(tight)
        self._pause.setVisible(not window.replaying)  # that has a bar of its own
        self.record.show_level(2 if tight else int(narrow))
        self._search.show_compact(narrow)

    def _on_time_changed(self) -> None:
        window = self._time_window
        known = any(seconds == window.span for seconds, _ in SPANS)
        self._spans.show_choice(window.span, "" if known else span_words(window.span))
        words = tr("Pause the plots; reading goes on"), tr("Resume the plots")
        icon = Icon.PAUSE if window.following else Icon.PLAY
        self._pause.show_meaning(icon, words[not window.following], "Space")
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
