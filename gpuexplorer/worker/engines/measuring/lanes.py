"""Lanes: copies or products, asked for one after the other and timed by the host's clock, or
put into a queue behind a gate and timed by the card's own.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.plan import (
    BETWEEN_CARDS,
    HOST,
    MOST_LOOPS,
    PRODUCT,
    QUEUE_HOLDS,
    TALLEST,
    between,
    chunk_for,
    engine_of,
)
from gpuexplorer.worker.engines.measuring.torch_cards import NO_KERNELS, TorchCards

_SINGLE_CALLS = 5
_WARM_SECONDS = 0.2  # a link that slept is awake by then
_MOST_WARM_SECONDS = 1.5
_STEADY = 3  # copies in a row that must be alike
_ALIKE = 0.1
_SHORTEST_GATE, _LONGEST_GATE = 2e-3, 0.2  # Windows ends what holds a card for two seconds
_GATE_PER_OPERATION = 30e-6
_FIRST_CYCLES = 1_000_000
_ENOUGH_MS = 1.0  # to be told from the clock's own steps
_TRIES = 4
_TRIED_SECONDS = 0.02  # in which any host has asked for a copy
_TRIED_PRODUCTS = 20  # whose time in a queue says what one takes
_MOST_PRODUCTS = 500
_NO_GATE_KERNEL = Message(
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
Checkpoint = Callable[[], None]  # raises where the measurement was given up
_Marks = tuple[Any, Any]  # PyTorch's events


def timed(
    cards: TorchCards, ask: "Callable[[], None]", devices: Sequence[str], loops: int = 1
) -> "tuple[float, float]":
    """Seconds of a copy with the wait for its end, and without."""
    cards.synchronize(*devices)
    began = cards.now()
    for _ in range(loops):
        ask()
    asked = cards.now() - began
    cards.synchronize(*devices)
    return (cards.now() - began) / loops, asked / loops


# Any: streams are the cards' maker's.
@dataclass
class Lane:
    """Copies that run at the same time as others, in a queue of their own; by the host's clock
    there is none. `ask` puts one copy of all its bytes into the queue; the last stream is it.
    """

    cards: TorchCards
    card: str
    streams: Sequence[Any]
    ask: Callable[[], None]
    devices: Sequence[str]  # that have to be waited for
    operations: int = 1  # that one copy is made of
    loops: int = 1
    holds_host: bool = False  # whoever asks for a copy goes on only when it is made
    finish: "Callable[[], None]" = lambda: None
    cargo: "Cargo | None" = None

    @property
    def stream(self) -> Any:
        return self.streams[-1]

    def once(self) -> None:
        with self.cards.on(*self.streams):
            self.ask()
            self.finish()

    def timed(self, loops: int = 1) -> "tuple[float, float]":
        """Seconds of one by the host's clock, with the wait for its end, and without."""
        return timed(self.cards, self.once, self.devices, loops)

    def warmed(self, checkpoint: Checkpoint) -> float:
        """Seconds of one copy, once memory, caches and link are as they will be."""
        durations: list[float] = []
        began = self.cards.now()
        while True:
            checkpoint()
            durations.append(self.timed()[0])
            last, spent = durations[-_STEADY:], self.cards.now() - began
            alike = len(last) == _STEADY and max(last) <= min(last) * (1 + _ALIKE)
            if spent >= (_WARM_SECONDS if alike else _MOST_WARM_SECONDS):
                return statistics.median(last)

    def single_call(self) -> "tuple[float, float]":
        """What somebody sees who copies once; the usual of a few."""
        with self.cards.on(*self.streams):
            calls = [timed(self.cards, self.ask, self.devices) for _ in range(_SINGLE_CALLS)]
        took, asked = zip(*calls, strict=True)
        return statistics.median(took), statistics.median(asked)


def host_lane(cards: TorchCards, cargo: Cargo) -> Lane:
    """After each copy of which the host goes on; in the queue that is the current one."""

    def ask() -> None:
        for target, source in cargo.pairs:
            cards.copy(target, source, wait=True)

    devices = tuple(dict.fromkeys(cargo.ends))
    return Lane(cards, engine_of(*cargo.ends), (), ask, devices, cargo=cargo)


