"""Session: one source of cards, real or simulated, and all that reads and remembers it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import METRICS, Cadence, metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Backend, Source
from gpuexplorer.telemetry.beat import BeatCount
from gpuexplorer.telemetry.card_course import USABLE, why_no_figures
from gpuexplorer.telemetry.happening_log import HappeningLog
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.latest import Latest, Reading
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.reach import THIS_COMPUTER, Host, Reach
from gpuexplorer.telemetry.sampler import PATIENCE, Needs
from gpuexplorer.telemetry.sampling import Want


class Attempt(NamedTuple):
    """A source that was tried and cannot be used, and why."""

    name: str
    sentence: Message
    hint: Message

    @property
    def note(self) -> Message:
        """The same for a list of notes."""
        return Message(
            "{source}: {why} {hint}", source=self.name, why=self.sentence, hint=self.hint
        )


class Listener(Protocol):
    """Hears everything that a session is told, from the sampler's threads, after the session
    has taken it in.
    """

    def on_sample(self, sample: Sample) -> None:
        """Of a card, or of the host."""
        ...

    def on_processes(self, card: CardId, *, known: bool) -> None:
        """Somebody looked who uses the card; what came of it, the session knows."""
        ...

    def on_happening(self, happening: Happening) -> None: ...


class Session:
    """Starts and stops the reading of one source. Everything but `start` and `stop` is for any
    thread. `on_sample` and `on_processes` hear every answer as it comes, from the sampler's
    threads; None stands for processes that are not known just now. Where somebody hears
    `on_host`, the computer itself is read like a card.
    """

    def __init__(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        interval: float = 1.0,
        clock: Clock | None = None,
        patience: float = PATIENCE,
        on_sample: Callable[[Sample], None] = lambda _: None,
        on_happening: Callable[[Happening], None] | None = None,
        watch_faults: bool = True,
        on_processes: Callable[[CardId, Sequence[CardProcess] | None], None] = lambda *_: None,
        processor_before: ProcessorTime | None = None,
        on_host: Callable[[Sample], None] | None = None,
        reach: Reach = THIS_COMPUTER,
    ) -> None:
        self._attempts = attempts
        self.reach = reach
        self.clock = clock or SystemClock()
        # The time of whoever looks: in an opened recording it is not the machine's.
        self.desk: Clock = self.clock
        self._backend = backend
        self._on_sample = on_sample
        self._on_processes = on_processes
        self._on_host = on_host
        self._on_happening = on_happening
        self._attached: tuple[Listener, ...] = ()
        self._host_reading: Reading | None = None
        self._latest = Latest()
        self._processes: dict[CardId, Sequence[CardProcess] | None] = {}
        self.happening_log = HappeningLog(self.clock, self._tell)
        self._processor_before = processor_before
        self.sampler = reach.sampler(
            Needs(
                backend,
                self._take,
                interval,
                self.clock,
                patience,
                self._take_processes,
                self.happening_log.consider_fault if watch_faults else None,
                self._read_host if on_host is not None else None,
            )
        )

    @cached_property
    def _host(self) -> Host:
        return self.reach.host(self.clock, self._processor_before)

    @property
    def attempts(self) -> Sequence[Attempt]:
        """Sources that were tried and cannot be used."""
        return self._attempts or self.reach.attempts()

    @property
    def source(self) -> Source:
        return self._backend.source

    @property
    def simulated(self) -> bool:
        return self._backend.source.simulated

    @property
    def computer(self) -> str:
        """The name of the one that is read; empty where it has none."""
        return self.reach.computer

    @property
    def bare(self) -> bool:
        """No card answers: only the computer itself is read."""
        return not self._backend.source.cards

    @property
    def host(self) -> Card:
        return self._host.card

    def cards(self) -> Sequence[Card]:
        """Cards and, after each, its MIG instances."""
        return self._backend.cards()

    def attach(self, listener: Listener) -> None:
        self._attached = (*self._attached, listener)

    def detach(self, listener: Listener) -> None:
        self._attached = tuple(each for each in self._attached if each is not listener)

    def start(self) -> None:
        self.sampler.start()

    def read_now(self, cadences: Collection[Cadence], processes: bool) -> None:
        """One reading of every card in this very thread; only before `start`."""
        for card in self.cards():
            for cadence in cadences:
                # Each by itself, as the rounds do: a sample belongs to one cadence.
                metrics = metrics_of(card, (cadence,))
                if metrics:
                    self._take(self._backend.read(card.id, metrics))
            if processes and card.kind is CardKind.GPU:
                self._take_processes(card.id, self._backend.processes(card.id))
        for fault in self._backend.wait_for_fault(0.0):
            self.happening_log.consider_fault(fault)

    def stop(self, seconds: float = 0.3) -> bool:
        """True when everything ended. A driver call that hangs is left behind."""
        ended = self.sampler.stop(seconds)
        self._backend.close()
        return self.sampler.stopped_listening(seconds) and ended

    def want(
        self, cadences: Collection[Cadence] = tuple(Cadence), processes: bool = True
    ) -> Want:
        """Everything of these cadences, until it is released."""
        metrics = {metric.id for metric in METRICS.values() if metric.cadence in cadences}
        return self.sampler.want(metrics, processes)

    def reading(self, card: CardId) -> Reading | None:
        """The newest that is known; None before the first answer."""
        if card == HOST_ID:
            return self._host_reading
        asked = [cadence for cadence in Cadence if self.sampler.asked(cadence)]
        return self._latest.reading(card, asked or tuple(Cadence))

    def state_sentence(self, card: CardId) -> Message:
        """How the card is, in words, with the seconds when it does not answer."""
        silence = self.sampler.silence(card)
        if silence is not None:
            return Message("no answer for {seconds:.0f} s", seconds=silence)
        reading = self.reading(card)
        if reading is None:
            return Message("not read yet")
        if reading.state is CardState.WORKING and not any(
            metric in reading.values for metric in USABLE
        ):
            why = why_no_figures(reading.values, reading.missing)
            if why is None:
                return Message("no usable figure")
            return Message("no usable figure ({why})", why=why.sentence)
        return reading.state.sentence

    def read_host(self) -> Reading:
        """Asked for on the spot: the host answers at once. One thread at a time."""
        return as_reading(self._read_host())

    def processes(self) -> Sequence[CardProcess]:
        there = {card.id for card in self.cards()}
        return [
            process
            for card, rows in list(self._processes.items())
            if card in there
            for process in rows or ()
        ]

    def processes_unknown(self) -> Sequence[CardId]:
        """Cards of which nobody can tell just now who uses them."""
        return [
            card.id
            for card in self.cards()
            if card.kind is CardKind.GPU and self._processes.get(card.id, ()) is None
        ]

    def happenings(self) -> Sequence[Happening]:
        return self.happening_log.log()

    def beats(self) -> BeatCount:
        return self.sampler.beats()

    def notes(self) -> Sequence[Message]:
        """Sentences that a person should read, the source's and the host's."""
        return [*self._backend.notes(), *self._host.notes()]

    @property
    def backend(self) -> Backend:
        """For the costly questions that are asked by hand: topology."""
        return self._backend

    def _read_host(self) -> Sample:
        return self._host.read(metrics_of(self._host.card))

    def _take(self, sample: Sample) -> None:
        if sample.card == HOST_ID:
            self._host_reading = as_reading(sample)
            if self._on_host is not None:
                self._on_host(sample)
        else:
            self._latest.put(sample)
            self.happening_log.consider(sample)
            self._on_sample(sample)
        for each in self._attached:
            each.on_sample(sample)

    def _take_processes(self, card: CardId, processes: Sequence[CardProcess] | None) -> None:
        self._processes[card] = processes
        self._on_processes(card, processes)
        self.happening_log.consider_processes(card, processes, self._command)
        for each in self._attached:
            each.on_processes(card, known=processes is not None)

    def _tell(self, happening: Happening) -> None:
        if self._on_happening is not None:
            self._on_happening(happening)
        for each in self._attached:
            each.on_happening(happening)

    def _command(self, process: CardProcess) -> str | None:
        """By which command it was started, as far as that is known already."""
        return process.simulated_command


def as_reading(sample: Sample) -> Reading:
    return Reading(sample.card, sample.at, sample.state, sample.values, sample.missing)


def card_numbers(cards: Sequence[Card]) -> Mapping[CardId, str]:
    """How people name cards in a row: "0", "1", and "1.2" for the third instance of card 1."""
    by_id = {card.id: card for card in cards}
    return {
        card.id: (
            f"{by_id[card.parent].index}.{card.index}"
            if card.parent is not None and card.parent in by_id
            else str(card.index)
        )
        for card in cards
    }
