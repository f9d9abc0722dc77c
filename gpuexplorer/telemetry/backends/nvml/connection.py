"""Connection: one generation of handles, from nvmlInit to nvmlShutdown."""

import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.card_processes import (
    CardProcesses,
    instances_by_slice,
)
from gpuexplorer.telemetry.backends.nvml.card_reader import CardReader
from gpuexplorer.telemetry.backends.nvml.fault_waiter import FaultWaiter
from gpuexplorer.telemetry.backends.nvml.identity import (
    LOST,
    AskHandle,
    Found,
    card_count,
    handle_askers,
    instance_ids,
    meet,
    numbered,
    silent,
    told_apart,
    why_refused,
)
from gpuexplorer.telemetry.backends.nvml.wiring import Wiring
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.pci_bus import PciBus
from gpuexplorer.telemetry.topology import Topology

# How long the next card may take to say who it is, and all together: whoever opens this does
# not wait for ever either. Without persistence mode the driver starts cards one after another,
# which takes 1 to 3 s each. The rest are taken in when they answer.
_MEETING_PATIENCE = 3.0
_LONGEST_MEETING = 5.0


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
        self._environment = environment
        self._known = known
        self._clock = clock
        self._bus = bus
        self._changed = changed
        self._lock = threading.RLock()
        self._inside = 0
        self._given_up = False
        self._driver_gone = False
        self._ended = False
        self._awake_bus_ids = awake_bus_ids
        self._askers = handle_askers(awake_bus_ids)
        self._meetings: dict[int, Asked[list[Found]]] = {}
        self._answered_at = 0.0  # the last of them
        self._met: dict[int, list[Found]] = {}
        self._refused: dict[int, tuple[Absence, Message]] = {}  # and why, for a person
        self._found: list[Found] = []
        self._retired: list[CardReader] = []
        self.source = _source()
        self.readers: dict[CardId, CardReader] = {}
        self.processes: dict[CardId, CardProcesses] = {}
        self._waiter: FaultWaiter | None = None
        self._meet_all()

    @property
    def cards(self) -> list[Card]:
        return [each.card for each in self._found]

    @property
    def given_up(self) -> bool:
        return self._given_up

    @property
    def driver_gone(self) -> bool:
        return self._driver_gone

    def lists_others(self) -> bool:
        """Whether the driver has another number of cards now than at the start."""
        if self._awake_bus_ids is not None:
            return False  # cards were asked for by their addresses
        try:
            return card_count() != len(self._askers)
        except (pynvml.NVMLError, Trouble):
            return False

    def hung(self, card: CardId) -> bool:
        """Whether it is without a handle because it has not answered yet."""
        return any(each.hung for each in self._found if each.card.id == card)

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

    def topology(self, bus: PciBus, listed: Collection[CardId]) -> Topology:
        return Wiring([each for each in self._found if each.card.id in listed], bus).topology()

    def wait_for_fault(self, seconds: float) -> list[HardwareFault]:
        if self._waiter is None:
            self._waiter = FaultWaiter()
        self._waiter.listen_to(self._found)
        return self._waiter.wait(seconds)

    def find_again(self, card: CardId) -> None:
        """Ask a lost card anew who it is; it may have come back. Does not wait for it."""
        for place, asker in enumerate(self._askers):
            if self._stands_at(place, card) and place not in self._meetings:
                self._begin_to_meet(place, asker)
                if self._meetings[place].answered_within(0.0):
                    self._conclude(place)

    def note_mig_mode(self, card: CardId, on: bool) -> None:
        """See whether the card was cut, put together, or cut another way since."""
        found = next((each for each in self._found if each.card.id == card), None)
        reader = self.readers.get(card)
        if found is None or reader is None:
            return
        reader.note_mig_mode(on)
        if on:
            now = instance_ids(found.handle)
            before = {each.card.id for each in self._found if each.card.parent == card}
            if now == before and found.mig_on:
                return
        elif not found.mig_on:
            return
        self.find_again(card)

    def _meet_all(self) -> None:
        for place, asker in enumerate(self._askers):
            self._begin_to_meet(place, asker)
        started = self._answered_at = time.monotonic()

        def left() -> float:
            until = min(self._answered_at + _MEETING_PATIENCE, started + _LONGEST_MEETING)
            return max(0.0, until - time.monotonic())

        for place, meeting in list(self._meetings.items()):
            # While it was waited for, another one may have answered.
            while not meeting.answered_within(left()) and left():
                continue
            if meeting.answered:
                self._take_answer(place)
        self._list_cards()

    def _begin_to_meet(self, place: int, asker: AskHandle) -> None:
        with self._lock:
            self._inside += 1  # a meeting that hangs keeps the connection, like any other call

        def go() -> list[Found]:
            try:
                return meet(asker, place)
            finally:
                self._answered_at = time.monotonic()
                self.leave()

        self._meetings[place] = Asked(go, when_late=lambda: self._conclude(place))

    def _conclude(self, place: int) -> None:
        """A card that was waited for has answered: take it in."""
        if self.enter():
            try:
                self._take_answer(place)
                self._list_cards()
            except pynvml.NVMLError:
                return  # the driver went meanwhile, which the next reading says
            finally:
                self.leave()
            self._changed()

    def _take_answer(self, place: int) -> None:
        meeting = self._meetings.pop(place, None)
        if meeting is None:
            return
        try:
            self._met[place] = meeting.result()
            self._refused.pop(place, None)
        except pynvml.NVMLError as error:
            if error.value in library.DRIVER_GONE:
                raise
            denied = library.absence_of(error.value)
            self._refused[place] = denied, why_refused(denied, library.message_of(error))

    def _list_cards(self) -> None:
        """Put together who is known, with a reader for each that has none yet."""
        with self._lock:
            found: list[Found] = []
            for place in range(len(self._askers)):
                found += self._met.get(place) or [self._silent(place)]
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

    def _silent(self, place: int) -> Found:
        known = self._known.get(place)
        met = {each.card.id for founds in self._met.values() for each in founds}
        if known is not None and known.id in met:
            known = None  # the numbers were dealt out anew, and that card stands elsewhere
        hung = place in self._meetings
        if place in self._refused:
            denied, why = self._refused[place]
        elif hung:
            denied = Absence.NO_ANSWER
            why = Message("it has not answered for {seconds:.0f} s", seconds=_MEETING_PATIENCE)
        else:
            denied, why = Absence.LOST, LOST
        return silent(place, known, denied, why, hung=hung)

    def _stands_at(self, place: int, card: CardId) -> bool:
        founds = self._met.get(place) or [self._silent(place)]
        return founds[0].card.id == card

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
            for reader in (*self.readers.values(), *self._retired):
                reader.free()
            if self._waiter is not None:
                self._waiter.free()
        library.disconnect()


def try_to_connect(awake_bus_ids: list[str] | None) -> None:
    """What a connection does at its start, for a process that may be lost by it."""
    library.connect(attach=awake_bus_ids is None)
    for place, asker in enumerate(handle_askers(awake_bus_ids)):
        with suppress(pynvml.NVMLError):
            meet(asker, place)


def _source() -> Source:
    try:
        version = library.text(pynvml.nvmlSystemGetDriverVersion.__wrapped__())
    except pynvml.NVMLError:
        version = ""
    try:
        number = int(pynvml.nvmlSystemGetCudaDriverVersion_v2())
        known = 1000 <= number < 100_000
        cuda = f"{number // 1000}.{number % 1000 // 10}" if known else ""
    except pynvml.NVMLError:
        cuda = ""
    return Source(
        "nvml",
        Message("NVIDIA driver {version}, read through NVML", version=version)
        if version
        else Message("NVIDIA driver of unknown version, read through NVML"),
        driver_version=version or None,
        cuda_version=cuda or None,
    )
