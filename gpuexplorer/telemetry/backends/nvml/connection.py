"""Connection: one generation of handles, from nvmlInit to nvmlShutdown."""

import threading
from collections.abc import Mapping

import pynvml

from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.clock import Clock
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.card_processes import (
    CardProcesses,
    instances_by_slice,
)
from gpuexplorer.telemetry.backends.nvml.card_reader import CardReader
from gpuexplorer.telemetry.backends.nvml.fault_waiter import FaultWaiter
from gpuexplorer.telemetry.backends.nvml.identity import Found, find_cards
from gpuexplorer.telemetry.backends.nvml.wiring import Wiring
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.topology import Topology

# How long a card may take to say who it is.
_MEETING_PATIENCE = 3.0


class Connection:
    """Everything that dies when the driver goes. Counts who is inside."""

    def __init__(
        self,
        environment: Mapping[str, str],
        awake_bus_ids: list[str] | None,
        known: Mapping[int, Card],
        clock: Clock,
        bus: PciBus,
    ) -> None:
        self._clock = clock
        self._bus = bus
        self._lock = threading.Lock()
        self._inside = 0
        self._given_up = False
        self._driver_gone = False
        self._ended = False
        self.stale = False  # a card answers now that did not when this was made
        self._found = find_cards(
            environment, awake_bus_ids, known, _MEETING_PATIENCE, self._note_late_answer
        )
        self._mig = {each.card.id: each.mig_on for each in self._found}
        self.hung = {each.card.id for each in self._found if each.hung}
        self.source = _source()
        self.readers: dict[CardId, CardReader] = {}
        self.processes: dict[CardId, CardProcesses] = {}
        self._waiter: FaultWaiter | None = None
        for each in self._found:
            self._take_in(each)

    @property
    def cards(self) -> list[Card]:
        return [each.card for each in self._found]

    def enter(self) -> bool:
        """False when it was given up. Each True wants a `leave`."""
        with self._lock:
            if self._given_up:
                return False
            self._inside += 1
            return True

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if not self._given_up:
                return
        self._end_if_empty()

    def give_up(self, driver_gone: bool = False) -> None:
        """Let nobody in any more; the last one out ends it. A hung call keeps it."""
        with self._lock:
            self._given_up = True
            self._driver_gone |= driver_gone
        self._end_if_empty()

    def topology(self, bus: PciBus) -> Topology:
        return Wiring(self._found, bus).topology()

    def wait_for_fault(self, seconds: float) -> list[HardwareFault]:
        if self._waiter is None:
            self._waiter = FaultWaiter(self._found)
        return self._waiter.wait(seconds)

    def find_again(self, card: Card) -> None:
        """Ask for the handle of a lost card anew; it may have come back."""
        try:
            handle = pynvml.nvmlDeviceGetHandleByUUID(card.id)
        except pynvml.NVMLError:
            return
        self._take_in(Found(card, handle))

    def note_mig_mode(self, card: CardId, on: bool) -> bool:
        """True when the mode changed, so that the cards have to be found anew."""
        reader = self.readers.get(card)
        if reader is None or self._mig.get(card, False) == on:
            return False
        self._mig[card] = on
        reader.note_mig_mode(on)
        return True

    def _note_late_answer(self) -> None:
        self.stale = True

    def _take_in(self, found: Found) -> None:
        if found.handle is None:
            return
        card = found.card
        reader = CardReader(found, self._clock, self._bus.slot(card.bus_id or ""))
        if self._mig.get(card.id):
            reader.note_mig_mode(on=True)
        self.readers[card.id] = reader
        if card.kind is CardKind.GPU:
            self.processes[card.id] = CardProcesses(
                found, instances_by_slice(card, self._found)
            )

    def _end_if_empty(self) -> None:
        with self._lock:
            if not self._given_up or self._inside or self._ended:
                return
            self._ended = True
        # What belongs to a dead driver must not be handed to it any more.
        if not self._driver_gone:
            for reader in self.readers.values():
                reader.free()
            if self._waiter is not None:
                self._waiter.free()
        library.disconnect()


def _source() -> Source:
    try:
        version = library.text(pynvml.nvmlSystemGetDriverVersion.__wrapped__())
    except pynvml.NVMLError:
        version = ""
    try:
        number = int(pynvml.nvmlSystemGetCudaDriverVersion_v2())
        cuda = f"{number // 1000}.{number % 1000 // 10}"
    except pynvml.NVMLError:
        cuda = ""
    return Source(
        "nvml",
        f"NVIDIA driver {version or 'of unknown version'}, read through NVML",
        driver_version=version or None,
        cuda_version=cuda or None,
    )
