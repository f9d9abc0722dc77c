"""RecordingReader: reads a recording in a thread, since disks hang too."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.patience import Asked


class RecordingReader(QObject):
    """Of several, the one that was asked for last."""

    was_read = Signal(object)  # RecordedSession
    failed = Signal(str)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._reading: Asked[RecordedSession] | None = None
        bridge.recording_read.connect(self._on_recording_read)

    def read(self, path: Path, patience: float = 0.0) -> None:
        self._reading = Asked(partial(_recorded, path), self._bridge.post_recording_read)
        if self._reading.answered_within(patience):
            self._on_recording_read()

    def _on_recording_read(self) -> None:
        reading = self._reading
        if reading is None or not reading.answered:
            return
        self._reading = None
        try:
            recorded = reading.result()
        except Trouble as trouble:
            self.failed.emit(trouble.told)
            return
        self.was_read.emit(recorded)


def _recorded(path: Path) -> RecordedSession:
    """With its first readings, so that the screens have them when they open."""
    session = RecordedSession(open_recording(path))
    want = session.want()
    session.look()
    session.release(want)
    return session
