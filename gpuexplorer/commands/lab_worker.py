"""The worker that a command starts: what it says, in the main thread, and how it is ended; what
it asks, answered at the terminal; the cards that it has; what its cells show, as text.
"""

import contextlib
import getpass
import linecache
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from types import FrameType
from typing import NamedTuple, Self, TextIO

from gpuexplorer.commands.source import Opened, wiring_of
from gpuexplorer.copies.benches import routes_here
from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.lab.events import Asked, Event, Failed, Frame, Hello, Pictured, Printed
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Command
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.far.stream import load_of, made_up
from gpuexplorer.simulation.faults import FaultKind
from gpuexplorer.telemetry.backend import MADE_UP, Backend
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi

_GLANCE = 0.2  # seconds: not every system interrupts a wait that has no end
_TOO_LONG = 0  # no signal's number
_MOST_INTERRUPTS = 2  # what is interrupted once more is ended


@dataclass(frozen=True)
class Ended:
    """What became of a program or a notebook. `status` is a process's: negative is a signal."""

    cells: Sequence[Cell]
    hello: Hello
    status: int


class _Signal(NamedTuple):
    """Came to this process, or is as if."""

    number: int


class _Typed(NamedTuple):
    """The answer to what that command asked. None: there is none."""

    command: int
    text: str | None


class LabWorker:
    """Ctrl+C interrupts what runs; pressed again and again, it ends the worker. Leaving ends
    it too.
    """

    def __init__(self, start: Start, answers: "Answers") -> None:
        """Raises Trouble where this Python cannot be started."""
        self.hello: Hello | None = None
        self.end: Message = NOTHING  # why, once it has ended
        self.interrupted = False  # by a person
        self._interrupts = 0
        self._running = 1  # the command that is interrupted
        self._answers = answers
        self._doctor = start.doctor
        self._said: queue.SimpleQueue[Event | Message | _Typed | _Signal] = queue.SimpleQueue()
        with ExitStack() as leaving:
            leaving.callback(answers.close)
            self._worker = self._begun(start, leaving)
            leaving.callback(self._worker.stop)
            self._leaving = leaving.pop_all()

    def _begun(self, start: Start, leaving: ExitStack) -> WorkerProcess:
        """A program in our terminal gets its signals as it would without us; for all others
        they are ours.
        """
        self._own = start.program is not None and start.program.own_streams
        names = ("SIGINT", "SIGTERM", *(("SIGHUP", "SIGQUIT") if self._own else ()))
        for number in {getattr(signal, each, signal.SIGINT) for each in names}:
            if (
                signal.getsignal(number) is not signal.SIG_IGN
            ):  # or the program would not either
                before = signal.signal(number, self._on_signal)
                leaving.callback(signal.signal, number, before)
        return WorkerProcess(start, self._said.put, self._said.put)

    @property
    def status(self) -> int:
        """As its process ended, at the latest now; negative: the signal."""
        self._worker.stop()
        return self._worker.status or 0

    def ended(self, ledger: Ledger, status: int) -> Ended:
        """Raises Trouble where nothing began. The ledger has heard which cards were used."""
        if self.hello is None and (self._interrupts or self.status == -signal.SIGINT):
            raise KeyboardInterrupt
        if self.hello is None:
            raise self.never_began
        return Ended(ledger.cells, ledger.hello or self.hello, status)

    @property
    def never_began(self) -> Trouble:
        return Trouble(
            self.end, "`{doctor}` says which Python has PyTorch.", doctor=self._doctor
        )

    def send(self, command: Command) -> None:
        self._running, self._interrupts = command.id, 0
        self._worker.send(command)

    def interrupt(self) -> None:
        """As Ctrl+C does, of what takes too long. From any thread."""
        self._said.put(_Signal(_TOO_LONG))

    def said(self) -> Iterator[Event]:
        """All that it says, until it has ended."""
        while not self.end:
            said: Event | Message | _Typed | _Signal | None = None
            with contextlib.suppress(queue.Empty):
                said = self._said.get(timeout=_GLANCE)
            match said:
                case None:
                    continue
                case Message():
                    self.end = said
                case _Signal():
                    self._signalled(said.number)
                case _Typed():
                    self._worker.send(Answer(said.command, said.text))
                case Asked():
                    self._answers.ask(said, self._said.put)
                case Hello():
                    self.hello = said
                    yield said
                case _:
                    yield said

    def _signalled(self, number: int) -> None:
        if number == signal.SIGTERM or (self._own and not _is_typed_here()):
            self._worker.hand_on(number)
        if number == signal.SIGTERM or self._own:  # what is typed reaches it, too
            return
        self._interrupts += 1
        self.interrupted = self.interrupted or number == signal.SIGINT
        if self._interrupts > _MOST_INTERRUPTS or self.hello is None:
            self._worker.kill()
        else:
            self._worker.cancel(self._running)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._said.put(_Signal(number))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._leaving.close()


