"""The worker that a command starts: what it says, in the main thread, and how it is ended."""

import contextlib
import queue
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import FrameType
from typing import Self

from gpuexplorer.commands.lab_answers import Answers, Typed
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.events import Asked, Event, Hello
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.offspring import HandingOn
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Command
from gpuexplorer.lab.worker_process import WorkerProcess

_GLANCE = 0.2  # seconds: not every system interrupts a wait that has no end
_TOO_LONG = 0  # no signal's number
_MOST_INTERRUPTS = 2  # what is interrupted once more is ended


@dataclass(frozen=True)
class Ended:
    """What became of a program or a notebook. `status` is a process's: negative is a signal."""

    cells: Sequence[Cell]
    hello: Hello
    status: int


@dataclass(frozen=True)
class _Signal:
    """Came to this process, or is as if."""

    number: int


class LabWorker:
    """Ctrl+C interrupts what runs; pressed again and again, it ends the worker. Leaving ends
    it too.
    """

    def __init__(self, start: Start, answers: Answers) -> None:
        """Raises Trouble where this Python cannot be started."""
        self.hello: Hello | None = None
        self.end: Message = NOTHING  # why, once it has ended
        self.interrupted = False  # by a person
        self._interrupts = 0
        self._running = 1  # the command that is interrupted
        self._answers = answers
        self._doctor = start.doctor
        self._said: queue.SimpleQueue[Event | Message | Typed | _Signal] = queue.SimpleQueue()
        with ExitStack() as leaving:
            leaving.callback(answers.close)
            self._worker = self._begun(start, leaving)
            leaving.callback(self._worker.stop)
            self._leaving = leaving.pop_all()

    def _begun(self, start: Start, leaving: ExitStack) -> WorkerProcess:
        """A program in our terminal gets its signals as it would without us; for all others
        they are ours.
        """
        if start.program is not None and start.program.own_streams:
            handing = leaving.enter_context(HandingOn())
            worker = WorkerProcess(start, self._said.put, self._said.put)
            handing.to(worker.hand_on)
            return worker
        for number in (signal.SIGINT, signal.SIGTERM):
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
            said: Event | Message | Typed | _Signal | None = None
            with contextlib.suppress(queue.Empty):
                said = self._said.get(timeout=_GLANCE)
            match said:
                case None:
                    continue
                case Message():
                    self.end = said
                case _Signal():
                    self._signalled(said.number)
                case Typed():
                    self._worker.send(Answer(said.command, said.text))
                case Asked():
                    self._answers.ask(said, self._said.put)
                case Hello():
                    self.hello = said
                    yield said
                case _:
                    yield said

    def _signalled(self, number: int) -> None:
        if number == signal.SIGTERM:
            self._worker.hand_on(number)
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
