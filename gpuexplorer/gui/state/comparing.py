"""Comparing: a second past that lies behind the plots: another time, or another recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.trace import Trace, TraceSource, empty_trace


@dataclass(frozen=True, slots=True, eq=False)
class OtherPast:
    """A TraceSource on the axis of what is shown, whose figures are of another time."""

    past: TraceSource
    shift: float  # seconds from a moment that is shown to the one it is compared with
    label: str  # in the language of the window
    cards: Mapping[CardId, CardId] | None = None  # which lies behind which; None: the same
    remarks: Sequence[str] = ()

    @property
    def began(self) -> float | None:
        began = self.past.began
        return None if began is None else began - self.shift

    @property
    def ended(self) -> float | None:
        ended = self.past.ended
        return None if ended is None else ended - self.shift

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        other = card if self.cards is None else self.cards.get(card)
        if other is None:
            return empty_trace()
        ends = (start + self.shift, end + self.shift)
        found = self.past.trace(other, metric, *ends, columns)
        return replace(found, times=found.times - self.shift)


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
        others = recording.cards()
        matched, remarks = _matched(cards, others)
        past, shift = RecordedPast(recording), recording.began - at
        self._show(OtherPast(past, shift, label, matched, remarks), recording)

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


def _matched(
    cards: Sequence[Card], others: Sequence[Card]
) -> tuple[Mapping[CardId, CardId], Sequence[str]]:
    """By UUID, if it is the same model too; the rest by number, and what is said of that."""
    ours, theirs = card_numbers(cards), {n: c for c, n in card_numbers(others).items()}
    there = {(each.id, each.name) for each in others}
    same = {each.id: each.id for each in cards if (each.id, each.name) in there}
    left = [each for each in cards if each.id not in same]
    free = set(theirs.values()) - same.keys()
    by_number = {
        each.id: other
        for each in left
        if (other := theirs.get(ours[each.id])) is not None and other in free
    }
    missing = [ours[each.id] for each in left if each.id not in by_number]
    numbers = [ours[each] for each in by_number]
    remarks = []
    if numbers:
        remarks.append(
            trn(
                "Card {cards} is another one there: compared by its number.",
                "Cards {cards} are others there: compared by their numbers.",
                len(numbers),
                cards=listed(numbers),
            )
        )
    if missing:
        remarks.append(
            trn(
                "Card {cards} is not in it.",
                "Cards {cards} are not in it.",
                len(missing),
                cards=listed(missing),
            )
        )
    return {HOST_ID: HOST_ID} | same | by_number, remarks