def _is_typed_here() -> bool:
    """Whether what is typed at a terminal comes as signals."""
    return sys.platform == "win32" or any(
        os.isatty(each) and os.tcgetpgrp(each) == os.getpgrp() for each in range(3)
    )


class Answers:
    """Lines are read in a thread of their own, so that Ctrl+C is heard meanwhile."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._unread = b""
        self._restore: Callable[[], object] = tuple

    def ask(self, asked: Asked, answer: Callable[[_Typed], object]) -> None:
        match asked.what:
            case "nvidia-smi":
                answer(_Typed(asked.id, self._machine(asked.text)))
            case "install" if not sys.stdin.isatty():
                _say(tr("Nobody can be asked whether to run {command}.", command=asked.text))
                answer(_Typed(asked.id, None))
            case _:
                threading.Thread(
                    target=self._read, args=(asked, answer), name="answers", daemon=True
                ).start()

    def close(self) -> None:
        """The terminal shows again what is typed."""
        self._restore()

    def _read(self, asked: Asked, answer: Callable[[_Typed], object]) -> None:
        if asked.what == "password" and sys.stdin.isatty():
            self._remember_terminal()
            text: str | None = None
            with contextlib.suppress(EOFError):
                text = getpass.getpass(asked.text)
        else:
            question = tr("Run {command} in the lab's Python? [y/N] ", command=asked.text)
            sys.stderr.write(question if asked.what == "install" else asked.text)
            sys.stderr.flush()
            text = self._line()
        if asked.what == "install" and (text or "").strip().lower() not in ("y", "yes"):
            text = None
        answer(_Typed(asked.id, text))

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

    def _machine(self, arguments: str) -> str | None:
        model = made_up(self._backend)
        if model is None:
            return None
        try:
            said = nvidia_smi(arguments, model, datetime.now().astimezone())
        except Trouble as trouble:
            return tr(trouble.told)
        return f"{said}\n{tr(MADE_UP)}\n"

    def _remember_terminal(self) -> None:
        with contextlib.suppress(ImportError):
            import termios  # noqa: PLC0415 - not on Windows

            descriptor = sys.stdin.fileno()
            before = termios.tcgetattr(descriptor)
            self._restore = lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class LabCards:
    """`hello` is what the worker said of them."""

    def __init__(self, source: Opened) -> None:
        self.hello: Hello | None = None
        self._source = source
        self._backend = source.backend
        self._load = load_of(source.backend)

    def given(self, start: Start) -> Start:
        backend = made_up(self._backend)
        if backend is None:
            return start
        cards, links = simulated_cards(backend.machine, backend.faults, backend.elapsed)
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
        if (model := made_up(self._backend)) is not None:
            return routes_of_simulated(model.machine.spec)
        assert self.hello is not None
        return routes_here(self._backend, self.hello, wiring_of(self._source)[0])

    def _lost(self) -> tuple[str, ...]:
        """By PyTorch's names."""
        backend, hello = made_up(self._backend), self.hello
        if hello is None or backend is None:
            return ()
        falls = [each for each in backend.faults if each.kind is FaultKind.LOST]
        numbers = {each.name: each.uuid.removeprefix("SIM-") for each in hello.devices}
        return tuple(
            name
            for name, number in numbers.items()
            if number.isdigit() and any(f.covers(int(number), backend.elapsed) for f in falls)
        )


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
