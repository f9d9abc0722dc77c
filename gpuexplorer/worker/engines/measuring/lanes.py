"""Lanes: one copy, as it is asked for and timed by the host's clock, or put into a queue."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.engines.measuring.plan import (
    BETWEEN_CARDS,
    chunk_for,
    is_awake,
    usual,
)
from gpuexplorer.worker.engines.measuring.refusals import HOST, engine_of
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards

_SINGLE_CALLS = 5


def asking(cards: TorchCards, cargo: Cargo, *, raw: bool) -> "Callable[[], None]":
    """One copy of all the bytes, after which the host goes on."""
    card = next((each for each in cargo.ends if each != HOST), None)
    stream = cards.stream(card) if raw and card is not None else None

    def ask() -> None:
        for target, source in cargo.pairs:
            if raw:
                cards.raw_copy(target, source, stream)
            else:
                cards.copy(target, source, wait=True)

    return ask


def timed(
    cards: TorchCards, ask: "Callable[[], None]", devices: Sequence[str], loops: int
) -> "tuple[float, float]":
    """Seconds of a copy with the wait for its end, and without."""
    cards.synchronize(*devices)
    began = cards.now()
    for _ in range(loops):
        ask()
    asked = cards.now() - began
    cards.synchronize(*devices)
    return (cards.now() - began) / loops, asked / loops


def warmed(
    cards: TorchCards,
    ask: "Callable[[], None]",
    devices: Sequence[str],
    checkpoint: "Callable[[], None]",
) -> float:
    """Seconds of one copy, once memory, caches and link are as they will be."""
    durations: list[float] = []
    began = cards.now()
    while not is_awake(durations, cards.now() - began):
        checkpoint()
        durations.append(timed(cards, ask, devices, 1)[0])
    return usual(durations)


def single_call(
    cards: TorchCards, ask: "Callable[[], None]", devices: Sequence[str]
) -> "tuple[float, float]":
    """What somebody sees who copies once; the usual of a few."""
    calls = [timed(cards, ask, devices, 1) for _ in range(_SINGLE_CALLS)]
    return statistics.median(each for each, _ in calls), statistics.median(a for _, a in calls)


# Any: streams are the cards' maker's.
@dataclass
class Lane:
    """Copies that run at the same time as others, in a queue of their own. `ask` puts one copy
    of all its bytes into the queue; the last stream is the queue.
    """

    cards: TorchCards
    card: str
    streams: Sequence[Any]
    ask: Callable[[], None]
    operations: int = 1  # that one copy is made of
    loops: int = 1
    holds_host: bool = False  # whoever asks for a copy goes on only when it is made
    finish: "Callable[[], None]" = lambda: None
    devices: Sequence[str] = ()  # that have to be waited for
    cargo: "Cargo | None" = None

    @property
    def stream(self) -> Any:
        return self.streams[-1]

    def once(self) -> None:
        with self.cards.on(*self.streams):
            self.ask()
            self.finish()

    def warmed(self, checkpoint: "Callable[[], None]") -> float:
        """Seconds of one copy, once the link is awake."""
        return warmed(self.cards, self.once, self.devices, checkpoint)

    def single_call(self) -> "tuple[float, float]":
        with self.cards.on(*self.streams):
            return single_call(self.cards, self.ask, self.devices)


def lane_of(cards: TorchCards, cargo: Cargo, *, mode: str = "copy") -> Lane:
    """As PyTorch takes them, or raw."""
    card = engine_of(*cargo.ends)
    stream = cards.stream(card)
    # PyTorch lets a copy between cards wait for the current stream of the other card too. Were
    # that one shared, lanes would wait for each other.
    others = [each for each in dict.fromkeys(cargo.ends) if each not in (HOST, card)]
    streams = [*(cards.stream(each) for each in others), stream]

    def ask() -> None:
        for to, come_from in cargo.pairs:
            if mode == "raw":
                cards.raw_copy(to, come_from, stream)
            else:
                cards.copy(to, come_from, wait=False)

    operations = BETWEEN_CARDS if others else 1
    if mode == "strided":
        operations += 1  # a kernel that gathers the rows, before the copy itself
    if mode == "raw":
        operations = 1
        if others:
            # PyTorch's first copy between two cards opens the way that the driver then takes.
            cards.copy(cargo.target, cargo.source, wait=True)
    return Lane(
        cards,
        card,
        streams,
        ask,
        len(cargo.pairs) * operations,
        devices=tuple(dict.fromkeys(cargo.ends)),
        cargo=cargo,
    )


def staged_lane(cards: TorchCards, cargo: Cargo, size: int) -> Lane:
    """Through two pieces of pinned memory: while one is filled, the other is emptied."""
    source, target = cargo.ends
    coming, going = cards.stream(source), cards.stream(target)
    chunk = chunk_for(size)
    rooms = [cards.take(HOST, chunk, pinned=True) for _ in range(2)]
    filled, emptied = ([cards.event(), cards.event()] for _ in range(2))
    used = [False, False]
    parts = [
        (cargo.target[begin : begin + chunk], cargo.source[begin : begin + chunk])
        for begin in range(0, size, chunk)
    ]

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
    devices = (source, target)
    return Lane(
        cards, source, [coming], ask, operations, finish=finish, devices=devices, cargo=cargo
    )
