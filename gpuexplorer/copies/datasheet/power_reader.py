"""PowerReader: reads what cards draw, where no session does."""

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.heat_and_power import POWER_DRAW
from gpuexplorer.telemetry.backend import Backend

_EVERY = 0.25  # seconds
_PATIENCE = 1.0


class PowerReader:
    """While it is entered, in a thread of its own. One that hangs in the driver is left."""

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
