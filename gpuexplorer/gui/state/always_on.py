"""AlwaysOn: what is read is kept on the disk all the time, where somebody chose so, and what
was kept before is the past that plots begin with.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import platformdirs
from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.recording.recorded_session import JoinedPast
from gpuexplorer.recording.recorder import Kept, Listening, machine_of
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session

_LOOK_EVERY = 1000  # milliseconds
_PATIENCE, _LAST_PATIENCE, _PATIENCE_OF_THREADS = 0.3, 1.5, 10.0
_FILES = "*.gpurec*"


class AlwaysOn(QObject):
    """One file for real cards, and one for each set of simulated ones: their figures never mix.
    The disk is only waited for in threads.
    """

    turned = Signal()  # it keeps something else, or nothing, or says why it cannot

    def __init__(self, settings: Settings, folder: Path | None = None) -> None:
        super().__init__(settings)
        self._settings = settings
        data = platformdirs.user_data_path("gpuexplorer", appauthor=False)
        self.folder = folder or data / "past"
        self.trouble = ""
        self._session: Session | None = None
        self._of: Session | None = None  # whose readings are kept
        self._kept: Kept | None = None
        self._listening: Listening | None = None
        self._turning: Asked[Kept | None] | None = None
        self._forgetting = False
        self._before: list[Recording] = []
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._look)
        settings.changed.connect(self._look)

    def size(self) -> int:
        """Bytes on the disk, of all that is kept."""
        sizes = 0
        for path in self.folder.glob(_FILES):
            with suppress(OSError):  # gone meanwhile
                sizes += path.stat().st_size
        return sizes

    def join(self, session: Session) -> None:
        """What was kept before becomes part of its past. Called before anybody looks at it; a
        disk that takes too long is not waited for, and then plots begin with what is read now.
        """
        if not self._settings.choices.keep_days:
            return
        opening = Asked(partial(_opened, self._path_of(session)))
        if not opening.answered_within(_PATIENCE):
            return
        try:
            stored = opening.result()
        except Trouble as trouble:
            self._say(trouble.told)
            return
        if stored is not None:
            self._before.append(stored)
            kept_to_wall = stored.wall(stored.ended) - stored.ended
            shift = kept_to_wall - (session.clock.wall() - session.clock.now())
            session.past = JoinedPast(session.history, stored, shift)

    def follow(self, session: Session) -> None:
        """What is read from now on. A recording is not kept again, nor does it end anything."""
        if session.past.ended is None:
            self._session = session
            self._look()

    def forget(self) -> None:
        """All of it, now; plots have no past from before any longer."""
        for stored in self._before:
            stored.close()
        self._before = []
        self._forgetting = True
        self._look()

    def stop(self) -> None:
        """Ends it as it should end. Harmless when called twice."""
        self._timer.stop()
        if self._turning is not None and self._turning.answered_within(_LAST_PATIENCE):
            self._take(self._turning)
        self._deafen()
        if self._kept is not None:
            self._kept.stop(_LAST_PATIENCE)
        self._session = self._of = self._kept = None

    def _look(self) -> None:
        """Keep what is to be kept now, or nothing; one change after the other."""
        if self._turning is not None:
            if not self._turning.answered:
                return
            self._take(self._turning)
        kept, choices = self._kept, self._settings.choices
        days, most = int(choices.keep_days), int(choices.keep_bytes)
        wished = self._session if days else None
        if wished is not self._of or self._forgetting:
            self._deafen()
            anew = None
            if wished is not None:
                anew = partial(_begun, wished, self._path_of(wished), days, most)
            folder = self.folder if self._forgetting else None
            self._of, self._kept, self._forgetting = wished, None, False
            self._say("")
            self._turning = Asked(partial(_turned, kept, folder, anew))
        elif kept is not None:
            kept.days, kept.most_bytes = days, most
            if kept.trouble is not None:
                self._say(kept.trouble.told)
        if self._turning is not None or self._kept is not None:
            self._timer.start()
        else:
            self._timer.stop()

    def _take(self, turning: "Asked[Kept | None]") -> None:
        self._turning = None
        try:
            self._kept = turning.result()
        except Trouble as trouble:
            self._say(trouble.told)
        if self._kept is not None and self._of is not None:
            self._listening = Listening(self._of, self._kept)
        self.turned.emit()

    def _deafen(self) -> None:
        if self._listening is not None:
            self._listening.stop()
        self._listening = None

    def _say(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.turned.emit()

    def _path_of(self, session: Session) -> Path:
        name = "cards"
        if session.simulated:
            cards = str(session.source.label.values.get("cards", "")).lower()
            name = f"simulated-{re.sub('[^a-z0-9]+', '-', cards)[:80].strip('-')}"
        return self.folder / f"{name}.gpurec"


def _opened(path: Path) -> Recording | None:
    return open_recording(path) if path.exists() else None


def _begun(session: Session, path: Path, days: int, most_bytes: int) -> Kept:
    machine = machine_of(session)
    kept = Kept(path, machine, session.clock, days=days, most_bytes=most_bytes)
    kept.start()
    return kept


def _turned(
    before: Kept | None, folder: Path | None, anew: Callable[[], Kept] | None
) -> Kept | None:
    """Ends what was kept, forgets all in that folder, and keeps anew."""
    if before is not None:
        before.stop(_PATIENCE_OF_THREADS)
    for path in [] if folder is None else folder.glob(_FILES):
        try:
            path.unlink()
        except OSError:
            raise Trouble(
                "{file} cannot be removed.", "Another program may have it open.", file=path
            ) from None
    return None if anew is None else anew()
