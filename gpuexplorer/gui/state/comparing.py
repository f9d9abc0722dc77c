"""Comparing: a second past that lies behind the plots: another time, or another recording."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import tr
from gpuexplorer.recording.recorded_session import OtherPast, RecordedPast, matched
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.trace import TraceSource


class Comparing(QObject):
    """Lives as long as its session is shown. Owns the recording that is compared with."""

    changed = Signal()

    def __init__(self, past: TraceSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._past = past
        self._recording: Recording | None = None
        self.beside: OtherPast | None = None
        self.actions: Sequence[QAction] = ()  # what a menu of plots offers

    def with_span(self, shift: float, label: str) -> None:
        """With another time of what is shown, `shift` seconds from it."""
        self._show(OtherPast(self._past, shift, label), None)

    def with_recording(
        self, recording: Recording, at: float, label: str, cards: Sequence[Card]
    ) -> None:
        """Whose beginning lies at that moment of what is shown, of these cards."""
        past, shift = RecordedPast(recording), recording.began - at
        found = matched(cards, recording.cards())
        self._show(OtherPast(past, shift, label, *found), recording)

    def named(self, source: str) -> str:
        """What pictures say of where figures come from."""
        if self.beside is None:
            return source
        return tr("{source}; dotted: {label}", source=source, label=self.beside.label)

    def end(self) -> None:
        """Harmless when called twice."""
        if self.beside is not None:
            self._show(None, None)

    def _show(self, beside: OtherPast | None, recording: Recording | None) -> None:
        before, self._recording = self._recording, recording
        self.beside = beside
        self.changed.emit()
        if before is not None:
            before.close()
