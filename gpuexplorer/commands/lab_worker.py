"""The worker that a command starts: which Python it is, what it says, in the main thread, and
how it is ended; what it asks, answered at the terminal; the cards that it has; what its cells
show, as text.
"""

import contextlib
import getpass
import linecache
import math
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Self, TextIO

from gpuexplorer.commands.source import Opened, wiring_of
from gpuexplorer.copies.benches import routes_here
from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told, tr
from gpuexplorer.lab.events import Asked, Event, Failed, Frame, Hello, Pictured, Printed
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


def lab_start(
    far: "FarMachine | None", path: Path | None, why: Message, instead: str = ""
) -> tuple[LabPython, Start]:
    """The Python that a person named, or the first that has PyTorch, and how its worker is
    started; on that machine where there is one. Where none has it, the Trouble says `why` that
    is needed, and what could be done `instead`.
    """
    install = "Get it: `gpuexplorer doctor --get-pytorch`; or name a Python with --python."
    if far is None:
        place = PythonPlace()
    else:
        from gpuexplorer.remote.lab import There  # noqa: PLC0415 - rarely needed

        place = There(far)
        install = "Install it there: `pip install torch`; or name a Python with --python."
    if path is not None:
        python = place.picked(path)
    else:
        asked = 0
        for asked, python in enumerate(place.every(), 1):  # noqa: B007
            if python.usable:
                break
        else:
            none = none_has_torch(asked, place.computer)
            raise Trouble(told(why, none), told(install, instead))
    start = Start(python.path)
    return python, start if far is None else far.lab_start(start)


class LabCards:
    """The cards of the worker, which says by its hello what it calls them."""

    def __init__(self, source: Opened) -> None:
        self.hello: Hello | None = None
        self.source = source
        self._load = load_of(source.backend)

    @property
    def _model(self) -> SimulatedBackend | None:
        return made_up(self.source.backend)

    def given(self, start: Start) -> Start:
        model = self._model
        if model is None:
            return start
        cards, links = simulated_cards(model.machine, model.faults, model.elapsed)
        return replace(start, cards=cards, links=links)

    def told(self, command: Command) -> Command:
        """With what the worker must know of them by now."""
        return command if self._load is None else self._load.told(command, self._lost())

    def apply(self, event: Event) -> None:
        if isinstance(event, Hello):
            self.hello = event
        if self._load is not None:
            self._load.apply(event)

    def way(self, source: str, target: str) -> Route | None:
        """The driver is asked for all of them by the first question."""
        known = {*self._routes.devices} if self.hello is not None else set()
        return self._routes.route(source, target) if {source, target} <= known else None

    @cached_property
    def _routes(self) -> Routes:
        if (model := self._model) is not None:
            return routes_of_simulated(model.machine.spec)
        assert self.hello is not None
        return routes_here(self.source.backend, self.hello, wiring_of(self.source)[0])

    def _lost(self) -> tuple[str, ...]:
        """By PyTorch's names."""
        model = self._model
        if model is None or self.hello is None:
            return ()
        falls = [each for each in model.faults if each.kind is FaultKind.LOST]
        numbers = {each.name: each.uuid.removeprefix("SIM-") for each in self.hello.devices}
        return tuple(
            name
            for name, number in numbers.items()
            if number.isdigit() and any(e.covers(int(number), model.elapsed) for e in falls)
        )

    def smi(self, arguments: str) -> str | None:
        """What nvidia-smi says of simulated cards; real ones have their own."""
        model = self._model
        if model is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return tr(trouble.told)
        return f"{said}\n{tr(MADE_UP)}\n"


