"""TopBar: which computer this is, where the figures come from, and which time is looked at."""

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, QSysInfo, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, SearchButton, link_button
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.recording.recorded_session import RECORDED
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import Session

SIMULATED = mark("SIMULATED")
STOP_SIMULATING = mark("Stop simulating")
_HEIGHT, _MARGIN, _GAP = 52, 24, 12
_MOST_HOST_WIDTH, _HOST_SHARE = 240, 0.18
_LEAST_LABEL = 90  # a few letters and an ellipsis would say nothing
_SEARCH, _COMPACT_SPANS = (208, 32), 92
# What gives way where there is no room, step by step.
_GIVES_WAY = ("label", "search", "stop", "record", "spans", "pill", "record", "pill")
_RECORD_KEYS = "Ctrl+R"
_BETWEEN = "    "
_USUAL = f"0:00:00{_BETWEEN}00.0 MiB"
_ICON, _AROUND_ICON, _BEFORE_WORDS = 16, 9, 12


def is_elsewhere(session: Session) -> bool:
    """Of another computer, or of whichever was recorded."""
    return not session.stream.here


def host_name(session: Session | None = None) -> str:
    """Of the computer whose cards are shown: this one, where no session is."""
    if session is not None and is_elsewhere(session):
        return session.computer or tr("A computer whose name was left out")
    return QSysInfo.machineHostName() or tr("This computer")


class SourceBadge(QLabel):
    """Filled while the cards are make-believe, or were, and outlined otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "badge")
        self.setIndent(0)
        self.setFont(look().letters.caption.font)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_source(self, source: Source | None) -> None:
        if source is not None and source.name == RECORDED:
            meaning = tr("These figures were recorded earlier; no card is read for them.")
            if source.simulated:
                made_up = tr("No real card was read: all figures are made up.")
                words = tr("{simulated}, recording", simulated=tr(SIMULATED))
                self._show(words, f"{meaning} {made_up}", filled=True)
            else:
                self._show(tr("Recording"), meaning)
        elif source is None or not source.cards:
            meaning = tr("No card answers: only the computer's processor and memory are read.")
            self._show(tr("No card"), meaning)
        elif source.simulated:
            self.show_simulated()
        else:
            meaning = tr("These figures are read from real cards.")
            self._show(tr("Live, {name}", name=source.name.upper()), meaning)

    def show_simulated(self) -> None:
        meaning = tr("No real card is read: all figures are made up.")
        self._show(tr(SIMULATED), meaning, filled=True)

    def _show(self, text: str, meaning: str, *, filled: bool = False) -> None:
        self.setText(text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        restyle(self, "filled", filled)


class _Saying(QPushButton):
    """An icon, and words in one of several lengths. The mouse presses it and leaves the
    keyboard where it is.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._forms: Sequence[str] = ("",)
        self.setProperty("kind", kind)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def widths(self) -> list[int]:
        letters = look().letters.body
        alone = 2 * _AROUND_ICON + _ICON
        wides = (round(letters.width(each)) for each in self._forms)
        return [wide + alone + _BEFORE_WORDS if wide else alone for wide in wides]

    def show_form(self, at: int) -> None:
        """0 is the longest."""
        self.setText(self._forms[at])
        self.setFixedWidth(self.widths()[at])


