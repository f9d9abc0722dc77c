"""Readings: one source of cards over there, and all that is told of it."""

import os
import platform
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.remote import wire
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs, Sampler
from gpuexplorer.telemetry.wants import Want

# A card that has not answered one reading by then hangs.
_READING_PATIENCE = 3.0


class Readings:
    """Nothing is read before the first Watch or Read. Tells from the threads that read."""

    def __init__(
        self,
        backend: Backend,
        attempts: "Sequence[Message]",
        tell: "Callable[[wire.Told], None]",
        clock: Clock,
        processor_before: "ProcessorTime | None" = None,
    ) -> None:
        self.backend = backend
        self._attempts = attempts
        self._tell = tell
        self._clock = clock
        self._host = HostReader(clock, processor_before)
        self._reading_host = threading.Lock()
        self._book = ProcessBook(clock)
        self._looking = threading.Lock()
        self._listed = backend.cards()
        self._noted: list[Message] = []
        self._want: Want | None = None
        self._sampler = Sampler(
            Needs(
                backend,
                self._take,
                clock=clock,
                on_processes=self._take_processes,
                on_fault=lambda fault: tell(wire.Faulted(fault)),
                read_host=self._read_host,
            )
        )

    def greet(self) -> None:
        system = platform.uname()
        self._tell(
            wire.Hello(
                version=wire.VERSION,
                python=platform.python_version(),
                system=f"{system.system} {system.release}",
                computer=socket.gethostname(),
                user=_user(),
                source=self.backend.source,
                host=self._host.card,
                cards=self._listed,
                now=self._clock.now(),
                wall=self._clock.wall(),
                attempts=self._attempts,
                elsewhere=self._book.elsewhere,
            )
        )
        self._look_around()

    def watch(self, order: wire.Watch) -> None:
        before, begun = self._want, self._want is not None
        self._sampler.set_interval(min(max(order.interval, SHORTEST), LONGEST))
        self._want = self._sampler.want(order.metrics, order.processes)
        if before is not None:
            self._sampler.release(before)
        if not begun:
            self._sampler.start()

    def read(self, order: wire.Read) -> None:
        """Each card in a thread of its own: one that hangs keeps no other."""
        asked = [(card, Asked(partial(self._ask, card, order))) for card in self._cards()]
        self._take(self._read_host())
        until = self._clock.now() + _READING_PATIENCE
        for card, each in asked:
            if each.answered_within(max(0.0, until - self._clock.now())):
                each.result()
                continue
            missing = dict.fromkeys(order.metrics & metrics_of(card), Absence.NO_ANSWER)
            self._take(Sample(card.id, self._clock.now(), {}, missing, CardState.NO_ANSWER))
            if order.processes and card.kind is CardKind.GPU:
                self._take_processes(card.id, None)
        if self._want is None:  # else somebody waits for them all the time
            for fault in self.backend.wait_for_fault(0.0):
                self._tell(wire.Faulted(fault))
        self._tell(wire.Done(order.id))

    def _cards(self) -> "Sequence[Card]":
        return self.backend.cards()

    def _ask(self, card: Card, order: wire.Read) -> None:
        for cadence in Cadence:
            # Each by itself, as a sampler does: a sample belongs to one cadence.
            metrics = order.metrics & metrics_of(card, (cadence,))
            if metrics:
                self._take(self.backend.read(card.id, metrics))
        if order.processes and card.kind is CardKind.GPU:
            self._take_processes(card.id, self.backend.processes(card.id))

    def _read_host(self) -> Sample:
        with self._reading_host:
            return self._host.read(metrics_of(self._host.card))

    def _take(self, sample: Sample) -> None:
        self._look_around()
        self._tell(wire.Sampled(sample))

    def _take_processes(self, card: CardId, processes: "Sequence[CardProcess] | None") -> None:
        self._book.take(card, processes)
        if processes is None:
            self._tell(wire.Used(card, None))
            return
        living = [each for each in self._book.living() if each.process.card == card]
        self._tell(wire.Used(card, living))

    def _look_around(self) -> None:
        """Whether other cards are listed by now, or there is something else to note."""
        with self._looking:
            listed, noted = self._cards(), [*self.backend.notes(), *self._host.notes()]
            if listed is not self._listed:
                self._listed = listed
                self._tell(wire.Listed(listed, self.backend.source))
            if noted != self._noted:
                self._noted = noted
                self._tell(wire.Noted(noted))


def _user() -> str:
    import pwd  # noqa: PLC0415 - Windows has none, and imports this file all the same

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
