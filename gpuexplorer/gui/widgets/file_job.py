"""FileJob: writes a file in a thread of its own, so that the window goes on meanwhile."""

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.trouble import Trouble

_LOOK_EVERY = 50  # milliseconds


class FileJob(QObject):
    """`work` writes the file and returns what to say of it. It is finished even if the window
    is closed before; then nobody is told.
    """

    done = Signal(str)
    refused = Signal(str)

    def __init__(self, work: Callable[[], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outcome = _Outcome()
        # A daemon, so that a disk that hangs does not keep the program from closing.
        self._thread = threading.Thread(
            target=_run, args=(work, self._outcome), name="file", daemon=True
        )
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self._thread.start()
        self._timer.start()

    def _on_timeout(self) -> None:
        if self._thread.is_alive():
            return
        self._timer.stop()
        if self._outcome.trouble is not None:
            self.refused.emit(self._outcome.trouble.told)
        elif self._outcome.said is not None:
            self.done.emit(self._outcome.said)
        self.deleteLater()


class _Outcome:
    """Written by the thread before it ends, and read after that."""

    said: str | None = None
    trouble: Trouble | None = None


def _run(work: Callable[[], str], outcome: _Outcome) -> None:
    try:
        outcome.said = work()
    except Trouble as trouble:
        outcome.trouble = trouble
