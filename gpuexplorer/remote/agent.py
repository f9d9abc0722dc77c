"""The agent's loop: hears orders, has each carried out, and leaves when nobody is there."""

import importlib.util
import os
import platform
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NoReturn

from gpuexplorer.core.cards import HOST_ID, Sample
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.records import UnreadableError, text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import offspring
from gpuexplorer.lab.pythons import LabPython, PythonPlace, ask, candidates
from gpuexplorer.remote import wire
from gpuexplorer.remote.wire import Answer, Knocked, Settings, Told
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Fact, Users, Watch
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessNames, end
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse
from gpuexplorer.telemetry.session import LONGEST, SHORTEST
from gpuexplorer.telemetry.sources import first_that_answers, simulated
from gpuexplorer.telemetry.system import ProcessorTime
from gpuexplorer.telemetry.topology import Topology

# Of one card, when the link is slower than its readings: the oldest of more than these go. The
# pipe holds a hundred besides.
MOST_WAITING = 8
# An order is short, and whoever sends more is not ours.
_LONGEST_ORDER = 1 << 20
_LAST_WORDS = 2.0
# The system counts in hundredths of a second when a process began.
_SAME_TIME = 0.02
# Each Python is given less than that.
_PYTHON_PATIENCE = 15.0
_WIRING_PATIENCE = 3.0


class Teller:
    """`tell` is for any thread and never waits. Answers are never left out; readings that
    nobody could take in time are, and are a gap to whoever looks.
    """

    def __init__(self, pipe: int, on_broken: "Callable[[], object]") -> None:
        self._pipe, self._on_broken = pipe, on_broken
        self._changed = threading.Condition()
        # Lines, the oldest first, and of what the newest matters more than an older one.
        self._waiting: deque[tuple[Hashable, bytes]] = deque()
        self._urgent: deque[tuple[Hashable, bytes]] = deque()
        self._ending = False
        self._thread = threading.Thread(target=self._write, name="teller", daemon=True)
        self._thread.start()

    def tell(self, told: "Told | Fact") -> None:
        line = line_of(told)
        whose = (type(told), told.card) if isinstance(told, (Sample, Users)) else None
        with self._changed:
            # A knock says how long the way takes.
            queue = self._urgent if isinstance(told, Knocked) else self._waiting
            queue.append((whose, line))
            same = [each for each in self._waiting if whose is not None and each[0] == whose]
            if len(same) > MOST_WAITING:
                self._waiting.remove(same[0])
            self._changed.notify_all()

    def end(self, seconds: float) -> bool:
        """What waits is still told; whether all of it was in time."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._urgent or self._waiting or self._ending)
                queue = self._urgent or self._waiting
                if not queue:
                    return
                line = memoryview(queue.popleft()[1])
            try:
                while line:
                    line = line[os.write(self._pipe, line) :]
            except OSError:  # nobody reads any more
                self._on_broken()
                return


CheckUp = Callable[[bool], str]


def serve(settings: Settings, check_up: CheckUp, before: "ProcessorTime | None") -> NoReturn:
    """Takes the process's input and output for itself; never returns."""
    offspring.adopt()
    orders, told = _own_pipes()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: leave())
    clock = SystemClock()
    teller = Teller(told, leave)

    def open_stream() -> "tuple[Local, list[Message]]":
        backend, attempts = _source(settings)
        return Local(backend, (), clock, processor_before=before), attempts

    waiting: SimpleQueue[wire.Order] = SimpleQueue()
    # The driver may hang from its first call on, and the pipe must be heard all the same.
    _in_thread("orders", partial(_carry_out, waiting, open_stream, check_up, teller))
    for line in _lines(orders, settings.alone):
        try:
            order = wire.order_of(line)
        except UnreadableError:
            sys.stderr.write("An order could not be read.\n")
            continue
        if isinstance(order, wire.Knock):
            teller.tell(Knocked(order.sent_at, clock.now(), clock.wall()))
        else:
            waiting.put(order)
    leave()


def leave(status: int = 0) -> NoReturn:
    """At once: what hangs in a driver would wait for ever."""
    offspring.end_all()
    os._exit(status)


def _carry_out(
    waiting: "SimpleQueue[wire.Order]",
    open_stream: "Callable[[], tuple[Local, list[Message]]]",
    check_up: CheckUp,
    teller: Teller,
) -> None:
    try:
        stream, attempts = open_stream()
    except Trouble as trouble:
        teller.tell(Answer(0, "", trouble.sentence, trouble.hint))
        teller.end(_LAST_WORDS)
        leave(1)
    hello = _greeting(stream, attempts)
    stream.listen(teller.tell)
    teller.tell(hello)
    begun = False
    while True:
        order = waiting.get()
        if isinstance(order, Watch):
            interval = min(max(order.interval, SHORTEST), LONGEST)
            stream.watch(replace(order, interval=interval))
            if not begun:
                stream.start()
            begun = True
        elif isinstance(order, wire.Added):
            _add(order, stream.backend)
        elif isinstance(order, wire.Question):
            run = partial(_answer, order, stream.backend, check_up, teller)
            _in_thread(type(order).__name__, run)


