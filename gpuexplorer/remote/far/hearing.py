"""Hearing: what is told on the connection that there is, made plausible, and who hears it."""

import re
import threading
from collections.abc import Callable

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.words import Message
from gpuexplorer.remote.ending import Ending
from gpuexplorer.remote.far.backend import FarBackend
from gpuexplorer.remote.far.clock import FarClock
from gpuexplorer.remote.far.names import FarNames
from gpuexplorer.remote.far.open_questions import OpenQuestions
from gpuexplorer.remote.far.plausible import plausible, told_of
from gpuexplorer.remote.far.sampler import FarSampler
from gpuexplorer.remote.wire import (
    VERSION,
    Done,
    Faulted,
    Hello,
    Knocked,
    Listed,
    Noted,
    Sampled,
    Told,
    Used,
)

_LOST_EVERY = 0.9
_GARBLED = Message("What is said over there is not what GPU Explorer says.")
# So many lines that nobody understands, and it is no agent of ours.
_MOST_UNREADABLE = 100
_NUMBER = re.compile(rb'"id":(\d{1,9})\b')


class Hearing:
    """`hear` is called from the link's reader, the rest from another thread."""

    def __init__(
        self,
        clock: Clock,
        backend: FarBackend,
        names: FarNames,
        asking: OpenQuestions,
        on_hello: Callable[[Hello], None],
    ) -> None:
        self._clock = clock
        self._backend, self._names, self._asking = backend, names, asking
        self._on_hello = on_hello
        # What is told and that the connection is lost come from two threads, and in order.
        self._one_at_a_time = threading.RLock()
        self._connection = 0
        self._greeted = False
        self._unreadable = 0
        self.far_clock = FarClock(clock)
        self.sampler: FarSampler | None = None
        self._lost_at = float("-inf")
        self.at = clock.now()  # when something was heard last
        self.trouble: Ending | None = None  # with what is said: there is no use in going on

    def begin(self) -> int:
        """A new connection, by its number; nothing of one before is heard any more."""
        with self._one_at_a_time:
            self._connection += 1
            self._greeted = False
            self._unreadable = 0
            self.trouble = None
            self.at = self._clock.now()
            return self._connection

    def end(self) -> None:
        """It is over: whoever waits for an answer waits no more."""
        with self._one_at_a_time:
            self._connection += 1
            self._greeted = False
        self._asking.give_up()

    def lost(self) -> None:
        """Every figure is missing while there is no connection, from the first reading on that
        did not come. Said once in a while.
        """
        now = self._clock.now()
        with self._one_at_a_time:
            due = now - self._lost_at >= _LOST_EVERY
            if due and self.sampler is not None and not self._greeted:
                first = self.at + self.sampler.interval
                self.sampler.lost(min(now, first) if self._lost_at < self.at else now)
                self._lost_at = now

    def knocked(self, sent_at: float, told: Told | None) -> None:
        """The answer to a knock, as it comes."""
        if isinstance(told, Knocked):
            self.far_clock.knocked(sent_at, told.now, told.wall)

    def hear(self, connection: int, line: bytes) -> None:
        with self._one_at_a_time:
            if connection != self._connection:
                return
            self.at = self._clock.now()
            try:
                told = plausible(told_of(line), self._backend.ids)
            except UnreadableError:
                self._unreadable += 1
                if self._unreadable > _MOST_UNREADABLE:
                    self.trouble = Ending(_GARBLED, again=False)
                elif self._greeted and (number := _NUMBER.search(line)):
                    # No use in waiting for a better answer.
                    self._asking.answer(int(number[1]), Done(int(number[1]), _GARBLED))
                return
            if self._greeted:
                self._hand_on(told, len(line))
            elif isinstance(told, Hello):
                self._greet(told)
            elif isinstance(told, Done) and told.trouble:
                self.trouble = Ending(told.trouble, told.hint, again=False)

    def _greet(self, hello: Hello) -> None:
        if hello.version != VERSION:
            self.trouble = Ending(_GARBLED, again=False)
            return
        self._greeted = True
        self.far_clock.greeted(hello.now, hello.wall)
        self._backend.greeted(hello)
        self._on_hello(hello)

    def _hand_on(self, told: Told, size: int) -> None:
        match told:
            case Sampled(sample):
                ours = sample._replace(at=self.far_clock.ours(sample.at))
                if ours.card == HOST_ID:
                    self._backend.host = ours
                if self.sampler is not None:
                    self.sampler.take_sample(ours)
            case Used(card, processes):
                self._names.put(card, processes, size)
                if self.sampler is not None:
                    self.sampler.take_processes(card, self._names.processes(card))
            case Listed(cards, source):
                self._backend.listed(cards, source)
                self._names.keep(self._backend.ids)
            case Noted(notes):
                self._backend.noted(notes)
            case Faulted(fault):
                if self.sampler is not None:
                    self.sampler.take_fault(fault)
            case Hello():
                pass  # one is enough
            case _:
                self._asking.answer(told.id, told)
