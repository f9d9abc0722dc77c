"""WindowRecordings: what a window has to do with recordings: making, showing, handing on; and
WindowComparing: with comparing them.
"""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import bytes_words, span_words
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.recording_bar import ReplayBar
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.recording_state import AlwaysOn, RecordingPhase, RecordingState
from gpuexplorer.gui.state.time_window import DAY, HOUR
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS
from gpuexplorer.gui.widgets.bars.notices import DONE, PLAIN, WARNS, About, Notice, NoticeWay
from gpuexplorer.gui.widgets.bars.top_bar import RecordButton
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.saving import (
    CSV,
    FileKind,
    Saving,
    Write,
    ask_for_file,
    in_a_thread,
    suggested_name,
)
from gpuexplorer.gui.window_commands import CommandGroup, Do, command
from gpuexplorer.gui.window_frame import WindowFrame, WindowPart
from gpuexplorer.recording.door import refuse_own
from gpuexplorer.recording.recorded_session import RecordedSession, span_of, what_is_shown
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.whole_file import write_whole

SUFFIX = "gpurec"
RECORDINGS = FileKind(mark("Recording"), SUFFIX)
_ANONYMOUS = FileKind(mark("Recording without names, command lines and users"), SUFFIX)
_REPORT = FileKind(mark("Web page"), "html")
_EXPORTS = (
    CSV,
    FileKind(mark("Lines of JSON"), "jsonl"),
    FileKind(mark("Trace for Perfetto"), "json"),
)
_RECENT, _MOST_RECENT = "recordings/opened", 5
# Only while a recording is shown.
_OF_SHOWN = (
    *(Do.REPLAY, Do.NEXT_EVENT, Do.EVENT_BEFORE),
    *(Do.REPORT, Do.EXPORT_RECORDING, Do.CLOSE_RECORDING),
)


