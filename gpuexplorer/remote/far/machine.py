"""FarMachine: one other machine, for ever. Connects, keeps the link alive, connects again."""

import queue
import re
import shlex
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.doctor import surroundings
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.far.lab import FarLab
from gpuexplorer.remote.far.link_state import LinkNow, LinkState
from gpuexplorer.remote.far.stream import FarClock, FarStream
from gpuexplorer.remote.host_name import HostName, Launch
from gpuexplorer.remote.link import Link
from gpuexplorer.remote.parcel import PYTHON, Kind, parcel
from gpuexplorer.remote.questions import AskedQuestions
from gpuexplorer.remote.refusals import Ending
from gpuexplorer.remote.ssh_command import ssh_command
from gpuexplorer.remote.wire import (
    FACTS,
    KNOCKS_EVERY,
    VERSION,
    Done,
    Hello,
    Knock,
    Knocked,
    Order,
    Question,
    Settings,
    Told,
    told_of,
)
from gpuexplorer.telemetry.facts import Cards

# A link on which nothing was heard for so long is given up, whatever ssh thinks of it.
PATIENCE = 10.0
# Before its first word it may wait for a driver.
_GREETING = 20.0
_LOOKING = 0.25  # while it connects: whether ssh asks something
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
# After so long a connection the next attempts follow as quickly as the very first.
_STEADY = 30.0
_WITHOUT = (LinkState.BROKEN, LinkState.REFUSED, LinkState.ENDED)


