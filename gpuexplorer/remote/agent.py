"""The agent's loop: hears orders, has each carried out, and leaves when nobody is there."""

import importlib.util
import os
import platform
import queue
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
from types import FrameType
from typing import NoReturn

from gpuexplorer.core.cards import HOST_ID, Sample
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.newer_python import assert_never
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.tagged import line_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import offspring
from gpuexplorer.lab.pythons import LabPython, PythonPlace, ask, candidates
from gpuexplorer.remote import wire
from gpuexplorer.remote.wire import Knocked, Settings, Told
from gpuexplorer.telemetry.backend import Backend, NoCards
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Fact, Users, Watch
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.process_book import ProcessNames, end
from gpuexplorer.telemetry.processes import CardProcess, ProcessUse
from gpuexplorer.telemetry.session import LONGEST, SHORTEST
from gpuexplorer.telemetry.sources import first_that_answers, simulated
from gpuexplorer.telemetry.system import ProcessorTime

# Of one card, when the link is slower than its readings: the oldest of more than these go. The
# pipe holds a hundred besides.
MOST_WAITING = 8


class Teller:
    """`tell` is for any thread and never waits. Answers are never left out; readings that
    nobody could take in time are, and are a gap to whoever looks.
    """

    def __init__(self, pipe: int, on_broken: "Callable[[], object]") -> None:
        self._pipe = pipe
        self._on_broken = on_broken
        self._changed = threading.Condition()
        self._lines: dict[int, bytes] = {}  # by number, the oldest first
        self._urgent: deque[bytes] = deque()
        self._of_card: dict[Hashable, deque[int]] = {}
        self._number = 0
        self._writing = self._stopping = False
        threading.Thread(target=self._write, name="teller", daemon=True).start()

    def tell(self, told: "Told | Fact") -> None:
        line, whose = line_of(told), _whose(told)
        with self._changed:
            self._number += 1
            if isinstance(told, Knocked):  # it says how long the way takes
                self._urgent.append(line)
            else:
                self._lines[self._number] = line
            if whose is not None:
                waiting = self._of_card.setdefault(whose, deque())
                waiting.append(self._number)
                # What was written already is no longer among the lines.
                while len(waiting) > MOST_WAITING:
                    self._lines.pop(waiting.popleft(), None)
            self._changed.notify_all()

    def all_written(self, seconds: float) -> bool:
        """Wait until everything is in the pipe."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not (self._urgent or self._lines or self._writing), seconds
            )

    def stop(self) -> None:
        """What was not written yet never is."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._urgent or self._lines or self._stopping)
                if self._stopping:
                    return
                line = memoryview(self._next())
                self._writing = True
            try:
                while line:
                    line = line[os.write(self._pipe, line) :]
            except OSError:  # nobody reads any more
                self._on_broken()
                return

    def _next(self) -> bytes:
        if self._urgent:
            return self._urgent.popleft()
        return self._lines.pop(next(iter(self._lines)))


def _whose(told: "Told | Fact") -> "Hashable | None":
    """Of what the newest matters more than the older; None for what must be told."""
    return (type(told), told.card) if isinstance(told, (Sample, Users)) else None


CheckUp = Callable[[bool], str]

# An order is short, and whoever sends more is not ours.
_LONGEST_ORDER = 1 << 20
_LAST_WORDS = 2.0


def serve(settings: Settings, check_up: CheckUp, before: "ProcessorTime | None") -> NoReturn:
    """Takes the process's input and output for itself; never returns."""
    offspring.adopt()
    orders, told = _own_pipes()
    woken = _waking_signals()
    clock = SystemClock()
    teller = Teller(told, leave)

    def open_stream() -> "tuple[Local, list[Message]]":
        backend, attempts = _source(settings)
        return Local(backend, (), clock, processor_before=before), attempts

    waiting: queue.SimpleQueue[wire.Order] = queue.SimpleQueue()
    # The driver may hang from its first call on, and the pipe must be heard all the same.
    _in_thread("orders", partial(_carry_out, waiting, open_stream, check_up, teller))
    for line in _lines(orders, woken, settings.alone):
        try:
            order = wire.order_of(line)
        except UnreadableError:
            sys.stderr.write("An order could not be read.\n")
            continue
        if isinstance(order, wire.Knock):
            teller.tell(wire.Knocked(order.id, clock.now(), clock.wall()))
        else:
            waiting.put(order)
    leave()


def leave(status: int = 0) -> NoReturn:
    """At once: what hangs in a driver would wait for ever."""
    offspring.end_all()
    os._exit(status)


