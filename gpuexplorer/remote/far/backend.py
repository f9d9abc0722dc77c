"""FarBackend: the cards of another machine as a vendor. It is told, and seldom asks."""

import threading
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.remote.agent.settings import Settings
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.wire import AskWiring, Done, Hello, Read, Wired
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
_MOST_FAULTS = 100
# So many cards in all, however often other ones are listed: each keeps memory for its past.
_MOST_EVER = 1024
NO_WIRING = Topology((), (), {})


class FarBackend:
    """`read`, `processes` and `topology` wait for the other machine: not for the window's
    thread. The rest answers with what was told.
    """

    def __init__(self, far: "FarMachine") -> None:
        self._far = far
        self._source = Source("far", Message("{host}, not connected yet", host=far.host.text))
        self._cards: Sequence[Card] = ()
        self.ids: frozenset[CardId] = frozenset()
        self._ever: set[CardId] = set()
        self._noted: Sequence[Message] = ()
        self.clock_differs: float | None = None
        self.host: Sample | None = None  # the newest
        self._wiring = NO_WIRING
        # Simulated over there: the same cards here, for what is worked out and not read.
        self.twin: SimulatedBackend | None = None
        self._told = threading.Lock()
        self._asking = threading.Lock()  # one Read at a time, which serves all cards
        self._samples: dict[CardId, list[Sample]] | None = None  # while one is under way
        self._kept: dict[CardId, Sample] = {}
        self._kept_processes: dict[CardId, tuple[float, Sequence[CardProcess] | None]] = {}
        self._faults: deque[HardwareFault] = deque(maxlen=_MOST_FAULTS)

    def open(self) -> None:
        """The machine connects by itself."""

    def close(self) -> None:
        """Ends the connection for good."""
        self._far.stop(0.3)

    @property
    def machine(self) -> "FarMachine":
        return self._far

    @property
    def source(self) -> Source:
        return self._source

    def cards(self) -> Sequence[Card]:
        return self._cards

    def prepare(self, card: CardId, metrics: Collection[MetricId]) -> None:
        """Over there, who reads sees to it."""

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        asked = frozenset(metrics)
        with self._asking:
            kept = self._kept.pop(card, None)
            if kept is None or not self._covers(kept, asked):
                self._read_all(Read(0, asked))
                kept = self._kept.pop(card, None)
        if kept is None:
            why = Absence.NO_CONNECTION
            return Sample(
                card,
                self._far.clock.now(),
                {},
                dict.fromkeys(asked, why),
                CardState.NO_CONNECTION,
            )
        values = {id_: value for id_, value in kept.values.items() if id_ in asked}
        missing = {id_: kept.missing.get(id_, Absence.NOT_YET) for id_ in asked - values.keys()}
        return kept._replace(values=values, missing=missing)

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        with self._asking:
            at, kept = self._kept_processes.pop(card, (float("-inf"), None))
            if self._far.clock.now() - at > _FRESH:
                self._read_all(Read(0, frozenset(), processes=True))
                _, kept = self._kept_processes.pop(card, (0.0, None))
        return kept

    def topology(self) -> Topology:
        """What was told last, where there is no answer now."""
        with suppress(Trouble):
            self._wiring = self.wiring()
        return self._wiring

    def wiring(self) -> Topology:
        """Raises Trouble where there is no answer, or the driver over there gives none."""
        return self._far.ask(AskWiring(0), Wired, _WIRING_PATIENCE).topology

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        """What was told since; who samples hears them as they come."""
        return [self._faults.popleft() for _ in range(len(self._faults))]

    def notes(self) -> Sequence[Message]:
        if self.clock_differs is None:
            return self._noted
        return (*self._noted, _clock_words(self._far.host, self.clock_differs))

    def greeted(self, hello: Hello) -> None:
        self.twin = _twin(self._far.settings)
        self.listed(hello.cards, hello.source)
        self._noted = ()
        self.clock_differs = None

    def listed(self, cards: Sequence[Card], source: Source) -> None:
        self._source = source
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
            else Message("{host}: {note}", host=self._far.host.text, note=each)
            for each in notes
        )

    def sampled(self, sample: Sample) -> None:
        if sample.card == HOST_ID:
            self.host = sample
        with self._told:
            if self._samples is not None and sample.card in self.ids:
                self._samples.setdefault(sample.card, []).append(sample)

    def used(self, card: CardId, processes: Sequence[CardProcess] | None) -> None:
        self._kept_processes[card] = (self._far.clock.now(), processes)

    def faulted(self, fault: HardwareFault) -> None:
        self._faults.append(fault)

    def _read_all(self, order: Read) -> None:
        with self._told:
            self._samples = {}
        try:
            self._far.ask(order, Done, _READING_PATIENCE)
        except Trouble:
            pass  # whoever asked gets a reason in the place of each figure
        finally:
            with self._told:
                told, self._samples = self._samples or {}, None
        for card, samples in told.items():
            if order.metrics:
                self._kept[card] = _together(samples)

    def _covers(self, kept: Sample, asked: frozenset[MetricId]) -> bool:
        if self._far.clock.now() - kept.at > _FRESH:
            return False
        card = next((each for each in self._cards if each.id == kept.card), None)
        applicable = asked if card is None else asked & metrics_of(card)
        return applicable <= kept.values.keys() | kept.missing.keys()


def made_up(backend: Backend) -> SimulatedBackend | None:
    """The model behind simulated cards, wherever they are read; None for real ones."""
    return backend.twin if isinstance(backend, FarBackend) else _simulated(backend)


def _simulated(backend: Backend) -> SimulatedBackend | None:
    return backend if isinstance(backend, SimulatedBackend) else None


def _twin(settings: Settings) -> SimulatedBackend | None:
    if settings.simulate is None:
        return None
    return _simulated(simulated(settings.simulate, settings.faults, settings.seed))


def _together(samples: Sequence[Sample]) -> Sample:
    """Of one card, what several rounds of questions brought; the newest says how it is."""
    newest = samples[-1]
    values = {id_: value for each in samples for id_, value in each.values.items()}
    missing = {
        id_: why for each in samples for id_, why in each.missing.items() if id_ not in values
    }
    return newest._replace(values=values, missing=missing)


def _clock_words(host: HostName, seconds: float) -> Message:
    ahead = Message(
        "The clock of {host} is {seconds:.0f} s ahead of this computer's.",
        host=host.text,
        seconds=seconds,
    )
    if seconds > 0:
        return ahead
    return Message(
        "The clock of {host} is {seconds:.0f} s behind this computer's.",
        host=host.text,
        seconds=-seconds,
    )
