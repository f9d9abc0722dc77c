"""The lab of a command: a worker with the cards that it has, heard in the main thread; what it
asks, answered at the terminal; what its cells show, as text.
"""

import getpass
import linecache
import math
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from traceback import FrameSummary, StackSummary
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from gpuexplorer.commands.source import Opened, wiring_of
from gpuexplorer.copies.benches import routes_here
from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told, tr
from gpuexplorer.lab.events import (
    Asked,
    Began,
    Event,
    Failed,
    Finished,
    Hello,
    Pictured,
    Printed,
)
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.pythons import LabPython, PythonPlace, none_has_torch
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Command
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.stream import load_of, made_up
from gpuexplorer.simulation.faults import FaultKind
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine

_GLANCE = 0.2  # seconds: not every system interrupts a wait that has no end
_ONCE_MORE = 3.0  # seconds: what is interrupted and does not end is interrupted again
_MOST_INTERRUPTS = 2  # what is interrupted once more is ended
_START_PATIENCE = 120.0  # of a worker, and of what was sent before


def lab_start(
    far: "FarMachine | None", path: Path | None, why: Message, instead: str = ""
) -> tuple[LabPython, Start]:
    """The Python that a person named, or the first that has PyTorch, and how its worker is
    started; on that machine where there is one. Where none has it, the Trouble says `why` that
    is needed, and what could be done `instead`.
    """
    place = PythonPlace()
    install = "Get it: `gpuexplorer doctor --get-pytorch`; or name a Python with --python."
    if far is not None:
        from gpuexplorer.remote.lab import There  # noqa: PLC0415 - rarely needed

        place = There(far)
        install = "Install it there: `pip install torch`; or name a Python with --python."
    asked = 0
    for python in place.every() if path is None else [place.picked(path)]:
        asked += 1
        if python.usable:
            start = Start(python.path)
            return python, start if far is None else far.lab_start(start)
    raise Trouble(told(why, none_has_torch(asked, place.computer)), told(install, instead))


