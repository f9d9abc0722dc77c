"""Readings: one source of cards over there, and all that is told of it."""

import os
import platform
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.remote import wire
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs, Sampler
from gpuexplorer.telemetry.sampling import Want

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

    def add(self, order: wire.Added) -> None:
        """Real cards notice by themselves what the lab does to them."""
        if not isinstance(self.backend, SimulatedBackend):
            return
        machine, now = self.backend.machine, self.backend.elapsed
        if order.held_bytes:
            machine.hold(order.card, now, order.held_bytes)
        if order.occupation is not None:
            machine.occupy(order.card, order.occupation.moved(now))

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
        asked = [
            (card.id, metrics, Asked(partial(self.backend.read, card.id, metrics)))
            for card in self.backend.cards()
            if (metrics := order.metrics & metrics_of(card))
        ]
        until, samples = self._clock.now() + _READING_PATIENCE, []
        for card, metrics, each in asked:
            if each.answered_within(max(0.0, until - self._clock.now())):
                samples.append(each.result())
            else:
                missing = dict.fromkeys(metrics, Absence.NO_ANSWER)
                now = self._clock.now()
                samples.append(Sample(card, now, {}, missing, CardState.NO_ANSWER))
        self._tell(wire.Taken(order.id, samples))

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
            listed, noted = self.backend.cards(), [*self.backend.notes(), *self._host.notes()]
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
