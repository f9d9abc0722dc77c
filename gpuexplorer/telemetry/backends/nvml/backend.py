"""NvmlBackend: NVIDIA's cards over the life of several connections to their driver."""

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample, remedy
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import GPU_UTILIZATION, MIG_MODE, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import (
    ASK_THE_DOCTOR,
    FASTEST_FIRST,
    HardwareFault,
    Source,
)
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.connection import Connection, try_to_connect
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology

# How long to wait before the driver, or a card that gives nothing, is looked for again.
_REVIVAL_PAUSE = 2.0
_LOST_PAUSE = 10.0
# A card that did nothing for this long is left alone, so that the kernel can switch it off.
_IDLE_BEFORE_REST = 30.0
# If it has not fallen asleep by then, somebody else keeps it awake, and reading does no harm.
_REST = 20.0
# Begins the id of a card that slept from the start, and so was never asked for its UUID.
_SLEEPER = "PCI-"
_WHY = {
    CardState.LOST: Absence.LOST,
    CardState.UNLISTED: Absence.UNLISTED,
    CardState.NO_ANSWER: Absence.NO_ANSWER,
    CardState.ASLEEP: Absence.ASLEEP,
    CardState.NO_DRIVER: Absence.NO_DRIVER,
}
_STATES = {why: state for state, why in _WHY.items()}


