"""FarBackend: the cards of another machine as a vendor. It is told, and seldom asks."""

import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.wire import Added, AskWiring, Hello, Read, Taken, Wired
from gpuexplorer.simulation.occupied import Occupation
from gpuexplorer.telemetry.backend import MADE_UP, Backend, HardwareFault, Source
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

# Whoever asks for one reading waits so long, the way there and back included.
_READING_PATIENCE = 8.0
_WIRING_PATIENCE = 10.0
# What was read of the other cards at the same time is good for so long.
_FRESH = 2.0
# So many cards in all, however often other ones are listed: each keeps memory for its past.
_MOST_EVER = 1024
NO_WIRING = Topology((), (), {})


class FarBackend:
    """`read` and `topology` wait for the other machine: not for the window's
    thread. The rest answers with what was told.
    """

    def __init__(self, far: "FarMachine") -> None:
        self.machine = far
        self.source = Source("far", Message("{host}, not connected yet", host=far.host.text))
        self._cards: Sequence[Card] = ()
        self.ids: frozenset[CardId] = frozenset()
        self._ever: set[CardId] = set()
        self._noted: Sequence[Message] = ()
        self.host: Sample | None = None  # the newest
        self._wiring = NO_WIRING
        # Simulated over there: the same cards here, for what is worked out and not read.
        self.twin: SimulatedBackend | None = None
        self._asking = threading.Lock()  # one Read at a time, which serves all cards
        self._kept: dict[tuple[CardId, frozenset[MetricId]], Sample] = {}

    def open(self) -> None:
        """The machine connects by itself."""

    def close(self) -> None:
        """Ends the connection for good."""
        self.machine.stop(0.3)

    def cards(self) -> Sequence[Card]:
        return self._cards

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        asked = frozenset(metrics)
        with self._asking:
            kept = self._kept.pop((card, asked), None)
            if kept is None or self.machine.clock.now() - kept.at > _FRESH:
                self._kept = {(each.card, asked): each for each in self._read(asked)}
                kept = self._kept.pop((card, asked), None)
        if kept is None:
            missing = dict.fromkeys(asked, Absence.NO_CONNECTION)
            now = self.machine.clock.now()
            return Sample(card, now, {}, missing, CardState.NO_CONNECTION)
        return only(kept, asked)

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        """As they were told last."""
        return self.machine.names.processes(card)

    def topology(self) -> Topology:
        """What was told last, where there is no answer now."""
        with suppress(Trouble):
            self._wiring = self.wiring()
        return self._wiring

    def wiring(self) -> Topology:
        """Raises Trouble where there is no answer, or the driver over there gives none."""
        return self.machine.asking.ask(AskWiring(0), Wired, _WIRING_PATIENCE).topology

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        """Who samples hears of each as it is told."""
        return ()

    def notes(self) -> Sequence[Message]:
        differs = self.machine.hearing.far_clock.differs
        if differs is None:
            return self._noted
        return (*self._noted, _clock(self.machine.host, differs))

    def greeted(self, hello: Hello) -> None:
        told = self.machine.settings
        twin = None
        if told.simulate is not None:
            twin = simulated(told.simulate, told.faults, told.seed)
            twin.machine.on_added = lambda *added: self.machine.tell(_added(twin, *added))
        self.twin = twin
        self.listed(hello.cards, hello.source)
        self._noted = ()

    def listed(self, cards: Sequence[Card], source: Source) -> None:
        self.source = source
        if tuple(cards) == tuple(self._cards):
            return
        room = _MOST_EVER - len(self._ever)
        new = [card.id for card in cards if card.id not in self._ever][:room]
        self._ever.update(new)
        self._cards = tuple(card for card in cards if card.id in self._ever)
        self.ids = frozenset(card.id for card in self._cards)

    def noted(self, notes: Sequence[Message]) -> None:
        """Whatever they call "this computer" is over there."""
        self._noted = tuple(
            each
            if each == MADE_UP
            else Message("{host}: {note}", host=self.machine.host.text, note=each)
            for each in notes
        )

    def _read(self, asked: frozenset[MetricId]) -> Sequence[Sample]:
        """Of all cards; whoever asked gets a reason in the place of what is not there."""
        try:
            told = self.machine.asking.ask(Read(0, asked), Taken, _READING_PATIENCE).samples
        except Trouble:
            return ()
        clock = self.machine.hearing.far_clock
        return [each._replace(at=clock.ours(each.at)) for each in told]


def only(sample: Sample, metrics: Collection[MetricId]) -> Sample:
    """What it says of these."""
    values = {id_: value for id_, value in sample.values.items() if id_ in metrics}
    missing = {id_: sample.missing.get(id_, Absence.NOT_YET) for id_ in {*metrics} - {*values}}
    return sample._replace(values=values, missing=missing)


def made_up(backend: Backend) -> SimulatedBackend | None:
    """The model behind simulated cards, wherever they are read; None for real ones."""
    if isinstance(backend, FarBackend):
        return backend.twin
    return backend if isinstance(backend, SimulatedBackend) else None


def load_of(backend: Backend, *, live: bool = False) -> Load | None:
    """Real cards notice by themselves what the lab does to them. `live`: of a program."""
    now = made_up(backend)
    if now is None:
        return None

    def model() -> SimulatedBackend:
        return made_up(backend) or now

    return Load(lambda: model().machine, lambda: model().elapsed, live=live)


def _added(twin: SimulatedBackend, card: int, what: int | Occupation) -> Added:
    """Over there their seconds are others."""
    if isinstance(what, Occupation):
        return Added(card, occupation=what.moved(-twin.elapsed))
    return Added(card, what)


def _clock(host: HostName, seconds: float) -> Message:
    said = (
        mark("The clock of {host} is {seconds:.0f} s ahead of this computer's.")
        if seconds > 0
        else mark("The clock of {host} is {seconds:.0f} s behind this computer's.")
    )
    return Message(said, host=host.text, seconds=abs(seconds))
