"""The agent's loop: hears orders, has each carried out, and leaves when nobody is there."""

import getpass
import math
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NoReturn

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.records import text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab import offspring
from gpuexplorer.lab.pythons import LabPython, PythonPlace, ask, candidates
from gpuexplorer.remote import wire
from gpuexplorer.remote.wire import Answer, Knocked, Settings, Told
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Attempt, Fact, Watch
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.process_book import ProcessNames, end
from gpuexplorer.telemetry.processes import CardProcess, ProcessUse
from gpuexplorer.telemetry.sources import first_that_answers, simulated
from gpuexplorer.telemetry.system import ProcessorTime

# The system counts in hundredths of a second when a process began.
_SAME_TIME = 0.02

CheckUp = Callable[[bool], str]
Say = Callable[[Any], None]  # Any: a Fact, or another of what is Told


def serve(settings: Settings, check_up: CheckUp, before: "ProcessorTime | None") -> NoReturn:
    """Takes the process's input and output for itself; never returns."""
    offspring.adopt()
    orders, told = _own_pipes()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, lambda *_: leave())
    signal.setitimer(signal.ITIMER_REAL, settings.alone)  # anew with each order
    clock, say = SystemClock(), teller(told, leave)
    waiting: SimpleQueue[wire.Order] = SimpleQueue()
    # The driver may hang from its first call on, and the pipe must be heard all the same.
    _in_thread(_carry_out, settings, before, waiting, check_up, say)
    with os.fdopen(orders, "rb") as lines:
        for line in lines:
            signal.setitimer(signal.ITIMER_REAL, settings.alone)
            order = wire.told_of(line)
            if isinstance(order, wire.Knock):
                _in_thread(say, Knocked(order.sent_at, clock.now(), clock.wall()))
            else:
                waiting.put(order)
    leave()


def leave(status: int = 0) -> NoReturn:
    """At once: what hangs in a driver would wait for ever."""
    offspring.end_all()
    os._exit(status)


def teller(pipe: int, on_broken: "Callable[[], object]") -> Say:
    """For any thread. Waits while the link is slower than what is told: no more is read then,
    which is a gap to whoever looks.
    """
    one_at_a_time = threading.Lock()

    def say(told: "Told | Fact") -> None:
        line = memoryview(line_of(told))
        with one_at_a_time:
            try:
                while line:
                    line = line[os.write(pipe, line) :]
            except OSError:  # nobody reads any more
                on_broken()

    return say


def _carry_out(
    settings: Settings,
    before: "ProcessorTime | None",
    waiting: "SimpleQueue[wire.Order]",
    check_up: CheckUp,
    say: Say,
) -> None:
    attempts: Sequence[Attempt] = ()
    backend: Backend | None
    try:
        if settings.simulate is None:
            backend, attempts = first_that_answers()
        else:
            backend = simulated(settings.simulate, settings.faults, settings.seed)
    except Trouble as trouble:
        say(Answer(0, "", trouble.sentence, trouble.hint))
        leave(1)
    backend = backend or NoCards()
    stream, begun, system = Local(backend, processor_before=before), False, platform.uname()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    hello = wire.Hello(
        python=platform.python_version(),
        system=f"{system.system} {system.release}",
        computer=stream.computer,
        user=user,
        host=stream.host,
        now=stream.clock.now(),
        wall=stream.clock.wall(),
        attempts=[each.note for each in attempts],
        elsewhere=stream.elsewhere,
    )
    stream.listen(say)
    say(hello)
    while True:
        order = waiting.get()
        if isinstance(order, Watch):
            stream.watch(order)
            if not begun:
                stream.start()
            begun = True
        elif isinstance(order, wire.Added):
            _add(order, backend)
        elif isinstance(order, wire.Question):
            _in_thread(_answer, order, backend, check_up, say)


def _add(order: wire.Added, backend: Backend) -> None:
    """Real cards notice by themselves what the lab does to them."""
    if isinstance(backend, SimulatedBackend):
        machine, now = backend.machine, backend.elapsed
        if order.held_bytes:
            machine.hold(order.card, now, order.held_bytes)
        if order.occupation is not None:
            machine.occupy(order.card, order.occupation.moved(now))


def _answer(question: wire.Question, backend: Backend, check_up: CheckUp, say: Say) -> None:
    try:
        if isinstance(question, wire.CheckUp):
            text = check_up(question.deep)
        else:
            text = text_of(_found(question, backend))
    except Trouble as trouble:
        say(Answer(question.id, "", trouble.sentence, trouble.hint))
    else:
        say(Answer(question.id, text))


# Any: what the question says of its answer.
def _found(question: wire.Question, backend: Backend) -> Any:
    """Raises Trouble."""
    match question:
        case wire.AskWiring():
            return backend.topology()
        case wire.AskProcess(pid, started_at, way):
            # With the rights of this login. Another one may have its number by now.
            named = ProcessNames().one(CardProcess(HOST_ID, pid, ProcessUse.COMPUTE))
            began = math.inf if named.started_at is None else named.started_at
            runs = abs(began - started_at) <= _SAME_TIME and not named.ended
            if way is None:
                return runs
            if not runs:
                raise Trouble("It has ended already.")
            end(named, way)
        case wire.AskPythons(""):
            with ThreadPoolExecutor() as at_once:
                return [*at_once.map(ask, candidates(dict(os.environ), _whole("~")))]
        case wire.AskPythons(path):
            try:
                return [PythonPlace().picked(_whole(path))]
            except Trouble as trouble:
                return [LabPython(_whole(path), trouble=trouble.sentence)]
    return None


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


# Any: what it is called with.
def _in_thread(run: "Callable[..., None]", *words: Any) -> None:
    threading.Thread(target=run, args=words, daemon=True).start()
