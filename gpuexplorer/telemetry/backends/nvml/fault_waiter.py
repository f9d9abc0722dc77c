"""Waiting for Xids: what the driver reports by itself, once, to whoever is listening."""

import ctypes
from functools import partial
from typing import Any

import pynvml

from gpuexplorer.core.cards import CardId, CardKind
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.patience import Asked

# The Xids a person is most likely to meet, in their words.
_MEANINGS = {
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


_UNKNOWN = Message("look it up in NVIDIA's list of Xid errors")
# NVIDIA's list ends far below; what is beyond is no number of an error.
_MOST_XID = 999
# How long one card may take to be listened to.
_PATIENCE = 0.5


class FaultWaiter:
    """One event set of one connection to the driver. Used by one thread."""

    def __init__(self) -> None:
        self._set: object | None = None
        self._cards: dict[int, CardId] = {}
        self._listed: frozenset[CardId] = frozenset()
        self._asked: set[int] = set()

    def listen_to(self, found: list[Found]) -> None:
        """Register cards that are new. One that hangs does not keep the others unheard."""
        self._listed = frozenset(each.card.id for each in found)
        for each in found:
            if each.card.kind is CardKind.GPU and each.handle is not None:
                address = _address(each.handle)
                if address not in self._asked:
                    self._asked.add(address)
                    Asked(partial(self._register, each)).answered_within(_PATIENCE)

    def wait(self, seconds: float) -> list[HardwareFault]:
        """Raises NVMLError when the connection is gone."""
        if self._set is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        try:
            event = pynvml.nvmlEventSetWait_v2(self._set, int(seconds * 1000))
        except pynvml.NVMLError_Timeout:
            return []
        if event.eventType != pynvml.nvmlEventTypeXidCriticalError:
            return []
        code = int(event.eventData)
        if not 0 < code <= _MOST_XID:
            return []
        meaning = _MEANINGS.get(code, _UNKNOWN)
        sentence = Message("Xid {code}: {meaning}", code=code, meaning=meaning)
        return [HardwareFault(self._card(event), code, sentence)]

    def free(self) -> None:
        """Only while the connection that made the set still stands."""
        if self._set is not None:
            waiting, self._set = self._set, None
            try:
                pynvml.nvmlEventSetFree(waiting)
            except pynvml.NVMLError:
                return  # it went with the connection

    def _register(self, found: Found) -> None:
        try:
            offered = pynvml.nvmlDeviceGetSupportedEventTypes(found.handle)
            if not offered & pynvml.nvmlEventTypeXidCriticalError:
                return
            if self._set is None:
                self._set = pynvml.nvmlEventSetCreate()
            pynvml.nvmlDeviceRegisterEvents(
                found.handle, pynvml.nvmlEventTypeXidCriticalError, self._set
            )
        except pynvml.NVMLError:
            return  # Windows and old cards have no such events
        self._cards[_address(found.handle)] = found.card.id

    def _card(self, event: object) -> CardId | None:
        """None where the driver names none that is listed."""
        card = self._cards.get(_address(getattr(event, "device", None)))
        return card if card in self._listed else None


def _address(handle: Any) -> int:  # the binding's own pointer type, which has no annotations
    """The number behind a handle, which differs as a Python object each time."""
    try:
        return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)
    except (ctypes.ArgumentError, TypeError):
        return 0
