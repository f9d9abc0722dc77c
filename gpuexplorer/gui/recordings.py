"""WindowRecordings: what a window has to do with recordings: making, showing, handing on; and
WindowComparing: with comparing them.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.axes import day_word
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.units import bytes_words, span_words
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.recording_bar import ReplayBar
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.recording_state import AlwaysOn, RecordingPhase, RecordingState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import DAY, HOUR, TimeWindow
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS
from gpuexplorer.gui.widgets.bars.notices import (
    DONE,
    PLAIN,
    WARNS,
    About,
    Notice,
    Notices,
    NoticeWay,
)
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
from gpuexplorer.gui.window_commands import MOST_RECENT, Do, WindowCommands
from gpuexplorer.recording.door import refuse_own
from gpuexplorer.recording.recorded_session import RecordedSession
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
_RECENT, _LONGEST_NAME = "recordings/opened", 60
# Only while a recording is shown.
_OF_SHOWN = (
    *(Do.REPLAY, Do.NEXT_EVENT, Do.EVENT_BEFORE),
    *(Do.REPORT, Do.EXPORT_RECORDING, Do.CLOSE_RECORDING),
)


class WindowRecordings(QObject):
    """The window lays out `strips` and opens files; here is what one sees and clicks."""

    open_asked = Signal(Path)
    close_asked = Signal()

    def __init__(
        self,
        settings: Settings,
        commands: WindowCommands,
        button: RecordButton,
        time_window: TimeWindow,
        always_on: AlwaysOn,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._settings, self._commands, self._button = settings, commands, button
        self._time_window, self._always_on, self._notices = time_window, always_on, notices
        self._session: Session | None = None
        self._bar: ReplayBar | None = None  # of the recording that is shown
        self.strips = QWidget()
        self._strips = column(within=self.strips, gap=0)
        self.making = making = RecordingState(self)
        making.changed.connect(self._on_making_changed)
        making.failed.connect(self.say)
        making.ended.connect(self._on_ended)
        always_on.changed.connect(self._on_always_on_turned)
        self._saving = Saving(settings, window)
        self._saving.done.connect(self._tell_done)
        self._saving.refused.connect(self.say)
        opened = tr("Open a recording"), RECORDINGS.filter, window, self.open_asked.emit
        for do, slot in (
            (Do.RECORD, self._on_record_asked),
            (Do.RECORD_ANONYMOUSLY, partial(self._ask_where, _ANONYMOUS, RECORDINGS)),
            (Do.OPEN_RECORDING, partial(ask_for_file, *opened)),
            (Do.CLOSE_RECORDING, self.close_asked),
            (Do.REPORT, partial(self._hand_on, [_REPORT], None)),
            (Do.EXPORT_RECORDING, partial(self._hand_on, _EXPORTS, None)),
        ):
            commands[do].triggered.connect(slot)
        for action in commands.recent:
            action.triggered.connect(partial(self._open, action))
        button.clicked.connect(self._on_record_asked)
        self._show_recent()
        self._on_making_changed()

    def follow(self, session: Session, read: Sequence[Session] = ()) -> None:
        """Which the window shows from now on; the one before may be gone. `read` are those of
        all machines, this computer first: of that one alone the past is kept.
        """
        self._session = session
        self.making.follow(session, read)
        self._always_on.follow(read[0] if read else session)
        if self._bar is not None:
            self._bar.stop()
            self._bar.hide()
            self._bar.deleteLater()
            self._bar = None
        self._notices.end(About.RECORDING)
        if isinstance(session, RecordedSession):
            self._show(session)
        for do in _OF_SHOWN:
            self._commands[do].setVisible(self._bar is not None)
        # Its key plays the recording meanwhile.
        self._commands.hold.setVisible(self._bar is None)

    def say(self, sentence: str) -> None:
        """Why a file could not be opened, say."""
        self._notices.say(About.FILE, Notice(sentence, sign=WARNS, news=True))

    def stop(self) -> None:
        """Ends a recording as it should end. Harmless when called twice."""
        if self._bar is not None:
            self._bar.stop()
        self.making.stop_now()
        self._always_on.stop_now()

    def _show(self, session: RecordedSession) -> None:
        recording = session.recording
        self._bar = bar = ReplayBar(session, self._time_window)
        for do, button in (
            (Do.REPLAY, bar.play),
            (Do.NEXT_EVENT, bar.after),
            (Do.EVENT_BEFORE, bar.before),
        ):
            self._commands[do].triggered.connect(button.click)
        self._strips.addWidget(bar)
        said = what_is_shown(recording)
        back = NoticeWay(tr("Back to the live cards"), self.close_asked.emit)
        # Never taken for markup, whatever the file is called.
        hint = f"<qt>{escape(said)}<br>{escape(str(recording.path))}</qt>"
        sign = WARNS if recording.notes() else PLAIN
        self._notices.say(About.RECORDING, Notice(said, [back], sign, hint))
        self._remember(recording.path)

    def _tell_done(self, sentence: str) -> None:
        self._notices.say(About.FILE, Notice(sentence, sign=DONE, news=True))

    def _on_record_asked(self) -> None:
        if self.making.phase is RecordingPhase.NONE:
            self._ask_where(RECORDINGS, _ANONYMOUS)
        else:
            self.making.stop()

    def _ask_where(self, *kinds: FileKind) -> None:
        session = self._session
        if session is not None and self.making.possible:
            wall, simulated = session.clock.wall(), session.simulated
            name = suggested_name("recording", wall, simulated=simulated)
            caption = tr("Save recording as")
            self._saving.ask(caption, name, kinds, self._start, may_replace=False)

    def _start(self, path: Path) -> None:
        self._notices.end(About.FILE)
        self.making.start(path, anonymous=self._saving.kind is _ANONYMOUS)

    def _on_making_changed(self) -> None:
        making, recorder = self.making, self.making.recorder
        match making.phase:
            case RecordingPhase.NONE:
                self._button.show_idle(possible=making.possible)
            case RecordingPhase.RECORDING if recorder is not None:
                self._button.show_recording(recorder.seconds, recorder.size)
            case RecordingPhase.ENDING:
                self._button.show_busy(tr("Ending…"))
            case _:
                self._button.show_busy(tr("Making the file…"))
        idle, record = making.phase is RecordingPhase.NONE, self._commands[Do.RECORD]
        record.setText(tr("Record…") if idle else tr("Stop recording"))
        record.setEnabled(making.possible or not idle)
        self._commands[Do.RECORD_ANONYMOUSLY].setEnabled(making.possible)

    def _on_always_on_turned(self) -> None:
        if self._always_on.trouble:
            self.say(self._always_on.trouble)

    def _on_ended(self, why: str) -> None:
        path, recorder = self.making.path, self.making.recorder
        assert recorder is not None  # it has recorded
        said = tr(
            "Recorded {time}, {size}, into {file}.",
            time=span_words(recorder.seconds),
            size=bytes_words(recorder.size, self._settings.choices.units),
            file=path.name,
        )
        self._remember(path)
        folder = QUrl.fromLocalFile(str(path.parent))
        ways = [
            NoticeWay(tr("Open it"), partial(self.open_asked.emit, path)),
            NoticeWay(tr("Show in folder"), partial(QDesktopServices.openUrl, folder)),
            NoticeWay(tr("Save a report…"), partial(self._hand_on, [_REPORT], path)),
        ]
        sign = WARNS if why else DONE
        notice = Notice(paragraph((why, said)), ways, sign, news=True)
        self._notices.say(About.FILE, notice)

    def _hand_on(self, kinds: Sequence[FileKind], path: Path | None = None) -> None:
        """That file, or what is shown."""
        if path is None:
            assert self._bar is not None  # else nobody can ask
            path = self._bar.recording.path

        def take(target: Path) -> Write:
            self._tell_done(tr("{file} is being written…", file=target.name))
            return partial(_write, path, target, self._saving.kind)

        self._saving.ask(tr("Export the recording"), path.stem, kinds, take)

    def _open(self, recent: QAction) -> None:
        self.open_asked.emit(Path(recent.data()))

    def _remember(self, path: Path) -> None:
        name = str(path.absolute())
        recent = [name, *(each for each in self._recent() if each != name)]
        self._settings.remember(_RECENT, "\n".join(recent[:MOST_RECENT]))
        self._show_recent()

    def _recent(self) -> list[str]:
        return (self._settings.remembered(_RECENT) or "").splitlines()

    def _show_recent(self) -> None:
        """In the menu, and among all commands."""
        for action, name in zip(self._commands.recent, self._recent(), strict=False):
            action.setText(tr("Open {file}", file=Path(name).name.replace("&", "&&")))
            action.setToolTip(name)
            action.setData(name)
        for action in self._commands.recent:
            action.setVisible(action.data() is not None)


def what_is_shown(recording: Recording) -> str:
    """The sentences of the notice."""
    machine = recording.run(recording.ended).machine
    sentence = tr(
        "Recording of {host}, {span}, {cards}",
        host=clean(machine.name, _LONGEST_NAME) or tr("a computer that is not named"),
        span=span_of(recording),
        cards=trn("{count} card", "{count} cards", len(recording.cards())),
    )
    parts = [sentence]
    if machine.source.simulated:
        parts.append(tr("simulated cards: every figure is made up"))
    if recording.anonymous:
        parts.append(tr("without names, command lines and users"))
    return paragraph([f"{'; '.join(parts)}.", *recording.notes()])


def span_of(recording: Recording) -> str:
    """ "22 Nov 14:05 to 15:05", "22 Nov 14:05 to 29 Nov 9:00"."""
    began, ended = recording.wall(recording.began), recording.wall(recording.ended)
    first, last = (datetime.fromtimestamp(each).astimezone() for each in (began, ended))
    form = "%H:%M" if ended - began >= 60 else "%H:%M:%S"
    start, end = f"{day_word(began)} {first.strftime(form)}", last.strftime(form)
    if first.date() != last.date():
        end = f"{day_word(ended)} {end}"
    return tr("{start} to {end}", start=start, end=end)


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
        self._notices, self._say = notices, recordings.say
        self._machine: MachineState | None = None
        file = tr("Compare with a recording"), RECORDINGS.filter, window, self.compare_with
        ways = (
            (Do.COMPARE_FILE, partial(ask_for_file, *file)),
            (Do.COMPARE_HOUR, partial(self._span, -HOUR, tr("an hour earlier"))),
            (Do.COMPARE_DAY, partial(self._span, -DAY, tr("the same time the day before"))),
            (Do.COMPARE_MARK, self._on_mark_asked),
            (Do.COMPARE_END, self.stop),
        )
        for do, slot in ways:
            commands[do].triggered.connect(slot)
        self._actions = [commands[do] for do, _ in ways]
        time_window.marked_changed.connect(self._on_marked_changed)
        self._on_changed()
        self._on_marked_changed()

    def follow(self, machine: MachineState) -> None:
        """Which the window shows from now on; the one before may be gone."""
        self.stop()
        if self._machine is not None:
            self._machine.comparing.changed.disconnect(self._on_changed)
        self._machine = machine
        machine.comparing.actions = self._actions
        machine.comparing.changed.connect(self._on_changed)
        self._on_changed()

    def compare_with(self, path: Path) -> None:
        """Read in a thread, since disks hang."""
        show = partial(self._show, self._machine)
        in_a_thread(partial(open_recording, path), self, show, self._say)

    def stop(self) -> None:
        """Harmless when called twice."""
        if self._machine is not None:
            self._machine.comparing.end()

    def _span(self, shift: float, label: str) -> None:
        if self._machine is not None:
            self._machine.comparing.with_span(shift, label)

    def _on_mark_asked(self) -> None:
        marked, (start, _) = self._time_window.marked, self._time_window.stretch()
        if marked is not None:
            moment = self._time_window.moment(marked.at)
            self._span(marked.at - start, tr("from {moment} on", moment=moment))

    def _show(self, machine: MachineState | None, recording: Recording) -> None:
        if machine is None or machine is not self._machine:
            recording.close()
            return
        # Its beginning lies at the mark, if there is one.
        marked = self._time_window.marked
        at = self._time_window.stretch()[0] if marked is None else marked.at
        words = mark("{file}, {span}, beginning here at {moment}")
        if recording.runs[-1].machine.source.simulated:
            words = mark("{file} (simulated), {span}, beginning here at {moment}")
        moment = self._time_window.moment(at)
        label = tr(words, file=recording.path.name, span=span_of(recording), moment=moment)
        cards = [each.card for shown in machine.cards() for each in (shown, *shown.instances)]
        machine.comparing.with_recording(recording, at, label, cards)

    def _on_changed(self) -> None:
        machine = self._machine
        beside = None if machine is None else machine.comparing.beside
        self._commands[Do.COMPARE_END].setVisible(beside is not None)
        if machine is None or beside is None:
            self._notices.end(About.COMPARISON)
            return
        said = [tr("Dotted lines: {label}.", label=beside.label), *beside.remarks]
        began, later = machine.past.began, beside.began or 0.0
        if beside.past is machine.past and began and later >= self._time_window.stretch()[1]:
            moment = self._time_window.moment(began)
            said.append(tr("Nothing was read before {moment}.", moment=moment))
        if len(machine.cards()) > MOST_COLOURED_CARDS:
            said.append(tr("Plots of single cards show it; the strip of all does not."))
        ways = [NoticeWay(tr("End the comparison"), self.stop)]
        self._notices.say(About.COMPARISON, Notice(paragraph(said), ways))

    def _on_marked_changed(self) -> None:
        self._commands[Do.COMPARE_MARK].setEnabled(self._time_window.marked is not None)
