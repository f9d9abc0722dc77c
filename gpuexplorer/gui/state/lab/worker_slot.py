"""WorkerSlot: the place of the one worker; what an earlier one still says is not heard."""

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.wire import Command
from gpuexplorer.lab.worker_process import WorkerProcess

# Starts a worker with these switches and this Python; raises Trouble where it cannot.
StartWorker = Callable[
    [Switches, Path, Callable[[Event], None], Callable[[Message], None]], WorkerProcess
]


class WorkerSlot(QObject):
    """Its signals come in the window's own thread."""

    said = Signal(object)  # an event
    ended = Signal(object)  # by itself, or killed: the message why
    _posted = Signal(int, object)  # with the number of the worker it comes from
    _end_posted = Signal(int, object)

    def __init__(self, start_worker: StartWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._start_worker = start_worker
        self._worker: WorkerProcess | None = None
        self._number = 0
        self._last_ended = 0  # by itself
        self._posted.connect(self._on_posted, Qt.ConnectionType.QueuedConnection)
        self._end_posted.connect(self._on_end_posted, Qt.ConnectionType.QueuedConnection)

    @property
    def taken(self) -> bool:
        return self._worker is not None

    def start(self, switches: Switches, python: Path) -> None:
        """Raises Trouble where it cannot be started."""
        self._number += 1
        number = self._number
        self._worker = self._start_worker(
            switches,
            python,
            lambda event: _post(self._posted, number, event),
            lambda why: _post(self._end_posted, number, why),
        )

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
        if worker is not None:
            # What hangs is ended the hard way, which takes its time.
            threading.Thread(target=worker.stop, name="end worker").start()

    def _on_posted(self, number: int, event: Event) -> None:
        # What was sent to one that had just ended is refused after its end was told.
        late = number == self._last_ended and isinstance(event, Failed)
        if number == self._number or late:
            self.said.emit(event)

    def _on_end_posted(self, number: int, why: Message) -> None:
        if number == self._number:
            self._worker, self._last_ended = None, number
            self.ended.emit(why)


def _post(signal: SignalInstance, number: int, what: object) -> None:
    """From the reader's thread, which may outlive the slot."""
    try:
        signal.emit(number, what)
    except RuntimeError:
        return
