"""CardSearch: looks for a driver's cards when the window opens, and again and again."""

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import Message
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.patience import Asked

Opened = tuple[Backend | None, list[Attempt]]

STILL_WAITING = Attempt(
    "NVIDIA",
    Message("The driver has not answered yet."),
    Message("As soon as it does, its cards appear here."),
)
# A look for real cards takes a thread and a millisecond; one that takes longer than _CHEAP is
# left to whoever asks for it.
_LOOK_EVERY, _CHEAP = 5.0, 2.0


class CardSearch(QObject):
    """Whatever a driver does, the window waits no longer than agreed. What hangs is left behind
    with its thread. Its parent becomes the window, once there is one.
    """

    answered = Signal(object, object, bool)  # a backend or None, attempts, of the first look
    rhythm_changed = Signal(object)  # seconds from one look to the next; None: no more looks

    def __init__(self, open_real: Callable[[], Opened], bridge: Bridge) -> None:
        super().__init__()
        self._open_real, self._bridge = open_real, bridge
        self._openings: list[Asked[Opened]] = []
        self._first: Asked[Opened] | None = None
        self._looked_at = time.monotonic()
        self._timer = QTimer(self, interval=round(_LOOK_EVERY * 1000))
        self._timer.timeout.connect(self._on_timeout)
        bridge.source_answered.connect(self._on_source_answered)

    def first(self, patience: float) -> Opened | None:
        """None where it takes longer: it is `answered` then."""
        self._first = opening = self._asked()
        if opening.answered_within(patience):
            return opening.result()
        self._openings.append(opening)
        return None

    def look(self) -> None:
        self._looked_at = time.monotonic()
        opening = self._asked()
        self._openings.append(opening)
        if opening.answered_within(0.0):
            self._on_source_answered()

    def go_on(self, *, until_found: bool) -> None:
        """By itself, so that a driver that is loaded needs no click."""
        (self._timer.start if until_found else self._timer.stop)()
        self.rhythm_changed.emit(_LOOK_EVERY if until_found else None)

    def stop(self) -> None:
        self._timer.stop()

    def _asked(self) -> Asked[Opened]:
        return Asked(self._open_real, when_late=self._bridge.post_source_answered)

    def _on_source_answered(self) -> None:
        for opening in [each for each in self._openings if each.answered]:
            self._openings.remove(opening)
            self.answered.emit(*opening.result(), opening is self._first)
        if time.monotonic() - self._looked_at > _CHEAP:
            # Each look may leave a thread behind with a driver that hangs.
            self.go_on(until_found=False)

    def _on_timeout(self) -> None:
        window = self.parent()
        hidden = isinstance(window, QWidget) and window.isMinimized()
        if not self._openings and not hidden:
            self.look()
