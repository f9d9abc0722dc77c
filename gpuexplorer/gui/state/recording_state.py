"""RecordingState: the recording that is made; AlwaysOn: the past that is always kept. Only
threads wait for disks.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.starting import LabRecording
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.recording.recorded_session import JoinedPast
from gpuexplorer.recording.recorder import Kept, KeptFiles, Listening, Recorder, machine_of
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session

_OFTEN, _SELDOM = 250, 1000  # milliseconds
_PATIENCE, _LAST_PATIENCE, _PATIENCE_AT_START = 10.0, 1.5, 0.3


class RecordingPhase(Enum):
    """Making a file and closing it may take as long as the disk likes."""

    NONE = auto()
    STARTING = auto()
    RECORDING = auto()
    ENDING = auto()


class Writing(QObject):
    """One session into one file, and then perhaps another. `changed` comes all the while."""

    changed = Signal()
    failed = Signal(str)  # it could not be begun
    ended = Signal(str)  # and why, where nobody asked for it
    _asked: Asked[Any]  # to begin: a recorder, or none; to end: whether it did in time

    def __init__(self, every: int, parent: QObject | None) -> None:
        super().__init__(parent)
        self.phase, self.path = RecordingPhase.NONE, Path()
        self.session: Session | None = None  # until it is to end
        self.recorder: Recorder | None = None  # this one, or the last
        self.heard: list[Listening | LabRecording] = []
        self._because = ""
        self._timer = QTimer(self, interval=every)
        self._timer.timeout.connect(self._look)

    def begin(
        self, session: Session | None, path: Path, make: Callable[[], Recorder | None]
    ) -> None:
        self.phase, self.session, self.path = RecordingPhase.STARTING, session, path
        self.recorder, self._because, self._asked = None, "", Asked(make)
        self._timer.start()
        self.changed.emit()

    def stop(self, because: str = "") -> None:
        """`because` is said where nobody asked for it."""
        if self.phase in (RecordingPhase.STARTING, RecordingPhase.RECORDING):
            self.session, self._because = None, because
        if self.phase is RecordingPhase.RECORDING and self.recorder is not None:
            while self.heard:
                self.heard.pop().stop()
            self.phase = RecordingPhase.ENDING
            self._asked = Asked(partial(self.recorder.stop, _PATIENCE))
            self.changed.emit()

    def stop_now(self) -> None:
        """At the end of the program: the disk has a moment. Harmless when called twice."""
        self._timer.stop()
        begins = self.phase is RecordingPhase.STARTING
        if begins and self._asked.answered_within(_LAST_PATIENCE):
            self._look()
        self.stop()
        if self.phase is RecordingPhase.ENDING:
            self._asked.answered_within(_LAST_PATIENCE)
        self.phase = RecordingPhase.NONE

    def _look(self) -> None:
        recorder = self.recorder
        if self.phase is RecordingPhase.STARTING and self._asked.answered:
            self._take()
        elif self.phase is RecordingPhase.ENDING and self._asked.answered:
            self._rest()
            why = "" if recorder is None or not recorder.trouble else recorder.trouble.told
            late = tr(
                "The disk keeps {file} waiting: what it did not take yet may be missing at "
                "its end.",
                file=self.path.name,
            )
            self.ended.emit(why or (self._because if self._asked.result() else late))
        elif recorder is not None and recorder.trouble:
            self.stop()
        self.changed.emit()

    def _take(self) -> None:
        try:
            self.recorder = self._asked.result()
        except Trouble as trouble:
            self._rest()
            self.failed.emit(trouble.told)
            return
        if self.recorder is None:
            self._rest()
            return
        self.phase = RecordingPhase.RECORDING
        if self.session is None:  # it was asked to stop meanwhile
            self.stop(self._because)
        else:
            self.heard = [Listening(self.session, self.recorder)]

    def _rest(self) -> None:
        self.phase, self.session = RecordingPhase.NONE, None
        self._timer.stop()


class RecordingState(Writing):
    """The recording that is made of the session in the window."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_OFTEN, parent)
        self._shown: Session | None = None
        self._lab: Lab | None = None

    @property
    def possible(self) -> bool:
        """Not of what is read from a recording, nor twice at once."""
        idle, shown = self.phase is RecordingPhase.NONE, self._shown
        return idle and shown is not None and shown.past.ended is None

    def follow(self, session: Session, read: Sequence[Session] = ()) -> None:
        """What the window shows from now on. Looking at a recording ends none, nor does looking
        at another machine, while this one is `read`; other cards do, since their figures belong
        to no card of this file.
        """
        self._shown = session
        there = self.session in (None, session, *read)
        if not there and session.past.ended is None:
            self.stop(tr("The recording ended, because other cards are read now."))
        self.changed.emit()

    def follow_lab(self, lab: Lab) -> None:
        """What becomes of the lab of that session goes into the recording too; another lab of
        it takes the place of the one before, that of another machine does not.
        """
        self._lab = lab
        if lab.recorded or lab.machine.session is self.session:
            self._hear_lab()

    def start(self, path: Path, *, anonymous: bool = False) -> None:
        if self.possible and self._shown is not None:
            make = partial(Recorder, path, anonymous=anonymous)
            self.begin(self._shown, path, partial(_started, make, self._shown))

    def _take(self) -> None:
        super()._take()
        self._hear_lab()

    def _hear_lab(self) -> None:
        for each in self.heard[1:]:
            each.stop()
        del self.heard[1:]
        lab, recorder = self._lab, self.recorder
        if self.heard and recorder and lab and lab.machine.session is self.session:
            self.heard.append(LabRecording(lab, recorder))


