"""Gate: holds a queue shut until all copies of a sample are in it."""

from typing import Any

from gpuexplorer.worker.engines.measuring.lanes import Lane
from gpuexplorer.worker.measuring.cards import Cards
from gpuexplorer.worker.measuring.plan import gate_for, wider

_FIRST_CYCLES = 1_000_000
_ENOUGH_MS = 1.0  # to be told from the clock's own steps
_TRIES = 4
_TRIED = 0.02  # seconds in which any host has asked for a copy
_NO_KERNELS = "no kernel image"


class Gate:
    """It opens by itself: one that waits to be opened could wait for a full queue for ever."""

    def __init__(self, seconds: float, cycles_per_second: float) -> None:
        self.seconds = seconds
        self._cycles_per_second = cycles_per_second

    @property
    def cycles(self) -> int:
        return int(self.seconds * self._cycles_per_second)

    def widen(self) -> bool:
        """Whether it could be."""
        found = wider(self.seconds)
        if found is not None:
            self.seconds = found
        return found is not None


# Any: a stream of the cards' maker.
def calibrated(cards: Cards, stream: Any, operations: int) -> "Gate | None":
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
        if _NO_KERNELS in str(error):
            return None
        raise
    return Gate(gate_for(operations), cycles / max(took, 1e-3) * 1000)


def holds_host(cards: Cards, lane: Lane) -> bool:
    """Whether asking for a copy behind a gate ends only when the gate has opened.

    Without direct access between two cards the driver may itself take the bytes through the
    host. Then no gate helps, and lanes that one thread asks for run one after the other.
    """
    gate = calibrated(cards, lane.stream, lane.operations)
    if gate is None:
        return False  # it cannot be tried, and there is no gate anyway
    gate.seconds = _TRIED
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
