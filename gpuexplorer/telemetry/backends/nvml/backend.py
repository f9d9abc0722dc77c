"""NvmlBackend: NVIDIA's cards over the life of several connections to their driver."""

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
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
_STATES = {
    Absence.LOST: CardState.LOST,
    Absence.UNLISTED: CardState.UNLISTED,
    Absence.NO_ANSWER: CardState.NO_ANSWER,
    Absence.ASLEEP: CardState.ASLEEP,
    Absence.NO_DRIVER: CardState.NO_DRIVER,
}


class NvmlBackend:
    """Keeps cards by UUID while connections to the driver come and go."""

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
        self._taken: list[Card] = []  # the connection's cards, as they were last listed
        self._resting = _Resting(self._bus, self._clock)
        self.source = Source("nvml", Message("NVIDIA driver, not asked while its cards sleep"))
        self.generation = 0  # grows with every new connection to the driver
        self._revive_at = 0.0
        self._silent_since: dict[CardId, float] = {}
        self._closed = self._connecting = False
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
            connection, self._connection = self._connection, None
            self._closed = True
        if connection is not None:
            connection.let_go()

    def cards(self) -> Sequence[Card]:
        return self._list.cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        known = self._list.by_id.get(card)
        if known is None:
            return self._absent(card, metrics, Absence.LOST)
        if self._resting.resting(known):
            return self._absent(card, metrics, Absence.ASLEEP)
        with self._entered() as connection:
            if connection is None:
                return self._meanwhile(known, metrics)
            # Entering may have connected anew, and then the card may not be listed any more.
            known = self._list.by_id.get(card, known)
            try:
                sample = self._ask(connection, known, metrics)
            except pynvml.NVMLError:
                self._drop(connection, Message("The driver stopped answering."))
                return self._absent(card, metrics, Absence.NO_DRIVER)
            if connection.driver_gone:
                # What hung through a change of drivers tells nothing about now.
                return self._absent(card, metrics, Absence.NO_ANSWER)
            if connection is not self._connection or connection.cards is not self._taken:
                return self._meanwhile(known, metrics)  # who was met just now is listed next
            self._consider(connection, known, sample)
            return sample

    def heard(self, card: CardId) -> float:
        connection = self._connection
        reader = None if connection is None else connection.readers.get(card)
        return 0.0 if reader is None else reader.asking.heard

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        known = self._list.by_id.get(card)
        if known is None:
            return None
        if self._resting.resting(known):
            return []
        with self._entered() as connection:
            reader = None if connection is None else connection.readers.get(card)
            if connection is None or reader is None:
                return None
            if known.kind is CardKind.MIG:
                return []  # the list of the whole card tells who uses it
            try:
                rows = reader.processes.read()
            except pynvml.NVMLError as error:
                if error.value in library.DRIVER_GONE:
                    reason = library.message_of(error)
                    self._drop(connection, Message("The driver said: {reason}.", reason=reason))
                return None
            if connection.cards is not self._taken:
                return None  # as above
        self._resting.users[card] = len(rows)
        return rows

    def topology(self) -> Topology:
        cards = [card.id for card in self._list.listed]
        if not self._all_resting():
            # A card that answers at this moment is not listed yet; it changes the list next.
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.topology(cards)
        return Topology(cards, [], {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        if not self._all_resting():
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.wait_for_fault(seconds)
        self._clock.wait(threading.Event(), seconds)
        return []

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

    def _ask(self, connection: Connection, card: Card, metrics: Collection[MetricId]) -> Sample:
        reader = connection.readers.get(card.id)
        if reader is None:
            if card.id.startswith(_SLEEPER):
                # It slept when this connection was made; now it is awake and can be asked.
                self._drop(connection)
            return self._without_handle(card, metrics)
        sample = reader.read(metrics)
        if (mode := sample.values.get(MIG_MODE)) is not None:
            connection.note_mig_mode(reader, bool(mode))
        return sample

    def _meanwhile(self, card: Card, metrics: Collection[MetricId]) -> Sample:
        """While there is no connection: the driver is gone, or it is just being connected to
        again, because cards woke or others are listed. Nothing is news of the card then.
        """
        if self._why_gone is not None:
            return self._absent(card.id, metrics, Absence.NO_DRIVER)
        silent = card.id in self._silent_since or card.denied is not None
        if silent or card.id.startswith(_SLEEPER):
            return self._without_handle(card, metrics)
        not_yet = dict.fromkeys(metrics, Absence.NOT_YET)
        return Sample(card.id, self._clock.now(), {}, not_yet)

    def _without_handle(self, card: Card, metrics: Collection[MetricId]) -> Sample:
        sleeps = card.id.startswith(_SLEEPER)
        why = Absence.ASLEEP if sleeps else card.denied or Absence.LOST
        return self._absent(card.id, metrics, why)

    def _absent(self, card: CardId, metrics: Collection[MetricId], why: Absence) -> Sample:
        """It says nothing at all, with the one reason for everything."""
        missing, state = dict.fromkeys(metrics, why), _STATES.get(why, CardState.REFUSED)
        return Sample(card, self._clock.now(), {}, missing, state)

    def _all_resting(self) -> bool:
        return all(self._resting.resting(card) for card in self._list.listed)

    @contextmanager
    def _entered(self) -> Iterator[Connection | None]:
        """The living connection; a new one when it is time to look for the driver."""
        now = self._clock.now()
        with self._lock:
            waits = self._closed or self._connecting or now < self._revive_at
            connects = self._connection is None and not waits
            self._connecting |= connects
        if connects:
            try:
                self._connect()
            except Trouble as trouble:
                self._why_gone = trouble.sentence
                self._revive_at = self._clock.now() + _REVIVAL_PAUSE
            finally:
                self._connecting = False
        with self._lock:
            connection = self._connection
            if connection is not None:
                connection.hold()
        try:
            yield connection
        finally:
            if connection is not None:
                connection.let_go()

    def _connect(self) -> None:
        awake = self._resting.awake_bus_ids()
        cards = (*self._list.unlisted.values(), *self._list.listed)
        known = {card.index: card for card in cards if card.kind is CardKind.GPU}
        try:
            with library.after_a_child(partial(try_to_connect, awake)):
                connection = Connection(
                    self._environment,
                    awake,
                    known,
                    self._clock,
                    self._bus,
                    self._on_cards_changed,
                )
        except pynvml.NVMLError as error:
            raise Trouble(
                "The NVIDIA driver does not say which cards there are: {reason}.",
                ASK_THE_DOCTOR,
                reason=library.message_of(error),
            ) from None
        with self._lock:
            if self._closed:
                connection.let_go()
                return
            self._connection, self.source = connection, connection.source
            self.generation += 1
            self._silent_since.clear()
            self._why_gone = None
        self._on_cards_changed()

    def _on_cards_changed(self) -> None:
        """A card answered that had not, or is cut into other instances. From any thread."""
        with self._lock:
            connection = self._connection
            if connection is not None:
                cards = self._taken = connection.cards
                self._list.take([*cards, *self._resting.sleepers()])
                self._resting.learn(cards)

    def _drop(self, connection: Connection, why_gone: Message | None = None) -> None:
        """`why_gone`: the driver is, and not only this connection given up."""
        with self._lock:
            connection.driver_gone |= why_gone is not None
            if self._connection is not connection:
                return
            self._connection, self._why_gone = None, why_gone
            pause = 0.0 if why_gone is None else _REVIVAL_PAUSE
            self._revive_at = self._clock.now() + pause
        connection.let_go()

    def _consider(self, connection: Connection, card: Card, sample: Sample) -> None:
        """See what a sample means beyond itself: a lost card, a new mode, a time to rest."""
        if sample.state in (CardState.LOST, CardState.REFUSED, CardState.UNLISTED):
            since = self._silent_since.setdefault(card.id, sample.at)
            if sample.at - since < _LOST_PAUSE:
                return
            self._silent_since[card.id] = sample.at
            if sample.state is not CardState.UNLISTED:
                connection.find_again(card.id)
            elif connection.lists_others():
                self._drop(connection)
            return
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
        ids = {card.id for card in listed}
        self.unlisted = {
            card.id: card
            for card in (*self.unlisted.values(), *self.listed)
            if card.id not in ids
            and card.kind is CardKind.GPU
            and not card.nameless
            and not card.id.startswith(_SLEEPER)
        }
        cards = list(listed)
        taken = {card.index for card in listed if card.kind is CardKind.GPU}
        free = max((*taken, *(card.index for card in self.unlisted.values())), default=0) + 1
        for card in sorted(self.unlisted.values(), key=lambda card: card.index):
            index, reason = card.index, Message("the driver no longer lists it")
            if index in taken:
                was = "the driver no longer lists it; it was card {number}"
                index, free, reason = free, free + 1, Message(was, number=index)
            taken.add(index)
            gone = replace(card, index=index, cuda_index=None, denied=Absence.UNLISTED)
            cards.append(replace(gone, cuda_reason=reason))
        by_id = self.by_id = {card.id: card for card in cards}

        def order(card: Card) -> tuple[int, int]:
            """Instances stand under their card."""
            parent = by_id.get(card.parent) if card.parent is not None else None
            return (card.index, -1) if parent is None else (parent.index, card.index)

        self.cards = sorted(cards, key=order)
        self.listed = [card for card in self.cards if card.denied is not Absence.UNLISTED]


class _Resting:
    """Who sleeps, who may sleep, and who is left alone. Asks the kernel only, never NVML."""

    def __init__(self, bus: PciBus, clock: Clock) -> None:
        self._bus, self._clock = bus, clock
        self.users: dict[CardId, int] = {}
        self._idle_since: dict[CardId, float] = {}
        self._resting_since: dict[CardId, float] = {}
        self._may_sleep: dict[str | None, bool] = {}
        self._known: dict[str | None, Card] = {}

    def awake_bus_ids(self) -> list[str] | None:
        """None when no card sleeps: then all may be asked for."""
        cards = self._bus.cards()
        awake = [card.bus_id for card in cards if not card.asleep]
        return awake if len(awake) < len(cards) else None

    def sleepers(self) -> list[Card]:
        """Cards that sleep and were not asked, as far as the kernel knows them."""
        return [
            self._known.get(card.bus_id)
            or Card(
                id=CardId(f"{_SLEEPER}{card.bus_id}"),
                index=position,
                name=Message("NVIDIA card {device}, asleep", device=card.device_id),
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
        if busy > 0 or self.users.get(card.id):
            self._idle_since.pop(card.id, None)
        elif sample.at - self._idle_since.setdefault(card.id, sample.at) >= _IDLE_BEFORE_REST:
            self._resting_since[card.id] = sample.at

    def all_let_go(self, cards: list[Card]) -> bool:
        """Only an ended connection lets a card sleep, and it can end only for all at once."""
        return bool(cards) and all(card.id in self._resting_since for card in cards)

    def resting(self, card: Card) -> bool:
        """Whether the card is to be left alone now."""
        if card.id.startswith(_SLEEPER):
            return self._bus.asleep(card.bus_id or "")
        since = self._resting_since.get(card.id)
        if since is None:
            return False
        if self._bus.asleep(card.bus_id or "") or self._clock.now() - since < _REST:
            return True
        # It woke, or never slept: look at it again, and at once let it rest if it still idles.
        self._resting_since.pop(card.id, None)
        self._idle_since[card.id] = self._clock.now()
        return False
