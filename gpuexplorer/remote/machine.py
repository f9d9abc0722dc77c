"""FarMachine: one other machine, for ever. Connects, keeps the link alive, connects again."""

import shlex
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.doctor import surroundings
from gpuexplorer.core.harmless import line_of, value_of
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.start import Start
from gpuexplorer.remote.lab import FarLab
from gpuexplorer.remote.link import Link, LinkNow, LinkState
from gpuexplorer.remote.parcel import PYTHON, Kind, parcel
from gpuexplorer.remote.refusals import Ending
from gpuexplorer.remote.ssh import (
    CAN_ASK,
    AskedQuestions,
    Asking,
    HostName,
    Launch,
    ssh_command,
)
from gpuexplorer.remote.stream import FarStream
from gpuexplorer.remote.wire import (
    KNOCKS_EVERY,
    Answer,
    Hello,
    Knock,
    Knocked,
    Order,
    Question,
    Settings,
    told_of,
)

# A link on which nothing was heard for so long is given up, whatever ssh thinks of it.
PATIENCE = 10.0
# Before its first word it may wait for a driver.
_GREETING = 20.0
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
# After so long a connection the next attempts follow as quickly as the very first.
_STEADY = 30.0
_GAP_EVERY = 0.9
_BROKE = mark("The connection to {host} broke before it answered.")
_AGAIN = Message("Try again when there is a connection.")
_WITHOUT = (LinkState.BROKEN, LinkState.REFUSED, LinkState.ENDED)