class TimePill(_Saying):
    """Says that the plots show the past, and leads back to now."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__("pill")
        self._time_window = time_window
        self.setIcon(look().icons.for_button(Icon.BACK))
        self.setIconSize(QSize(_ICON + 4, _ICON))
        self.clicked.connect(time_window.back_to_now)
        time_window.changed.connect(self._on_time_changed)
        if not time_window.looking_back:
            self.hide()
        else:
            self._say()  # whoever takes it in shows it

    def _on_time_changed(self) -> None:
        self.setVisible(self._time_window.looking_back)
        if self._time_window.looking_back:
            self._say()

    def _say(self) -> None:
        """The moment at which what is shown ends."""
        window = self._time_window
        moment = window.moment(window.stretch()[1])
        said = tr("Looking back: ends {moment}. Back to now", moment=moment)
        self._forms = (said, tr("Back to now"), tr("Now"))
        self.show_form(0)
        self.setAccessibleName(said)
        more = tr("Reading goes on meanwhile. Back to now: Ctrl+End")
        self.setToolTip(f"{tr('Looking back: ends {moment}.', moment=moment)}\n{more}")


class RecordButton(_Saying):
    """A red dot that records what is read, and says for how long and how much."""

    widths_changed = Signal()

    def __init__(self) -> None:
        super().__init__("record")
        self._recording = self._trouble = False
        self._most = 0  # a figure of many digits leaves its room behind
        self.show_idle()

    def show_idle(self, *, trouble: str = "", possible: bool = True) -> None:
        """`trouble`: how the last one ended, until somebody has read it."""
        self._most = 0
        why = trouble or tr("Record what is read, into a file ({keys})", keys=_RECORD_KEYS)
        if not possible:
            why = tr("This is a recording already. Go back to the live cards to record.")
        self.setEnabled(possible)
        self._trouble = bool(trouble)
        self._show((tr("Record"), ""), tr("Record"), why, recording=False)

    def show_recording(self, seconds: float, size: int) -> None:
        time, much = clock_words(seconds), str(memory(size))
        said = tr("Recording, {time}, {size}", time=time, size=much)
        why = tr("Stop recording ({keys}); what is read meanwhile is kept", keys=_RECORD_KEYS)
        self.setEnabled(True)
        self._show((f"{time}{_BETWEEN}{much}", time, ""), said, why)

    def show_busy(self, words: str) -> None:
        """The disk is waited for."""
        self.setEnabled(False)
        self._show((words, ""), words, words)

    def widths(self) -> list[int]:
        """While it records they stay."""
        first, *others = super().widths()
        if self._recording:
            usual = round(look().letters.body.width(_USUAL)) + 2 * _AROUND_ICON + _ICON
            self._most = first = max(self._most, first, usual + _BEFORE_WORDS)
        return [first, *others]

    def _show(
        self, forms: Sequence[str], said: str, why: str, *, recording: bool = True
    ) -> None:
        before, shown = self.widths(), self._forms
        at = shown.index(self.text()) if len(shown) == len(forms) else 0
        self._recording, self._forms = recording, forms
        self._trouble = self._trouble and not recording
        self.show_form(at)
        self.setAccessibleName(said)
        self.setAccessibleDescription(why)
        self.setToolTip(f"<qt>{escape(why)}</qt>")  # file names are no markup
        restyle(self, "on", recording)
        if self.widths() != before:
            self.widths_changed.emit()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            drawing = Drawing(painter)
            theme, middle = drawing.theme, self.height() / 2
            place = QRectF(_AROUND_ICON, middle - _ICON / 2, _ICON, _ICON)
            if self._trouble:
                drawing.icon(Icon.WARNING, place, theme.warn)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.bad if self.isEnabled() else theme.faint)
                painter.drawEllipse(QPointF(place.center()), 5, 5)


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
        self.record.widths_changed.connect(self._arrange)
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
        """What matters least gives way first; badge, span and pause are always there."""
        room = self.width() - 2 * _MARGIN
        # Decided by the window alone, so that the badge beside it stays where it is.
        host = min(self._host.sizeHint().width(), _MOST_HOST_WIDTH, round(room * _HOST_SHARE))
        self._host.setFixedWidth(host)
        window, source = self._time_window, self._source
        # A recording is played and paused in its own bar.
        self._pause.setVisible(not window.replaying)
        simulated = source is not None and source.simulated and source.name != RECORDED
        widths: dict[str, Sequence[int]] = {
            "label": (_LEAST_LABEL, 0) if self._label.text() else (0,),
            "search": _SEARCH,
            "stop": (self._stop.sizeHint().width(), 0)
            if self._can_look and simulated
            else (0,),
            "record": self.record.widths(),
            "spans": (self._spans.full_width(), _COMPACT_SPANS),
            "pill": self._pill.widths() if window.looking_back else (0,),
        }
        there = [host, self._badge.sizeHint().width(), 0 if window.replaying else 32]
        steps = dict.fromkeys(widths, 0)
        for part in _GIVES_WAY:
            taken = [*there, *(each[steps[name]] for name, each in widths.items())]
            if sum(wide + _GAP for wide in taken if wide) <= room:
                break
            steps[part] = min(steps[part] + 1, len(widths[part]) - 1)
        self._label.setVisible(widths["label"][steps["label"]] > 0)
        self._search.show_wide(wide=not steps["search"])
        self._stop.setVisible(widths["stop"][steps["stop"]] > 0)
        self.record.show_form(steps["record"])
        self._spans.show_compact(bool(steps["spans"]))
        self._pill.setVisible(window.looking_back)
        self._pill.show_form(steps["pill"])

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