def _greeting(stream: Local, attempts: "list[Message]") -> wire.Hello:
    system = platform.uname()
    return wire.Hello(
        python=platform.python_version(),
        system=f"{system.system} {system.release}",
        computer=stream.computer,
        user=_user(),
        host=stream.host,
        now=stream.clock.now(),
        wall=stream.clock.wall(),
        attempts=attempts,
        elsewhere=stream.elsewhere,
    )


def _user() -> str:
    import pwd  # noqa: PLC0415 - Windows has none, and imports this file all the same

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _source(settings: Settings) -> "tuple[Backend, list[Message]]":
    if sys.platform != "linux" and importlib.util.find_spec("psutil") is None:
        raise Trouble(
            "{system} tells a program nothing of its processors without psutil.",
            "Install it there: `python3 -m pip install psutil`.",
            system=platform.system(),
        )
    if settings.simulate is not None:
        return simulated(settings.simulate, settings.faults, settings.seed), []
    backend, attempts = first_that_answers()
    return backend or NoCards(), [each.note for each in attempts]


def _add(order: wire.Added, backend: Backend) -> None:
    """Real cards notice by themselves what the lab does to them."""
    if not isinstance(backend, SimulatedBackend):
        return
    machine, now = backend.machine, backend.elapsed
    if order.held_bytes:
        machine.hold(order.card, now, order.held_bytes)
    if order.occupation is not None:
        machine.occupy(order.card, order.occupation.moved(now))


def _answer(
    question: wire.Question, backend: Backend, check_up: CheckUp, teller: Teller
) -> None:
    try:
        if isinstance(question, wire.CheckUp):
            text = check_up(question.deep)
        else:
            text = text_of(_found(question, backend))
    except Trouble as trouble:
        teller.tell(Answer(question.id, "", trouble.sentence, trouble.hint))
    else:
        teller.tell(Answer(question.id, text))


# Any: what the question says of its answer.
def _found(question: wire.Question, backend: Backend) -> Any:
    """Raises Trouble."""
    match question:
        case wire.AskWiring():
            return wiring(backend)
        case wire.AskRunning(pid, started_at):
            named, same = _process(pid, started_at)
            return same is True and not named.ended
        case wire.End(pid, started_at, way):
            named, same = _process(pid, started_at)
            if same is False:
                raise Trouble("It has ended already.")  # another one has its number by now
            end(named, way)
        case wire.AskPythons(""):
            home = _whole("~")
            asked = [Asked(partial(ask, each)) for each in candidates(dict(os.environ), home)]
            return [e.result() for e in asked if e.answered_within(_PYTHON_PATIENCE)]
        case wire.AskPythons(path):
            return [_named(_whole(path))]
    return None


def _process(pid: int, started_at: float) -> "tuple[NamedProcess, bool | None]":
    """With the rights of this login; and whether it began at that time, if anybody knows."""
    named = ProcessNames().one(CardProcess(HOST_ID, pid, ProcessUse.COMPUTE))
    if named.started_at is None:
        return named, None
    return named, abs(named.started_at - started_at) <= _SAME_TIME


def wiring(backend: Backend) -> Topology:
    asked = Asked(backend.topology)
    if not asked.answered_within(_WIRING_PATIENCE):
        raise Trouble(
            "The driver over there did not report the wiring within {seconds:.0f} seconds.",
            seconds=_WIRING_PATIENCE,
        )
    return asked.result()


def _named(path: Path) -> LabPython:
    try:
        return PythonPlace().picked(path)
    except Trouble as trouble:
        return LabPython(path, trouble=trouble.sentence)


def _whole(path: str) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111 - where there is no home, "~" stays


def _own_pipes() -> "tuple[int, int]":
    """Whatever else prints, prints as a complaint; and whoever is started reads nothing."""
    orders, told = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout = sys.stderr
    return orders, told


def _lines(pipe: int, alone: float) -> "Iterator[bytes]":
    """Until nobody writes any more, or for too long."""
    rest, heard = b"", time.monotonic()
    while (left := heard + alone - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            continue
        piece = os.read(pipe, 1 << 16)
        if not piece or len(rest) > _LONGEST_ORDER:
            return
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            heard = time.monotonic()
            yield line


def _in_thread(name: str, run: "Callable[[], None]") -> None:
    threading.Thread(target=run, name=name, daemon=True).start()