class NvmlBackend:
    """Keeps cards by UUID while connections to the driver come and go.

    A connection is entered by every call and left again; whoever leaves a connection that was
    given up as the last one ends it, so that none is ended under a call still running.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        bus: PciBus | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._bus = bus or PciBus()
        self._environment = os.environ if environment is None else environment
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._list = _CardList()
        self._resting = _Resting(self._bus, self._clock)
        self.source = Source("nvml", Message("NVIDIA driver, not asked while its cards sleep"))
        self.generation = 0  # grows with every new connection to the driver
        self._revive_at = 0.0
        self._silent_since: dict[CardId, float] = {}
        self._counted_at = 0.0
        self._closed = self._connecting = self._gone = False
        self._why_gone: Message | None = None

    def open(self) -> None:
        self._closed = False
        library.crash_of_last_time()
        if self._resting.awake_bus_ids() == []:
            self._list.take(self._resting.sleepers())
            return
        self._connect()
        if not self._list.cards:
            self.close()
            raise Trouble(
                "The NVIDIA driver answers, but it has no card.",
                "Check that it is seated, powered, and not handed to a virtual machine.",
            )

    def close(self) -> None:
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.give_up()

    def cards(self) -> Sequence[Card]:
        return self._list.cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        known = self._list.by_id.get(card)
        if known is None:
            return self._absent(card, metrics, CardState.LOST)
        if self._resting.resting(known):
            return self._absent(card, metrics, CardState.ASLEEP)
        with self._entered() as connection:
            if connection is None:
                return self._meanwhile(known, metrics)
            # Entering may have connected anew, and then the card may not be listed any more.
            known = self._list.by_id.get(card, known)
            try:
                sample = self._read(connection, known, metrics)
            except pynvml.NVMLError:
                gone = Message("The driver stopped answering.")
                self._drop(connection, gone, driver_gone=True)
                return self._absent(card, metrics, CardState.NO_DRIVER)
            if connection.driver_gone:
                # What hung through a change of drivers tells nothing about now.
                return self._absent(card, metrics, CardState.NO_ANSWER)
            if connection.given_up:
                return self._meanwhile(known, metrics)
            self._consider(connection, known, sample)
            return sample

    def _read(
        self, connection: Connection, card: Card, metrics: Collection[MetricId]
    ) -> Sample:
        reader = connection.readers.get(card.id)
        if reader is not None:
            sample = reader.read(metrics)
            if (mode := sample.values.get(MIG_MODE)) is not None:
                connection.note_mig_mode(card.id, bool(mode))
            return sample
        if card.id.startswith(_SLEEPER):
            # It slept when this connection was made; now it is awake and can be asked.
            self._drop(connection)
        return self._without_handle(card, metrics)

    def _meanwhile(self, card: Card, metrics: Collection[MetricId]) -> Sample:
        """While there is no connection: the driver is gone, or it is just being connected to
        again, because cards woke or others are listed. Nothing is news of the card then.
        """
        if self._gone:
            return self._absent(card.id, metrics, CardState.NO_DRIVER)
        sleeps = card.id.startswith(_SLEEPER)
        if sleeps or card.id in self._silent_since or card.denied is not None:
            return self._without_handle(card, metrics)
        not_yet = dict.fromkeys(metrics, Absence.NOT_YET)
        return Sample(card.id, self._clock.now(), {}, not_yet)

    def _without_handle(self, card: Card, metrics: Collection[MetricId]) -> Sample:
        if card.id.startswith(_SLEEPER):
            return self._absent(card.id, metrics, CardState.ASLEEP)
        why = card.denied or Absence.LOST
        # Whatever else denies it refuses it.
        return self._absent(card.id, metrics, _STATES.get(why, CardState.REFUSED), why)

    def _absent(
        self,
        card: CardId,
        metrics: Collection[MetricId],
        state: CardState,
        why: Absence | None = None,
    ) -> Sample:
        """It says nothing at all, with the one reason for everything."""
        missing = dict.fromkeys(metrics, why or _WHY[state])
        return Sample(card, self._clock.now(), {}, missing, state)

    def heard(self, card: CardId) -> float:
        connection = self._connection
        if connection is None:
            return 0.0
        asked = (connection.readers.get(card), connection.processes.get(card))
        return max((each.heard for each in asked if each is not None), default=0.0)

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        known = self._list.by_id.get(card)
        if known is None:
            return None
        if self._resting.resting(known):
            return []
        with self._entered() as connection:
            if connection is None:
                return None
            lister = connection.processes.get(card)
            if lister is None:
                return [] if known.kind is CardKind.MIG else None
            try:
                rows = lister.read()
            except pynvml.NVMLError as error:
                if error.value in library.DRIVER_GONE:
                    reason = library.message_of(error)
                    why = Message("The driver said: {reason}.", reason=reason)
                    self._drop(connection, why, driver_gone=True)
                return None
        self._resting.note_users(card, len(rows))
        return rows

    def topology(self) -> Topology:
        cards = {card.id for card in self._list.listed}
        if not self._all_resting():
            # A card that answers at this moment is not listed yet; it changes the list next.
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.topology(cards)
        return Topology([card.id for card in self._list.listed], [], {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        if not self._all_resting():
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.wait_for_fault(seconds)
        self._clock.wait(threading.Event(), seconds)
        return []

    def _all_resting(self) -> bool:
        return all(self._resting.resting(card) for card in self._list.listed)

    def notes(self) -> Sequence[Message]:
        notes = [crash] if (crash := library.crash_of_last_time()) else []
        if self._connection is None and self._why_gone is not None:
            notes.append(
                Message(
                    "The NVIDIA driver is gone and is looked for again. {why}",
                    why=self._why_gone,
                )
            )
        sleeping = [card.bus_id for card in self._bus.cards() if card.asleep]
        if sleeping:
            notes.append(
                Message(
                    "Asleep, and not woken to be read: {cards}. A program that uses it wakes"
                    " it.",
                    cards=", ".join(sleeping),
                )
            )
        denied = [card for card in self._list.cards if card.denied is not None]
        for reason in dict.fromkeys(card.cuda_reason for card in denied):
            alike = [str(card.index) for card in denied if card.cuda_reason == reason]
            notes.append(
                Message.counted(
                    "Card {cards}: {reason}.",
                    "Cards {cards}: {reason}.",
                    len(alike),
                    cards=", ".join(alike),
                    reason=reason,
                )
            )
        notes += dict.fromkeys(each for card in denied if (each := remedy(card.denied)))
        if any(card.cuda_reason == FASTEST_FIRST for card in self._list.cards):
            notes.append(
                Message(
                    "The cards are of different models, so CUDA numbers them by speed: "
                    "set CUDA_DEVICE_ORDER=PCI_BUS_ID and its numbers follow the bus."
                )
            )
        return notes

    @contextmanager
    def _entered(self) -> Iterator[Connection | None]:
        """The living connection; a new one when it is time to look for the driver."""
        connection = self._enter()
        try:
            yield connection
        finally:
            if connection is not None:
                connection.leave()

    def _enter(self) -> Connection | None:
        with self._lock:
            connection = self._connection
            if connection is not None and connection.enter():
                return connection
            if self._closed or self._connecting or self._clock.now() < self._revive_at:
                return None
            self._connecting = True
        try:
            self._connect()
        except Trouble as trouble:
            self._why_gone = trouble.sentence
            self._gone = True
            self._revive_at = self._clock.now() + _REVIVAL_PAUSE
            return None
        finally:
            self._connecting = False
        with self._lock:
            connection = self._connection
            return connection if connection is not None and connection.enter() else None

    def _connect(self) -> None:
        awake = self._resting.awake_bus_ids()
        with library.after_a_child(partial(try_to_connect, awake)):
            connection = self._new_connection(awake)
        with self._lock:
            if not self._closed:
                self._connection, self.source = connection, connection.source
                self.generation += 1
                self._silent_since.clear()
                self._counted_at = self._clock.now()
                self._why_gone, self._gone = None, False
        if self._closed:
            connection.give_up()
        else:
            self._on_cards_changed()

    def _new_connection(self, awake: list[str] | None) -> Connection:
        library.connect(attach=awake is None)
        cards = (*self._list.unlisted.values(), *self._list.listed)
        known = {card.index: card for card in cards if card.kind is CardKind.GPU}
        try:
            return Connection(
                self._environment, awake, known, self._clock, self._bus, self._on_cards_changed
            )
        except Trouble:
            library.disconnect()
            raise
        except pynvml.NVMLError as error:
            library.disconnect()
            raise Trouble(
                "The NVIDIA driver does not say which cards there are: {reason}.",
                ASK_THE_DOCTOR,
                reason=library.message_of(error),
            ) from error

    def _on_cards_changed(self) -> None:
        """A card answered that had not, or is cut into other instances. From any thread."""
        with self._lock:
            connection = self._connection
            if connection is not None:
                self._list.take([*connection.cards, *self._resting.sleepers()])
                self._resting.learn(connection.cards)

    def _drop(
        self, connection: Connection, why: Message | None = None, driver_gone: bool = False
    ) -> None:
        with self._lock:
            if self._connection is connection:
                self._connection = None
                self._why_gone, self._gone = why, driver_gone
                pause = _REVIVAL_PAUSE if driver_gone else 0.0
                self._revive_at = self._clock.now() + pause
        connection.give_up(driver_gone)

    def _consider(self, connection: Connection, card: Card, sample: Sample) -> None:
        """See what a sample means beyond itself: a lost card, a new mode, a time to rest."""
        if sample.state in (CardState.LOST, CardState.REFUSED):
            since = self._silent_since.setdefault(card.id, sample.at)
            if sample.at - since >= _LOST_PAUSE:
                self._silent_since[card.id] = sample.at
                connection.find_again(card.id)
        elif sample.state is CardState.UNLISTED:
            if sample.at - self._counted_at >= _LOST_PAUSE:
                self._counted_at = sample.at
                if connection.lists_others():
                    self._drop(connection)
        else:
            self._silent_since.pop(card.id, None)
            self._resting.note(card, sample)
            if self._resting.all_let_go(self._list.listed):
                self._drop(connection)


class _CardList:
    """A card that the driver does not list any more keeps its place, so that nothing vanishes
    without a word. Its number may have passed to another card: then it gets the next free one.
    """

    def __init__(self) -> None:
        self.cards: list[Card] = []  # in the order in which people list them; replaced whole
        self.listed: list[Card] = []  # those the driver lists now, and those that sleep
        self.by_id: dict[CardId, Card] = {}
        self.unlisted: dict[CardId, Card] = {}  # as they were when they were listed

    def take(self, listed: list[Card]) -> None:
        """The driver lists these now. Of the others, those that are whole and known stay."""
        unlisted = self.unlisted | {
            card.id: card
            for card in self.listed
            if card.kind is CardKind.GPU
            and not card.nameless
            and not card.id.startswith(_SLEEPER)
        }
        for card in listed:
            unlisted.pop(card.id, None)
        self.unlisted = unlisted
        taken = {card.index for card in listed if card.kind is CardKind.GPU}
        free = max((*taken, *(card.index for card in unlisted.values())), default=0) + 1
        cards = list(listed)
        for card in sorted(unlisted.values(), key=lambda card: card.index):
            reason = Message("the driver no longer lists it")
            index = card.index
            if index in taken:
                reason = Message(
                    "the driver no longer lists it; it was card {number}", number=index
                )
                index, free = free, free + 1
            taken.add(index)
            cards.append(
                replace(
                    card,
                    index=index,
                    cuda_index=None,
                    cuda_reason=reason,
                    denied=Absence.UNLISTED,
                )
            )
        by_id = self.by_id = {card.id: card for card in cards}
        self.cards = sorted(
            cards,
            key=lambda card: (
                (by_id[card.parent].index, True, card.index)
                if card.parent in by_id
                else (card.index, False, 0)
            ),
        )
        self.listed = [card for card in self.cards if card.denied is not Absence.UNLISTED]


@dataclass(slots=True)
class _Nap:
    idle_since: float | None = None
    resting_since: float | None = None
    users: int = 0


class _Resting:
    """Who sleeps, who may sleep, and who is left alone. Asks the kernel only, never NVML."""

    def __init__(self, bus: PciBus, clock: Clock) -> None:
        self._bus, self._clock = bus, clock
        self._naps: dict[CardId, _Nap] = {}
        self._may_sleep: dict[str | None, bool] = {}
        self._known: dict[str | None, Card] = {}

    def awake_bus_ids(self) -> list[str] | None:
        """None when no card sleeps: then all may be asked for."""
        cards = self._bus.cards()
        if not any(card.asleep for card in cards):
            return None
        return [card.bus_id for card in cards if not card.asleep]

    def sleepers(self) -> list[Card]:
        """Cards that sleep and were not asked, as far as the kernel knows them."""
        return [
            self._known.get(card.bus_id)
            or Card(
                id=CardId(f"{_SLEEPER}{card.bus_id}"),
                index=position,
                name=Message("NVIDIA card {device}, asleep", device=card.device),
                memory_bytes=None,
                bus_id=card.bus_id,
                cuda_reason=Message("the card is asleep and was not asked"),
            )
            for position, card in enumerate(self._bus.cards())
            if card.asleep
        ]

    def learn(self, cards: list[Card]) -> None:
        """Remember whose bus address is whose, and which cards the kernel may switch off."""
        self._may_sleep = {card.bus_id: card.may_sleep for card in self._bus.cards()}
        self._known |= {card.bus_id: card for card in cards if card.kind is CardKind.GPU}

    def note(self, card: Card, sample: Sample) -> None:
        """See how long a card that may sleep has done nothing."""
        busy = sample.values.get(GPU_UTILIZATION)
        if busy is None or not self._may_sleep.get(card.bus_id):
            return
        nap = self._naps.setdefault(card.id, _Nap())
        if busy > 0 or nap.users:
            nap.idle_since = None
        elif nap.idle_since is None:
            nap.idle_since = sample.at
        elif sample.at - nap.idle_since >= _IDLE_BEFORE_REST:
            nap.resting_since = sample.at

    def note_users(self, card: CardId, users: int) -> None:
        self._naps.setdefault(card, _Nap()).users = users

    def all_let_go(self, cards: list[Card]) -> bool:
        """Only an ended connection lets a card sleep, and it can end only for all at once."""
        naps = [self._naps.get(card.id) for card in cards]
        return bool(naps) and all(nap and nap.resting_since is not None for nap in naps)

    def resting(self, card: Card) -> bool:
        """Whether the card is to be left alone now."""
        if card.id.startswith(_SLEEPER):
            return self._bus.asleep(card.bus_id or "")
        nap = self._naps.get(card.id)
        since = None if nap is None else nap.resting_since  # another round may clear it
        if nap is None or since is None:
            return False
        if self._bus.asleep(card.bus_id or "") or self._clock.now() - since < _REST:
            return True
        # It woke, or never slept: look at it again, and at once let it rest if it still idles.
        nap.resting_since = None
        nap.idle_since = self._clock.now()
        return False
