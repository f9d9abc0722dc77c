"""Listening: hands everything that a session is told to a recorder."""

import socket
from collections.abc import Sequence
from typing import Protocol

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.told import Machine
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.session import Listener, Session


class NamingSession(Protocol):
    """A session that knows the processes by name, such as the window's."""

    process_book: ProcessBook
    clock: Clock

    @property
    def backend(self) -> Backend: ...
    def cards(self) -> Sequence[Card]: ...
    def attach(self, listener: Listener) -> None: ...
    def detach(self, listener: Listener) -> None: ...


class Listening:
    """From when it is made until `stop`. Asks for the wiring too, in a thread that may hang."""

    def __init__(self, session: NamingSession, recorder: Recorder) -> None:
        self._session = session
        self._recorder = recorder
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
        self._recorder.put(sample)

    def on_processes(self, card: CardId, *, known: bool) -> None:
        living = self._session.process_book.living() if known else ()
        named = [each for each in living if each.process.card == card]
        self._recorder.put_processes(card, named if known else None)

    def on_happening(self, happening: Happening) -> None:
        self._recorder.put_happening(happening)

    def _look_at_cards(self) -> None:
        cards = self._session.cards()
        if cards is not self._listed:
            self._listed = cards
            self._recorder.put_cards(cards)
        if cards is not self._wired and (self._wiring is None or self._wiring.answered):
            self._wired = cards
            self._wiring = Asked(self._ask_for_wiring)

    def _ask_for_wiring(self) -> None:
        self._recorder.put_topology(self._session.backend.topology())


def machine_of(session: Session, *, anonymous: bool) -> Machine:
    """Where it is recorded; asks the host."""
    return Machine(
        "" if anonymous else socket.gethostname(),
        session.source,
        session.sampler.interval,
        session.host,
        () if anonymous else tuple(session.notes()),
    )
