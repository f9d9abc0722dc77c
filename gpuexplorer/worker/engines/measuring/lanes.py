"""Lanes: copies that run at the same time as others, each in a queue of its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuexplorer.worker.engines.measuring.buffers import take
from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import BETWEEN_CARDS, chunk_for
from gpuexplorer.worker.measuring.refusals import engine_of

_HOST = "cpu"


# Any: streams are the cards' maker's.
@dataclass
class Lane:
    """`ask` puts one copy of all its bytes into the queue; the last stream is the queue."""

    card: str
    streams: Sequence[Any]
    ask: Callable[[], None]
    operations: int  # that one copy is made of
    loops: int = 1
    holds_host: bool = False  # whoever asks for a copy goes on only when it is made
    finish: "Callable[[], None]" = lambda: None
    devices: Sequence[str] = ()  # that have to be waited for
    cargo: "Cargo | None" = None

    @property
    def stream(self) -> Any:
        return self.streams[-1]


def lane_of(cards: Cards, cargo: Cargo, *, mode: str = "copy") -> Lane:
    """As PyTorch takes them, or raw."""
    source, target = cargo.source_name, cargo.target_name
    card = engine_of(source, target)
    stream = cards.stream(card)
    # PyTorch lets a copy between cards wait for the current stream of the other card too. Were
    # that one shared, lanes would wait for each other.
    others = [each for each in dict.fromkeys((source, target)) if each not in (_HOST, card)]
    streams = [*(cards.stream(each) for each in others), stream]

    def ask() -> None:
        for to, come_from in cargo.pairs:
            cards.copy(to, come_from, wait=False)

    def ask_raw() -> None:
        for to, come_from in cargo.pairs:
            cards.raw_copy(to, come_from, stream)

    if mode == "raw" and others:
        # PyTorch's first copy between two cards opens the way that the driver then takes too.
        cards.copy(cargo.target, cargo.source, wait=True)
    return Lane(
        card,
        streams,
        ask_raw if mode == "raw" else ask,
        len(cargo.pairs) * _operations(mode, between_cards=bool(others)),
        devices=tuple(dict.fromkeys((source, target))),
        cargo=cargo,
    )


def _operations(mode: str, *, between_cards: bool) -> int:
    if mode == "raw":
        return 1
    gathering = 1 if mode == "strided" else 0  # a kernel, before the copy itself
    return gathering + (BETWEEN_CARDS if between_cards else 1)


def staged_lane(cards: Cards, cargo: Cargo, size: int) -> Lane:
    """Through two pieces of pinned memory: while one is filled, the other is emptied."""
    source, target = cargo.source_name, cargo.target_name
    coming, going = cards.stream(source), cards.stream(target)
    chunk = chunk_for(size)
    rooms = [take(cards, _HOST, chunk, pinned=True) for _ in range(2)]
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

    return Lane(
        source,
        [coming],
        ask,
        3 * len(parts),  # in each of the two queues
        finish=finish,
        devices=(source, target),
        cargo=cargo,
    )