class FarMachine:
    """`connect` starts a thread that goes on until `stop`, and in which all is heard and done;
    `on_change` is called from it when `now` is another. For any thread; only what is told how
    long it may wait waits.
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
        asking: Asking | None = None,
        at_terminal: bool = False,
        on_change: Callable[[], None] = lambda: None,
        clock: Clock | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`asking` brings what ssh asks to a person; with `at_terminal` ssh does so itself."""
        self.host = host
        self.python = python or PYTHON
        self.settings = Settings(simulate, faults, seed)
        self._asking = asking if CAN_ASK else None
        somebody = self._asking is not None or at_terminal
        self.launch: Launch = launch or partial(ssh_command, somebody_answers=somebody)
        self.clock = clock or SystemClock()
        self.hello: Hello | None = None  # of the newest connection
        # Since when, in steady seconds, there is none any more; None before there was one.
        self.lost_at: float | None = None
        self.now = LinkNow(LinkState.ENDED, self.clock.now())
        self._at_terminal, self._on_change, self._patience = at_terminal, on_change, patience
        self._changed, self._wake = threading.Condition(), threading.Event()
        self._stopping = self._retry = False
        self._thread: threading.Thread | None = None
        self._link: Link | None = None
        self._over: Ending | None = None  # with what was heard: there is no use in going on
        self._heard_at = self._knocked_at = self._gap_at = float("-inf")
        self._numbers = count(1)
        self._open: dict[int, Future[Answer]] = {}  # what was asked, by number
        self.stream = FarStream(self)

    @property
    def asked_as(self) -> str:
        """How a command line names it."""
        words = ["--host", self.host.text]
        if self.python != PYTHON:
            words += ["--host-python", self.python]
        return shlex.join(words)

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

    def retry_now(self) -> None:
        """Where it is broken or refused; a person wants it."""
        self._retry = True
        self._wake.set()

    def stop(self, seconds: float = 3.0) -> bool:
        """Until `connect`. True when it is over; else it goes on ending by itself."""
        self._stopping = True
        self._wake.set()
        if (link := self._link) is not None:
            link.wake()
        if self._thread is None or self._thread is threading.current_thread():
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def tell(self, order: Order) -> bool:
        """Never waits; False where it is lost, since there is no connection."""
        link = self._link
        if link is None or self.now.state is not LinkState.UP:
            return False
        link.send(line_of(order))
        return True

    # Any: the question says what its answer is.
    def ask(self, kind: Any, question: Question, seconds: float) -> Any:
        """Waits. Raises Trouble where there is no such answer, or where it is a refusal."""
        try:
            return value_of(kind, self.asked(question, seconds))
        except UnreadableError:
            raise Trouble(
                "What {host} said of itself cannot be read.", host=self.host.text
            ) from None

    def asked(self, question: Question, seconds: float) -> str:
        """The answer as JSON, which may hold anything. Waits, and raises Trouble, as `ask`."""
        try:
            return self.ask_later(question).result(seconds).text
        except TimeoutError:
            raise Trouble(
                "{host} did not answer within {seconds:.0f} s.",
                host=self.host.text,
                seconds=seconds,
            ) from None

    def ask_later(self, question: Question) -> "Future[Answer]":
        """Never waits. Its exception is a Trouble."""
        number, answer = next(self._numbers), Future[Answer]()
        self._open[number] = answer
        # From here on whoever ends the connection answers it.
        if not self.tell(replace(question, id=number)):
            self._answer(Answer(number, "", self._no_connection))
        return answer

    def lab_start(self, start: Start) -> Start:
        """The same, run over there."""
        return replace(start, elsewhere=FarLab(self, self.questions))

    def questions(self) -> AskedQuestions | None:
        """For one more connection. Raises Trouble without room for them."""
        return None if self._asking is None else AskedQuestions(self.host, self._asking)

    @property
    def _no_connection(self) -> Message:
        return Message("There is no connection to {host}.", host=self.host.text)

    def _answer(self, told: Answer) -> None:
        """What nobody asked is let go."""
        if (answer := self._open.pop(told.id, None)) is None:
            return
        if told.trouble:
            answer.set_exception(Trouble(told.trouble, told.hint))
        else:
            answer.set_result(told)

    def _run(self) -> None:
        wait = _FIRST_WAIT
        try:
            while not self._stopping:
                self._retry = False
                # Why there is none stays to be read while it is tried again.
                self._set(self.now._replace(state=LinkState.CONNECTING, retry_at=None))
                over, lasted = self._one_connection()
                wait = wait if lasted < _STEADY else _FIRST_WAIT
                if not self._stopping:  # else a person said so
                    self._rest(over, wait)
                wait = min(2 * wait, _LONGEST_WAIT)
        finally:
            self._set(LinkNow(LinkState.ENDED, self.clock.now()))

    def _one_connection(self) -> tuple[Ending, float]:
        """Why it is over, and for how many seconds it was up."""
        self._over, self._heard_at = None, self.clock.now()
        try:
            sent = parcel(
                Kind.AGENT, {**self.settings.environment, **surroundings(self.asked_as)}
            )
            command = self.launch(self.host, sent.command(self.python))
            link = self._link = Link(
                self.host,
                command,
                sent.preamble,
                sent.mark,
                self._hear,
                self._look,
                questions=self.questions(),
                at_terminal=self._at_terminal,
            )
        except Trouble as trouble:
            return Ending(trouble.sentence, trouble.hint, again=False), 0.0
        over = link.run() or Ending(NOTHING)
        was_up, self._link = self.now.state is LinkState.UP, None
        if was_up or self.lost_at is None:  # of several tries in a row, the first
            self.lost_at = self._heard_at
        for number in list(self._open):
            self._answer(Answer(number, "", Message(_BROKE, host=self.host.text), _AGAIN))
        return over, self.clock.now() - self.now.since if was_up else 0.0

    def _look(self) -> Ending | None:
        """Some times a second, until the link is over."""
        if self._stopping or self._over is not None:
            return self._over or Ending(NOTHING)
        assert self._link is not None
        up, now = self.now.state is LinkState.UP, self.clock.now()
        silent = now - self._heard_at
        if not self._link.course.ready:
            self._heard_at = now  # the link has a patience of its own
            state = LinkState.ASKING if self._link.asks else LinkState.CONNECTING
            self._set(self.now._replace(state=state))
            self._gap()
        elif silent > (self._patience if up else _GREETING):
            return Ending(
                Message(
                    "{host} has not answered for {seconds:.0f} s.",
                    host=self.host.text,
                    seconds=silent,
                )
            )
        elif up and now - self._knocked_at >= KNOCKS_EVERY:
            self._knock()
        return None

    def _knock(self) -> None:
        self._knocked_at = self.clock.now()
        self.tell(Knock(self._knocked_at))

    def _hear(self, line: bytes) -> None:
        try:
            told = told_of(line)
        except UnreadableError:  # who says nothing else is silent
            return
        self._heard_at = self.clock.now()
        if isinstance(told, Hello):
            self.hello, self.lost_at = told, None
            self.stream.greeted(told)
            self._set(LinkNow(LinkState.UP, self._heard_at))
            self._knock()  # its clock has to be known before its first sample comes
            self.stream.watch_there()
        elif isinstance(told, Knocked):
            self.stream.knocked(told)
        elif not isinstance(told, Answer):
            self.stream.take(told)
        elif told.id:
            self._answer(told)
        else:
            self._over = Ending(told.trouble, told.hint, again=False)

    def _gap(self) -> None:
        """Once in a while: every figure is missing, from the first reading on that did not
        come.
        """
        now = self.clock.now()
        if now - self._gap_at >= _GAP_EVERY:
            first = self._heard_at + self.stream.watched.interval
            self.stream.lost(min(now, first) if self._gap_at < self._heard_at else now)
            self._gap_at = now

    def _rest(self, over: Ending, wait: float) -> None:
        """Until it is tried again."""
        self._gap()
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
            self._gap()

    def _set(self, now: LinkNow) -> None:
        with self._changed:
            before = self.now
            same = now.state is before.state
            now = now._replace(since=before.since if same else self.clock.now())
            self.now = now
            self._changed.notify_all()
        if now != before:
            self._on_change()
