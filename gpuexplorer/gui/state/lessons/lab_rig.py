"""LabRig: the lab of the window and its cards, as a lesson is played in them."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lessons.values import Readings
from gpuexplorer.telemetry.facts import Reading

_LOOK_EVERY = 30  # milliseconds
# A card that hangs or is lost is no reason to keep a step waiting: what it said last counts.
_PATIENCE = 3.0
_OFTEN = 1.0  # seconds between readings, at least while somebody waits for one


class LabRig(QObject):
    """Costly figures are read for as long as it is there: a lesson may ask for any."""

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab, self._machine = lab, lab.machine
        self._session = lab.machine.session
        self._want = self._session.want(tuple(Cadence), processes=False)
        self._ways = Ways(lab.machine, lab.cards, self)
        self._ways.look()
        self._waiting: list[tuple[float, Callable[[Readings], None]]] = []
        self._looks = QTimer(self, interval=_LOOK_EVERY)
        self._looks.timeout.connect(self._on_look_due)

    @property
    def ledger(self) -> Ledger:
        return self._lab.ledger

    @property
    def simulated(self) -> bool:
        return self._session.simulated

    def run(self, code: str) -> int:
        return self._lab.run(code)

    def evaluate(self, sources: Sequence[str], values: Mapping[str, object]) -> int:
        return self._lab.evaluate(sources, values)

    def measure(self, then: Callable[[Readings], None]) -> None:
        """By the rounds that read anyway, so that no driver is waited for here."""
        if self._lab.recorded:
            raise Trouble(RECORDED)
        self._waiting.append((self._session.clock.now(), then))
        if not self._looks.isActive():
            self._read_every(min(_OFTEN, self._machine.settings.choices.interval))
            self._looks.start()

    def limit(self, source: str, target: str) -> float | None:
        self._ways.look()
        route = self._ways.route(source, target)
        return None if route is None else route.limit

    def stop(self) -> None:
        """Nobody is told any more. Harmless when called twice."""
        self._waiting.clear()
        self._end_looks()
        self._ways.stop()
        self._session.release(self._want)

    def _read_every(self, seconds: float) -> None:
        self._session.set_interval(seconds)

    def _end_looks(self) -> None:
        if self._looks.isActive():
            self._looks.stop()
            self._read_every(self._machine.settings.choices.interval)

    def _cards(self) -> Sequence[Card]:
        """In CUDA's order; those it does not count come last."""
        cards = [each.card for each in self._machine.cards()]
        unknown = len(cards)
        return sorted(
            cards, key=lambda c: (unknown if c.cuda_index is None else c.cuda_index, c.index)
        )

    def _on_look_due(self) -> None:
        cards = self._cards()
        known = {each.id: self._session.reading(each.id) for each in cards}
        host = self._machine.host_reading()
        oldest = min((_at(each) for each in (*known.values(), host)), default=0.0)
        now = self._session.clock.now()
        due = [each for each in self._waiting if oldest > each[0] or now - each[0] > _PATIENCE]
        if due:
            reads = [(card, _sample(card.id, known[card.id])) for card in cards]
            readings = Readings(reads, (self._machine.host.card, _sample(host.card, host)))
        self._waiting = [each for each in self._waiting if each not in due]
        if not self._waiting:
            self._end_looks()
        for _, then in due:
            then(readings)


def _at(reading: Reading | None) -> float:
    return float("-inf") if reading is None else reading.at


def _sample(card: CardId, reading: Reading | None) -> Sample:
    return Sample(card, 0.0, {}) if reading is None else reading
