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
from gpuexplorer.telemetry.backends.nvml.figures import CardReader
from gpuexplorer.telemetry.backends.nvml.identity import (
    Found,
    answer,
    card_count,
    handle_askers,
    instance_ids,
    meet,
    numbered,
    silent,
    told_apart,
    wiring,
)
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
    """Everything that dies when the driver goes. Held by whoever made it and by every call, and
    ended by the last one who lets it go: never under a call that still runs.

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
        """Raises Trouble where the driver does not answer, and NVMLError where it is gone."""
        self._environment, self._known = environment, known
        self._clock, self._bus, self._changed = clock, bus, changed
        self._by_address = awake_bus_ids is not None
        self._lock = threading.Condition()
        self._meeting: set[int] = set()  # places of cards that are being asked who they are
        self._met: dict[int, list[Found] | int] = {}  # or with what it was refused
        self._found: list[Found] = []
        self.cards: list[Card] = []  # of these; replaced whole
        self._events: object | None = None  # the driver's set of what it tells by itself
        self._listened_to: dict[int, CardId] = {}
        self.readers: dict[CardId, CardReader] = {}
        self._retired: list[CardReader] = []
        self.driver_gone = False  # what belongs to it must not be handed to it any more
        self._holders = 1
        library.connect(attach=not self._by_address)
        self.source = _source()
        try:
            self._askers = handle_askers(awake_bus_ids)
            for place in range(len(self._askers)):
                self._begin_to_meet(place)
            with self._lock:
                self._lock.wait_for(lambda: not self._meeting, _MEETING_PATIENCE)
                for met in self._met.values():
                    if isinstance(met, int) and met in library.DRIVER_GONE:
                        raise pynvml.NVMLError(met)
                self._list_cards()
        except (pynvml.NVMLError, Trouble):
            self.let_go()
            raise

    def hold(self) -> None:
        """Only while somebody holds it."""
        with self._lock:
            self._holders += 1

    def let_go(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders:
                return
        if not self.driver_gone:
            for reader in (*self.readers.values(), *self._retired):
                reader.free()
            if self._events is not None:
                answer(pynvml.nvmlEventSetFree, self._events)
        library.disconnect()

    def lists_others(self) -> bool:
        """Whether the driver has another number of cards now than at the start."""
        with suppress(pynvml.NVMLError, Trouble):
            return not self._by_address and card_count() != len(self._askers)
        return False

    def topology(self, listed: Collection[CardId]) -> Topology:
        return wiring([each for each in self._found if each.card.id in listed], self._bus)

    def wait_for_fault(self, seconds: float) -> list[HardwareFault]:
        """Waits for an Xid: what the driver reports by itself, once, to whoever is listening.
        Raises NVMLError when the connection is gone. Used by one thread.
        """
        found = list(self._found)
        for each in found:
            if each.card.kind is CardKind.GPU and each.handle is not None:
                address = _address(each.handle)
                if address not in self._listened_to:
                    self._listened_to[address] = each.card.id
                    # One that hangs does not keep the others unheard.
                    Asked(partial(self._listen, each)).answered_within(_LISTENING_PATIENCE)
        if self._events is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        try:
            event = pynvml.nvmlEventSetWait_v2(self._events, int(seconds * 1000))
        except pynvml.NVMLError_Timeout:
            return []
        code = int(event.eventData)
        if event.eventType != pynvml.nvmlEventTypeXidCriticalError or not 0 < code <= _MOST_XID:
            return []
        meaning = _XIDS.get(code, _UNKNOWN_XID)
        sentence = Message("Xid {code}: {meaning}", code=code, meaning=meaning)
        # None where the driver names none that is listed.
        card = self._listened_to.get(_address(event.device))
        listed = any(each.card.id == card for each in found)
        return [HardwareFault(card if listed else None, code, sentence)]

    def find_again(self, card: CardId) -> None:
        """Ask a lost card anew who it is; it may have come back. Does not wait for it."""
        with self._lock:
            for place in range(len(self._askers)):
                if self._at(place)[0].card.id == card:
                    self._begin_to_meet(place)

    def note_mig_mode(self, reader: CardReader, on: bool) -> None:
        """See whether the card was cut, put together, or cut another way since."""
        reader.note_mig_mode(on)
        card, handle = reader.card.id, reader.found.handle
        before = {each.card.id for each in self._found if each.card.parent == card}
        if on is not reader.found.mig_on or (on and instance_ids(handle) != before):
            self.find_again(card)

    def _begin_to_meet(self, place: int) -> None:
        with self._lock:
            if place not in self._meeting:
                self._meeting.add(place)
                self._holders += 1
                meets = threading.Thread(target=self._meet, args=(place,), name="meets a card")
                meets.daemon = True
                meets.start()

    def _meet(self, place: int) -> None:
        met: list[Found] | int
        try:
            met = meet(self._askers[place], place)
        except pynvml.NVMLError as error:
            met = error.value
        with self._lock:
            self._meeting.discard(place)
            # One that gives no handle any more is known by its last.
            if isinstance(met, list) or not isinstance(self._met.get(place), list):
                self._met[place] = met
            # Else it was met in time. That the driver went meanwhile says the next reading.
            gone = isinstance(met, int) and met in library.DRIVER_GONE
            changed = bool(self._found) and not gone
            if changed:
                self._list_cards()
            self._lock.notify_all()
        if changed:
            self._changed()
        self.let_go()

    def _at(self, place: int) -> list[Found]:
        """The card there, and its instances after it."""
        met, known = self._met.get(place), self._known.get(place)
        if isinstance(met, list):
            return met
        if known is not None and any(
            known.id == each.card.id
            for founds in self._met.values()
            if isinstance(founds, list)
            for each in founds
        ):
            known = None  # the numbers were dealt out anew, and that card stands elsewhere
        if met is None:
            return [silent(place, known, Absence.NO_ANSWER, f"{_MEETING_PATIENCE:.0f}")]
        said = library.message_of(pynvml.NVMLError(met))
        return [silent(place, known, library.absence_of(met), said)]

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
        self.cards = [each.card for each in self._found]

    def _take_in(self, found: Found) -> None:
        card = found.card
        instances = {
            (each.gpu_instance, each.compute_instance): each.card.id
            for each in self._found
            if each.card.parent == card.id
        }
        slot, version = self._bus.slot(card.bus_id or ""), self.source.driver_version
        reader = CardReader(found, self._clock, slot, version, instances)
        reader.note_mig_mode(found.mig_on)
        before = self.readers.get(card.id)
        if before is not None:
            self._retired.append(before)  # another thread may be in the middle of it
        self.readers[card.id] = reader

    def _listen(self, found: Found) -> None:
        xid = pynvml.nvmlEventTypeXidCriticalError
        with suppress(pynvml.NVMLError):  # Windows and old cards have no such events
            if pynvml.nvmlDeviceGetSupportedEventTypes(found.handle) & xid:
                if self._events is None:
                    self._events = pynvml.nvmlEventSetCreate()
                pynvml.nvmlDeviceRegisterEvents(found.handle, xid, self._events)


def try_to_connect(awake_bus_ids: list[str] | None) -> None:
    """What a connection does at its start, for a process that may be lost by it."""
    library.connect(attach=awake_bus_ids is None)
    for place, asker in enumerate(handle_askers(awake_bus_ids)):
        with suppress(pynvml.NVMLError):
            meet(asker, place)


def _address(handle: Any) -> int:  # the binding's own pointer type, which has no annotations
    """The number behind a handle, which differs as a Python object each time."""
    try:
        return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)
    except (ctypes.ArgumentError, TypeError):
        return 0


def _source() -> Source:
    version = answer(pynvml.nvmlSystemGetDriverVersion)
    number = answer(pynvml.nvmlSystemGetCudaDriverVersion_v2, most=99_999) or 0
    cuda = f"{number // 1000}.{number % 1000 // 10}" if number >= 1000 else None
    label = Message("NVIDIA driver of unknown version, read through NVML")
    if version:
        label = Message("NVIDIA driver {version}, read through NVML", version=version)
    return Source("nvml", label, driver_version=version or None, cuda_version=cuda)
