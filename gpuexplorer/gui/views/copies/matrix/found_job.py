"""FoundJob: finds what stands out in a thread: of many thousand results it takes a while."""

import threading
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.copies.findings import Finding
from gpuexplorer.copies.kin import Kin

_LOOK_EVERY = 30  # milliseconds
Found = tuple[Sequence[Finding], Sequence[Kin]]


class FoundJob(QObject):
    """One at a time; of several that are asked meanwhile, the last is done."""

    done = Signal(object)  # Found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._next: Callable[[], Found] | None = None
        self._running: _Running | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)

    def start(self, find: Callable[[], Found]) -> None:
        self._next = find
        self._timer.start()
        self._begin()

    def stop(self) -> None:
        """Nobody is told any longer."""
        self._timer.stop()
        self._next = self._running = None

    def _begin(self) -> None:
        if self._running is None and self._next is not None:
            self._running = _Running(self._next)
            self._next = None
            self._running.start()

    def _on_timeout(self) -> None:
        running = self._running
        if running is None or running.is_alive():
            return
        self._running = None
        self._begin()
        if self._running is None:
            self._timer.stop()
        if running.found is not None:
            self.done.emit(running.found)


class _Running(threading.Thread):
    def __init__(self, find: Callable[[], Found]) -> None:
        super().__init__(name="find what stands out", daemon=True)
        self._find = find
        self.found: Found | None = None

    def run(self) -> None:
        self.found = self._find()
