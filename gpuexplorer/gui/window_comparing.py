"""WindowComparing: what a window has to do with comparing: its commands, and what is said."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.recording.words import span_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import DAY, HOUR, TimeWindow
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS
from gpuexplorer.gui.widgets.bars.notices import About, Notice, Notices, NoticeWay
from gpuexplorer.gui.widgets.saving import ask_for_file
from gpuexplorer.gui.window_commands import Do, WindowCommands
from gpuexplorer.gui.window_recordings import RECORDINGS, WindowRecordings
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.patience import Asked

_LOOK_EVERY = 50  # milliseconds
_WAYS = (Do.COMPARE_FILE, Do.COMPARE_HOUR, Do.COMPARE_DAY, Do.COMPARE_MARK)


class WindowComparing(QObject):
    """A notice says what lies behind the plots, and ends it."""

    def __init__(
        self,
        commands: WindowCommands,
        time_window: TimeWindow,
        recordings: WindowRecordings,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._commands, self._time_window = commands, time_window
        self._say = recordings.say
        self._machine: MachineState | None = None
        self._reading: Asked[Recording] | None = None
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)
        caption = tr("Compare with a recording")
        ask = partial(ask_for_file, caption, RECORDINGS.filter, window, self.compare_with)
        self._notices = notices
        for do, slot in (
            (Do.COMPARE_FILE, ask),
            (Do.COMPARE_HOUR, partial(self._span, -HOUR, tr("an hour earlier"))),
            (Do.COMPARE_DAY, partial(self._span, -DAY, tr("the same time the day before"))),
            (Do.COMPARE_MARK, self._on_mark_asked),
            (Do.COMPARE_END, self._on_end_asked),
        ):
            commands[do].triggered.connect(lambda _=False, run=slot: run())
        time_window.marked_changed.connect(self._on_marked_changed)
        self._on_changed()
        self._on_marked_changed()

    def follow(self, machine: MachineState) -> None:
        """Which the window shows from now on; the one before may be gone."""
        self.stop()
        if self._machine is not None:
            self._machine.comparing.changed.disconnect(self._on_changed)
        self._machine = machine
        comparing = machine.comparing
        comparing.actions = [self._commands[do] for do in (*_WAYS, Do.COMPARE_END)]
        comparing.changed.connect(self._on_changed)
        self._on_changed()

    def compare_with(self, path: Path) -> None:
        """Read in a thread, since disks hang; the one asked for last is shown."""
        self._reading = Asked(partial(open_recording, path))
        self._timer.start()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._timer.stop()
        self._reading = None
        if self._machine is not None:
            self._machine.comparing.end()

    def _span(self, shift: float, label: str) -> None:
        if self._machine is not None:
            self._machine.comparing.with_span(shift, label)

    def _on_mark_asked(self) -> None:
        marked = self._time_window.marked
        if marked is not None:
            start = self._time_window.stretch()[0]
            label = tr("from {moment} on", moment=self._time_window.moment(marked.at))
            self._span(marked.at - start, label)

    def _on_end_asked(self) -> None:
        if self._machine is not None:
            self._machine.comparing.end()

    def _on_timeout(self) -> None:
        reading, machine = self._reading, self._machine
        if reading is None or not reading.answered or machine is None:
            return
        self._timer.stop()
        self._reading = None
        try:
            recording = reading.result()
        except Trouble as trouble:
            self._say(trouble.told)
            return
        # Its beginning lies at the mark, if there is one.
        marked = self._time_window.marked
        at = self._time_window.stretch()[0] if marked is None else marked.at
        words = mark("{file}, {span}, beginning here at {moment}")
        if recording.runs[-1].machine.source.simulated:
            words = mark("{file} (simulated), {span}, beginning here at {moment}")
        label = tr(
            words,
            file=recording.path.name,
            span=span_of(recording),
            moment=self._time_window.moment(at),
        )
        cards = [each.card for shown in machine.cards() for each in (shown, *shown.instances)]
        machine.comparing.with_recording(recording, at, label, cards)

    def _on_changed(self) -> None:
        machine = self._machine
        beside = None if machine is None else machine.comparing.beside
        self._commands[Do.COMPARE_END].setVisible(beside is not None)
        if machine is not None and beside is not None:
            said = [tr("Dotted lines: {label}.", label=beside.label), *beside.remarks]
            began = machine.past.began
            later = beside.began is not None and beside.began >= self._time_window.stretch()[1]
            if began is not None and later and beside.past is machine.past:
                moment = self._time_window.moment(began)
                said.append(tr("Nothing was read before {moment}.", moment=moment))
            if len(machine.cards()) > MOST_COLOURED_CARDS:
                said.append(tr("Plots of single cards show it; the strip of all does not."))
            ways = [NoticeWay(tr("End the comparison"), self._on_end_asked)]
            self._notices.say(About.COMPARISON, Notice(paragraph(said), ways))
        else:
            self._notices.end(About.COMPARISON)

    def _on_marked_changed(self) -> None:
        self._commands[Do.COMPARE_MARK].setEnabled(self._time_window.marked is not None)