class WindowRecordings(WindowPart):
    """The window lays out `strips` and opens files; here is what one sees and clicks."""

    def __init__(self, window: WindowFrame, button: RecordButton, always_on: AlwaysOn) -> None:
        super().__init__(window)
        self._button, self.always_on = button, always_on
        self.strips = QWidget()
        self._strips = column(within=self.strips, gap=0)
        self.making = making = RecordingState(self)
        making.changed.connect(self._on_making_changed)
        making.failed.connect(window.say)
        making.ended.connect(self._on_ended)
        always_on.changed.connect(self._on_always_on_turned)
        self._saving = Saving(self.settings, window)
        self._saving.done.connect(self._tell_done)
        self._saving.refused.connect(window.say)
        opened = tr("Open a recording"), RECORDINGS.filter, window, window.open_recording
        self.commands.carry_out(
            {
                Do.RECORD: self._on_record_asked,
                Do.RECORD_ANONYMOUSLY: partial(self._ask_where, _ANONYMOUS, RECORDINGS),
                Do.OPEN_RECORDING: partial(ask_for_file, *opened),
                Do.CLOSE_RECORDING: window.close_recording,
                Do.REPORT: partial(self._hand_on, [_REPORT]),
                Do.EXPORT_RECORDING: partial(self._hand_on, _EXPORTS),
            }
        )
        button.clicked.connect(self._on_record_asked)
        self._show_recent()
        self._on_making_changed()

    def follow(self, session: Session, read: Sequence[Session]) -> None:
        """Which the window shows from now on; the one before may be gone. `read` are those of
        all machines, this computer first: of that one alone the past is kept.
        """
        self._session = session
        self.making.follow(session, read)
        self.always_on.follow(read[0])
        for bar in self._bars():
            bar.stop()
            bar.hide()
            bar.deleteLater()
        self.notices.end(About.RECORDING)
        recorded = isinstance(session, RecordedSession)
        if isinstance(session, RecordedSession):
            self._show(session)
        self.commands.offer(dict.fromkeys(_OF_SHOWN, recorded))
        # Its key plays the recording meanwhile.
        self.commands.hold.setVisible(not recorded)

    def stop(self) -> None:
        """Ends a recording as it should end. Harmless when called twice."""
        for bar in self._bars():
            bar.stop()
        self.making.stop_now()
        self.always_on.stop_now()

    def _bars(self) -> Sequence[ReplayBar]:
        """Last that of the recording that is shown, if one is."""
        return self.strips.findChildren(ReplayBar)

    def _show(self, session: RecordedSession) -> None:
        recording = session.recording
        bar = ReplayBar(session, self.time_window)
        for do, button in (
            (Do.REPLAY, bar.play),
            (Do.NEXT_EVENT, bar.after),
            (Do.EVENT_BEFORE, bar.before),
        ):
            self.commands[do].triggered.connect(button.click)
        self._strips.addWidget(bar)
        said = what_is_shown(recording)
        back = NoticeWay(tr("Back to the live cards"), self.window.close_recording)
        # Never taken for markup, whatever the file is called.
        hint = f"<qt>{escape(said)}<br>{escape(str(recording.path))}</qt>"
        sign = WARNS if recording.notes() else PLAIN
        self.notices.say(About.RECORDING, Notice(said, [back], sign, hint))
        self._remember(recording.path)

    def _tell_done(self, sentence: str) -> None:
        self.notices.say(About.FILE, Notice(sentence, sign=DONE, news=True))

    def _on_record_asked(self) -> None:
        if self.making.phase is RecordingPhase.NONE:
            self._ask_where(RECORDINGS, _ANONYMOUS)
        else:
            self.making.stop()

    def _ask_where(self, *kinds: FileKind) -> None:
        session = self._session
        if self.making.possible:
            wall, simulated = session.clock.wall(), session.simulated
            name = suggested_name("recording", wall, simulated=simulated)
            caption = tr("Save recording as")
            self._saving.ask(caption, name, kinds, self._start, may_replace=False)

    def _start(self, path: Path) -> None:
        self.notices.end(About.FILE)
        self.making.start(path, anonymous=self._saving.kind is _ANONYMOUS)

    def _on_making_changed(self) -> None:
        making, recorder = self.making, self.making.recorder
        match making.phase:
            case RecordingPhase.NONE:
                self._button.show_idle(possible=making.possible)
            case RecordingPhase.RECORDING if recorder is not None:
                size = bytes_words(recorder.size, self.settings.choices.units)
                self._button.show_recording(recorder.seconds, size)
            case RecordingPhase.ENDING:
                self._button.show_busy(tr("Ending…"))
            case _:
                self._button.show_busy(tr("Making the file…"))
        idle, record = making.phase is RecordingPhase.NONE, self.commands[Do.RECORD]
        record.setText(tr("Record…") if idle else tr("Stop recording"))
        record.setEnabled(making.possible or not idle)
        self.commands[Do.RECORD_ANONYMOUSLY].setEnabled(making.possible)

    def _on_always_on_turned(self) -> None:
        if self.always_on.trouble:
            self.window.say(self.always_on.trouble)

    def _on_ended(self, why: str) -> None:
        path, recorder = self.making.path, self.making.recorder
        assert recorder is not None  # it has recorded
        said = tr(
            "Recorded {time}, {size}, into {file}.",
            time=span_words(recorder.seconds),
            size=bytes_words(recorder.size, self.settings.choices.units),
            file=path.name,
        )
        self._remember(path)
        folder = QUrl.fromLocalFile(str(path.parent))
        ways = [
            NoticeWay(tr("Open it"), partial(self.window.open_recording, path)),
            NoticeWay(tr("Show in folder"), partial(QDesktopServices.openUrl, folder)),
            NoticeWay(tr("Save a report…"), partial(self._hand_on, [_REPORT], path)),
        ]
        sign = WARNS if why else DONE
        self.notices.say(About.FILE, Notice(paragraph((why, said)), ways, sign, news=True))

    def _hand_on(self, kinds: Sequence[FileKind], path: Path | None = None) -> None:
        """That file, or what is shown."""
        recorded = path or self._bars()[-1].recording.path

        def take(target: Path) -> Write:
            self._tell_done(tr("{file} is being written…", file=target.name))
            return partial(_write, recorded, target, self._saving.kind)

        self._saving.ask(tr("Export the recording"), recorded.stem, kinds, take)

    def _remember(self, path: Path) -> None:
        name = str(path.absolute())
        recent = dict.fromkeys([name, *(self.settings.remembered(_RECENT) or "").splitlines()])
        self.settings.remember(_RECENT, "\n".join([*recent][:_MOST_RECENT]))
        self._show_recent()

    def _show_recent(self) -> None:
        """In the menu, and among all commands."""
        menu = self.commands.recent
        menu.clear()
        for name in (self.settings.remembered(_RECENT) or "").splitlines():
            words = tr("Open {file}", file=Path(name).name.replace("&", "&&"))
            run = partial(self.window.open_recording, Path(name))
            also = tr("Open recent")
            menu.addAction(command(CommandGroup.RECORDING, words, run, also, parent=menu))
        menu.setEnabled(not menu.isEmpty())


