"""What happens beside the drawing: a bug in what Qt calls is reported, other threads hand in
what they have, views are told when to look for news, and Python searches for rubbish.
"""

import gc
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial, wraps
from queue import Empty, SimpleQueue
from socket import socketpair
from typing import ParamSpec, TypeVar

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.session import BeatCount, Session

Needs = ParamSpec("Needs")
Result = TypeVar("Result")
# Looking whether something new came is cheap; drawing follows only where something did.
LONGEST_PERIOD, SHORTEST_PERIOD = 0.25, 0.1
_AT_LEAST_EVERY = 1.5  # seconds
_RINGS = 4096  # that may have come together
_SWEEP_EVERY = 2_000  # milliseconds


def guarded(method: Callable[Needs, Result]) -> Callable[Needs, Result]:
    """Reports a bug in what Qt calls, and Qt goes on. Qt calls these within calls of ours, and
    there PySide on Python 3.11 ends the program on an exception that goes back to Qt.
    """

    @wraps(method)
    def guarded(*needs: Needs.args, **named: Needs.kwargs) -> Result:
        try:
            return method(*needs, **named)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
            return False  # type: ignore[return-value]  # where Qt asks: it is not taken

    return guarded


class Letterbox:
    """All that another thread needs, and nothing of Qt. Such a thread may outlive the window's
    end of it, and what a thread lets go of last is deleted there: a QObject must not be.
    """

    def __init__(self) -> None:
        self._things = SimpleQueue[object]()
        self.ear, self._mouth = socketpair()
        for each in (self.ear, self._mouth):
            each.settimeout(0)  # nobody waits for the other

    def put(self, thing: object) -> None:
        """From any thread. Nobody hears it once the inbox is gone."""
        self._things.put(thing)
        with suppress(OSError):  # or so many have rung already
            self._mouth.send(b"\0")

    def take(self) -> Iterator[object]:
        with suppress(OSError, Empty):
            self.ear.recv(_RINGS)
            while True:
                yield self._things.get_nowait()

    def close(self) -> None:
        self.ear.close()
        self._mouth.close()


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


class Bridge(Inbox):
    """`post_…` may be called from any thread; the signals come in the window's own."""

    happened = Signal(Happening)
    source_answered = Signal()  # a driver that kept us waiting has answered at last
    alerts_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        put = self.letterbox.put
        self.post_source_answered = partial(put, self.source_answered.emit)
        self.post_alerts_changed = partial(put, self.alerts_changed.emit)
        self.came.connect(lambda tell: tell())

    def post_happening(self, fact: Fact) -> None:
        """Of all that a session is told."""
        if isinstance(fact, Happening):
            self.letterbox.put(partial(self.happened.emit, fact))


class FrameClock(QTimer):
    """The tick at which visible views pull what is new. It ticks only while the window is on
    screen: hidden or minimised, it costs nothing.
    """

    ticked = Signal()
    # Around every tick and every other pull: who measures frames listens.
    work_began = Signal()
    work_done = Signal()
    paused = Signal(bool)  # True: nobody sees the window; False: somebody does again

    def __init__(self, window: QWidget, seconds: float = LONGEST_PERIOD) -> None:
        super().__init__(window, interval=round(seconds * 1000))
        self._window = window
        for told in (self.work_began, self.ticked, self.work_done):
            self.timeout.connect(told)
        window.installEventFilter(self)
        self._follow()

    @property
    def running(self) -> bool:
        return self.isActive()

    def keep_up_with(self, interval: float) -> None:
        """Readings come every `interval` seconds; tick as often, or a little more often."""
        seconds = min(max(interval, SHORTEST_PERIOD), LONGEST_PERIOD)
        self.setInterval(round(seconds * 1000))

    def stop(self) -> None:
        """For good."""
        self._window.removeEventFilter(self)
        super().stop()

    def _follow(self) -> None:
        seen = self._window.isVisible() and not self._window.isMinimized()
        if seen is not self.running:
            (self.start if seen else super().stop)()
            self.paused.emit(not seen)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = QEvent.Type
        if event.type() in (kind.Show, kind.Hide, kind.WindowStateChange):
            self._follow()
        return False


class News:
    """Whether anything new is to be drawn. Seconds without an answer are counted even where no
    reading comes: longer than from one to the next, so that nothing is drawn twice.
    """

    def __init__(self) -> None:
        self._seen, self._seen_at = BeatCount(-1), 0.0

    def came(self, session: Session) -> bool:
        now, seen = session.desk.now(), session.beats()
        if seen == self._seen and now - self._seen_at < _AT_LEAST_EVERY:
            return False
        self._seen, self._seen_at = seen, now
        return True


class Sweeping(QObject):
    """Python begins a search for rubbish in whichever thread is at work, and amid a frame; what
    is Qt's must not end in another thread. Here each has a turn of the loop to itself, and
    what is there at the first turn is never gone through again.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        QTimer.singleShot(0, gc.freeze)
        timer = QTimer(self, interval=_SWEEP_EVERY, timerType=Qt.TimerType.CoarseTimer)
        timer.timeout.connect(self._on_timeout)
        timer.start()

    def _on_timeout(self) -> None:
        counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [at for at, (count, enough) in enumerate(counts) if count >= enough]
        if due:
            gc.collect(due[-1])