def lane_of(cards: TorchCards, cargo: Cargo) -> Lane:
    """As PyTorch takes them."""
    card = engine_of(*cargo.ends)
    devices = tuple(dict.fromkeys(cargo.ends))
    # PyTorch lets a copy between cards wait for the current stream of the other card too. Were
    # that one shared, lanes would wait for each other.
    others = [each for each in devices if each not in (HOST, card)]
    streams = [cards.stream(each) for each in (*others, card)]

    def ask() -> None:
        for target, source in cargo.pairs:
            cards.copy(target, source, wait=False)

    operations = len(cargo.pairs) * (BETWEEN_CARDS if others else 1)
    return Lane(cards, card, streams, ask, devices, operations, cargo=cargo)


def staged_lane(cards: TorchCards, cargo: Cargo, size: int) -> Lane:
    """Through two pieces of pinned memory: while one is filled, the other is emptied."""
    source, target = cargo.ends
    coming, going = cards.stream(source), cards.stream(target)
    chunk = chunk_for(size)
    rooms = [cards.take(HOST, chunk, pinned=True) for _ in range(2)]
    filled, emptied = ([cards.event(), cards.event()] for _ in range(2))
    used = [False, False]
    parts = [*zip(cargo.target.split(chunk), cargo.source.split(chunk), strict=True)]

    def ask() -> None:
        for number, (to, come_from) in enumerate(parts):
            slot = number % 2
            room = rooms[slot][: len(to)]
            if used[slot]:
                coming.wait_event(emptied[slot])
            cards.copy(room, come_from, wait=False)
            filled[slot].record(coming)
            with cards.on(going):
                going.wait_event(filled[slot])
                cards.copy(to, room, wait=False)
                emptied[slot].record(going)
            used[slot] = True

    def finish() -> None:
        for slot in range(2):
            if used[slot]:
                coming.wait_event(emptied[slot])

    operations = 3 * len(parts)  # in each of the two queues
    return Lane(
        cards, source, [coming], ask, cargo.ends, operations, finish=finish, cargo=cargo
    )


def computing_lane(
    cards: TorchCards, card: str, seconds: float, checkpoint: Checkpoint
) -> Lane:
    """One product of matrices after the other, for about so many seconds."""
    lane, product = _products(cards, card, 1, checkpoint)
    # Taller matrices, where the most products are over too soon.
    most = _MOST_PRODUCTS * max(product, 1e-9)
    if (taller := between(1, math.ceil(seconds / most), TALLEST)) > 1:
        lane, product = _products(cards, card, taller, checkpoint)
    lane.loops = between(1, seconds / max(product, 1e-9), _MOST_PRODUCTS)
    return lane


def _products(
    cards: TorchCards, card: str, taller: int, checkpoint: Checkpoint
) -> "tuple[Lane, float]":
    """And the seconds of one in a queue: alone, asking and waiting would be most of it."""
    row = PRODUCT * torch.float32.itemsize
    left, right, out = (
        cards.take(card, times * PRODUCT * row).view(torch.float32).view(-1, PRODUCT)
        for times in (taller, 1, taller)
    )
    ask = partial(cards.multiply, out, left, right)
    lane = Lane(cards, card, [cards.stream(card)], ask, (card,))
    lane.warmed(checkpoint)
    lane.loops = _TRIED_PRODUCTS
    return lane, Sampler(cards, [lane], checkpoint).sample().together / _TRIED_PRODUCTS


# Any: a stream of the cards' maker.
def cycles_per_second(cards: TorchCards, stream: Any) -> float:
    """By the card's own clock, of which nobody tells the rate. 0: it runs no kernels."""
    cycles = _FIRST_CYCLES
    try:
        with cards.on(stream):
            cards.sleep(1000)  # the first brings the kernel to the card
            for _ in range(_TRIES):
                begin, end = cards.event(), cards.event()
                begin.record(stream)
                cards.sleep(cycles)
                end.record(stream)
                end.synchronize()
                took: float = begin.elapsed_time(end)
                if took >= _ENOUGH_MS:
                    break
                cycles *= 4
    except RuntimeError as error:
        if NO_KERNELS in str(error):
            return 0.0
        raise
    return cycles / max(took, 1e-3) * 1000


def holds_host(cards: TorchCards, lane: Lane) -> bool:
    """Whether asking for a copy behind a gate ends only when the gate has opened.

    Without direct access between two cards the driver may itself take the bytes through the
    host. Then no gate helps, and lanes that one thread asks for run one after the other.
    """
    rate = cycles_per_second(cards, lane.stream)
    if not rate:
        return False  # it cannot be tried, and there is no gate anyway
    cards.synchronize(*lane.devices)
    opened = cards.event()
    with cards.on(*lane.streams):
        cards.sleep(int(_TRIED_SECONDS * rate))
        opened.record(lane.stream)
        lane.ask()
        held = bool(opened.query())
        lane.finish()
    cards.synchronize(*lane.devices)
    return held


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