def _started(make: Callable[..., Recorder], session: Session) -> Recorder:
    recorder = make(machine_of(session), session.clock)
    recorder.start()
    return recorder


class AlwaysOn(Writing):
    """What is read is kept on the disk all the time, where somebody chose so, and what was kept
    before is the past that plots begin with.
    """

    def __init__(self, settings: Settings, folder: Path | None = None) -> None:
        super().__init__(_SELDOM, settings)
        data = platformdirs.user_data_path("gpuexplorer", appauthor=False)
        self._settings, self.files = settings, KeptFiles(folder or data / "past")
        self.trouble = ""
        self._read: Session | None = None
        self._of: Session | None = None  # whose readings are kept
        self._forgetting, self._before = False, list[Recording]()
        self.failed.connect(self._say)
        self.ended.connect(self._say)
        self.changed.connect(self._turn)
        settings.changed.connect(self._turn)

    def join(self, session: Session) -> None:
        """What was kept before becomes part of its past. Called before anybody looks at it; a
        disk that takes too long is not waited for, and then plots begin with what is read now.
        """
        path = self.files.of(session)
        if not self._settings.choices.keep_days or not path.exists():
            return
        opening = Asked(partial(open_recording, path))
        if opening.answered_within(_PATIENCE_AT_START):
            try:
                stored = opening.result()
            except Trouble as trouble:
                self._say(trouble.told)
                return
            self._before.append(stored)
            session.past = JoinedPast(session.history, stored, session.clock)

    def follow(self, session: Session) -> None:
        """What is read from now on. A recording is not kept again, nor does it end anything."""
        if session.past.ended is None:
            self._read = session
            self._turn()

    def forget(self) -> None:
        """All of it, now; plots have no past from before any longer."""
        for stored in self._before:
            stored.close()
        self._before, self._forgetting = [], True
        self._turn()

    def stop_now(self) -> None:
        self._read = self._of = None
        super().stop_now()

    def _turn(self) -> None:
        """Keep what is to be kept now, or nothing; one change after the other."""
        choices = self._settings.choices
        days, most = int(choices.keep_days), int(choices.keep_bytes)
        wished = self._read if days else None
        if isinstance(self.recorder, Kept):
            self.recorder.days, self.recorder.most_bytes = days, most
        if wished is self._of and not self._forgetting:
            return
        if self.phase is not RecordingPhase.NONE:
            self.stop()
            return
        forget, self._of, self._forgetting = self._forgetting, wished, False
        self._say("")
        path = self.files.folder if wished is None else self.files.of(wished)
        make = partial(Kept, path, days=days, most_bytes=most)
        self.begin(wished, path, partial(_turned, self.files, make, wished, forget=forget))

    def _say(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.changed.emit()


def _turned(
    files: KeptFiles, make: Callable[..., Recorder], session: Session | None, *, forget: bool
) -> Recorder | None:
    if forget:
        files.remove()
    return None if session is None else _started(make, session)