def _write(path: Path, target: Path, kind: FileKind) -> None:
    """In a thread of its own. What only this needs is loaded here: it is rarely asked for."""
    from gpuexplorer.recording.export import chosen, exported  # noqa: PLC0415
    from gpuexplorer.recording.report import write_report  # noqa: PLC0415

    recording = open_recording(path)
    try:
        refuse_own(target, path)
        if kind is _REPORT:
            write_report(chosen(recording), target)
        else:
            forms = {".jsonl": "jsonl", ".json": "perfetto"}
            form = forms.get(target.suffix.lower(), "csv")
            write_whole(target, exported(chosen(recording), form), private=True)
    finally:
        recording.close()


class WindowComparing(WindowPart):
    """A notice says what lies behind the plots, and ends it."""

    def __init__(self, window: WindowFrame, machine: MachineState) -> None:
        """`machine` is what the window shows."""
        super().__init__(window)
        self._machine = machine
        file = tr("Compare with a recording"), RECORDINGS.filter, window, self.compare_with
        ways: dict[Do, Callable[[], object]] = {
            Do.COMPARE_FILE: partial(ask_for_file, *file),
            Do.COMPARE_HOUR: partial(self._span, -HOUR, tr("an hour earlier")),
            Do.COMPARE_DAY: partial(self._span, -DAY, tr("the same time the day before")),
            Do.COMPARE_MARK: self._on_mark_asked,
            Do.COMPARE_END: self.stop,
        }
        self.commands.carry_out(ways)
        self._actions = [self.commands[do] for do in ways]
        machine.comparing.changed.connect(self._on_changed)
        self.time_window.marked_changed.connect(self._on_marked_changed)
        self._on_marked_changed()

    def follow(self, machine: MachineState) -> None:
        """Which the window shows from now on; the one before may be gone."""
        self.stop()
        self._machine.comparing.changed.disconnect(self._on_changed)
        self._machine = machine
        machine.comparing.actions = self._actions
        machine.comparing.changed.connect(self._on_changed)
        self._on_changed()

    def compare_with(self, path: Path) -> None:
        """Read in a thread, since disks hang."""
        show = partial(self._show, self._machine)
        in_a_thread(partial(open_recording, path), self, show, self.window.say)

    def stop(self) -> None:
        """Harmless when called twice."""
        self._machine.comparing.end()

    def _span(self, shift: float, label: str) -> None:
        self._machine.comparing.with_span(shift, label)

    def _on_mark_asked(self) -> None:
        marked = self.time_window.marked
        if marked is not None:
            moment, shift = (
                self.time_window.moment(marked.at),
                marked.at - self.time_window.stretch()[0],
            )
            self._span(shift, tr("from {moment} on", moment=moment))

    def _show(self, machine: MachineState, recording: Recording) -> None:
        if machine is not self._machine:
            recording.close()
            return
        # Its beginning lies at the mark, if there is one.
        marked = self.time_window.marked
        at = self.time_window.stretch()[0] if marked is None else marked.at
        words = mark("{file}, {span}, beginning here at {moment}")
        if recording.runs[-1].machine.source.simulated:
            words = mark("{file} (simulated), {span}, beginning here at {moment}")
        named, span = recording.path.name, span_of(recording)
        label = tr(words, file=named, span=span, moment=self.time_window.moment(at))
        cards = [each.card for shown in machine.cards() for each in (shown, *shown.instances)]
        machine.comparing.with_recording(recording, at, label, cards)

    def _on_changed(self) -> None:
        machine, window = self._machine, self.time_window
        beside = machine.comparing.beside
        self.commands[Do.COMPARE_END].setVisible(beside is not None)
        if beside is None:
            self.notices.end(About.COMPARISON)
            return
        said = [tr("Dotted lines: {label}.", label=beside.label), *beside.remarks]
        began, later = machine.past.began, beside.began or 0.0
        if beside.past is machine.past and began and later >= window.stretch()[1]:
            said.append(tr("Nothing was read before {moment}.", moment=window.moment(began)))
        if len(machine.cards()) > MOST_COLOURED_CARDS:
            said.append(tr("Plots of single cards show it; the strip of all does not."))
        ways = [NoticeWay(tr("End the comparison"), self.stop)]
        self.notices.say(About.COMPARISON, Notice(paragraph(said), ways))

    def _on_marked_changed(self) -> None:
        self.commands[Do.COMPARE_MARK].setEnabled(self.time_window.marked is not None)
