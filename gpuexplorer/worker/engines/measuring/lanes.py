"""Lanes: copies or products, asked for one after the other and timed by the host's clock, or
put into a queue behind a gate and timed by the card's own.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.worker.engines.measuring.torch_cards import HOST, NO_KERNELS, TorchCards

MOST_LOOPS, _MOST_HOST_LOOPS, _SINGLE_CALLS, _SAMPLE_SECONDS = 100, 20_000, 5, 0.05
_QUEUE_HOLDS = 1000  # operations, before whoever asks for one more has to wait
# Until a link that slept is awake, and three copies in a row take alike.
_WARM_SECONDS, _MOST_WARM_SECONDS, _STEADY, _ALIKE = 0.2, 1.5, 3, 0.1
_SHORTEST_GATE, _LONGEST_GATE = 2e-3, 0.2  # Windows ends what holds a card for two seconds
_GATE_PER_OPERATION = 30e-6
_TRIED_CYCLES = 4_000_000  # of the card's own clock, of which nobody tells the rate
_NO_GATE_KERNEL = Message(
    "No gate: this PyTorch has no kernels for the card, so what asking takes is in the times "
    "of small copies."
)
_TOO_SLOW = Message(
    "The queue could not be filled before the first copy began: what asking takes may be in "
    "the times."
)
Checkpoint = Callable[[], None]  # raises where the measurement was given up
_Asked = tuple[Any, Any, float]  # PyTorch's events around them, and the seconds of asking


@dataclass
class Lane:
    """What is asked for again and again; by the card's clock in queues of its own, of which the
    last is timed.
    """

    cards: TorchCards
    card: str
    streams: "Sequence[Any]"  # PyTorch's; empty where the host's clock times it
    ask: Callable[[], None]
    devices: "Sequence[str]"  # that have to be waited for
    operations: int = 1  # that one is made of
    finish: Callable[[], None] = lambda: None
    loops: int = 1

    @property
    def stream(self) -> Any:
        return self.streams[-1]

    def timed(self, loops: int = 1) -> "tuple[float, float]":
        """Seconds of one by the host's clock, with the wait for its end, and without."""
        with self.cards.on(*self.streams):
            self.cards.synchronize(*self.devices)
            began = self.cards.now()
            for _ in range(loops):
                self.ask()
            self.finish()
            asked = self.cards.now() - began
            self.cards.synchronize(*self.devices)
            return (self.cards.now() - began) / loops, asked / loops

    def single_call(self) -> "tuple[float, float]":
        """What somebody sees who asks once; the usual of a few."""
        took, asked = zip(*(self.timed() for _ in range(_SINGLE_CALLS)), strict=True)
        return statistics.median(took), statistics.median(asked)

    def warmed(self, checkpoint: Checkpoint) -> float:
        """Seconds of one, once memory, caches and link are as they will be. So many as fill a
        sample are its loops then, as far as a queue holds them.
        """
        durations: list[float] = []
        began, spent, alike = self.cards.now(), 0.0, False
        while spent < (_WARM_SECONDS if alike else _MOST_WARM_SECONDS):
            checkpoint()
            durations.append(self.timed()[0])
            last_few = durations[-_STEADY:]
            alike = len(last_few) == _STEADY and max(last_few) <= min(last_few) * (1 + _ALIKE)
            spent = self.cards.now() - began
        seconds = max(statistics.median(durations[-_STEADY:]), 1e-9)
        most = min(MOST_LOOPS, _QUEUE_HOLDS // self.operations)
        most = _MOST_HOST_LOOPS if self.card == HOST else most
        self.loops = max(1, min(most, round(_SAMPLE_SECONDS / seconds)))
        return seconds


class Sample(NamedTuple):
    """How long each lane's copies took together, and whether the queue was full in time."""

    seconds: "tuple[float, ...]"
    together: float  # until the last had ended, where all are on one card
    asked: float  # what it took the host to ask for the first lane's copies
    gated: "bool | None"  # None: the host's clock times them, and there is no gate
    overlap: "float | None"  # without a gate: in this share of the shortest all were under way


class Sampler:
    """Once it is known how many copies a sample of each lane has. A gate holds the queue shut
    until all are in it. It opens by itself: one that waits to be opened could wait for a full
    queue for ever.
    """

    def __init__(
        self, cards: TorchCards, lanes: "Sequence[Lane]", checkpoint: Checkpoint
    ) -> None:
        self._cards, self._lanes, self._checkpoint = cards, lanes, checkpoint
        operations = [lane.operations * lane.loops for lane in lanes]
        self._gate = max(_SHORTEST_GATE, sum(operations) * _GATE_PER_OPERATION)  # seconds
        self._cycles_per_second = 0.0
        self.no_gate = NOTHING  # why there is none
        if not lanes[0].streams:
            return
        if max(operations) > _QUEUE_HOLDS:
            self.no_gate = _TOO_SLOW
        elif not (rate := _cycles_per_second(cards, lanes[0].stream)):
            self.no_gate = _NO_GATE_KERNEL
        else:
            self._cycles_per_second = rate

    def sample(self) -> Sample:
        """Again, with the gate twice as wide, where a copy began before all were asked for. The
        widest is too short where the driver takes bytes through the host, and keeps whoever
        asks for a copy waiting.
        """
        first, overlap = self._lanes[0], None
        if not first.streams:
            self._checkpoint()
            took, asked = (first.loops * each for each in first.timed(first.loops))
            return Sample((took,), took, asked, None, None)
        while True:
            self._checkpoint()
            devices = dict.fromkeys(each for lane in self._lanes for each in lane.devices)
            self._cards.synchronize(*devices)
            if self.no_gate and len(self._lanes) > 1:
                lanes, overlap = self._asked_by_threads()
            else:
                lanes = self._asked_behind_a_gate()
            full = not self.no_gate and not lanes[0][0].query()
            for _, end, _ in lanes:
                end.synchronize()
            if full or self.no_gate:
                break
            if self._gate >= _LONGEST_GATE:  # wide enough to have worked
                self.no_gate = _TOO_SLOW
            self._gate *= 2
        seconds = tuple(begin.elapsed_time(end) / 1000 for begin, end, _ in lanes)
        together = 0.0
        if len({lane.card for lane in self._lanes}) == 1:
            together = max(b.elapsed_time(e) / 1000 for b, _, _ in lanes for _, e, _ in lanes)
        return Sample(seconds, together, lanes[0][2], full, overlap)

    def balance(self) -> None:
        """A lane that ended early left the way to the others, which were then not disturbed. So
        all end at about the same time, with as many copies as they may have.
        """
        lasted = self.sample().seconds
        most = min(MOST_LOOPS, *(_QUEUE_HOLDS // lane.operations for lane in self._lanes))
        each = [max(e, 1e-9) / lane.loops for e, lane in zip(lasted, self._lanes, strict=True)]
        until = max(*each, min(max(lasted), most * min(each)))
        for one, lane in zip(each, self._lanes, strict=True):
            lane.loops = max(1, round(until / one))

    def _asked_behind_a_gate(self) -> "list[_Asked]":
        found: list[_Asked] = []
        for lane in self._lanes:
            with self._cards.on(*lane.streams):
                if found:
                    lane.stream.wait_event(found[0][0])
                elif not self.no_gate:
                    seconds = min(_LONGEST_GATE, self._gate)
                    self._cards.sleep(int(seconds * self._cycles_per_second))
                found.append(self._fill(lane))
        return found

    def _asked_by_threads(self) -> "tuple[list[_Asked], float]":
        """No gate lets all begin at once, so each lane has a thread; and the overlap."""

        def run(lane: Lane) -> "tuple[_Asked, float, float]":
            began = self._cards.now()
            with self._cards.on(*lane.streams):
                asked = self._fill(lane)
            asked[1].synchronize()
            return asked, began, self._cards.now()

        runs = self._cards.at_once([partial(run, lane) for lane in self._lanes])
        shortest = min(ended - began for _, began, ended in runs)
        common = min(ended for *_, ended in runs) - max(began for _, began, _ in runs)
        return [asked for asked, *_ in runs], max(0.0, common) / max(shortest, 1e-9)

    def _fill(self, lane: Lane) -> _Asked:
        """A mark, its copies, and a mark."""
        begin, end = self._cards.event(), self._cards.event()
        begin.record(lane.stream)
        began = self._cards.now()
        for _ in range(lane.loops):
            lane.ask()
        asked = self._cards.now() - began
        lane.finish()
        end.record(lane.stream)
        return begin, end, asked


def _cycles_per_second(cards: TorchCards, stream: Any) -> float:
    """0: it runs no kernels."""
    begin, end = cards.event(), cards.event()
    try:
        with cards.on(stream):
            cards.sleep(1000)  # the first brings the kernel to the card
            begin.record(stream)
            cards.sleep(_TRIED_CYCLES)
            end.record(stream)
    except RuntimeError as error:
        if NO_KERNELS in str(error):
            return 0.0
        raise
    end.synchronize()
    return float(_TRIED_CYCLES * 1000 / max(begin.elapsed_time(end), 1e-3))
