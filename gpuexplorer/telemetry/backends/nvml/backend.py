"""NvmlBackend: NVIDIA's cards over the life of several connections to their driver."""

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample, remedy
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import MIG_MODE, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.card_list import CardList
from gpuexplorer.telemetry.backends.nvml.card_reader import DriverGoneError, absent_sample
from gpuexplorer.telemetry.backends.nvml.connection import Connection, try_to_connect
from gpuexplorer.telemetry.backends.nvml.first_contact import after_a_child
from gpuexplorer.telemetry.backends.nvml.resting import SLEEPER, Resting
from gpuexplorer.telemetry.cuda_order import FASTEST_FIRST
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology

# How long to wait before the driver, or a card that gives nothing, is looked for again.
_REVIVAL_PAUSE = 2.0
_LOST_PAUSE = 10.0
# In which state a card without a handle is. Whatever else denies it refuses it.
_STATES = {
    Absence.LOST: CardState.LOST,
    Absence.UNLISTED: CardState.UNLISTED,
    Absence.NO_ANSWER: CardState.NO_ANSWER,
}
_WITHOUT_FIGURES = (CardState.LOST, CardState.REFUSED)


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
        self._list = CardList()
        self._source = Source("nvml", Message("NVIDIA driver"))
        self._resting = Resting(self._bus, self._clock)
        self._generation = 0
        self._revive_at = 0.0
        self._silent_since: dict[CardId, float] = {}
        self._counted_at = 0.0
        self._bound: set[str] = set()
        self._closed = False
        self._connecting = False
        self._gone = False
        self._why_gone: Message | None = None

    def open(self) -> None:
        self._closed = False
        if self._resting.all_asleep():
            self._list.take(self._resting.sleepers())
            label = Message("NVIDIA driver, not asked while its cards sleep")
            self._source = Source("nvml", label)
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

    @property
    def source(self) -> Source:
        return self._source

    @property
    def generation(self) -> int:
        """Grows with every new connection to the driver."""
        return self._generation

    def cards(self) -> Sequence[Card]:
        return self._list.cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        known = self._list.get(card)
        now = self._clock.now()
        if known is None:
            return Sample(card, now, {}, dict.fromkeys(metrics, Absence.LOST), CardState.LOST)
        if self._resting.resting(known):
            return absent_sample(known, now, metrics, CardState.ASLEEP)
        connection = self._enter()
        if connection is None:
            return self._meanwhile(known, now, metrics)
        # Entering may have connected anew, and then the card may not be listed any more.
        known = self._list.get(card) or known
        try:
            sample = self._read(connection, known, metrics)
        except DriverGoneError:
            self._drop(connection, Message("The driver stopped answering."), driver_gone=True)
            return absent_sample(known, now, metrics, CardState.NO_DRIVER)
        finally:
            connection.leave()
        if connection.given_up:
            # What hung through a change of drivers tells nothing about now.
            now = self._clock.now()
            if connection.driver_gone:
                return absent_sample(known, now, metrics, CardState.NO_ANSWER)
            return self._meanwhile(known, now, metrics)
        self._consider(connection, known, sample)
        return sample

    def _meanwhile(self, card: Card, now: float, metrics: Collection[MetricId]) -> Sample:
        """While there is no connection: the driver is gone, or it is just being connected to
        again, because cards woke or others are listed. Nothing is news of the card then.
        """
        if self._gone:
            return absent_sample(card, now, metrics, CardState.NO_DRIVER)
        if card.id.startswith(SLEEPER):
            return absent_sample(card, now, metrics, CardState.ASLEEP)
        if card.id in self._silent_since or card.denied is not None:
            return self._without_handle(card, now, metrics)
        return Sample(card.id, now, {}, dict.fromkeys(metrics, Absence.NOT_YET))

    def _read(
        self, connection: Connection, card: Card, metrics: Collection[MetricId]
    ) -> Sample:
        reader = connection.readers.get(card.id)
        if reader is not None:
            sample = reader.read(metrics)
            mode = sample.values.get(MIG_MODE)
            if mode is not None:
                connection.note_mig_mode(card.id, bool(mode))
            return sample
        now = self._clock.now()
        if card.id.startswith(SLEEPER):
            # It slept when this connection was made; now it is awake and can be asked.
            self._drop(connection)
            return absent_sample(card, now, metrics, CardState.ASLEEP)
        if connection.hung(card.id):
            return absent_sample(card, now, metrics, CardState.NO_ANSWER)
        return self._without_handle(card, now, metrics)

    def _without_handle(self, card: Card, now: float, metrics: Collection[MetricId]) -> Sample:
        why = card.denied or Absence.LOST
        state = _STATES.get(why, CardState.REFUSED)
        return absent_sample(card, now, metrics, state, why)

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        known = self._list.get(card)
        if known is None:
            return None
        if self._resting.resting(known):
            return []
        with self._entered() as connection:
            if connection is None:
                return None
            try:
                lister = connection.processes.get(card)
                if lister is None:
                    return [] if known.kind is CardKind.MIG else None
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
        cards = self._list.listed
        if not all(self._resting.resting(card) for card in cards):
            # A card that answers at this moment is not listed yet; it changes the list next.
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.topology(self._bus, {card.id for card in cards})
        return Topology([card.id for card in cards], [], {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        if not all(self._resting.resting(card) for card in self._list.listed):
            with self._entered() as connection, suppress(pynvml.NVMLError):
                if connection is not None:
                    return connection.wait_for_fault(seconds)
        self._clock.wait(threading.Event(), seconds)
        return []

    def notes(self) -> Sequence[Message]:
        notes = []
        if self._connection is None and self._why_gone is not None:
            notes.append(
                Message(
                    "The NVIDIA driver is gone and is looked for again. {why}",
                    why=self._why_gone,
                )
            )
        notes += self._resting.notes()
        denied = [card for card in self._list.cards if card.denied is not None]
        alike: dict[Message, list[str]] = {}
        for card in denied:
            alike.setdefault(card.cuda_reason, []).append(str(card.index))
        notes += [
            Message.counted(
                "Card {cards}: {reason}.",
                "Cards {cards}: {reason}.",
                len(cards),
                cards=", ".join(cards),
                reason=reason,
            )
            for reason, cards in alike.items()
        ]
        notes += {each: None for card in denied if (each := remedy(card.denied))}
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
        connection = self._enter()
        try:
            yield connection
        finally:
            if connection is not None:
                connection.leave()

    def _enter(self) -> Connection | None:
        """The living connection, entered; a new one when it is time to look for the driver."""
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
        with after_a_child(partial(try_to_connect, awake)):
            connection = self._new_connection(awake)
        with self._lock:
            closed = self._closed
            if not closed:
                self._connection = connection
                self._list.take([*connection.cards, *self._resting.sleepers()])
        if closed:
            connection.give_up()
            return
        with self._lock:
            self._source = connection.source
            self._generation += 1
            self._silent_since.clear()
            self._counted_at = self._clock.now()
            self._why_gone = None
            self._gone = False
        self._resting.learn(connection.cards)

    def _new_connection(self, awake: list[str] | None) -> Connection:
        library.connect(attach=awake is None)
        cards = (*self._list.unlisted(), *self._list.listed)
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
        if connection is not None:
            self._resting.learn(connection.cards)

    def _drop(
        self, connection: Connection, why: Message | None = None, driver_gone: bool = False
    ) -> None:
        with self._lock:
            if self._connection is connection:
                self._connection = None
                self._why_gone = why
                self._gone = driver_gone
                pause = _REVIVAL_PAUSE if driver_gone else 0.0
                self._revive_at = self._clock.now() + pause
        connection.give_up(driver_gone)

    def _consider(self, connection: Connection, card: Card, sample: Sample) -> None:
        """See what a sample means beyond itself: a lost card, a new mode, a time to rest."""
        if sample.state in _WITHOUT_FIGURES:
            since = self._silent_since.setdefault(card.id, sample.at)
            if sample.at - since >= _LOST_PAUSE:
                self._silent_since[card.id] = sample.at
                connection.find_again(card.id)
            return
        if sample.state is CardState.UNLISTED:
            if sample.at - self._counted_at >= _LOST_PAUSE:
                self._counted_at = sample.at
                if self._more_are_there(connection):
                    self._drop(connection)
            return
        self._silent_since.pop(card.id, None)
        self._resting.note(card, sample)
        if self._resting.all_resting(self._list.listed):
            self._drop(connection)

    def _more_are_there(self, connection: Connection) -> bool:
        """Whether a new connection would find cards that this one does not list.

        A driver may count its cards when it is greeted and never again. So the kernel is looked
        at too: whether it has given the driver another of the cards that are not listed.
        """
        before = self._bound
        addresses = {card.bus_id for card in self._list.unlisted() if card.bus_id}
        self._bound = {each for each in addresses if self._bus.driver(each) == "nvidia"}
        return connection.lists_others() or bool(self._bound - before)
