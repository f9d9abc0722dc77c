"""RecordingState: the recording that is made of the session in the window, if there is one."""

from collections.abc import Sequence
from enum import Enum, auto
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.starting import LabRecording
from gpuexplorer.recording.recorder import Listening, Recorder, machine_of
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session

_LOOK_EVERY = 250  # milliseconds
_PATIENCE, _LAST_PATIENCE = 10.0, 1.5


class RecordingPhase(Enum):
    """How far it has come. Making a file and closing it may take as long as the disk likes."""

    NONE = auto()
    STARTING = auto()
    RECORDING = auto()
    ENDING = auto()


class RecordingState(QObject):
    """One at a time. Files are made and closed in threads of their own: the disk may hang."""

    changed = Signal()
    ended = Signal(Path, str)  # the file, and why it ended where nobody asked for it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.phase = RecordingPhase.NONE
        self.trouble = ""  # stays until `forget_trouble`
        self.path = Path()
        self._session: Session | None = None
        self._recorded: Session | None = None
        self._stop_asked = False
        self._because = ""
        self._lab: Lab | None = None
        self._said: LabRecording | None = None
        self._last = (0.0, 0)  # of the one that ended
        self._recorder: Recorder | None = None
        self._listening: Listening | None = None
        self._beginning: Asked[Recorder] | None = None
        self._ending: Asked[bool] | None = None
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def recording(self) -> bool:
        return self.phase is not RecordingPhase.NONE

    @property
    def seconds(self) -> float:
        return self._last[0] if self._recorder is None else self._recorder.seconds

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self._last[1] if self._recorder is None else self._recorder.size

    @property
    def possible(self) -> bool:
        """Not of what is read from a recording."""
        session = self._session
        return session is not None and session.past.ended is None

    def follow(self, session: Session, read: Sequence[Session] = ()) -> None:
        """What the window shows from now on. Looking at a recording ends none, nor does looking
        at another machine, while this one is `read`; other cards do, since their figures belong
        to no card of this file.
        """
        self._session = session
        gone = session is not self._recorded and self._recorded not in read
        if (
            gone
            and self.possible
            and self.phase in (RecordingPhase.STARTING, RecordingPhase.RECORDING)
        ):
            self.stop(tr("The recording ended, because other cards are read now."))
        self.changed.emit()

    def follow_lab(self, lab: Lab) -> None:
        """The lab of that session: what becomes of it goes into the recording too."""
        self._lab = lab
        self._keep_lab()

    def start(self, path: Path, *, anonymous: bool = False) -> None:
        session = self._session
        if session is None or self.recording or not self.possible:
            return
        self.phase, self.path, self.trouble = RecordingPhase.STARTING, path, ""
        self._recorded, self._stop_asked, self._because = session, False, ""
        self._beginning = Asked(partial(_begin, session, path, anonymous=anonymous))
        self._timer.start()
        self.changed.emit()

    def stop(self, because: str = "") -> None:
        """`because` is said where nobody asked for it."""
        if self.phase is RecordingPhase.STARTING:
            self._stop_asked, self._because = True, because
        elif self.phase is RecordingPhase.RECORDING:
            self._because = because
            self._end()

    def stop_now(self) -> None:
        """At the end of the program: the disk has a moment. Harmless when called twice."""
        self._timer.stop()
        if self._beginning is not None and self._beginning.answered_within(_LAST_PATIENCE):
            self._take_recorder(self._beginning)
        self._let_lab_go()
        if self._listening is not None:
            self._listening.stop()
        if self._recorder is not None and self._ending is None:
            self._recorder.stop(_LAST_PATIENCE)
        elif self._ending is not None:
            self._ending.answered_within(_LAST_PATIENCE)
        self._rest()

    def forget_trouble(self) -> None:
        """Somebody has read it."""
        if self.trouble:
            self.trouble = ""
            self.changed.emit()

    def _on_timeout(self) -> None:
        if self._beginning is not None and self._beginning.answered:
            self._take_recorder(self._beginning)
        if self._ending is not None and self._ending.answered:
            self._take_ending(whole=self._ending.result())
        recorder = self._recorder
        if self.phase is RecordingPhase.RECORDING and recorder is not None and recorder.trouble:
            self.trouble = recorder.trouble.told
            self._end()
        self.changed.emit()

    def _take_recorder(self, beginning: "Asked[Recorder]") -> None:
        self._beginning = None
        try:
            self._recorder = recorder = beginning.result()
        except Trouble as trouble:
            self.trouble = trouble.told
            self._rest()
            return
        assert self._recorded is not None  # set where it was begun
        self._listening = Listening(self._recorded, recorder)
        self.phase = RecordingPhase.RECORDING
        self._keep_lab()
        if self._stop_asked:
            self._end()

    def _keep_lab(self) -> None:
        """Another lab of the same session takes the place of the one before; that of another
        machine does not.
        """
        lab, recorder = self._lab, self._recorder
        if lab is None or recorder is None or self.phase is not RecordingPhase.RECORDING:
            self._let_lab_go()
        elif lab.machine.session is self._recorded:
            self._let_lab_go()
            self._said = LabRecording(lab, recorder)
        elif lab.recorded:
            self._let_lab_go()

    def _let_lab_go(self) -> None:
        if self._said is not None:
            self._said.stop()
            self._said = None

    def _end(self) -> None:
        self._let_lab_go()
        assert self._recorder is not None  # it records
        if self._listening is not None:
            self._listening.stop()
        self.phase = RecordingPhase.ENDING
        self._ending = Asked(partial(self._recorder.stop, _PATIENCE))
        self.changed.emit()

    def _take_ending(self, *, whole: bool) -> None:
        recorder, because = self._recorder, self._because
        if not self.trouble and recorder is not None and recorder.trouble is not None:
            self.trouble = recorder.trouble.told
        elif not whole and not self.trouble:
            self.trouble = tr(
                "The disk keeps {file} waiting: what it did not take yet may be missing at "
                "its end.",
                file=self.path.name,
            )
        self._rest()
        self.ended.emit(self.path, because)

    def _rest(self) -> None:
        self._timer.stop()
        self.phase = RecordingPhase.NONE
        self._last = (self.seconds, self.size)
        self._recorder = self._listening = self._recorded = None
        self._beginning = self._ending = None


def _begin(session: Session, path: Path, *, anonymous: bool) -> Recorder:
    machine = machine_of(session)
    recorder = Recorder(path, machine, session.clock, anonymous=anonymous)
    recorder.start()
    return recorder
