"""FarMachine: one other machine, for ever. Connects, keeps the link alive, connects again; and
the lab's workers there, each by an ssh that shares the login.
"""

import os
import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.doctor import surroundings
from gpuexplorer.core.harmless import line_of, value_of
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, on, told
from gpuexplorer.lab.pythons import LabPython, PythonPlace
from gpuexplorer.lab.start import Begun, Start
from gpuexplorer.remote.link import (
    SSHS_LINES,
    Course,
    Ending,
    Link,
    LinkNow,
    LinkState,
    ending_of,
)
from gpuexplorer.remote.parcel import PYTHON, Kind, Parcel, parcel
from gpuexplorer.remote.ssh import (
    CAN_ASK,
    AskedQuestions,
    Asking,
    HostName,
    Launch,
    plain,
    ssh_command,
)
from gpuexplorer.remote.stream import FarStream
from gpuexplorer.remote.wire import (
    KNOCKS_EVERY,
    Answer,
    AskPythons,
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
# Each Python is started once over there, and some lie on a slow disk.
_PYTHONS_PATIENCE = 40.0
# Before its first word it may wait for a driver.
_GREETING = 20.0
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_GAP_EVERY = 0.9
_ON_THE_WAY = (LinkState.CONNECTING, LinkState.ASKING)


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
        self._wait = _FIRST_WAIT
        self._thread: threading.Thread | None = None
        self._link: Link | None = None
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
        with self._changed:
            self._changed.wait_for(lambda: self.now.state not in _ON_THE_WAY, seconds)
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
            link.end()
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
        """Waits. Raises Trouble where there is no answer, or where it is a refusal."""
        return value_of(kind, self.asked(question, seconds))

    def asked(self, question: Question, seconds: float) -> str:
        """The answer as JSON, which may hold anything. Waits, and raises Trouble, as `ask`."""
        try:
            return self.ask_later(question).result(seconds).text
        except TimeoutError:
            late = mark("{host} did not answer within {seconds:.0f} s.")
            raise Trouble(late, host=self.host.text, seconds=seconds) from None

    def ask_later(self, question: Question) -> "Future[Answer]":
        """Never waits. Its exception is a Trouble."""
        number, answer = next(self._numbers), Future[Answer]()
        self._open[number] = answer
        # From here on whoever ends the connection answers it.
        if not self.tell(replace(question, id=number)):
            self._answer(number, self._none())
        return answer

    def lab_start(self, start: Start) -> Start:
        """The same, run over there."""
        return replace(start, elsewhere=self)

    def begin(self, start: Start) -> Begun:
        """A worker of the lab. Raises Trouble where none can be started."""
        if start.program is not None:
            raise no_programs(self.host)
        if self.now.state is not LinkState.UP:
            raise self._none()
        variables = {**start.variables_in({}), **surroundings(self.asked_as)}
        sent = parcel(Kind.WORKER, variables, any_python=False)
        command = [*self.launch(self.host, sent.command(start.python.as_posix()))]
        return _FarWorker(self.host, command, sent, self.questions())

    def questions(self) -> AskedQuestions | None:
        """For one more connection. Raises Trouble without room for them."""
        return None if self._asking is None else AskedQuestions(self.host, self._asking)

    def _none(self) -> Trouble:
        none = Message("There is no connection to {host}.", host=self.host.text)
        hint = mark("It is tried again by itself; try this once more when it is there.")
        return Trouble(told(none, self.now.why), hint)

    def _answer(self, number: int, what: Answer | Trouble) -> None:
        if (asked := self._open.pop(number, None)) is not None:
            if isinstance(what, Trouble):
                asked.set_exception(what)
            else:
                asked.set_result(what)

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._retry = False
                # Why there is none stays to be read while it is tried again.
                self._set(self.now._replace(state=LinkState.CONNECTING, retry_at=None))
                over = self._one_connection()
                for number in list(self._open):
                    self._answer(number, self._none())
                if not self._stopping:  # else a person said so
                    self._rest(over)
        finally:
            self._set(LinkNow(LinkState.ENDED, self.clock.now()))

    def _one_connection(self) -> Ending:
        """Why it is over."""
        self._heard_at = self.clock.now()
        try:
            known = {**self.settings.environment, **surroundings(self.asked_as)}
            sent = parcel(Kind.AGENT, known)
            link = self._link = Link(
                self.host,
                self.launch(self.host, sent.command(self.python)),
                sent,
                self._hear,
                self._look,
                questions=self.questions(),
                at_terminal=self._at_terminal,
            )
        except Trouble as trouble:
            return Ending(trouble.sentence, trouble.hint, again=False)
        over = link.run() or Ending(NOTHING)
        self._link = None
        if self.lost_at is None:  # of several tries in a row, the first
            self.lost_at = self._heard_at
        return over

    def _look(self) -> Ending | None:
        """Some times a second, until the link is over."""
        link, now = self._link, self.clock.now()
        if self._stopping or link is None:
            return Ending(NOTHING)
        up, silent = self.now.state is LinkState.UP, now - self._heard_at
        if not link.course.ready:
            self._heard_at = now  # the link has a patience of its own
            state = LinkState.ASKING if link.asks else LinkState.CONNECTING
            self._set(self.now._replace(state=state))
            self._gap()
        elif silent > (self._patience if up else _GREETING):
            template = mark("{host} has not answered for {seconds:.0f} s.")
            return Ending(Message(template, host=self.host.text, seconds=silent))
        elif up and now - self._knocked_at >= KNOCKS_EVERY:
            self._knock()
        return None

    def _knock(self) -> None:
        self._knocked_at = self.clock.now()
        self.tell(Knock(self._knocked_at))

    def _hear(self, line: bytes) -> Ending | None:
        try:
            said = told_of(line)
        except UnreadableError:  # who says nothing else is silent
            return None
        self._heard_at = self.clock.now()
        match said:
            case Hello():
                self.hello, self.lost_at, self._wait = said, None, _FIRST_WAIT
                self.stream.greeted(said)
                self._set(LinkNow(LinkState.UP, self._heard_at))
                self._knock()  # its clock has to be known before its first sample comes
                self.stream.watch_there()
            case Knocked():
                self.stream.knocked(said)
            case Answer(id=0, trouble=why, hint=hint):
                return Ending(why, hint, again=False)
            case Answer(id=number, trouble=why, hint=hint):
                self._answer(number, Trouble(why, hint) if why else said)
            case _:
                self.stream.take(said)
        return None

    def _gap(self) -> None:
        """Once in a while: every figure is missing, from the first reading on that did not
        come.
        """
        now = self.clock.now()
        if now - self._gap_at >= _GAP_EVERY:
            first = self._heard_at + self.stream.watched.interval
            self.stream.lost(min(now, first) if self._gap_at < self._heard_at else now)
            self._gap_at = now

    def _rest(self, over: Ending) -> None:
        """Until it is tried again: each time later."""
        self._gap()
        now = self.clock.now()
        state = LinkState.BROKEN if over.again else LinkState.REFUSED
        retry_at = now + self._wait if over.again else None
        self._wait = min(2 * self._wait, _LONGEST_WAIT)
        self._set(LinkNow(state, now, over.why, over.hint, retry_at))
        while retry_at is None or self.clock.now() < retry_at:
            if self._stopping or self._retry:
                return
            self.clock.wait(self._wake, 1.0)  # a beat for whoever looks
            self._wake.clear()
            self._gap()

    def _set(self, now: LinkNow) -> None:
        with self._changed:
            before = self.now
            same = now.state is before.state
            self.now = now = now._replace(since=before.since if same else self.clock.now())
            self._changed.notify_all()
        if now != before:
            self._on_change()


# A figure or a large table comes as one line.
_LONGEST_LINE = 64 << 20
_SSHS = 255


def no_programs(host: HostName) -> Trouble:
    return Trouble(
        "A program is watched on the computer that it lies on.",
        "Open it and run its cells: they run on {host}.",
        host=host.text,
    )


class _FarWorker(Begun):
    """Its two readers' threads share it with the one that ends it."""

    is_far = True

    def __init__(
        self, host: HostName, command: list[str], sent: Parcel, questions: AskedQuestions | None
    ) -> None:
        asked = {} if questions is None else questions.variables
        super().__init__(command, {**os.environ, **asked})
        self.preamble, self._mark = sent.preamble, sent.mark
        self._questions, self._course = questions, Course(host.text)

    def lines(self, said: IO[bytes]) -> Iterator[str]:
        for line in self._course.lines(said, self._mark, _LONGEST_LINE):
            yield line.decode("utf-8", "replace")

    def complaints(self, said: IO[bytes]) -> Iterator[str]:
        for line in self._course.complaints(said):
            if text := SSHS_LINES.sub("", plain(line)).strip():
                yield text

    def why(self, status: int) -> Message:
        """What ssh or a shell says, as a sentence; the worker's own end the lab words."""
        course = self._course
        if course.ready and not course.endless and 0 <= status != _SSHS:
            return NOTHING
        course.status = status if status >= 0 else None
        ending = ending_of(course)
        return told(ending.why, ending.hint)

    def close(self) -> None:
        if self._questions is not None:
            self._questions.stop()


class There(PythonPlace):
    def __init__(self, far: FarMachine) -> None:
        self._far = far
        self.computer = far.host.text

    def every(
        self, earlier: Path | None = None, _: threading.Event | None = None
    ) -> Iterator[LabPython]:
        if earlier is not None:
            yield from self._found(earlier.as_posix())
        yield from (each for each in self._found() if each.path != earlier)

    def picked(self, path: Path, _: threading.Event | None = None) -> LabPython:
        python = next(iter(self._found(path.as_posix())), LabPython(path))
        if not python.usable:
            hint = "Choose another, or install PyTorch into it there."
            raise Trouble(on(self.computer, python.trouble), hint)
        return python

    def _found(self, named: str = "") -> Sequence[LabPython]:
        asked = Sequence[LabPython], AskPythons(named), _PYTHONS_PATIENCE
        found: Sequence[LabPython] = self._far.ask(*asked)
        return found
