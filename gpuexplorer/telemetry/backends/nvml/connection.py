"""Connection: one generation of handles, from nvmlInit to nvmlShutdown."""

import ctypes
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import pynvml

from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.figures import CardReader
from gpuexplorer.telemetry.backends.nvml.identity import (
    MEETING_PATIENCE,
    Found,
    answer,
    card_count,
    handle_askers,
    instance_handles,
    meet,
    numbered,
    silent,
    told_apart,
)
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.patience import Asked

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
    each meeting has a thread of its own, since it may hang with its card.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        awake_bus_ids: list[str] | None,
        known: Mapping[int, Card],
        clock: Clock,
        bus: PciBus,
    ) -> None:
        """Raises Trouble where the driver does not answer, and NVMLError where it is gone."""
        self._environment, self._known = environment, known
        self._clock, self._bus = clock, bus
        self._by_address = awake_bus_ids is not None
        self._lock = threading.Lock()
        self._meetings: dict[int, Asked[list[Found]]] = {}  # by the card's place
        self._asked_at: dict[int, float] = {}
        self._met: dict[int, list[Found] | int] = {}  # or with what it was refused
        # Those that are known, and how those with a handle are read; replaced whole.
        self.found: Sequence[Found] = ()
        self.readers: Mapping[CardId, CardReader] = {}
        self._made: list[CardReader] = []  # also those that are read no more
        self._events: object | None = None  # the driver's set of what it tells by itself
        self._listened_to: set[int] = set()
        self.driver_gone = False  # what belongs to it must not be handed to it any more
        self._holders = 1
        library.connect(attach=not self._by_address)
        self.source = _source()
        try:
            self._askers = handle_askers(awake_bus_ids)
            for place in range(len(self._askers)):
                self._begin_to_meet(place)
            until = time.monotonic() + MEETING_PATIENCE
            for meeting in self._meetings.values():
                meeting.answered_within(until - time.monotonic())
            self._hear()
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
            for reader in self._made:
                reader.free()
            if self._events is not None:
                answer(pynvml.nvmlEventSetFree, self._events)
        library.disconnect()

    def lists_others(self) -> bool:
        """Whether the driver has another number of cards now than at the start."""
        with suppress(pynvml.NVMLError, Trouble):
            return not self._by_address and card_count() != len(self._askers)
        return False

    def wait_for_fault(self, seconds: float) -> list[HardwareFault]:
        """Waits for an Xid: what the driver reports by itself, once, to whoever is listening.
        Raises NVMLError when the connection is gone. Used by one thread.
        """
        cards = {
            _address(each.handle): each
            for each in self.found
            if each.card.kind is CardKind.GPU and each.handle is not None
        }
        for address in cards.keys() - self._listened_to:
            self._listened_to.add(address)
            # One that hangs does not keep the others unheard.
            Asked(partial(self._listen, cards[address])).answered_within(_LISTENING_PATIENCE)
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
        found = cards.get(_address(event.device))
        return [HardwareFault(None if found is None else found.card.id, code, sentence)]

    def take_in(self) -> Sequence[Found]:
        """All, with those that answered meanwhile."""
        with self._lock:
            if self._hear():
                self._list_cards()
            return self.found

    def find_again(self, card: CardId, pause: float = 0.0) -> None:
        """Ask a card anew who it is, so long after the last time. Does not wait for it."""
        long_ago = self._clock.now() - pause
        with self._lock:
            for place in {each.place for each in self.found if each.card.id == card}:
                if place not in self._meetings and self._asked_at[place] <= long_ago:
                    self._begin_to_meet(place)

    def note_mig_mode(self, reader: CardReader, on: bool) -> None:
        """See whether the card was cut, put together, or cut another way since."""
        there = instance_handles(reader.found.handle) if on else ()
        now = {uuid for _, uuid, _ in there}
        before = {x.card.id for x in self.found if x.card.parent == reader.card.id}
        if on is not reader.found.mig_on or now != before:
            self.find_again(reader.card.id)

    def _begin_to_meet(self, place: int) -> None:
        self._holders += 1
        self._asked_at[place] = self._clock.now()
        self._meetings[place] = Asked(partial(self._meet, place))

    def _meet(self, place: int) -> list[Found]:
        try:
            return meet(self._askers[place], place)
        finally:
            self.let_go()

    def _hear(self) -> bool:
        """Whether any answered since. One without a handle now is known by its last."""
        answered = [place for place, each in self._meetings.items() if each.answered]
        for place in answered:
            try:
                self._met[place] = self._meetings.pop(place).result()
            except pynvml.NVMLError as error:
                if not isinstance(self._met.get(place), list):
                    self._met[place] = error.value
        return bool(answered)

    def _list_cards(self) -> None:
        """Put together who is known, with a reader for each that has a handle."""
        met = [self._met.get(place) for place in range(len(self._askers))]
        names = {each.card.id for those in met if isinstance(those, list) for each in those}
        found: list[Found] = []
        for place, those in enumerate(met):
            if isinstance(those, list):
                found += those
                continue
            known = self._known.get(place)
            if known is not None and known.id in names:
                known = None  # the numbers were dealt out anew, and that card stands elsewhere
            found.append(silent(place, known, those))
        found = numbered(told_apart(found), self._environment)
        with_handle = [each for each in found if each.handle is not None]
        self.readers = {each.card.id: self._reader(each, found) for each in with_handle}
        self.found = found

    def _reader(self, found: Found, beside: Sequence[Found]) -> CardReader:
        """The one that there is already, or another for a card that was met anew."""
        before = self.readers.get(found.card.id)
        if before is not None and before.found.handle is found.handle:
            return before
        instances = {
            (each.gpu_instance, each.compute_instance): each.card.id
            for each in beside
            if each.card.parent == found.card.id
        }
        version = self.source.driver_version or ""
        slot = self._bus.slot(found.card.bus_id or "")
        self._made.append(CardReader(found, self._clock, slot, version, instances))
        return self._made[-1]

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
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _source() -> Source:
    version = answer(pynvml.nvmlSystemGetDriverVersion)
    number = answer(pynvml.nvmlSystemGetCudaDriverVersion_v2, most=99_999) or 0
    cuda = f"{number // 1000}.{number % 1000 // 10}" if number >= 1000 else None
    label = Message("NVIDIA driver of unknown version, read through NVML")
    if version:
        label = Message("NVIDIA driver {version}, read through NVML", version=version)
    return Source("nvml", label, driver_version=version or None, cuda_version=cuda)