class Sampler:
    """Once it is known how many copies a sample of each lane has. A gate holds the queue shut
    until all are in it. It opens by itself: one that waits to be opened could wait for a full
    queue for ever.
    """

    def __init__(
        self, cards: TorchCards, lanes: Sequence[Lane], checkpoint: Checkpoint
    ) -> None:
        self._cards, self._lanes, self._checkpoint = cards, lanes, checkpoint
        operations = [lane.operations * lane.loops for lane in lanes]
        self._gate = max(_SHORTEST_GATE, sum(operations) * _GATE_PER_OPERATION)  # seconds
        self._cycles_per_second = 0.0
        self.no_gate = NOTHING  # why there is none
        if any(lane.holds_host for lane in lanes):
            self.no_gate = _HOLDS_HOST
        elif max(operations) > QUEUE_HOLDS:
            self.no_gate = _TOO_MANY
        else:
            self._cycles_per_second = cycles_per_second(cards, lanes[0].stream)
            self.no_gate = NOTHING if self._cycles_per_second else _NO_GATE_KERNEL

    def sample(self) -> Sample:
        """Again, with the gate twice as wide, where a copy began before all were asked for."""
        while True:
            self._checkpoint()
            self._cards.synchronize(*{e: None for lane in self._lanes for e in lane.devices})
            if self.no_gate and len(self._lanes) > 1:
                return self._sample_at_once()
            marks, asked, full = self._ask()
            for _, end in marks:
                end.synchronize()
            if full or self.no_gate:
                return self._read(marks, asked, gated=not self.no_gate)
            if self._gate >= _LONGEST_GATE:  # wide enough to have worked
                if len(self._lanes) == 1:
                    return self._read(marks, asked, gated=False)
                self.no_gate = TOO_SLOW
            self._gate *= 2

    def _ask(self) -> "tuple[list[_Marks], float, bool]":
        """The gate, then for each lane its first mark, its copies, and its last mark."""
        marks: list[_Marks] = []
        asked = 0.0
        for lane in self._lanes:
            with self._cards.on(*lane.streams):
                if marks:
                    lane.stream.wait_event(marks[0][0])
                elif not self.no_gate:
                    seconds = min(_LONGEST_GATE, self._gate)
                    self._cards.sleep(int(seconds * self._cycles_per_second))
                ends, took = self._fill(lane)
            asked = asked or took
            marks.append(ends)
        return marks, asked, not marks[0][0].query()

    def _fill(self, lane: Lane) -> "tuple[_Marks, float]":
        """The marks, and the seconds that asking for the copies took."""
        begin, end = self._cards.event(), self._cards.event()
        begin.record(lane.stream)
        began = self._cards.now()
        for _ in range(lane.loops):
            lane.ask()
        asked = self._cards.now() - began
        lane.finish()
        end.record(lane.stream)
        return (begin, end), asked

    def _sample_at_once(self) -> Sample:
        """No gate lets all begin at once, so each lane has a thread that asks for it."""

        def run(lane: Lane) -> "tuple[_Marks, float, float, float]":
            began = self._cards.now()
            with self._cards.on(*lane.streams):
                marks, asked = self._fill(lane)
            marks[1].synchronize()
            return marks, asked, began, self._cards.now()

        tasks = [partial(run, lane) for lane in self._lanes]
        marks, asked, began, ended = zip(*self._cards.at_once(tasks), strict=True)
        overlap = overlap_of([*zip(began, ended, strict=True)])
        return self._read(marks, asked[0], gated=False, overlap=overlap)

    def _read(
        self,
        marks: "Sequence[_Marks]",
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


def balance(lanes: Sequence[Lane], sample: Sample) -> None:
    """A lane that ended early left the way to the others, which were then not disturbed. So all
    end at about the same time, with as many copies as they may have.
    """
    most = min(MOST_LOOPS, *(QUEUE_HOLDS // lane.operations for lane in lanes))
    each = [
        max(taken, 1e-9) / lane.loops for taken, lane in zip(sample.seconds, lanes, strict=True)
    ]
    until = max(*each, min(max(sample.seconds), most * min(each)))
    for one, lane in zip(each, lanes, strict=True):
        lane.loops = max(1, round(until / one))


def overlap_of(spans: "Sequence[tuple[float, float]]") -> float:
    """The share of the shortest in which all of them were under way."""
    common = min(end for _, end in spans) - max(begin for begin, _ in spans)
    return max(0.0, common) / max(min(end - begin for begin, end in spans), 1e-9)
