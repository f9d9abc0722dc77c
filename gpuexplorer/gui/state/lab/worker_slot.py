"""WorkerSlot: the place of one worker; what an earlier one still says is not heard."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.wire import Command
from gpuexplorer.lab.worker_process import WorkerProcess


@dataclass(frozen=True, slots=True)
class Switches:
    """`visible`, `growing` and `waits` are told to a worker when it starts; the others hold at
    once.
    """

    placement: bool = False  # each operation prints where it ran
    memory_share: float | None = None  # of each card, at most; None: all of it
    visible: tuple[int, ...] | None = None  # the cards' indices, in order; None: all
    growing: bool = False  # expandable segments
    waits: bool = False  # for each kernel, so that an error names its own line
    # From card to card, as PyTorch names them: forms and drags go through the host's memory.
    by_host: frozenset[tuple[str, str]] = frozenset()


# Starts a worker with these switches and this Python; raises Trouble where it cannot.
StartWorker = Callable[
    [Switches, Path, Callable[[Event], None], Callable[[Message], None]], WorkerProcess
]


class WorkerSlot(QObject):
    """Its signals come in the window's own thread."""

    said = Signal(object)  # an event
    ended = Signal(object)  # by itself, or killed: the message why
    begun = Signal()
    refused = Signal(object)  # the message why none can be started
    lacking = Signal()  # no Python has PyTorch: it begins when one has

    waits_for_pytorch = False  # else it is refused

    def __init__(
        self,
        pythons: LabPythons,
        start_worker: StartWorker,
        switches: Callable[[], Switches],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._pythons = pythons
        self._start_worker = start_worker
        self._switches = switches
        self.searching = False  # for a Python, to begin with it
        self._worker: WorkerProcess | None = None
        self._number = 0
        self._last_ended = 0  # by itself
        self.status: int | None = None  # with which the last one ended by itself
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        pythons.changed.connect(self._on_pythons_changed)

    @property
    def taken(self) -> bool:
        return self._worker is not None

    @property
    def pid(self) -> int | None:
        return None if self._worker is None else self._worker.pid

    def begin(self) -> None:
        """Answered by `begun` or `refused`; at once where a Python is known."""
        python = self._pythons.python
        self.searching = python is None
        if python is None:
            self._pythons.find()
            return
        self._number += 1
        # Called in a thread that may outlive the slot: it holds nothing of Qt.
        number, put = self._number, self._inbox.letterbox.put
        try:
            self._worker = self._start_worker(
                self._switches(),
                python.path,
                lambda event: put((number, event)),
                lambda why: put((number, why)),
            )
        except Trouble as trouble:
            self.refused.emit(told(trouble.sentence, trouble.hint))
        else:
            self.begun.emit()

    def send(self, command: Command) -> None:
        assert self._worker is not None
        self._worker.send(command)

    def cancel(self, command: int) -> None:
        if self._worker is not None:
            self._worker.cancel(command)

    def kill(self, why: Message) -> None:
        """At once, for what hangs; it is told like any end."""
        if self._worker is not None:
            self._worker.kill(why)

    def clear(self) -> None:
        """End the worker. Nobody is waited for, and nothing more is heard of it."""
        worker, self._worker = self._worker, None
        self._number += 1
        self._last_ended = 0
        self.searching = False
        if worker is not None:
            # What hangs is ended the hard way, which takes its time.
            threading.Thread(target=worker.stop, name="end worker").start()

    def _on_came(self, said: tuple[int, Event | Message]) -> None:
        """With the number of the worker it comes from."""
        number, what = said
        if not isinstance(what, Message):
            # What was sent to one that had just ended is refused after its end was told.
            late = number == self._last_ended and isinstance(what, Failed)
            if number == self._number or late:
                self.said.emit(what)
        elif number == self._number and self._worker is not None:
            self.status = self._worker.status
            self._worker, self._last_ended = None, number
            self.ended.emit(what)

    def _on_pythons_changed(self) -> None:
        if not self.searching or self._pythons.working:
            return
        if self._pythons.lacking and self.waits_for_pytorch:
            self.lacking.emit()
        elif self._pythons.python is None and self._pythons.trouble:
            self.searching = False
            self.refused.emit(self._pythons.trouble)
        else:
            # What was asked just now may have been another thing, or given up with its lab.
            self.begin()