class Lab(ExitStack):
    """Ctrl+C interrupts what runs; pressed again and again, it ends the worker. Leaving ends
    it too. The ledger and simulated cards hear of all that is said and sent.
    """

    def __init__(self, source: Opened, patience: float = math.inf) -> None:
        """A command that runs for longer than `patience` is interrupted."""
        super().__init__()
        self.ledger = Ledger()
        self.end: Message = NOTHING  # why, once it has ended
        self.lost = False  # it ended while it carried something out
        self.interrupted = False  # by a person
        self.late = False  # what ran last was interrupted since it took too long
        self.source, self._patience = source, patience
        self._load = load_of(source.backend)
        self._running, self._interrupts, self._deadline = 1, 0, math.inf
        # Of a function it is time to call it.
        self._said: queue.SimpleQueue[Event | Message | Callable[[], object]]
        self._said = queue.SimpleQueue()
        self._typed: TextIO | None = None

    def begin(self, start: Start) -> None:
        """Raises Trouble where this Python cannot be started."""
        if (model := self._model) is not None:
            cards, links = simulated_cards(model.machine, model.faults, model.elapsed)
            start = replace(start, cards=cards, links=links)
        self._doctor = start.doctor
        # A program in our terminal gets its signals as it would without us; for all others
        # they are ours.
        self._own = start.program is not None and start.program.own_streams
        names = ("SIGINT", "SIGTERM", *(("SIGHUP", "SIGQUIT") if self._own else ()))
        for number in {getattr(signal, each, signal.SIGINT) for each in names}:
            # What this process ignores, the program would ignore, too.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before = signal.signal(number, self._on_signal)
                self.callback(signal.signal, number, before)
        if not self._own and sys.stdin.isatty():  # a question for a password may be given up
            self.callback(_remembered_terminal())
        self._worker = WorkerProcess(start, self._said.put, self._said.put)
        self.callback(self._worker.stop)

    @property
    def _model(self) -> SimulatedBackend | None:
        return made_up(self.source.backend)

    @property
    def status(self) -> int:
        """As its process ended, at the latest now; negative: the signal."""
        self._worker.stop()
        return self._worker.status or 0

    def began(self) -> Hello:
        """What it said of itself. Raises Trouble where it never began."""
        if self.ledger.hello is not None:
            return self.ledger.hello
        if self.interrupted or self.status == -signal.SIGINT:
            raise KeyboardInterrupt
        raise Trouble(
            self.end, "`{doctor}` says which Python has PyTorch.", doctor=self._doctor
        )

    def send(self, command: Command, outside: str = "") -> int:
        if self._load is not None and (model := self._model) is not None:
            lost = {
                f"SIM-{each.card}"
                for each in model.faults
                if each.kind is FaultKind.LOST and each.start <= model.elapsed < each.end
            }
            names = tuple(each.name for each in self.ledger.devices if each.uuid in lost)
            command = self._load.told(command, names)
        self.ledger.sent(command, outside=outside)
        self._running, self._interrupts, self.late = command.id, 0, False
        self._wait_for(max(self._patience, _START_PATIENCE))
        self._worker.send(command)
        return command.id

    def events(self) -> Iterator[Event]:
        """What it says, once the ledger knows of it; waits for the next, until it has ended."""
        while not self.end:
            if time.monotonic() > self._deadline:
                self.late = True
                self._wait_for(_ONCE_MORE)
                self._interrupt()
            said: Event | Message | Callable[[], object] | None = None
            with suppress(queue.Empty):
                said = self._said.get(timeout=_GLANCE)
            match said:
                case None:
                    continue
                case Message():
                    self.end = said
                case Asked(what="nvidia-smi"):
                    self._worker.send(Answer(said.id, self._smi(said.text)))
                case Asked():
                    threading.Thread(target=self._answer, args=(said,), daemon=True).start()
                case Event():
                    self._take(said)
                    yield said
                case _:
                    said()

    def way(self, source: str, target: str) -> Route | None:
        """The driver is asked for all of them by the first question."""
        return None if self.ledger.hello is None else self._routes.route(source, target)

    @cached_property
    def _routes(self) -> Routes:
        if (model := self._model) is not None:
            return routes_of_simulated(model.machine.spec)
        assert self.ledger.hello is not None
        topology, _ = wiring_of(self.source)
        return routes_here(self.source.backend, self.ledger.hello, topology)

    def _take(self, event: Event) -> None:
        if event.id == self._running and isinstance(event, Began):
            self._wait_for(self._patience)
        elif event.id == self._running and isinstance(event, Finished | Failed):
            self._wait_for(math.inf)
            self.lost = isinstance(event, Failed) and event.cause == "worker lost"
        self.ledger.apply(event)
        if self._load is not None:
            self._load.apply(event)

    def _wait_for(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def _smi(self, arguments: str) -> str | None:
        """What nvidia-smi says of simulated cards; real ones have their own."""
        if (model := self._model) is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return trouble.told
        return f"{said}\n{tr(MADE_UP)}\n"

    def _interrupt(self) -> None:
        self._interrupts += 1
        if self._interrupts > _MOST_INTERRUPTS or self.ledger.hello is None:
            self._worker.kill()
        else:
            self._worker.cancel(self._running)

    def _signalled(self, number: int) -> None:
        if number == signal.SIGTERM or (self._own and not _is_typed_here()):
            self._worker.hand_on(number)
        elif not self._own:  # what is typed reaches a program in our terminal, too
            self.interrupted = True
            self._interrupt()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._said.put(partial(self._signalled, number))

    def _answer(self, asked: Asked) -> None:
        """In a thread of its own, so that Ctrl+C is heard meanwhile."""
        answer, text, somebody = None, asked.text, sys.stdin.isatty()
        install = asked.what == "install"
        if install and somebody:
            text = tr("Run {command} in the lab's Python? [y/N] ", command=text)
        elif install:
            text = tr("Nobody can be asked whether to run {command}.", command=text) + "\n"
        if asked.what == "password" and somebody:
            with suppress(EOFError):
                answer = getpass.getpass(text)
        else:
            sys.stderr.write(text)
            sys.stderr.flush()
            answer = self._line() if somebody or not install else None
        allowed = not install or (answer or "").strip().lower() in ("y", "yes")
        self._worker.send(Answer(asked.id, answer if allowed else None))

    def _line(self) -> str | None:
        """Not by `sys.stdin`, which could not be given up while somebody waits for it."""
        with suppress(OSError, ValueError):
            if self._typed is None:
                encoding = sys.stdin.encoding
                self._typed = open(  # noqa: SIM115 - it stays open
                    sys.stdin.fileno(), encoding=encoding, errors="replace", closefd=False
                )
            line = self._typed.readline()
            return line.removesuffix("\n") if line else None
        return None


def _remembered_terminal() -> Callable[[], object]:
    """What sets it back as it is now."""
    with suppress(ImportError):
        import termios  # noqa: PLC0415 - not on Windows

        descriptor = sys.stdin.fileno()
        return partial(
            termios.tcsetattr, descriptor, termios.TCSADRAIN, termios.tcgetattr(descriptor)
        )
    return tuple


def _is_typed_here() -> bool:
    """Whether what is typed at a terminal comes as signals."""
    return sys.platform == "win32" or any(
        os.isatty(each) and os.tcgetpgrp(each) == os.getpgrp() for each in range(3)
    )


class Paper:
    """What cells show, as text on two streams."""

    def __init__(self, ledger: Ledger, out: TextIO, err: TextIO) -> None:
        self._ledger, self._out, self._err = ledger, out, err
        self._open: TextIO | None = None  # in the middle of a line

    def show(self, event: Event) -> None:
        match event:
            case Printed(stream="out" | "err" as stream):
                self._write(self._out if stream == "out" else self._err, event.text)
            case Printed(stream="value" | "placement"):
                self.line(tr(event.text))
            case Printed():
                self.line(tr(event.text), self._err)
            case Pictured():
                self.line(tr("[figure]"))
            case Failed(cause="worker lost"):
                self.line(tr(event.sentence), self._err)
            case Failed():
                self.line(self._traceback(event), self._err)

    def line(self, text: str, stream: TextIO | None = None) -> None:
        """Apart from what was printed before it."""
        onto = stream or self._out
        if self._open is onto:
            onto.write("\n")
        self._write(onto, text if text.endswith("\n") else f"{text}\n")

    def _write(self, stream: TextIO, text: str) -> None:
        stream.write(text)
        stream.flush()
        self._open = None if text.endswith("\n") else stream

    def _traceback(self, failed: Failed) -> str:
        """The person's own calls, as Python would show them; and what it means here."""
        calls = []
        for frame in failed.frames:
            cell = self._ledger.by_number(frame.cell)
            file, line = frame.file, linecache.getline(frame.file, frame.line)
            if not file:
                file = tr("Cell {cell}", cell=frame.cell)
                code = "" if cell is None else cell.code
                line = "".join(code.split("\n")[frame.line - 1 : frame.line])
            begin, end = (frame.begin, frame.end) if frame.end else (None, None)
            call = FrameSummary(
                file,
                frame.line,
                frame.name or "<module>",
                line=line,
                end_lineno=frame.line,
                colno=begin,
                end_colno=end,
            )
            calls.append(call)
        said = ["Traceback (most recent call last):\n", *StackSummary.from_list(calls).format()]
        if failed.cause != "bad request":  # in our words, and no exception
            name = failed.error or "KeyboardInterrupt"
            said.append(f"{name}: {failed.message}\n\n" if failed.message else f"{name}\n")
        if failed.cause != "cancelled":
            said.append(tr(failed.told))
        return "".join(said).rstrip()
