"""Sampling: the samples of copies that wait in a queue, timed by the card itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.worker.engines.measuring.gate import Gate, calibrated
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.measuring.cards import Cards, Event
from gpuexplorer.worker.measuring.plan import fits_queue, is_awake, overlap_of, usual

_NO_KERNELS = Message(
    "No gate: this PyTorch has no kernels for the card, so what asking takes is in the times "
    "of small copies."
)
_TOO_MANY = Message("No gate: there are more pieces than a queue holds.")
_HOLDS_HOST = Message(
    "No gate: the driver takes these copies through the host, and Python waits for each, so "
    "what asking takes is in the times."
)
TOO_SLOW = Message(
    "The queue could not be filled before the first copy began: what asking takes may be in "
    "the times."
)


@dataclass(frozen=True)
class Sample:
    """How long each lane's copies took together, and whether the queue was full in time."""

    seconds: "tuple[float, ...]"
    together: float  # until the last had ended, where all are on one card
    asked: float  # what it took the host to put the first lane's copies into the queue
    gated: bool
    # Of lanes that no gate held: the share of the shortest in which all were under way, by the
    # host's clock.
    overlap: "float | None" = None


@dataclass(frozen=True)
class _Run:
    """One lane's copies, asked for without a gate."""

    marks: "tuple[Event, Event]"
    asked: float
    span: "tuple[float, float]"  # by the host's clock


class Sampler:
    """`checkpoint` raises where the measurement was given up."""

    def __init__(
        self, cards: Cards, lanes: Sequence[Lane], checkpoint: "Callable[[], None]"
    ) -> None:
        self._cards = cards
        self._lanes = lanes
        self._checkpoint = checkpoint
        self._gate: Gate | None = None
        self.no_gate = NOTHING  # why there is none

    def close_gate(self) -> None:
        """Once it is known how many copies a sample has."""
        operations = [lane.operations * lane.loops for lane in self._lanes]
        self._gate, self.no_gate = None, NOTHING
        if any(lane.holds_host for lane in self._lanes):
            self.no_gate = _HOLDS_HOST
        elif not all(map(fits_queue, operations)):
            self.no_gate = _TOO_MANY
        else:
            self._gate = calibrated(self._cards, self._lanes[0].stream, sum(operations))
            self.no_gate = _NO_KERNELS if self._gate is None else NOTHING

    def sample(self) -> Sample:
        """Again, with the gate twice as wide, where a copy began before all were asked for."""
        while True:
            self._checkpoint()
            if self._gate is None and len(self._lanes) > 1:
                return self._sample_at_once()
            marks, asked, full = self._ask()
            for _, end in marks:
                end.synchronize()
            if full or self._gate is None:
                return self._read(marks, asked, gated=self._gate is not None)
            if not self._gate.widen():
                if len(self._lanes) == 1:
                    return self._read(marks, asked, gated=False)
                self._gate, self.no_gate = None, TOO_SLOW

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
                took = self._fill(lane, begin, end)
            asked = asked or took
            marks.append((begin, end))
        return marks, asked, not marks[0][0].query()

    def _fill(self, lane: Lane, begin: Event, end: Event) -> float:
        """Seconds that asking for the copies took."""
        begin.record(lane.stream)
        began = self._cards.now()
        for _ in range(lane.loops):
            lane.ask()
        asked = self._cards.now() - began
        lane.finish()
        end.record(lane.stream)
        return asked

    def _sample_at_once(self) -> Sample:
        """No gate lets all begin at once, so each lane has a thread that asks for it."""
        self._wait()
        runs = self._cards.at_once([partial(self._run, lane) for lane in self._lanes])
        overlap = overlap_of([run.span for run in runs])
        return self._read(
            [run.marks for run in runs], runs[0].asked, gated=False, overlap=overlap
        )

    def _run(self, lane: Lane) -> _Run:
        begin, end = self._cards.event(), self._cards.event()
        began = self._cards.now()
        with self._cards.on(*lane.streams):
            asked = self._fill(lane, begin, end)
        end.synchronize()
        return _Run((begin, end), asked, (began, self._cards.now()))

    def _read(
        self,
        marks: "Sequence[tuple[Event, Event]]",
        asked: float,
        *,
        gated: bool,
        overlap: "float | None" = None,
    ) -> Sample:
        seconds = tuple(begin.elapsed_time(end) / 1000 for begin, end in marks)
        together = 0.0
        if len({lane.card for lane in self._lanes}) == 1:
            together = max(b.elapsed_time(e) / 1000 for b, _ in marks for _, e in marks)
        return Sample(seconds, together, asked, gated, overlap)

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