class LabWorker:
    """Ctrl+C interrupts what runs; pressed again and again, it ends the worker. Leaving ends
    it too. The ledger and the cards hear of all that is said and sent.
    """

    def __init__(self, start: Start, cards: LabCards, ledger: Ledger) -> None:
        """Raises Trouble where this Python cannot be started."""
        self.end: Message = NOTHING  # why, once it has ended
        self.interrupted = False  # by a person
        self.deadline = math.inf  # what runs longer is interrupted, too, and is
        self.late = False
        self._cards, self._ledger = cards, ledger
        self._interrupts = 0
        self._running = 1  # the command that is interrupted
        self._answers = _Answers()
        self._doctor = start.doctor
        # Of a function it is time to call it.
        self._said: queue.SimpleQueue[Event | Message | Callable[[], object]]
        self._said = queue.SimpleQueue()
        # A program in our terminal gets its signals as it would without us; for all others
        # they are ours.
        self._own = start.program is not None and start.program.own_streams
        names = ("SIGINT", "SIGTERM", *(("SIGHUP", "SIGQUIT") if self._own else ()))
        with ExitStack() as leaving:
            leaving.callback(self._answers.close)
            for number in {getattr(signal, each, signal.SIGINT) for each in names}:
                # What this process ignores, the program would ignore, too.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    before = signal.signal(number, self._on_signal)
                    leaving.callback(signal.signal, number, before)
            self._worker = WorkerProcess(start, self._said.put, self._said.put)
            leaving.callback(self._worker.stop)
            self._leaving = leaving.pop_all()

    @property
    def status(self) -> int:
        """As its process ended, at the latest now; negative: the signal."""
        self._worker.stop()
        return self._worker.status or 0

    def began(self) -> Hello:
        """What it said of itself. Raises Trouble where it never began."""
        if self._cards.hello is not None:
            return self._cards.hello
        if self.interrupted or self.status == -signal.SIGINT:
            raise KeyboardInterrupt
        raise Trouble(
            self.end, "`{doctor}` says which Python has PyTorch.", doctor=self._doctor
        )

    def send(self, command: Command, outside: str = "") -> None:
        command = self._cards.told(command)
        self._ledger.sent(command, outside=outside)
        self._running, self._interrupts, self.late = command.id, 0, False
        self._worker.send(command)

    def said(self) -> Iterator[Event]:
        """All that it says, until it has ended."""
        while not self.end:
            if time.monotonic() > self.deadline:
                self.late, self.deadline = True, time.monotonic() + _ONCE_MORE
                self._interrupt()
            said: Event | Message | Callable[[], object] | None = None
            with contextlib.suppress(queue.Empty):
                said = self._said.get(timeout=_GLANCE)
            match said:
                case None:
                    continue
                case Message():
                    self.end = said
                case Asked(what="nvidia-smi"):
                    self._worker.send(Answer(said.id, self._cards.smi(said.text)))
                case Asked():
                    self._answers.ask(said, partial(self._on_answered, said.id))
                case _ if callable(said):
                    said()
                case _:
                    self._ledger.apply(said)
                    self._cards.apply(said)
                    yield said

    def _interrupt(self) -> None:
        self._interrupts += 1
        if self._interrupts > _MOST_INTERRUPTS or self._cards.hello is None:
            self._worker.kill()
        else:
            self._worker.cancel(self._running)

    def _signalled(self, number: int) -> None:
        if number == signal.SIGTERM or (self._own and not _is_typed_here()):
            self._worker.hand_on(number)
        # What is typed reaches a program in our terminal, too.
        if number != signal.SIGTERM and not self._own:
            self.interrupted = True
            self._interrupt()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._said.put(partial(self._signalled, number))

    def _on_answered(self, command: int, text: str | None) -> None:
        """From any thread."""
        self._said.put(partial(self._worker.send, Answer(command, text)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._leaving.close()


def _is_typed_here() -> bool:
    """Whether what is typed at a terminal comes as signals."""
    return sys.platform == "win32" or any(
        os.isatty(each) and os.tcgetpgrp(each) == os.getpgrp() for each in range(3)
    )


class _Answers:
    """Lines are read in a thread of their own, so that Ctrl+C is heard meanwhile."""

    def __init__(self) -> None:
        self._unread = b""
        self._restore: Callable[[], object] = tuple

    def ask(self, asked: Asked, answer: Callable[[str | None], object]) -> None:
        if asked.what == "install" and not sys.stdin.isatty():
            nobody = tr("Nobody can be asked whether to run {command}.", command=asked.text)
            sys.stderr.write(f"{nobody}\n")
            sys.stderr.flush()
            answer(None)
        else:
            threading.Thread(
                target=lambda: answer(self._read(asked)), name="answers", daemon=True
            ).start()

    def close(self) -> None:
        """The terminal shows again what is typed."""
        self._restore()

    def _read(self, asked: Asked) -> str | None:
        if asked.what == "password" and sys.stdin.isatty():
            self._remember_terminal()
            with contextlib.suppress(EOFError):
                return getpass.getpass(asked.text)
            return None
        question = asked.text
        if asked.what == "install":
            question = tr("Run {command} in the lab's Python? [y/N] ", command=asked.text)
        sys.stderr.write(question)
        sys.stderr.flush()
        text = self._line()
        refused = asked.what == "install" and (text or "").strip().lower() not in ("y", "yes")
        return None if refused else text

    def _line(self) -> str | None:
        """Not by `sys.stdin`, which could not be given up while it waits."""
        while b"\n" not in self._unread:
            more = b""
            with contextlib.suppress(OSError, ValueError):
                more = os.read(sys.stdin.fileno(), 4096)
            if not more:
                break
            self._unread += more
        if not self._unread:
            return None
        line, _, self._unread = self._unread.partition(b"\n")
        return line.removesuffix(b"\r").decode(sys.stdin.encoding or "utf-8", "replace")

    def _remember_terminal(self) -> None:
        with contextlib.suppress(ImportError):
            import termios  # noqa: PLC0415 - not on Windows

            descriptor = sys.stdin.fileno()
            before = termios.tcgetattr(descriptor)
            self._restore = lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class Paper:
    """What cells show, as text on two streams; `apart`: on standard error alone."""

    def __init__(self, *, apart: bool = False) -> None:
        self._out = sys.stderr if apart else sys.stdout
        self._open: TextIO | None = None  # in the middle of a line

    def show(self, event: Event, codes: Sequence[str]) -> None:
        match event:
            case Printed(stream="out" | "err" as stream):
                self._write(self._out if stream == "out" else sys.stderr, event.text)
            case Printed(stream="value" | "placement"):
                self.line(tr(event.text))
            case Printed():
                self.line(tr(event.text), sys.stderr)
            case Pictured():
                self.line(tr("[figure]"))
            case Failed(sentence=sentence) if event.cause == "worker lost":
                self.line(tr(sentence), sys.stderr)
            case Failed():
                self.line("\n".join(_traceback(event, codes)), sys.stderr)
            case _:
                pass

    def line(self, text: str, stream: TextIO | None = None) -> None:
        """Apart from what was printed before it."""
        onto: TextIO = stream or self._out
        if self._open is onto:
            onto.write("\n")
        self._write(onto, text if text.endswith("\n") else f"{text}\n")

    def _write(self, stream: TextIO, text: str) -> None:
        stream.write(text)
        stream.flush()
        self._open = None if text.endswith("\n") else stream


def _traceback(failed: Failed, codes: Sequence[str]) -> Iterator[str]:
    """The person's own calls, as Python would show them; and what it means here."""
    yield "Traceback (most recent call last):"
    for frame in failed.frames:
        yield from _call(frame, codes)
    if failed.cause == "bad request":  # the lab's own words, and no exception of Python's
        yield tr(failed.told)
        return
    name = failed.error or "KeyboardInterrupt"
    yield f"{name}: {failed.message}" if failed.message else name
    if failed.cause != "cancelled" and failed.told:
        yield ""
        yield tr(failed.told)


def _call(frame: Frame, codes: Sequence[str]) -> Iterator[str]:
    place = tr("Cell {cell}, line {line}", cell=frame.cell, line=frame.line)
    line = ""
    if frame.file:
        place = tr("{file}, line {line}", file=frame.file, line=frame.line)
        line = linecache.getline(frame.file, frame.line)
    elif frame.cell:
        lines = codes[frame.cell - 1].split("\n")
        line = lines[frame.line - 1] if 0 < frame.line <= len(lines) else ""
    yield f"  {place}, {frame.name}" if frame.name else f"  {place}"
    if line.strip():
        yield f"    {line.strip()}"
        indent = len(line) - len(line.lstrip())
        if frame.end > frame.begin >= indent:
            yield " " * (4 + frame.begin - indent) + "^" * (frame.end - frame.begin)