class FarMachine:
    """`connect` starts a thread that goes on until `stop`. `on_change` is called from that and
    from the link's threads, when `now` is another. For any thread; only `wait_until_up` and
    `stop` wait, as long as they are told to.
    """

    def __init__(
        self,
        host: HostName,
        *,
        python: str = "",
        simulate: str | None = None,
        faults: str = "",
        seed: int = 0,
        launch: Launch | None = None,
        asking: Callable[[], AskedQuestions] | None = None,
        at_terminal: bool = False,
        on_change: Callable[[], None] = lambda: None,
        clock: Clock | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`asking` brings what ssh asks to a person; with `at_terminal` ssh does so itself."""
        self.host = host
        self.python = python or PYTHON
        self.settings = Settings(simulate, faults, seed)
        somebody = asking is not None or at_terminal
        self.launch: Launch = launch or partial(ssh_command, somebody_answers=somebody)
        self.clock = clock or SystemClock()
        self.hello: Hello | None = None  # of the newest connection
        # Since when, in steady seconds, there is none any more; None before there was one.
        self.lost_at: float | None = None
        self._asking, self._at_terminal = asking, at_terminal
        self._on_change = on_change
        self._patience = patience
        self.now = LinkNow(LinkState.ENDED, self.clock.now())
        self._changed = threading.Condition()
        self._wake = threading.Event()
        self._stopping = self._retry = False
        self._thread: threading.Thread | None = None
        self._link: Link | None = None
        self._questions: AskedQuestions | None = None
        self._over: Ending | None = None  # of the link that there is
        self.asking = OpenQuestions(host.text, self.tell)
        self.hearing = Hearing(self, self.clock, self.asking, self._on_hello)
        self.stream = self.hearing.stream

    @property
    def asked_as(self) -> str:
        """How a command line names it."""
        words = ["--host", self.host.text]
        if self.python != PYTHON:
            words += ["--host-python", self.python]
        return shlex.join(words)

    @property
    def host_card(self) -> Card:
        """Before it has said what it has, there is its name."""
        unknown = Card(HOST_ID, 0, self.host.text, None, kind=CardKind.HOST)
        return unknown if self.hello is None else self.hello.host

    def connect(self) -> None:
        """Returns at once; the rest is done in a thread. Harmless when called twice, and after
        `stop` it begins anew.
        """
        self._stopping = False
        if self._thread is None or not self._thread.is_alive():
            self._set(self.now._replace(state=LinkState.CONNECTING))
            self._thread = threading.Thread(target=self._run, name="far machine", daemon=True)
            self._thread.start()

    def wait_until_up(self, seconds: float | None = None) -> None:
        """Raises Trouble with the reason when the first attempt failed."""
        settled = (LinkState.UP, *_WITHOUT)
        with self._changed:
            if not self._changed.wait_for(lambda: self.now.state in settled, seconds):
                late = Message("{host} did not answer in time.", host=self.host.text)
                raise Trouble(self.now.why or late, self.now.hint)
            now = self.now
        if now.state is not LinkState.UP:
            raise Trouble(now.why, now.hint)

    def tell(self, order: Order) -> bool:
        """Never waits; False where it is lost, since there is no connection."""
        link = self._link
        if link is None or self.now.state is not LinkState.UP:
            return False
        link.send(line_of(order))
        return True

    def lab_start(self, start: Start) -> Start:
        """The same, run over there."""
        return replace(start, elsewhere=FarLab(self, self._asking))

    def retry_now(self) -> None:
        """Where it is broken or refused; a person wants it."""
        self._retry = True
        self._wake.set()

    def stop(self, seconds: float = 3.0) -> bool:
        """Until `connect`. True when it is over; else it goes on ending by itself."""
        self._stopping = True
        self._wake.set()
        if self._thread is None or self._thread is threading.current_thread():
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._connect_again_and_again()
        finally:
            self._set(LinkNow(LinkState.ENDED, self.clock.now()))

    def _connect_again_and_again(self) -> None:
        wait = _FIRST_WAIT
        while not self._stopping:
            self._retry = False
            # Why there is none stays to be read while it is tried again.
            self._set(self.now._replace(state=LinkState.CONNECTING, retry_at=None))
            over, lasted = self._one_connection()
            if not self._stopping:  # else a person said so
                self._rest(over, wait if lasted < _STEADY else _FIRST_WAIT)
            wait = min(2 * (wait if lasted < _STEADY else _FIRST_WAIT), _LONGEST_WAIT)

    def _one_connection(self) -> tuple[Ending, float]:
        """Why it is over, and for how many seconds it was up."""
        try:
            with self._changed:  # the greeting may come before there is a link to answer on
                self._link = link = self._dialled()
        except Trouble as trouble:
            return Ending(trouble.sentence, trouble.hint, again=False), 0.0
        try:
            while self._over is None and not self._stopping:
                self._look(link)
        finally:
            up = self.now if self.now.state is LinkState.UP else None
            if up is not None or self.lost_at is None:  # of several tries in a row, the first
                self.lost_at = self.hearing.at
            self._link = None
            self.hearing.end()
            link.stop()
        lasted = 0.0 if up is None else self.clock.now() - up.since
        return self._over or Ending(NOTHING), lasted

    def _dialled(self) -> Link:
        self._over = None
        connection = self.hearing.begin()
        sent = parcel(Kind.AGENT, {**self.settings.environment, **surroundings(self.asked_as)})
        command = self.launch(self.host, sent.command(self.python))
        self._questions = None if self._asking is None else self._asking()
        return Link(
            self.host,
            command,
            sent.preamble,
            sent.mark,
            partial(self.hearing.hear, connection),
            self._on_end,
            questions=self._questions,
            at_terminal=self._at_terminal,
        )

    def _look(self, link: Link) -> None:
        """Once in a while, until the link is over."""
        up = self.now.state is LinkState.UP
        self.clock.wait(self._wake, KNOCKS_EVERY if up else _LOOKING)
        self._wake.clear()
        if not link.ready:
            self.hearing.at = self.clock.now()  # the link has a patience of its own
            asks = self._questions is not None and self._questions.being_answered
            state = LinkState.ASKING if asks else LinkState.CONNECTING
            self._set(self.now._replace(state=state), unless_up=True)
            if self.hello is not None:
                self.hearing.lost()
            return
        up = self.now.state is LinkState.UP
        silent = self.clock.now() - self.hearing.at
        if self.hearing.trouble is not None:
            self._over = self.hearing.trouble
        elif silent > (self._patience if up else _GREETING):
            self._over = Ending(
                Message(
                    "{host} has not answered for {seconds:.0f} s.",
                    host=self.host.text,
                    seconds=silent,
                )
            )
        elif up:
            self._knock()

    def _knock(self) -> None:
        self.asking.ask_later(Knock(0), partial(self.hearing.knocked, self.clock.now()))

    def _rest(self, over: Ending, wait: float) -> None:
        """Until it is tried again."""
        self.hearing.lost()
        now = self.clock.now()
        state = LinkState.BROKEN if over.again else LinkState.REFUSED
        retry_at = now + wait if over.again else None
        self._set(LinkNow(state, now, over.why, over.hint, retry_at))
        while not (self._stopping or self._retry):
            left = _LONGEST_WAIT if retry_at is None else retry_at - self.clock.now()
            if left <= 0:
                return
            self.clock.wait(self._wake, min(left, 1.0))  # a beat for whoever looks
            self._wake.clear()
            self.hearing.lost()

    def _set(self, now: LinkNow, *, unless_up: bool = False) -> None:
        with self._changed:
            before = self.now
            if unless_up and before.state is LinkState.UP:
                return  # a moment ago, in the link's thread
            same = now.state is before.state
            now = now._replace(since=before.since if same else self.clock.now())
            self.now = now
            self._changed.notify_all()
        if now != before:
            self._on_change()

    def _on_hello(self, hello: Hello) -> None:
        """From the link's reader: the first that is told."""
        self.hello = hello
        self.lost_at = None
        self._set(LinkNow(LinkState.UP, self.clock.now()))
        self._knock()  # its clock has to be known before its first sample comes
        self.stream.watch_there()
        self._wake.set()

    def _on_end(self, over: Ending) -> None:
        """From the link's reader: the last that comes from there."""
        self._over = self.hearing.trouble or over
        self._wake.set()


# None: there will be no answer, since the connection is gone.
Answered = Callable[[Told | None], object]
# Whoever never answers is not waited for without end.
_MOST = 1000
T = TypeVar("T", bound=Told)


class OpenQuestions:
    """For any thread; who asked hears in the thread that reads the answer."""

    def __init__(self, host: str, tell: Callable[[Order], bool]) -> None:
        """`tell` says whether there is a connection."""
        self._host, self._tell = host, tell
        self._lock = threading.Lock()
        self._last = 0
        self._open: dict[int, Answered] = {}  # by their numbers

    def ask(self, order: Question, answer: type[T], seconds: float) -> T:
        """Waits. Raises Trouble where there is no such answer, or where it is a refusal."""
        answers: queue.SimpleQueue[Told | None] = queue.SimpleQueue()
        number = self.ask_later(order, answers.put)
        try:
            told = answers.get(timeout=seconds)
        except queue.Empty:
            with self._lock:
                self._open.pop(number, None)
            raise Trouble(
                "{host} did not answer within {seconds:.0f} s.",
                host=self._host,
                seconds=seconds,
            ) from None
        if told is None:
            raise Trouble("There is no connection to {host}.", host=self._host)
        if isinstance(told, Done) and told.trouble:
            raise Trouble(told.trouble, told.hint)
        if not isinstance(told, answer):
            raise Trouble("What {host} said of itself cannot be read.", host=self._host)
        return told

    def ask_later(self, order: Question, answered: Answered) -> int:
        """Never waits: who asks hears from another thread, or at once that there is no
        connection. The order gets its number here.
        """
        with self._lock:
            self._last += 1
            self._open[self._last] = answered
            number = self._last
            oldest = next(iter(self._open)) if len(self._open) > _MOST else None
        if oldest is not None:
            self.answer(oldest, None)
        # From here on whoever ends the connection answers it.
        if not self._tell(replace(order, id=number)):
            self.answer(number, None)
        return number

    def answer(self, number: int, told: Told | None) -> None:
        """What nobody asked, or asks no more, is let go."""
        with self._lock:
            answered = self._open.pop(number, None)
        if answered is not None:
            answered(told)

    def give_up(self) -> None:
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for answered in left:
            answered(None)


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
