"""Sampling: copies that wait in queues behind a gate, timed by the card's own clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.engines.measuring.plan import (
    LONGEST_GATE,
    PRODUCT,
    QUEUE_HOLDS,
    gate_for,
    overlap_of,
    products_for,
    taller_for,
)
from gpuexplorer.worker.engines.measuring.refusals import NO_KERNELS
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_FIRST_CYCLES = 1_000_000
_ENOUGH_MS = 1.0  # to be told from the clock's own steps
_TRIES = 4
_TRIED_SECONDS = 0.02  # in which any host has asked for a copy
_TRIED_PRODUCTS = 20  # whose time in a queue says what one takes
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


@dataclass
class Gate:
    """Holds a queue shut until all copies of a sample are in it. It opens by itself: one that
    waits to be opened could wait for a full queue for ever.
    """

    seconds: float
    cycles_per_second: float

    @property
    def cycles(self) -> int:
        return int(self.seconds * self.cycles_per_second)

    def widen(self) -> bool:
        """For another try. Whether it could be; else it was wide enough to have worked."""
        before, self.seconds = self.seconds, min(LONGEST_GATE, self.seconds * 2)
        return before < LONGEST_GATE


# Any: a stream of the cards' maker.
def calibrated(cards: TorchCards, stream: Any, operations: int) -> "Gate | None":
    """By the card's own clock, of which nobody tells the rate. None: it runs no kernels."""
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
                took = begin.elapsed_time(end)
                if took >= _ENOUGH_MS:
                    break
                cycles *= 4
    except RuntimeError as error:
        if NO_KERNELS in str(error):
            return None
        raise
    return Gate(gate_for(operations), cycles / max(took, 1e-3) * 1000)


def holds_host(cards: TorchCards, lane: Lane) -> bool:
    """Whether asking for a copy behind a gate ends only when the gate has opened.

    Without direct access between two cards the driver may itself take the bytes through the
    host. Then no gate helps, and lanes that one thread asks for run one after the other.
    """
    gate = calibrated(cards, lane.stream, lane.operations)
    if gate is None:
        return False  # it cannot be tried, and there is no gate anyway
    gate.seconds = _TRIED_SECONDS
    cards.synchronize(*lane.devices)
    opened = cards.event()
    with cards.on(*lane.streams):
        cards.sleep(gate.cycles)
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


_Marks = tuple[Any, Any]  # PyTorch's events


class Sampler:
    """`checkpoint` raises where the measurement was given up."""

    def __init__(
        self, cards: TorchCards, lanes: Sequence[Lane], checkpoint: "Callable[[], None]"
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
        elif max(operations) > QUEUE_HOLDS:
            self.no_gate = _TOO_MANY
        else:
            self._gate = calibrated(self._cards, self._lanes[0].stream, sum(operations))
            self.no_gate = _NO_GATE_KERNEL if self._gate is None else NOTHING

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

    def _ask(self) -> "tuple[list[_Marks], float, bool]":
        """The gate, then for each lane its first mark, its copies, and its last mark."""
        self._wait()
        marks: list[_Marks] = []
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

    def _fill(self, lane: Lane, begin: Any, end: Any) -> float:
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
        tasks = [partial(self._run, lane) for lane in self._lanes]
        marks, asked, spans = zip(*self._cards.at_once(tasks), strict=True)
        return self._read(marks, asked[0], gated=False, overlap=overlap_of(spans))

    def _run(self, lane: Lane) -> "tuple[_Marks, float, tuple[float, float]]":
        """The marks, seconds of asking, and when it began and ended by the host's clock."""
        begin, end = self._cards.event(), self._cards.event()
        began = self._cards.now()
        with self._cards.on(*lane.streams):
            asked = self._fill(lane, begin, end)
        end.synchronize()
        return (begin, end), asked, (began, self._cards.now())

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

    def _wait(self) -> None:
        self._cards.synchronize(*{each: None for lane in self._lanes for each in lane.devices})


def computing_lane(
    cards: TorchCards, card: str, seconds: float, checkpoint: "Callable[[], None]"
) -> Lane:
    """One product of matrices after the other, for about so many seconds."""
    lane = _products(cards, card, 1)
    product = _seconds_of_one(lane, checkpoint)
    taller = taller_for(seconds, product)
    if taller > 1:
        lane = _products(cards, card, taller)
        product = _seconds_of_one(lane, checkpoint)
    lane.loops = products_for(seconds, product)
    return lane


def _products(cards: TorchCards, card: str, taller: int) -> Lane:
    left, right, out = (_matrix(cards, card, times) for times in (taller, 1, taller))

    def multiply() -> None:
        cards.multiply(out, left, right)

    return Lane(cards, card, [cards.stream(card)], multiply, devices=(card,))


def _seconds_of_one(lane: Lane, checkpoint: "Callable[[], None]") -> float:
    """In a queue: alone, what asking and waiting takes would be most of it."""
    lane.warmed(checkpoint)
    lane.loops = _TRIED_PRODUCTS
    sampler = Sampler(lane.cards, [lane], checkpoint)
    sampler.close_gate()
    return sampler.sample().together / _TRIED_PRODUCTS


# Any: a tensor is PyTorch's.
def _matrix(cards: TorchCards, card: str, taller: int) -> Any:
    memory = cards.take(card, taller * PRODUCT * PRODUCT * torch.float32.itemsize)
    return memory.view(torch.float32).view(taller * PRODUCT, PRODUCT)
