"""Hearing: what is told on the connection that there is, and who hears it."""

import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.words import Message
from gpuexplorer.remote.ending import Ending
from gpuexplorer.remote.far.clock import FarClock
from gpuexplorer.remote.far.open_questions import OpenQuestions
from gpuexplorer.remote.far.stream import FarStream
from gpuexplorer.remote.wire import FACTS, VERSION, Done, Hello, Knocked, Told, told_of
from gpuexplorer.telemetry.facts import Cards

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

_LOST_EVERY = 0.9
_GARBLED = Message("What is said over there is not what GPU Explorer says.")
# So many lines that nobody understands, and it is no agent of ours.
_MOST_UNREADABLE = 100
_NUMBER = re.compile(rb'"id":(\d{1,9})\b')


class Hearing:
    """`hear` is called from the link's reader, the rest from another thread."""

    def __init__(
        self,
        machine: "FarMachine",
        clock: Clock,
        asking: OpenQuestions,
        on_hello: Callable[[Hello], None],
    ) -> None:
        self._clock, self._asking, self._on_hello = clock, asking, on_hello
        # What is told and that the connection is lost come from two threads, and in order.
        self._one_at_a_time = threading.RLock()
        self._connection = 0
        self._greeted = False
        self._hello: Hello | None = None  # what there is follows it
        self._unreadable = 0
        self.far_clock = FarClock(clock)
        self.stream = FarStream(machine, self.far_clock)
        self._lost_at = float("-inf")
        self.at = clock.now()  # when something was heard last
        self.trouble: Ending | None = None  # with what is said: there is no use in going on

    def begin(self) -> int:
        """A new connection, by its number; nothing of one before is heard any more."""
        with self._one_at_a_time:
            self._connection += 1
            self._greeted, self._hello = False, None
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
            if now - self._lost_at >= _LOST_EVERY and not self._greeted:
                first = self.at + self.stream.interval
                self.stream.lost(min(now, first) if self._lost_at < self.at else now)
                self._lost_at = now

    def knocked(self, sent_at: float, told: Told | None) -> None:
        """The answer to a knock, as it comes."""
        if isinstance(told, Knocked):
            self.far_clock.knocked(sent_at, told.now, told.wall)
            self.stream.knocked()

    def hear(self, connection: int, line: bytes) -> None:
        with self._one_at_a_time:
            if connection != self._connection:
                return
            self.at = self._clock.now()
            try:
                told = told_of(line)
            except UnreadableError:
                self._unreadable += 1
                if self._unreadable > _MOST_UNREADABLE:
                    self.trouble = Ending(_GARBLED, again=False)
                elif self._greeted and (number := _NUMBER.search(line)):
                    # No use in waiting for a better answer.
                    self._asking.answer(int(number[1]), Done(int(number[1]), _GARBLED))
                return
            self._hand_on(told)

    # Any: one of what is told, or a fact.
    def _hand_on(self, told: Any) -> None:
        if isinstance(told, Done) and not self._greeted and told.trouble:
            self.trouble = Ending(told.trouble, told.hint, again=False)
        elif isinstance(told, Hello):
            if told.version != VERSION:
                self.trouble = Ending(_GARBLED, again=False)
                return
            self._hello = told
            self.far_clock.greeted(told.now, told.wall)
            self.stream.greeted()
        elif isinstance(told, Cards) and self._hello is not None:
            # Who is told that it answers finds its cards there.
            hello, self._hello = self._hello, None
            self._greeted = True
            self.stream.take(told)
            self._on_hello(hello)
        elif self._greeted and isinstance(told, FACTS):
            self.stream.take(told)
        elif self._greeted:
            self._asking.answer(told.id, told)
