"""Comparing: a second past that lies behind the plots: another time, or another recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message, all_of, mark, tr
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.session import card_numbers
from gpuexplorer.telemetry.trace import Trace, TraceSource, empty_trace


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

    def _show(self, beside: "OtherPast | None", recording: Recording | None) -> None:
        before, self._recording = self._recording, recording
        self.beside = beside
        self.changed.emit()
        if before is not None:
            before.close()


@dataclass(frozen=True, slots=True, eq=False)
class OtherPast:
    """A TraceSource on the axis of what is shown, whose figures are of another time."""

    past: TraceSource
    shift: float  # seconds from a moment that is shown to the one it is compared with
    label: str  # as the person reads it
    cards: Mapping[CardId, CardId] | None = None  # which lies behind which; None: the same
    remarks: Sequence[Message] = ()

    @property
    def began(self) -> float | None:
        return None if self.past.began is None else self.past.began - self.shift

    @property
    def ended(self) -> float | None:
        return None if self.past.ended is None else self.past.ended - self.shift

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        other = card if self.cards is None else self.cards.get(card)
        if other is None:
            return empty_trace()
        ends = (start + self.shift, end + self.shift)
        found = self.past.trace(other, metric, *ends, columns)
        return replace(found, times=found.times - self.shift)


def matched(
    cards: Sequence[Card], others: Sequence[Card]
) -> tuple[Mapping[CardId, CardId], Sequence[Message]]:
    """Which of the others is compared with which: by UUID, if it is the same model too; the
    rest by number, and what is to be said of that.
    """
    theirs = {number: card for card, number in card_numbers(others).items()}
    there = {(each.id, each.name) for each in others}
    found = {each.id: each.id for each in cards if (each.id, each.name) in there}
    by_number, missing = [], []
    for card, number in card_numbers(cards).items():
        if card in found:
            continue
        other = theirs.get(number)
        if other is None or other in found.values():
            missing.append(number)
        else:
            found[card] = other
            by_number.append(number)
    one = mark("Card {cards} is another one there: compared by its number.")
    more = mark("Cards {cards} are others there: compared by their numbers.")
    gone, all_gone = mark("Card {cards} is not in it."), mark("Cards {cards} are not in it.")
    remarks = [
        Message.counted(*words, len(numbers), cards=all_of(numbers))
        for words, numbers in (((one, more), by_number), ((gone, all_gone), missing))
        if numbers
    ]
    return {HOST_ID: HOST_ID} | found, remarks
