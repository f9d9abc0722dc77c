"""FoundJob: finds what stands out in a thread: of many thousand results it takes a while."""

import threading
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.copies.findings import Finding, Kin

_LOOK_EVERY = 30  # milliseconds
Found = tuple[Sequence[Finding], Sequence[Kin]]


class FoundJob(QObject):
    """One at a time; of several that are asked meanwhile, the last is done."""

    done = Signal(object)  # Found

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._next: Callable[[], Found] | None = None
        self._running: threading.Thread | None = None
        self._found: list[Found] = []
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._look)

    def start(self, find: Callable[[], Found]) -> None:
        self._next = find
        self._timer.start()
        self._look()

    def stop(self) -> None:
        """Nobody is told any longer."""
        self._timer.stop()
        self._next = self._running = None

    def _look(self) -> None:
        if self._running is not None and self._running.is_alive():
            return
        came, self._found, self._running = self._found, [], None
        if self._next is not None:
            find, found, self._next = self._next, self._found, None
            name = "find what stands out"
            self._running = threading.Thread(
                target=lambda: found.append(find()), name=name, daemon=True
            )
            self._running.start()
        else:
            self._timer.stop()
        for each in came:
            self.done.emit(each)
