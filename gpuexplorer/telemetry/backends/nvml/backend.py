"""NvmlBackend: NVIDIA's cards over the life of several connections to their driver."""

import math
import os
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import NAMELESS, Card, CardId, CardKind, CardState, Sample, remedy
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import GPU_UTILIZATION, MIG_MODE, PCIE_RECEIVE, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, HardwareFault, Source, nothing
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.connection import Connection, try_to_connect
from gpuexplorer.telemetry.backends.nvml.identity import Found, wiring
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
_UNLISTED = Message("the driver no longer lists it")


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
        self._found: Sequence[Found] = ()  # the connection's, as they were last taken over
        self._cards: Sequence[Card] = []  # in the order in which people list them; replaced
        self._by_id: Mapping[CardId, Card] = {}  # the same
        self._resting = _Resting(self._bus, self._clock)
        self.source = Source("nvml", Message("NVIDIA driver, not asked while its cards sleep"))
        self.generation = 0  # grows with every new connection to the driver
        self._revive_at = 0.0
        self._closed = self._connecting = False
        self._why_gone: Message | None = None

    def open(self) -> None:
        self._closed = False
        library.crash_of_last_time()
        if self._resting.awake_bus_ids() == []:
            self._list([])
            return
        self._connect()
        if not self.cards():
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
        with self._lock:
            return self._up_to_date()

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        known = self._by_id.get(card)
        if known is None or self._resting.resting(known):
            why = Absence.LOST if known is None else Absence.ASLEEP
            return self._absent(card, metrics, why)
        sample = self._absent(card, metrics, Absence.NO_DRIVER)  # where it goes meanwhile
        with self._entered() as connection:
            # Entering may have connected anew, and then the card may not be listed any more.
            known = self._by_id.get(card, known)
            reader = connection.readers.get(card) if connection else None
            if connection is None or reader is None:
                sample = self._unread(known, metrics, connection)
            else:
                sample = reader.read(metrics)
                if connection.driver_gone:
                    # What hung through a change of drivers tells nothing about now.
                    return self._absent(card, metrics, Absence.NO_ANSWER)
                if (mode := sample.values.get(MIG_MODE)) is not None:
                    connection.note_mig_mode(reader, bool(mode))
            if connection is not None:
                self._consider(connection, known, sample)
        return sample

    def count_ahead(self, card: CardId, metrics: Collection[MetricId]) -> None:
        """Of many cards that are read in a row all are counted, and waited for once."""
        known = self._by_id.get(card)
        if known is None or PCIE_RECEIVE not in metrics or self._resting.resting(known):
            return
        with self._entered() as connection:
            if connection is not None and (reader := connection.readers.get(card)):
                reader.count_ahead()

    def heard(self, card: CardId) -> float:
        connection = self._connection
        reader = connection.readers.get(card) if connection else None
        return reader.asking.heard if reader else 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        known = self._by_id.get(card)
        if known is not None and self._resting.resting(known):
            return []
        rows: Sequence[CardProcess] | None = None
        with self._entered() as connection:
            reader = connection.readers.get(card) if connection else None
            if reader is not None:
                # The list of a whole card tells who uses its instances.
                mig = reader.card.kind is CardKind.MIG
                rows = [] if mig else reader.processes.read()
                self._resting.users[card] = len(rows or ())
        return rows

    def topology(self) -> Topology:
        with self._entered() as connection:
            if connection is not None:
                return wiring(connection.found, self._bus)
        return Topology([card.id for card in self._listed], [], {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        with self._entered() as connection:
            if connection is not None:
                return connection.wait_for_fault(seconds)
        self._clock.wait(threading.Event(), seconds)
        return []

    def notes(self) -> Sequence[Message]:
        notes = [crash] if (crash := library.crash_of_last_time()) else []
        if self._connection is None and self._why_gone is not None:
            gone = "The NVIDIA driver is gone and is looked for again. {why}"
            notes.append(Message(mark(gone), why=self._why_gone))
        if sleeping := ", ".join(card.bus_id for card in self._bus.cards() if card.asleep):
            alone = (
                "Asleep, and not woken to be read: {cards}. A program that uses it wakes it."
            )
            notes.append(Message(mark(alone), cards=sleeping))
        cards = self.cards()
        denied: defaultdict[Message, list[str]] = defaultdict(list)
        for card in cards:
            if card.denied is not None:
                denied[card.cuda_reason].append(str(card.index))
        for reason, alike in denied.items():
            one, many = mark("Card {cards}: {reason}."), mark("Cards {cards}: {reason}.")
            values = {"cards": ", ".join(alike), "reason": reason}
            notes.append(Message.counted(one, many, len(alike), **values))
        notes += dict.fromkeys(each for card in cards if (each := remedy(card.denied)))
        return notes

    @property
    def _listed(self) -> list[Card]:
        """Those the driver lists, and those that sleep."""
        return [card for card in self._cards if card.denied is not Absence.UNLISTED]

    def _unread(
        self, card: Card, metrics: Collection[MetricId], connection: Connection | None
    ) -> Sample:
        """Of a card without a handle; or of any while there is no connection: the driver is
        gone, or it is just being connected to again, because cards woke or others are listed.
        """
        if connection is None and self._why_gone is not None:
            return self._absent(card.id, metrics, Absence.NO_DRIVER)
        if card.id.startswith(_SLEEPER):
            if connection is not None:
                # It slept when this connection was made; now it is awake and can be asked.
                self._drop(connection)
            return self._absent(card.id, metrics, Absence.ASLEEP)
        if connection is None and card.denied is None:
            not_yet = dict.fromkeys(metrics, Absence.NOT_YET)  # which is no news of the card
            return Sample(card.id, self._clock.now(), {}, not_yet)
        return self._absent(card.id, metrics, card.denied or Absence.LOST)

    def _absent(self, card: CardId, metrics: Collection[MetricId], why: Absence) -> Sample:
        return nothing(card, self._clock.now(), metrics, why)

    @contextmanager
    def _entered(self) -> Iterator[Connection | None]:
        """The living connection; a new one when it is time to look for the driver. What the
        driver refuses ends the block, and the connection where the driver is gone.
        """
        if self._is_time_to_connect():
            try:
                self._connect()
            except Trouble as trouble:
                self._why_gone = trouble.sentence
                self._revive_at = self._clock.now() + _REVIVAL_PAUSE
            finally:
                self._connecting = False
        with self._lock:
            self._up_to_date()
            if (connection := self._connection) is not None:
                connection.hold()
        try:
            yield connection
        except pynvml.NVMLError as error:
            if connection is not None and error.value in library.DRIVER_GONE:
                reason = library.message_of(error)
                self._drop(connection, Message("The driver said: {reason}.", reason=reason))
        finally:
            if connection is not None:
                connection.let_go()

    def _is_time_to_connect(self) -> bool:
        """Not while all cards rest."""
        with self._lock:
            waits = self._closed or self._connecting or self._clock.now() < self._revive_at
            if waits or self._connection is not None:
                return False
            listed = self._listed
            rest = listed and all(self._resting.resting(card) for card in listed)
            self._connecting = not rest
            return self._connecting

    def _connect(self) -> None:
        awake = self._resting.awake_bus_ids()
        known = {card.index: card for card in self._cards if card.kind is CardKind.GPU}
        try:
            with library.after_a_child(partial(try_to_connect, awake)):
                connection = Connection(self._environment, awake, known, self._clock, self._bus)
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
            self._why_gone = None

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
        if sample.state in (CardState.LOST, CardState.REFUSED):
            connection.find_again(card.id, _LOST_PAUSE)
        anew = sample.state is CardState.UNLISTED and connection.lists_others()
        if anew or self._resting.may_rest(card, sample):
            self._drop(connection)

    def _up_to_date(self) -> Sequence[Card]:
        """A card may have answered that had not, or be cut into other instances."""
        found = self._connection.take_in() if self._connection else self._found
        if found is not self._found:
            self._found = found
            self._list([each.card for each in found])
        return self._cards

    def _list(self, listed: Sequence[Card]) -> None:
        """The driver lists these now. Who sleeps stands beside them, and so do those it does
        not list any more, so that nothing vanishes without a word. The number of such a card
        may have passed to another: then it gets the next free one.
        """
        known = [card for card in self._cards if card.kind is CardKind.GPU]
        cards = [*listed, *self._resting.sleepers({card.bus_id: card for card in known})]
        ids = {card.id for card in cards}
        passing = (NAMELESS, _SLEEPER)
        gone = [x for x in known if x.id not in ids and not x.id.startswith(passing)]
        taken = {card.index for card in cards if card.kind is CardKind.GPU}
        free = count(1 + max((*taken, *(card.index for card in gone)), default=0))
        for card in gone:
            index = next(free) if card.index in taken else card.index
            unlisted = replace(card, index=index, cuda_index=None, cuda_reason=_UNLISTED)
            cards.append(replace(unlisted, denied=Absence.UNLISTED))
        # Instances come behind their card, and stay there.
        whole: dict[CardId | None, Card] = {card.id: card for card in cards}
        cards.sort(key=lambda card: whole.get(card.parent, card).index)
        self._cards, self._by_id = cards, {card.id: card for card in cards}


class _Resting:
    """Who sleeps, and when all are let go so that they can. Asks the kernel only, never NVML.
    Only an ended connection lets a card sleep, and it can end only for all at once.
    """

    def __init__(self, bus: PciBus, clock: Clock) -> None:
        self._bus, self._clock = bus, clock
        self.users: dict[CardId, int] = {}
        self._busy_at = clock.now()  # when one last was, or may not sleep
        self._may_sleep: set[str | None] = set()  # bus addresses
        self._let_go_at = -math.inf

    def awake_bus_ids(self) -> list[str] | None:
        """None when no card sleeps: then all may be asked for."""
        cards = self._bus.cards()
        awake = [card.bus_id for card in cards if not card.asleep]
        return awake if len(awake) < len(cards) else None

    def sleepers(self, known: Mapping[str | None, Card]) -> list[Card]:
        """Cards that sleep: as they are known, or as far as the kernel knows them."""
        cards = self._bus.cards()
        self._may_sleep = {card.bus_id for card in cards if card.may_sleep}
        return [
            known.get(card.bus_id)
            or Card(
                id=CardId(f"{_SLEEPER}{card.bus_id}"),
                index=position,
                name=Message("NVIDIA card {device}, asleep", device=card.device_id),
                memory_bytes=None,
                bus_id=card.bus_id,
                cuda_reason=Message("the card is asleep and was not asked"),
            )
            for position, card in enumerate(cards)
            if card.asleep
        ]

    def may_rest(self, card: Card, sample: Sample) -> bool:
        """Whether all have done nothing for long now, and are let go so that they can sleep."""
        if not (GPU_UTILIZATION in sample.values or GPU_UTILIZATION in sample.missing):
            return False  # it was not asked for
        busy = sample.values.get(GPU_UTILIZATION, 1.0)
        if busy or self.users.get(card.id) or card.bus_id not in self._may_sleep:
            self._busy_at = sample.at
        if sample.at - self._busy_at < _IDLE_BEFORE_REST:
            return False
        self._let_go_at = self._busy_at = sample.at
        return True

    def resting(self, card: Card) -> bool:
        """Whether the card is to be left alone now. One that woke, or never slept, is not."""
        sleeper = card.id.startswith(_SLEEPER)
        if not sleeper and self._clock.now() - self._let_go_at < _REST:
            return True
        was_let_go = sleeper or self._let_go_at > -math.inf
        return was_let_go and self._bus.asleep(card.bus_id or "")
