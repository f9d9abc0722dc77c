"""TopBar: which computer this is, where the figures come from, and which time is looked at."""

from datetime import timedelta

from PySide6.QtCore import QSize, QSysInfo, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy

from gpuexplorer.core.units import span_words
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.state.time_window import SPANS, TimeWindow
from gpuexplorer.gui.theme.icons import Icon, icon_of
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
from gpuexplorer.gui.window_commands import Do, WindowCommands
from gpuexplorer.recording.recorded_session import RECORDED
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import Session

SIMULATED = mark("SIMULATED")
STOP_SIMULATING = mark("Stop simulating")
# Narrower than these it says less, and less again; more while a recording is made, and while
# somebody looks back.
_LEVELS = (908, 768, 468)
_MORE_RECORDING, _MORE_BACK = 80, 220


def host_name(session: Session | None = None) -> str:
    """Of the computer whose cards are shown: this one, where no session is."""
    if session is not None and not session.stream.here:  # or whichever was recorded
        return session.computer or tr("A computer whose name was left out")
    return QSysInfo.machineHostName() or tr("This computer")


def window_title(session: Session, machine: str = "", *which: str) -> str:
    """`which` of the windows: nothing for the main one."""
    parts = [*which, machine or host_name(session), "GPU Explorer"]
    if session.simulated:
        parts.insert(0, tr(SIMULATED))
    return " – ".join(parts)


