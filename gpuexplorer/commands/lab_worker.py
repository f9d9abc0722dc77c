"""The lab of a command: its worker, what that asks at the terminal, and what its cells show."""

import getpass
import linecache
import math
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from traceback import FrameSummary, StackSummary
from typing import TYPE_CHECKING, TextIO

from gpuexplorer.commands.source import Opened, wiring_of
from gpuexplorer.copies.benches import routes_here
from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.copies.routes import Routes
from gpuexplorer.core.cards import CardState
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
from gpuexplorer.lab.wire import Answer, Command, Run
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.stream import load_of, made_up
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.nvidia_smi import nvidia_smi

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine

_GLANCE = 0.2  # seconds: not every system interrupts a wait that has no end
_ONCE_MORE = 3.0  # seconds: what is interrupted and does not end is interrupted again
_MOST_INTERRUPTS = 2  # what is interrupted once more is ended
_ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def lab_start(
    far: "FarMachine | None", path: Path | None, why: Message
) -> tuple[LabPython, Start]:
    """The Python that a person named, or the first that has PyTorch, and how its worker is
    started; on the `far` machine where there is one. Raises Trouble, which says `why`.
    """
    place = PythonPlace()
    install = "Get it: `gpuexplorer doctor --get-pytorch`; or name a Python with --python."
    if far is not None:
        from gpuexplorer.remote.machine import There  # noqa: PLC0415 - rarely needed

        place = There(far)
        install = "Install it there: `pip install torch`; or name a Python with --python."
    asked = 0
    for python in place.every() if path is None else [place.picked(path)]:
        asked += 1
        if python.usable:
            start = Start(python.path)
            return python, start if far is None else far.lab_start(start)
    raise Trouble(told(why, none_has_torch(asked, place.computer)), install)


