"""Connection: one generation of handles, from nvmlInit to nvmlShutdown."""

import ctypes
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.card_processes import CardProcesses
from gpuexplorer.telemetry.backends.nvml.card_reader import CardReader
from gpuexplorer.telemetry.backends.nvml.identity import (
    Found,
    card_count,
    handle_askers,
    instance_ids,
    meet,
    numbered,
    silent,
    told_apart,
)
from gpuexplorer.telemetry.backends.nvml.wiring import wiring
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.topology import Topology

# How long all cards together may take to say who they are: whoever opens this does not wait for
# ever either. Without persistence mode the driver starts each in 1 to 3 s. The rest are taken
# in when they answer.
_MEETING_PATIENCE = 4.0
# How long one card may take to be listened to.
_LISTENING_PATIENCE = 0.5
# The Xids a person is most likely to meet, in their words.
_XIDS = {
    13: Message("a program's kernel made an error (graphics engine exception)"),
    31: Message("a program read or wrote memory that is not its own (memory page fault)"),
    43: Message("a program's work stopped; the card goes on"),
    45: Message("a program's work was cleared away after an error or its end"),
    48: Message("a memory error could not be repaired (double bit ECC)"),
    61: Message("the card's own controller stopped (internal breakpoint)"),
    62: Message("the card's own controller halted"),
    63: Message("a memory page or row is to be replaced at the next restart"),
    64: Message("a memory page or row could not be replaced"),
    74: Message("an NVLink reported an error"),
    79: Message("the card has fallen off the bus"),
    92: Message("many memory errors were repaired (single bit ECC)"),
    94: Message("a memory error was contained; the program that met it has to start again"),
    95: Message("a memory error was not contained; the card has to be reset"),
    119: Message("the card's system processor does not answer (GSP timeout)"),
    154: Message("the card asks for a reset or a restart"),
}
_UNKNOWN_XID = Message("look it up in NVIDIA's list of Xid errors")
# NVIDIA's list ends far below; what is beyond is no number of an error.
_MOST_XID = 999