class SourceBadge(Tag):
    """Filled while the cards are make-believe, or were, and outlined otherwise."""

    def __init__(self) -> None:
        super().__init__("badge")

    def show_source(self, source: Source | None) -> None:
        if source is not None and source.name == RECORDED:
            words = tr("Recording")
            meaning = tr("These figures were recorded earlier; no card is read for them.")
            if source.simulated:
                words = tr("{simulated}, recording", simulated=tr(SIMULATED))
                meaning = tr("Figures that were made up were recorded; no real card was read.")
            self._show(words, meaning, filled=source.simulated)
        elif source is None or not source.cards:
            meaning = tr("No card answers: only the computer's processor and memory are read.")
            self._show(tr("No card"), meaning, filled=False)
        elif source.simulated:
            self.show_simulated()
        else:
            words = tr("Live, {name}", name=source.name.upper())
            self._show(words, tr("These figures are read from real cards."), filled=False)

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
    """An icon, and less words where there is less room. The mouse presses it and leaves the
    keyboard where it is.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._forms, self._level = ("", "", ""), 0
        self.setProperty("kind", kind)
        self.setIconSize(QSize(20, 16))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def say(self, forms: tuple[str, str, str], said: str, meaning: str) -> None:
        self._forms = forms
        self.setText(forms[self._level])
        self.setAccessibleName(said)
        self.setAccessibleDescription(meaning)
        self.setToolTip(plain_tip(meaning))

    def show_level(self, level: int) -> None:
        """0 says most."""
        self._level = level
        self.setText(self._forms[level])


class TimePill(_Saying):
    """Says that the plots show the past, and leads back to now."""

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__("pill")
        self._time_window = time_window
        self.setIcon(icon_of(Icon.BACK))
        self.clicked.connect(time_window.back_to_now)
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()

    def _on_time_changed(self) -> None:
        """The moment at which what is shown ends."""
        window = self._time_window
        moment = window.moment(window.stretch()[1])
        words = tr("Ends {moment}. Back to now", moment=moment)
        past = tr("Looking back: ends {moment}.", moment=moment)
        more = tr("Reading goes on meanwhile. Back to now: Ctrl+End")
        self.say((words, words, tr("Now")), past, f"{past}\n{more}")
        if self.parentWidget() is not None or not window.looking_back:
            self.setVisible(window.looking_back)  # and else whoever takes it in shows it


class RecordButton(_Saying):
    """A red dot that records what is read, and says for how long and how much."""

    turned = Signal()  # it records from now on, or no longer

    def __init__(self) -> None:
        super().__init__("record")
        self.setIcon(icon_of(Icon.RECORD, Tone.BAD))
        self.recording = False
        self.show_idle()

    def show_idle(self, *, possible: bool = True) -> None:
        word, why = tr("Record"), tr("Record what is read, into a file (Ctrl+R)")
        if not possible:
            why = tr("This is a recording already. Go back to the live cards to record.")
        self._turn(recording=False, enabled=possible)
        self.say((word, "", ""), word, why)

    def show_recording(self, seconds: float, much: str) -> None:
        time = str(timedelta(seconds=int(seconds)))
        said = tr("Recording, {time}, {size}", time=time, size=much)
        why = tr("Stop recording (Ctrl+R); what is read meanwhile is kept")
        self._turn()
        self.say((f"{time}    {much}", time, ""), said, why)

    def show_busy(self, words: str) -> None:
        """The disk is waited for."""
        self._turn(enabled=False)
        self.say((words, "", ""), words, words)

    def _turn(self, *, recording: bool = True, enabled: bool = True) -> None:
        turned, self.recording = recording is not self.recording, recording
        self.setEnabled(enabled)
        restyle(self, "on", recording)
        if turned:
            self.turned.emit()


class TopBar(QFrame):
    """The badge stands at the same place whatever it says: the host's name does not change."""

    def __init__(self, time_window: TimeWindow, commands: WindowCommands) -> None:
        super().__init__()
        self._time_window, self._leave = time_window, commands[Do.STOP_SIMULATING]
        self._source: Source | None = None
        self._timed = True
        self.setProperty("panel", "top")
        self.setFixedHeight(52)
        self.host = ElidedLabel(look().letters.title, Tone.TEXT, host_name())
        self.host.setMaximumWidth(240)
        self._badge = SourceBadge()
        self._label = ElidedLabel(look().letters.body, Tone.QUIET)
        self._stop = link_button(tr(STOP_SIMULATING))
        self._stop.setToolTip(tr("Look for real cards, and read these if there are some."))
        self._stop.clicked.connect(self._leave.trigger)
        self._leave.visibleChanged.connect(self._arrange)
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
        self._search.clicked.connect(commands[Do.SEARCH].trigger)
        self._badge.setObjectName("top.source")
        self._spans.setObjectName("top.time")
        self._pause.setObjectName("top.pause")
        self.record.setObjectName("top.record")
        self._search.setObjectName("top.search")
        source = (self.host, self._badge, self._label, Grow(1000))
        time = (self._stop, self._pill, self._spans, self._pause, self.record)
        row(*source, FREE, *time, self._search, within=self, gap=12, margins=(24, 0, 24, 0))
        time_window.changed.connect(self._on_time_changed)
        self._on_time_changed()
        self.show_source(None)

    def show_source(self, source: Source | None) -> None:
        if source == self._source:
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

    def offer_time(self, *, offered: bool) -> None:
        """Only beside plots is there a stretch of time to choose and to hold."""
        self._timed = offered
        self._arrange()

    def _arrange(self) -> None:
        """The badge is always there; the computer's name gives way a little."""
        window = self._time_window
        back = window.looking_back
        room = self.width() - _MORE_RECORDING * self.record.recording - _MORE_BACK * back
        level = sum(room < each for each in _LEVELS)
        self._label.setVisible(bool(self._label.text()) and level == 0)
        self._stop.setVisible(self._leave.isVisible() and level < 2)
        self._spans.setVisible(self._timed)
        self._spans.show_compact(level >= 2)
        # That has a bar of its own.
        self._pause.setVisible(self._timed and not window.replaying)
        self._pill.show_level(2 if level == 3 else 0)
        self.record.show_level(max(0, level - 1))
        self._search.show_compact(level > 0)

    def _on_time_changed(self) -> None:
        window = self._time_window
        another = "" if window.span in dict(SPANS) else span_words(window.span)
        self._spans.show_choice(window.span, another)
        icon, words = Icon.PLAY, tr("Resume the plots")
        if window.following:
            icon, words = Icon.PAUSE, tr("Pause the plots; reading goes on")
        self._pause.show_meaning(icon, words, "Space")
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