def _carry_out(
    waiting: "queue.SimpleQueue[wire.Order]",
    open_stream: "Callable[[], tuple[Local, list[Message]]]",
    check_up: CheckUp,
    teller: Teller,
) -> None:
    try:
        stream, attempts = open_stream()
    except Trouble as trouble:
        teller.tell(wire.Done(0, trouble.sentence, trouble.hint))
        teller.all_written(_LAST_WORDS)
        leave(1)
    teller.tell(_greeting(stream, attempts))
    stream.listen(teller.tell)
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
        else:
            run = partial(_answer, order, stream.backend, check_up, teller)
            _in_thread(type(order).__name__, run)


def _greeting(stream: Local, attempts: "list[Message]") -> wire.Hello:
    system = platform.uname()
    return wire.Hello(
        version=wire.VERSION,
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


def _add(order: wire.Added, backend: Backend) -> None:
    """Real cards notice by themselves what the lab does to them."""
    if not isinstance(backend, SimulatedBackend):
        return
    machine, now = backend.machine, backend.elapsed
    if order.held_bytes:
        machine.hold(order.card, now, order.held_bytes)
    if order.occupation is not None:
        machine.occupy(order.card, order.occupation.moved(now))


def _answer(order: wire.Order, backend: Backend, check_up: CheckUp, teller: Teller) -> None:
    match order:
        case wire.AskWiring():
            teller.tell(wiring(order, backend))
        case wire.End():
            teller.tell(end_process(order))
        case wire.AskRunning():
            teller.tell(running(order))
        case wire.AskPythons():
            teller.tell(pythons(order))
        case wire.CheckUp():
            teller.tell(wire.CheckedUp(order.id, check_up(order.deep)))
        case Watch() | wire.Added() | wire.Knock():
            """Carried out before: neither may wait."""
        case _:
            assert_never(order)


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


def _own_pipes() -> "tuple[int, int]":
    """Whatever else prints, prints as a complaint; and whoever is started reads nothing."""
    orders, told = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout = sys.stderr
    return orders, told


def _lines(pipe: int, woken: int, alone: float) -> "Iterator[bytes]":
    """Until nobody writes any more, or for too long."""
    rest, heard = b"", time.monotonic()
    while (left := heard + alone - time.monotonic()) > 0:
        if pipe not in select.select([pipe, woken], [], [], left)[0]:
            continue
        piece = os.read(pipe, 1 << 16)
        if not piece or len(rest) > _LONGEST_ORDER:
            return
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            heard = time.monotonic()
            yield line


def _waking_signals() -> int:
    """A descriptor to wait for as well: a signal may come right before the waiting begins."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _on_signal)
    return woken


def _on_signal(_: int, __: "FrameType | None") -> None:
    leave()


def _in_thread(name: str, run: "Callable[[], None]") -> None:
    threading.Thread(target=run, name=name, daemon=True).start()


# The system counts in hundredths of a second when a process began.
_SAME_TIME = 0.02
# Each Python is given less than that.
_PYTHON_PATIENCE = 15.0
_WIRING_PATIENCE = 3.0


def end_process(order: wire.End) -> wire.Done:
    """With the rights of this login. Only the very process that began at that time."""
    named = ProcessNames().one(CardProcess(HOST_ID, order.pid, ProcessUse.COMPUTE))
    try:
        if named.started_at is not None and not _same_time(named.started_at, order.started_at):
            raise Trouble("It has ended already.")  # another one has its number by now
        end(named, order.way)
    except Trouble as trouble:
        return wire.Done(order.id, trouble.sentence, trouble.hint)
    return wire.Done(order.id)


def running(order: wire.AskRunning) -> wire.Running:
    named = ProcessNames().one(CardProcess(HOST_ID, order.pid, ProcessUse.COMPUTE))
    same = named.started_at is not None and _same_time(named.started_at, order.started_at)
    return wire.Running(order.id, running=same and not named.ended)


def wiring(order: wire.AskWiring, backend: Backend) -> "wire.Wired | wire.Done":
    asked = Asked(backend.topology)
    if asked.answered_within(_WIRING_PATIENCE):
        return wire.Wired(order.id, asked.result())
    return wire.Done(
        order.id,
        Message(
            "The driver over there did not report the wiring within {seconds:.0f} seconds.",
            seconds=_WIRING_PATIENCE,
        ),
    )


def pythons(order: wire.AskPythons) -> wire.Pythons:
    if order.named:
        return wire.Pythons(order.id, [_named(order.named)])
    asked = [Asked(partial(ask, path)) for path in candidates(dict(os.environ), _whole("~"))]
    found = [each.result() for each in asked if each.answered_within(_PYTHON_PATIENCE)]
    return wire.Pythons(order.id, found)


def _same_time(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME_TIME


def _whole(path: str) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111 - where there is no home, "~" stays


def _named(path: str) -> LabPython:
    try:
        return PythonPlace().picked(_whole(path))
    except Trouble as trouble:
        return LabPython(Path(path), trouble=trouble.sentence)
