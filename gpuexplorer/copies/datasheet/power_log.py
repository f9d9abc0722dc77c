"""PowerLog: what cards drew lately, so that it can be told what a measurement drew."""

import threading
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from gpuexplorer.copies.datasheet.figure import Figure
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Backend

_KEPT = 6000  # readings of each card: ten minutes of ten a second
_AVERAGED = 1.0  # seconds: over so long many cards average their power
_ENOUGH = 2
_EVERY = 0.25  # seconds between two readings, where no session reads
_PATIENCE = 1.0


class PowerLog:
    """`take` hears a session's samples, from its threads; the rest is for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: dict[CardId, deque[tuple[float, float]]] = {}
        self._absent: dict[CardId, Absence] = {}

    def take(self, sample: Sample) -> None:
        watts = sample.values.get(POWER_DRAW)
        with self._lock:
            if watts is not None:
                kept = self._drawn.setdefault(sample.card, deque(maxlen=_KEPT))
                kept.append((sample.at, watts))
                self._absent.pop(sample.card, None)
            elif POWER_DRAW in sample.missing:
                self._absent[sample.card] = sample.missing[POWER_DRAW]

    def mean(self, card: CardId, began: float, ended: float) -> Figure:
        """Without the first second, whose readings are of the time before, too."""
        since = began + _AVERAGED
        with self._lock:
            absent = self._absent.get(card)
            seen = [watts for at, watts in self._drawn.get(card, ()) if since <= at <= ended]
        if len(seen) >= _ENOUGH:
            source = Message(
                "the mean of {count} readings of the device while it was at work",
                count=len(seen),
            )
            return Figure(sum(seen) / len(seen), source)
        if absent is not None and not seen:
            return Figure.missing(Message("its power: {why}", why=absent.sentence))
        seconds = max(0.0, ended - since)
        if seen:
            return Figure.missing(
                Message(
                    "its power was read once in the {seconds:.1f} s that count, which says too "
                    "little: a shorter interval between readings helps",
                    seconds=seconds,
                )
            )
        return Figure.missing(
            Message(
                "its power was not read in the {seconds:.1f} s that count: a shorter interval "
                "between readings helps",
                seconds=seconds,
            )
        )


class PowerReader:
    """Reads what cards draw where no session does: while it is entered, in its own thread.
    One that hangs in the driver is left.
    """

    def __init__(self, backend: Backend, cards: Sequence[CardId], log: PowerLog) -> None:
        self._backend = backend
        self._cards = cards
        self._log = log
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="read power", daemon=True)

    def __enter__(self) -> Self:
        if self._cards:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._cards:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        while not self._ended.is_set():
            for card in self._cards:
                self._log.take(self._backend.read(card, [POWER_DRAW]))
            self._ended.wait(_EVERY)