class Connection:
    """Everything that dies when the driver goes. Counts who is inside.

    Cards are met at the start, and again when one was lost, hung, or cut into other instances;
    each meeting has a thread of its own, since it may hang with its card. `changed` is called
    when the list of cards is another than before.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        awake_bus_ids: list[str] | None,
        known: Mapping[int, Card],
        clock: Clock,
        bus: PciBus,
        changed: Callable[[], None],
    ) -> None:
        self._environment, self._known = environment, known
        self._clock, self._bus, self._changed = clock, bus, changed
        self._lock = threading.Condition()
        self._inside = 0
        self.given_up = self.driver_gone = self._ended = False
        self._by_address = awake_bus_ids is not None
        self._askers = handle_askers(awake_bus_ids)
        self._meeting: set[int] = set()  # places of cards that are being asked who they are
        self._met: dict[int, list[Found]] = {}
        self._refused: dict[int, pynvml.NVMLError] = {}
        self._found: list[Found] = []
        self._retired: list[CardReader] = []
        self.source = _source()
        self.readers: dict[CardId, CardReader] = {}
        self.processes: dict[CardId, CardProcesses] = {}
        self._waiter: FaultWaiter | None = None
        for place in range(len(self._askers)):
            self._begin_to_meet(place)
        with self._lock:
            self._lock.wait_for(lambda: not self._meeting, _MEETING_PATIENCE)
            for error in self._refused.values():
                if error.value in library.DRIVER_GONE:
                    raise error
            self._list_cards()

    @property
    def cards(self) -> list[Card]:
        return [each.card for each in self._found]

    def lists_others(self) -> bool:
        """Whether the driver has another number of cards now than at the start."""
        if self._by_address:
            return False
        try:
            return card_count() != len(self._askers)
        except (pynvml.NVMLError, Trouble):
            return False

    def enter(self) -> bool:
        """False when it was given up. Each True wants a `leave`."""
        with self._lock:
            if self.given_up:
                return False
            self._inside += 1
            return True

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
        self._end_if_empty()

    def give_up(self, driver_gone: bool = False) -> None:
        """Let nobody in any more; the last one out ends it. A hung call keeps it."""
        with self._lock:
            self.given_up = True
            self.driver_gone |= driver_gone
        self._end_if_empty()

    def topology(self, listed: Collection[CardId]) -> Topology:
        return wiring([each for each in self._found if each.card.id in listed], self._bus)

    def wait_for_fault(self, seconds: float) -> list[HardwareFault]:
        if self._waiter is None:
            self._waiter = FaultWaiter()
        return self._waiter.wait(self._found, seconds)

    def find_again(self, card: CardId) -> None:
        """Ask a lost card anew who it is; it may have come back. Does not wait for it."""
        for place in range(len(self._askers)):
            if self._at(place)[0].card.id == card:
                self._begin_to_meet(place)

    def note_mig_mode(self, card: CardId, on: bool) -> None:
        """See whether the card was cut, put together, or cut another way since."""
        found = next((each for each in self._found if each.card.id == card), None)
        reader = self.readers.get(card)
        if found is None or reader is None:
            return
        reader.note_mig_mode(on)
        before = {each.card.id for each in self._found if each.card.parent == card}
        if on is not found.mig_on or (on and instance_ids(found.handle) != before):
            self.find_again(card)

    def _begin_to_meet(self, place: int) -> None:
        with self._lock:
            if place in self._meeting:
                return
            self._meeting.add(place)
            self._inside += 1  # one that hangs keeps the connection, like any other call
        meets = threading.Thread(target=self._meet, args=(place,), name="meets a card")
        meets.daemon = True
        meets.start()

    def _meet(self, place: int) -> None:
        found, refused = None, None
        try:
            found = meet(self._askers[place], place)
        except pynvml.NVMLError as error:
            refused = error
        with self._lock:
            self._meeting.discard(place)
            if found is not None:
                self._met[place] = found
                self._refused.pop(place, None)
            elif refused is not None:
                self._refused[place] = refused
            listed = bool(self._found)  # else it was met in time
            # That the driver went meanwhile says the next reading.
            gone = refused is not None and refused.value in library.DRIVER_GONE
            changed = listed and not gone and not self.given_up
            if changed:
                self._list_cards()
            self._lock.notify_all()
        if changed:
            self._changed()
        self.leave()

    def _at(self, place: int) -> list[Found]:
        """The card there, and its instances after it."""
        if place in self._met:
            return self._met[place]
        known = self._known.get(place)
        met = {each.card.id for founds in self._met.values() for each in founds}
        if known is not None and known.id in met:
            known = None  # the numbers were dealt out anew, and that card stands elsewhere
        refused = self._refused.get(place)
        if refused is None:
            return [silent(place, known, Absence.NO_ANSWER, f"{_MEETING_PATIENCE:.0f}")]
        denied = library.absence_of(refused.value)
        return [silent(place, known, denied, library.message_of(refused))]

    def _list_cards(self) -> None:
        """Put together who is known, with a reader for each that has none yet."""
        found = [each for place in range(len(self._askers)) for each in self._at(place)]
        self._found = numbered(told_apart(found), self._environment)
        for each in self._found:
            before = self.readers.get(each.card.id)
            if each.handle is not None and (
                before is None or before.found.handle is not each.handle
            ):
                self._take_in(each)
        # Who is listed under another name now is not read under the old one as well.
        for gone in self.readers.keys() - {each.card.id for each in self._found}:
            self._retired.append(self.readers.pop(gone))
            self.processes.pop(gone, None)

    def _take_in(self, found: Found) -> None:
        card = found.card
        slot, version = self._bus.slot(card.bus_id or ""), self.source.driver_version
        reader = CardReader(found, self._clock, slot, version)
        if found.mig_on:
            reader.note_mig_mode(on=True)
        before = self.readers.get(card.id)
        if before is not None:
            self._retired.append(before)  # another thread may be in the middle of it
        self.readers[card.id] = reader
        if card.kind is CardKind.GPU:
            instances = {
                (each.gpu_instance, each.compute_instance): each.card.id
                for each in self._found
                if each.card.parent == card.id
            }
            self.processes[card.id] = CardProcesses(found, instances)

    def _end_if_empty(self) -> None:
        with self._lock:
            if not self.given_up or self._inside or self._ended:
                return
            self._ended = True
        # What belongs to a dead driver must not be handed to it any more.
        if not self.driver_gone:
            for reader in (*self.readers.values(), *self._retired):
                reader.free()
            if self._waiter is not None:
                self._waiter.free()
        library.disconnect()


class FaultWaiter:
    """Waits for Xids: what the driver reports by itself, once, to whoever is listening. One
    event set of one connection. Used by one thread.
    """

    def __init__(self) -> None:
        self._set: object | None = None
        self._cards: dict[int, CardId] = {}
        self._asked: set[int] = set()

    def wait(self, found: list[Found], seconds: float) -> list[HardwareFault]:
        """Raises NVMLError when the connection is gone."""
        for each in found:
            if each.card.kind is CardKind.GPU and each.handle is not None:
                address = _address(each.handle)
                if address not in self._asked:
                    self._asked.add(address)
                    # One that hangs does not keep the others unheard.
                    asked = Asked(partial(self._register, each))
                    asked.answered_within(_LISTENING_PATIENCE)
        if self._set is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        try:
            event = pynvml.nvmlEventSetWait_v2(self._set, int(seconds * 1000))
        except pynvml.NVMLError_Timeout:
            return []
        code = int(event.eventData)
        if event.eventType != pynvml.nvmlEventTypeXidCriticalError or not 0 < code <= _MOST_XID:
            return []
        meaning = _XIDS.get(code, _UNKNOWN_XID)
        sentence = Message("Xid {code}: {meaning}", code=code, meaning=meaning)
        # None where the driver names none that is listed.
        card = self._cards.get(_address(event.device))
        listed = any(each.card.id == card for each in found)
        return [HardwareFault(card if listed else None, code, sentence)]

    def free(self) -> None:
        """Only while the connection that made the set still stands."""
        waiting, self._set = self._set, None
        if waiting is not None:
            with suppress(pynvml.NVMLError):  # it went with the connection
                pynvml.nvmlEventSetFree(waiting)

    def _register(self, found: Found) -> None:
        xid = pynvml.nvmlEventTypeXidCriticalError
        with suppress(pynvml.NVMLError):  # Windows and old cards have no such events
            if pynvml.nvmlDeviceGetSupportedEventTypes(found.handle) & xid:
                if self._set is None:
                    self._set = pynvml.nvmlEventSetCreate()
                pynvml.nvmlDeviceRegisterEvents(found.handle, xid, self._set)
                self._cards[_address(found.handle)] = found.card.id


def _address(handle: Any) -> int:  # the binding's own pointer type, which has no annotations
    """The number behind a handle, which differs as a Python object each time."""
    try:
        return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)
    except (ctypes.ArgumentError, TypeError):
        return 0


def try_to_connect(awake_bus_ids: list[str] | None) -> None:
    """What a connection does at its start, for a process that may be lost by it."""
    library.connect(attach=awake_bus_ids is None)
    for place, asker in enumerate(handle_askers(awake_bus_ids)):
        with suppress(pynvml.NVMLError):
            meet(asker, place)


def _source() -> Source:
    version = cuda = ""
    with suppress(pynvml.NVMLError):
        version = library.text(pynvml.nvmlSystemGetDriverVersion.__wrapped__())
    with suppress(pynvml.NVMLError):
        number = int(pynvml.nvmlSystemGetCudaDriverVersion_v2())
        if 1000 <= number < 100_000:
            cuda = f"{number // 1000}.{number % 1000 // 10}"
    label = Message("NVIDIA driver of unknown version, read through NVML")
    if version:
        label = Message("NVIDIA driver {version}, read through NVML", version=version)
    return Source("nvml", label, driver_version=version or None, cuda_version=cuda or None)
