"""Warming: parts of the program that are brought in when the window stands, bit by bit."""

import importlib
import pkgutil
import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

_PAUSE = 40  # milliseconds, in which the window does what it is there for
_TURN = 0.006  # seconds: a frame beside it still comes in time


class Warming(QObject):
    """`packages` in the order in which they need each other, so that no module brings in many
    others at once. What was needed earlier has been brought in by whoever needed it.
    """

    done = Signal()  # the window has come to rest

    def __init__(self, packages: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left = _modules(packages)
        self._timer = QTimer(self, interval=_PAUSE)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _on_timeout(self) -> None:
        until = time.perf_counter() + _TURN
        while time.perf_counter() < until:
            module = next(self._left, None)
            if module is None:
                self._timer.stop()
                self.done.emit()
                return
            importlib.import_module(module)


def _modules(packages: Sequence[str]) -> Iterator[str]:
    for name in packages:
        yield name
        package = importlib.import_module(name)
        # What is in folders of its own is needed by what stands beside them.
        found = pkgutil.iter_modules(getattr(package, "__path__", []), f"{name}.")
        for each in sorted(found, key=lambda each: not each.ispkg):
            if each.ispkg:
                yield from _modules([each.name])
            else:
                yield each.name
