"""Sampling: the samples of copies that wait in a queue, timed by the card itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuexplorer.worker.engines.measuring.gate import Gate, calibrated
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.measuring.cards import Cards, Event
from gpuexplorer.worker.measuring.plan import fits_queue, is_awake, usual


@dataclass(frozen=True)
class Sample:
    """How long each lane's copies took together, and whether the queue was full in time."""

    seconds: "tuple[float, ...]"
    together: float  # until the last had ended, where all are on one card
    asked: float  # what it took the host to put the first lane's copies into the queue
    gated: bool


class Sampler:
    """`checkpoint` raises where the measurement was given up."""

    def __init__(
        self, cards: Cards, lanes: Sequence[Lane], checkpoint: "Callable[[], None]"
    ) -> None:
        self._cards = cards
        self._lanes = lanes
        self._checkpoint = checkpoint
        self._gate: Gate | None = None

    def close_gate(self) -> None:
        """Once it is known how many copies a sample has."""
        operations = sum(lane.operations * lane.loops for lane in self._lanes)
        self._gate = calibrated(self._cards, self._lanes[0].stream, operations)

    @property
    def has_gate(self) -> bool:
        return self._gate is not None

    @property
    def fits_queue(self) -> bool:
        return all(fits_queue(lane.operations * lane.loops) for lane in self._lanes)

    def sample(self) -> Sample:
        """Again, with the gate twice as wide, where a copy began before all were asked for."""
        while True:
            self._checkpoint()
            marks, asked, full = self._ask()
            for _, end in marks:
                end.synchronize()
            if full or self._gate is None or not self.fits_queue or not self._gate.widen():
                return self._read(marks, asked, gated=full and self._gate is not None)

    def _ask(self) -> "tuple[list[tuple[Event, Event]], float, bool]":
        """The gate, then for each lane its first mark, its copies, and its last mark."""
        self._wait()
        marks: list[tuple[Event, Event]] = []
        asked = 0.0
        for lane in self._lanes:
            begin, end = self._cards.event(), self._cards.event()
            with self._cards.on(*lane.streams):
                if marks:
                    lane.stream.wait_event(marks[0][0])
                elif self._gate is not None:
                    self._cards.sleep(self._gate.cycles)
                begin.record(lane.stream)
                began = self._cards.now()
                for _ in range(lane.loops):
                    lane.ask()
                asked = asked or self._cards.now() - began
                lane.finish()
                end.record(lane.stream)
            marks.append((begin, end))
        return marks, asked, not marks[0][0].query()

    def _read(
        self, marks: "Sequence[tuple[Event, Event]]", asked: float, *, gated: bool
    ) -> Sample:
        seconds = tuple(begin.elapsed_time(end) / 1000 for begin, end in marks)
        on_one_card = len({lane.card for lane in self._lanes}) == 1
        together = max(
            (marks[0][0].elapsed_time(end) / 1000 for _, end in marks if on_one_card),
            default=0.0,
        )
        return Sample(seconds, together, asked, gated)

    def _wait(self) -> None:
        self._cards.synchronize(*{each: None for lane in self._lanes for each in lane.devices})


def warmed(cards: Cards, lane: Lane, checkpoint: "Callable[[], None]") -> float:
    """Seconds of one copy, once the link is awake."""
    durations: list[float] = []
    began = cards.now()
    cards.synchronize(*lane.devices)
    while not is_awake(durations, cards.now() - began):
        checkpoint()
        asked = cards.now()
        with cards.on(*lane.streams):
            lane.ask()
            lane.finish()
        cards.synchronize(*lane.devices)
        durations.append(cards.now() - asked)
    return usual(durations)
