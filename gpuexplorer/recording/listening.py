"""Listening: hands everything that a session is told to a recorder."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.told import Machine
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.reach import THIS_COMPUTER, Reach
from gpuexplorer.telemetry.session import Attempt, Listener, Session


class NamingSession(Protocol):
    """A session that knows the processes by name, such as the window's."""

    process_book: ProcessBook
    clock: Clock

    @property
    def backend(self) -> Backend: ...
    def cards(self) -> Sequence[Card]: ...
    def attach(self, listener: Listener) -> None: ...
    def detach(self, listener: Listener) -> None: ...


class QuietSession(Session):
    """Reads the cards and the host, names who uses them, and remembers nothing."""

    def __init__(
        self,
        backend: Backend,
        attempts: Sequence[Attempt] = (),
        interval: float = 1.0,
        clock: Clock | None = None,
        reach: Reach = THIS_COMPUTER,
    ) -> None:
        clock = clock or SystemClock()
        self.process_book = ProcessBook(clock, reach.names())
        super().__init__(
            *(backend, attempts, interval, clock),
            on_processes=self.process_book.take,
            on_host=lambda _: None,
            reach=reach,
        )

    def _command(self, process: CardProcess) -> str | None:
        return self.process_book.command(process.card, process.pid)


class Listening:
    """From when it is made until `stop`; of these cards, or of all. Asks for the wiring too, in
    a thread that may hang.
    """

    def __init__(
        self,
        session: NamingSession,
        recorder: Recorder,
        only: frozenset[CardId] | None = None,
    ) -> None:
        self._session = session
        self._recorder = recorder
        self._only = only
        self._listed: Sequence[Card] | None = None
        self._wiring: Asked[None] | None = None
        self._wired: Sequence[Card] | None = None
        self._look_at_cards()
        session.attach(self)

    def stop(self) -> None:
        self._session.detach(self)

    def wiring_told(self, seconds: float) -> bool:
        """Whether that thread has its answer, or gets it within so many seconds."""
        return self._wiring is not None and self._wiring.answered_within(seconds)

    def on_sample(self, sample: Sample) -> None:
        self._look_at_cards()
        if self._concerns(sample.card):
            self._recorder.put(sample)

    def on_processes(self, card: CardId, *, known: bool) -> None:
        if not self._concerns(card):
            return
        living = self._session.process_book.living() if known else ()
        named = [each for each in living if each.process.card == card]
        self._recorder.put_processes(card, named if known else None)

    def on_happening(self, happening: Happening) -> None:
        if happening.card is None or self._concerns(happening.card):
            self._recorder.put_happening(happening)

    def _concerns(self, card: CardId) -> bool:
        return self._only is None or card in self._only or card == HOST_ID

    def _look_at_cards(self) -> None:
        cards = self._session.cards()
        if cards is not self._listed:
            self._listed = cards
            self._recorder.put_cards([card for card in cards if self._concerns(card.id)])
        if cards is not self._wired and (self._wiring is None or self._wiring.answered):
            self._wired = cards
            self._wiring = Asked(self._ask_for_wiring)

    def _ask_for_wiring(self) -> None:
        told = self._session.backend.topology()
        links = [
            each for each in told.links if self._concerns(each.a) and self._concerns(each.b)
        ]
        cards = [card for card in told.cards if self._concerns(card)]
        self._recorder.put_topology(replace(told, cards=cards, links=links))


def machine_of(session: Session, *, anonymous: bool) -> Machine:
    """Where it is recorded; asks the host."""
    return Machine(
        "" if anonymous else session.computer,
        session.source,
        session.sampler.interval,
        session.host,
        () if anonymous else tuple(session.notes()),
    )