class Lab(ExitStack):
    """Ctrl+C interrupts what runs; pressed again and again, it ends the worker. Leaving ends
    it too. The ledger and simulated cards hear of all that is said and sent.
    """

    def __init__(self, source: Opened, patience: float = math.inf) -> None:
        """What runs for longer than `patience` is interrupted."""
        super().__init__()
        self.ledger, self.source = Ledger(), source
        self.end: Message = NOTHING  # why, once it has ended
        # It ended at work; a person interrupted what ran; that was, since it took too long.
        self.lost = self.interrupted = self.late = False
        self._patience, self._deadline = patience, math.inf
        self._model, self._load = made_up(source.backend), load_of(source.backend)
        self._ids, self._numbers = count(1), count(1)  # of commands, and of cells
        self._running, self._interrupts = 1, 0
        self._said: queue.SimpleQueue[Event | Message | int] = queue.SimpleQueue()  # or signals

    def begin(self, start: Start) -> None:
        """Raises Trouble where this Python cannot be started, or has no PyTorch for cells."""
        if (model := self._model) is not None:
            cards, links = simulated_cards(model.machine, model.faults, model.elapsed)
            start = replace(start, cards=cards, links=links)
        self._doctor = start.doctor
        # A program in our terminal gets its signals as it would without us; for all others
        # they are ours.
        self._own = start.program is not None and start.program.own_streams
        for number in (each for each in signal.Signals if each.name in _ENDINGS):
            # What this process ignores, the program would ignore, too.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before = signal.signal(number, lambda number, _: self._said.put(number))
                self.callback(signal.signal, number, before)
        self._worker = WorkerProcess(start, self._said.put, self._said.put)
        self.callback(self._worker.stop)
        if start.program is None and not any(isinstance(e, Hello) for e in self.events()):
            self.began()

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

    def run(self, code: str, outside: str = "") -> int:
        """The next cell; the number of its command."""
        return self.send(Run(next(self._ids), code, next(self._numbers)), outside)

    def send(self, command: Command, outside: str = "") -> int:
        if self._load is not None and (model := self._model) is not None:
            states = {str(each.id): model.now(each.id, ()).state for each in model.cards()}
            lost = (e.name for e in self.ledger.devices if states.get(e.uuid) is CardState.LOST)
            command = self._load.told(command, tuple(lost))
        self.ledger.sent(command, outside=outside)
        self._running, self._interrupts, self.late = command.id, 0, False
        self._worker.send(command)
        return command.id

    def events(self) -> Iterator[Event]:
        """What it says, once the ledger knows of it; waits for the next, until it has ended."""
        while not self.end:
            if time.monotonic() > self._deadline:
                self.late, self._deadline = True, time.monotonic() + _ONCE_MORE
                self._interrupt()
            try:
                said = self._said.get(timeout=_GLANCE)
            except queue.Empty:
                continue
            match said:
                case Message():
                    self.end = said
                case int():
                    self._signalled(said)
                case Asked():
                    self._worker.send(Answer(said.id, self._answer(said)))
                case Event():
                    ends = isinstance(said, Finished | Failed)
                    if said.id == self._running and (ends or isinstance(said, Began)):
                        self._deadline = math.inf if ends else time.monotonic() + self._patience
                    self.lost |= isinstance(said, Failed) and said.cause == "worker lost"
                    self.ledger.apply(said)
                    if self._load is not None:
                        self._load.apply(said)
                    yield said

    @cached_property
    def routes(self) -> Routes:
        if self._model is not None:
            return routes_of_simulated(self._model.machine.spec)
        topology, _ = wiring_of(self.source)
        return routes_here(self.source.backend, self.began(), topology)

    def _interrupt(self) -> None:
        self._interrupts += 1
        if self._interrupts > _MOST_INTERRUPTS or self.ledger.hello is None:
            self._worker.kill()
        else:
            self._worker.cancel(self._running)

    def _signalled(self, number: int) -> None:
        # What is typed reaches a program in our terminal, too.
        if number == signal.SIGTERM or (self._own and not any(map(os.isatty, range(3)))):
            self._worker.hand_on(number)
        elif not self._own:
            self.interrupted = True
            self._interrupt()

    def _answer(self, asked: Asked) -> str | None:
        """What a person types, or None where there is nobody, or a person does not allow it."""
        text, somebody, install = asked.text, sys.stdin.isatty(), asked.what == "install"
        if asked.what == "nvidia-smi":
            return self._smi(text)
        if install and not somebody:
            nobody = tr("Nobody can be asked whether to run {command}.", command=text)
            sys.stderr.write(f"{nobody}\n")
            return None
        if install:
            text = tr("Run {command} in the lab's Python? [y/N] ", command=text)
        hidden = asked.what == "password" and somebody
        try:
            said = typed(text, getpass.getpass if hidden else input)
        except KeyboardInterrupt:
            self._signalled(signal.SIGINT)
            return None
        return said if is_yes(said) or not install else None

    def _smi(self, arguments: str) -> str | None:
        """What nvidia-smi says of simulated cards; real ones have their own."""
        if self._model is None:
            return None
        try:
            said = nvidia_smi(arguments, self._model, datetime.now().astimezone())
        except Trouble as trouble:
            return trouble.told
        return f"{said}\n{tr(MADE_UP)}\n"


def typed(question: str, read: Callable[[str], str] = input) -> str | None:
    """None at the end of what is typed. Raises KeyboardInterrupt, whoever else hears of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        return read("")
    except (EOFError, OSError, ValueError):
        return None
    finally:
        signal.signal(signal.SIGINT, before)


def is_yes(said: str | None) -> bool:
    return (said or "").strip().lower() in ("y", "yes")


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
        stream = stream or self._out
        begin = "\n" if self._open is stream else ""
        self._write(stream, begin + text.removesuffix("\n") + "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        stream.write(text)
        stream.flush()
        self._open = None if text.endswith("\n") else stream

    def _traceback(self, failed: Failed) -> str:
        """The person's own calls, as Python would show them; and what it means here."""
        calls = []
        for frame in failed.frames:
            file = frame.file or tr("Cell {cell}", cell=frame.cell)
            cell = self._ledger.by_number(frame.cell)
            if cell is not None and not frame.file:
                code = [f"{each}\n" for each in cell.code.split("\n")]
                linecache.cache[file] = len(code), None, code, file
            call = FrameSummary(
                file,
                frame.line,
                frame.name or "<module>",
                end_lineno=frame.line,
                colno=frame.begin,
                end_colno=frame.end or None,
            )
            calls.append(call)
        said = ["Traceback (most recent call last):\n", *StackSummary.from_list(calls).format()]
        if failed.cause != "bad request":  # in our words, and no exception
            name = failed.error or "KeyboardInterrupt"
            said.append(f"{name}: {failed.message}\n\n" if failed.message else f"{name}\n")
        if failed.cause != "cancelled":
            said.append(tr(failed.told))
        return "".join(said).rstrip()
