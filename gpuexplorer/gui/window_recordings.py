"""WindowRecordings: what a window has to do with recordings: making, showing, handing on."""

import json
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.recording.replay_bar import ReplayBar
from gpuexplorer.gui.recording.words import recorded, what_is_shown
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.recording_state import RecordingPhase, RecordingState
from gpuexplorer.gui.state.replay_state import ReplayState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
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
from gpuexplorer.gui.widgets.saving import FileKind, Saving, Write, ask_for_file, suggested_name
from gpuexplorer.gui.window_commands import MOST_RECENT, Do, WindowCommands
from gpuexplorer.recording.door import refuse_own
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.whole_file import write_whole

SUFFIX = "gpurec"
RECORDINGS = FileKind(mark("Recording"), SUFFIX)
_ANONYMOUS = FileKind(mark("Recording without names, command lines and users"), SUFFIX)
_REPORT = FileKind(mark("Web page"), "html")
_EXPORTS = (
    FileKind(mark("Table"), "csv"),
    FileKind(mark("Lines of JSON"), "jsonl"),
    FileKind(mark("Trace for Perfetto"), "json"),
)
_RECENT = "recordings/recent"
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
        self._settings, self._commands = settings, commands
        self._time_window, self._button = time_window, button
        self._always_on = always_on
        self._session: Session | None = None
        self.making = RecordingState(self)
        self.replay: ReplayState | None = None
        self._notices = notices
        self.strips = QWidget()
        self._strips = column(within=self.strips, gap=0)
        self._bar: ReplayBar | None = None
        self._trouble = ""  # that was said
        self._saving = Saving(settings, window)
        self._saving.done.connect(self._tell_done)
        self._saving.refused.connect(self.say)
        self._ask = partial(
            ask_for_file,
            tr("Open a recording"),
            RECORDINGS.filter,
            window,
            self.open_asked.emit,
        )
        self._connect()
        self._show_recent()
        self._on_making_changed()

    def follow(self, session: Session, read: Sequence[Session] = ()) -> None:
        """Which the window shows from now on; the one before may be gone. `read` are those of
        all machines, this computer first: of that one alone the past is kept.
        """
        self._session = session
        self.making.follow(session, read)
        self._always_on.follow(read[0] if read else session)
        if self.replay is not None:
            self.replay.stop()
            self.replay.deleteLater()
            self.replay = None
        if self._bar is not None:
            self._bar.hide()
            self._bar.deleteLater()
            self._bar = None
        self._notices.end(About.RECORDING)
        if isinstance(session, RecordedSession):
            self._show_replay(session)
        for do in _OF_SHOWN:
            self._commands[do].setVisible(self.replay is not None)
        # Its key plays the recording meanwhile.
        self._commands.hold.setVisible(self.replay is None)

    def say(self, sentence: str) -> None:
        """Why a file could not be opened, say."""
        self._notices.say(About.FILE, Notice(sentence, sign=WARNS, news=True))

    def stop(self) -> None:
        """Ends a recording as it should end. Harmless when called twice."""
        if self.replay is not None:
            self.replay.stop()
        self.making.stop_now()
        self._always_on.stop()

    def _connect(self) -> None:
        for do, slot in (
            (Do.RECORD, self._on_record_asked),
            (Do.RECORD_ANONYMOUSLY, self._on_anonymous_asked),
            (Do.OPEN_RECORDING, self._ask),
            (Do.CLOSE_RECORDING, self.close_asked),
            (Do.REPORT, self._on_report_asked),
            (Do.EXPORT_RECORDING, self._on_export_asked),
        ):
            self._commands[do].triggered.connect(slot)
        for action in self._commands.recent:
            action.triggered.connect(partial(self._open_recent, action))
        self._button.clicked.connect(self._on_record_asked)
        self.making.changed.connect(self._on_making_changed)
        self.making.ended.connect(self._on_ended)
        self._always_on.turned.connect(self._on_always_on_turned)
        self._notices.closed.connect(self._on_notice_closed)

    def _show_replay(self, session: RecordedSession) -> None:
        self.replay = replay = ReplayState(session, self)
        for do, slot in (
            (Do.REPLAY, replay.toggle),
            (Do.NEXT_EVENT, replay.next_mark),
            (Do.EVENT_BEFORE, replay.mark_before),
        ):
            self._commands[do].triggered.connect(slot)
        recording = session.recording
        said, back = (
            what_is_shown(recording),
            NoticeWay(tr("Back to the live cards"), self._close),
        )
        # Never taken for markup, whatever the file is called.
        hint = f"<qt>{escape(said)}<br>{escape(str(recording.path))}</qt>"
        sign = WARNS if recording.notes() else PLAIN
        self._notices.say(About.RECORDING, Notice(said, [back], sign, hint))
        self._bar = ReplayBar(replay, self._time_window)
        self._strips.addWidget(self._bar)
        self._remember(recording.path)

    def _close(self) -> None:
        self.close_asked.emit()

    def _tell_done(self, sentence: str) -> None:
        self._notices.say(About.FILE, Notice(sentence, sign=DONE, news=True))

    def _on_notice_closed(self, about: About) -> None:
        if about is About.FILE:
            self.making.forget_trouble()

    def _on_record_asked(self) -> None:
        if self.making.recording:
            self.making.stop()
        else:
            self._ask_where((RECORDINGS, _ANONYMOUS))

    def _on_anonymous_asked(self) -> None:
        self._ask_where((_ANONYMOUS, RECORDINGS))

    def _ask_where(self, kinds: Sequence[FileKind]) -> None:
        session = self._session
        if session is None or self.making.recording or not self.making.possible:
            return
        name = suggested_name("recording", session.clock.wall(), simulated=session.simulated)
        caption = tr("Record: where to?")
        self._saving.ask(caption, name, kinds, self._start, may_replace=False)

    def _start(self, path: Path) -> None:
        self._notices.end(About.FILE)
        self.making.start(path, anonymous=self._saving.kind is _ANONYMOUS)

    def _on_making_changed(self) -> None:
        making, record = self.making, self._commands[Do.RECORD]
        match making.phase:
            case RecordingPhase.NONE:
                self._button.show_idle(trouble=making.trouble, possible=making.possible)
            case RecordingPhase.STARTING:
                self._button.show_busy(tr("Making the file…"))
            case RecordingPhase.RECORDING:
                self._button.show_recording(making.seconds, making.size)
            case RecordingPhase.ENDING:
                self._button.show_busy(tr("Ending…"))
        if making.trouble != self._trouble:
            self._trouble = making.trouble
            if self._trouble:
                self.say(self._trouble)
        record.setText(tr("Stop recording") if making.recording else tr("Record…"))
        record.setEnabled(making.recording or making.possible)
        self._commands[Do.RECORD_ANONYMOUSLY].setEnabled(
            making.possible and not making.recording
        )

    def _on_always_on_turned(self) -> None:
        if self._always_on.trouble:
            self.say(self._always_on.trouble)

    def _on_ended(self, path: Path, because: str) -> None:
        making = self.making
        said = recorded(path.name, making.seconds, making.size, self._settings.choices.units)
        self._remember(path)
        ways = [
            NoticeWay(tr("Open it"), partial(self.open_asked.emit, path)),
            NoticeWay(tr("Show in folder"), partial(_show_folder, path)),
            NoticeWay(tr("Save a report…"), partial(self._ask_report, path)),
        ]
        sentence = paragraph((making.trouble, because, said))
        sign = WARNS if making.trouble else DONE
        self._notices.say(About.FILE, Notice(sentence, ways, sign, news=True))

    def _on_report_asked(self) -> None:
        if self.replay is not None:
            self._ask_report(self.replay.recording.path)

    def _ask_report(self, path: Path) -> None:
        self._hand_on(path, tr("Save a report"), f"{path.stem}-report", [_REPORT])

    def _on_export_asked(self) -> None:
        if self.replay is not None:
            path = self.replay.recording.path
            self._hand_on(path, tr("Export the recording"), path.stem, _EXPORTS)

    def _hand_on(self, path: Path, caption: str, name: str, kinds: Sequence[FileKind]) -> None:
        def take(target: Path) -> Write:
            self._tell_done(tr("{file} is being written…", file=target.name))
            return partial(_write, path, target, self._saving.kind)

        self._saving.ask(caption, name, kinds, take)

    def _open_recent(self, action: QAction, _checked: bool = False) -> None:
        self.open_asked.emit(Path(action.data()))

    def _recent(self) -> list[Path]:
        try:
            kept = json.loads(self._settings.remembered(_RECENT) or "[]")
            return [Path(str(each)) for each in list(kept)[:MOST_RECENT]]
        except (ValueError, TypeError):
            return []  # somebody else wrote there

    def _remember(self, path: Path) -> None:
        whole = path.absolute()
        recent = [whole, *(each for each in self._recent() if each != whole)]
        names = [str(each) for each in recent[:MOST_RECENT]]
        self._settings.remember(_RECENT, json.dumps(names))
        self._show_recent()

    def _show_recent(self) -> None:
        """In the menu, and among all commands."""
        recent = self._recent()
        for at, action in enumerate(self._commands.recent):
            there = at < len(recent)
            action.setVisible(there)
            if there:
                action.setText(tr("Open {file}", file=recent[at].name.replace("&", "&&")))
                action.setToolTip(str(recent[at]))
                action.setData(str(recent[at]))


def _write(path: Path, target: Path, kind: FileKind) -> None:
    """In a thread of its own. What only this needs is loaded here: it is rarely asked for."""
    from gpuexplorer.recording.export import chosen, exported  # noqa: PLC0415
    from gpuexplorer.recording.report import write_report  # noqa: PLC0415

    recording = open_recording(path)
    try:
        refuse_own(target, path)
        choice = chosen(recording)
        if kind is _REPORT:
            write_report(choice, target)
        else:
            forms = {".jsonl": "jsonl", ".json": "perfetto"}
            form = forms.get(target.suffix.lower(), "csv")
            write_whole(target, exported(choice, form), private=True)
    finally:
        recording.close()


def _show_folder(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
