"""Bridge and Inbox: where other threads hand things to the window."""

import contextlib
import socket
import threading
import weakref
from functools import partial

from PySide6.QtCore import QObject, QSocketNotifier, Qt, Signal, SignalInstance

from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.happenings import Happening


class Bridge(QObject):
    """`post_…` may be called from any thread; the other signals come in the window's own."""

    happened = Signal(Happening)
    source_answered = Signal()  # a driver that kept us waiting has answered at last
    alerts_changed = Signal()
    _posted = Signal(Happening)
    _answer_posted = Signal()
    _alerts_posted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        queued = Qt.ConnectionType.QueuedConnection
        self._posted.connect(self.happened, queued)
        self._answer_posted.connect(self.source_answered, queued)
        self._alerts_posted.connect(self.alerts_changed, queued)
        self.post_source_answered = partial(_post, self._answer_posted)
        self.post_alerts_changed = partial(_post, self._alerts_posted)

    def post_happening(self, fact: Fact) -> None:
        """Of all that a session is told."""
        if isinstance(fact, Happening):
            _post(self._posted, fact)


def _post(signal: SignalInstance, *told: object) -> None:
    """What answers once the window has gone has nobody to tell."""
    with contextlib.suppress(RuntimeError):
        signal.emit(*told)


class Inbox(QObject):
    """What other threads put into `letterbox` comes in the window's own, in its order."""

    came = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.letterbox = Letterbox()
        notifier = QSocketNotifier(self.letterbox.ear.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._on_rung)
        weakref.finalize(self, self.letterbox.close)

    def _on_rung(self) -> None:
        for each in self.letterbox.take():
            self.came.emit(each)


class Letterbox:
    """All that another thread needs, and nothing of Qt. Such a thread may outlive the window's
    end of it, and what a thread lets go of last is deleted there: a QObject must not be.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._things: list[object] = []
        self.ear, self._mouth = socket.socketpair()
        self.ear.settimeout(0)  # the window waits for nobody

    def put(self, thing: object) -> None:
        """From any thread. Nobody hears it once the inbox is gone."""
        with self._lock, contextlib.suppress(OSError):
            if not self._things:
                self._mouth.send(b"\0")
            self._things.append(thing)

    def take(self) -> list[object]:
        with self._lock:
            with contextlib.suppress(BlockingIOError):
                self.ear.recv(1)
            things, self._things = self._things, []
        return things

    def close(self) -> None:
        with self._lock:
            self._things.clear()
            self.ear.close()
            self._mouth.close()
