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
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import NoReturn

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.newer_python import assert_never
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import offspring
from gpuexplorer.remote import wire
from gpuexplorer.remote.agent import answers
from gpuexplorer.remote.agent.settings import Settings
from gpuexplorer.remote.agent.teller import Teller
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Watch
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.session import LONGEST, SHORTEST
from gpuexplorer.telemetry.sources import first_that_answers, simulated

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
            teller.tell(answers.wiring(order, backend))
        case wire.End():
            teller.tell(answers.end_process(order))
        case wire.AskRunning():
            teller.tell(answers.running(order))
        case wire.AskPythons():
            teller.tell(answers.pythons(order))
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
