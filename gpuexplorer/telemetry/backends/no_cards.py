"""NoCards: the source where none answered, so that the host is shown all the same."""

import threading
from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology


class NoCards:
    """A backend without a card."""

    source = Source("none", Message("No graphics card answers"), cards=False)

    def __init__(self) -> None:
        self._closing = threading.Event()

    def open(self) -> None:
        """There is nothing to reach."""

    def close(self) -> None:
        self._closing.set()

    def cards(self) -> Sequence[Card]:
        return ()

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        return Sample(card, 0.0, {}, dict.fromkeys(metrics, Absence.LOST), CardState.LOST)

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        return ()

    def topology(self) -> Topology:
        return Topology((), (), {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        self._closing.wait(seconds)
        return ()

    def notes(self) -> Sequence[Message]:
        return ()
