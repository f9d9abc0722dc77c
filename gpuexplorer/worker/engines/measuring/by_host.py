"""Copies that keep the host waiting, by the host's clock: no gate, all cards waited for."""

import statistics
from collections.abc import Callable, Sequence

from gpuexplorer.worker.engines.measuring.cargo import Cargo
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import is_awake, usual

_SINGLE_CALLS = 5


def asking(cards: Cards, cargo: Cargo, *, raw: bool) -> "Callable[[], None]":
    """One copy of all the bytes, after which the host goes on."""
    devices = (cargo.source_name, cargo.target_name)
    card = next((each for each in devices if each != "cpu"), None)
    stream = cards.stream(card) if raw and card is not None else None

    def ask() -> None:
        for target, source in cargo.pairs:
            cards.copy(target, source, wait=True)

    def ask_raw() -> None:
        for target, source in cargo.pairs:
            cards.raw_copy(target, source, stream)

    return ask_raw if raw else ask


def warmed(
    cards: Cards,
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


def timed(
    cards: Cards, ask: "Callable[[], None]", devices: Sequence[str], loops: int
) -> "tuple[float, float]":
    """Seconds of a copy with the wait for its end, and without."""
    cards.synchronize(*devices)
    began = cards.now()
    for _ in range(loops):
        ask()
    asked = cards.now() - began
    cards.synchronize(*devices)
    return (cards.now() - began) / loops, asked / loops


def single_call(
    cards: Cards, ask: "Callable[[], None]", devices: Sequence[str]
) -> "tuple[float, float]":
    """What somebody sees who copies once; the usual of a few."""
    calls = [timed(cards, ask, devices, 1) for _ in range(_SINGLE_CALLS)]
    return statistics.median(each for each, _ in calls), statistics.median(a for _, a in calls)
