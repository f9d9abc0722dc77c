"""Diagnostics: what the program has cost since it began, for the file and for the sheet."""

import os
import platform
import sys
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer import __version__
from gpuexplorer.gui.event_loop import FrameClock, guarded
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.telemetry.session import Session

_MS = 1000.0
_HEARTBEAT = 0.02
_PAINTING = QEvent.Type.UpdateRequest, QEvent.Type.Expose, QEvent.Type.Paint


class Spread(deque[float]):
    """How many seconds each of the last 10 000 took."""

    def __init__(self) -> None:
        super().__init__(maxlen=10_000)

    def percentile(self, percent: float) -> float:
        """So many percent took no longer than this; 0 where there is nothing yet."""
        return float(np.percentile(self, percent, method="inverted_cdf")) if self else 0.0

    def figures(self) -> Mapping[str, float | None]:
        asked = {"median": 50, "p99": 99, "longest": 100}
        return {
            what: round(self.percentile(each) * _MS, 2) if self else None
            for what, each in asked.items()
        }


class Diagnostics(QObject):
    """Counts from the start, at a few microseconds a frame. The heart beats on asking.

    A frame is one painting of the window, together with the pulls since the one before, see
    decisions/0008. Pulls that change nothing belong to the next frame that is painted.
    """

    def __init__(self, window: QWidget, clock: FrameClock, navigation: Navigation) -> None:
        super().__init__(window)
        self._window, self._navigation = window, navigation
        self.session: Session | None = None  # whose beats are told
        self._resident = resident_bytes()
        # Of the first reading: seconds, those of a processor, and bytes.
        self._first: tuple[float | None, float | None, int | None] = None, None, None
        self._depth = 0
        self._began = self._pulled = (0.0, 0.0)  # seconds by the clock and of the processor
        self.drawn = 0  # frames
        self.wall, self.cpu = Spread(), Spread()  # of each
        self.heartbeat = Heartbeat(self)
        clock.work_began.connect(self._on_work_began)
        clock.work_done.connect(self._on_work_done)
        window.installEventFilter(self)

    def figures(self) -> Mapping[str, Any]:  # of every kind, ready for JSON
        """What was not measured is None."""
        session, window, heart = self.session, self._window, self.heartbeat
        beats = source = simulated = cards = None
        if session is not None:
            taken, missed = session.beats().taken, session.beats().missed
            beats = {"interval_seconds": session.interval, "taken": taken, "missed": missed}
            source, simulated = session.source.label, session.simulated
            cards = len(session.cards())
        cpu = time.process_time()
        first, cpu_then, resident_then = self._first
        cpu_since = None if cpu_then is None else round(cpu - cpu_then, 3)
        cpu_ms, wall_ms = self.cpu.figures(), self.wall.figures()
        # A frame is timed exactly, and the heart only from beat to beat.
        wait = max(heart.longest_wait, self.wall.percentile(100))
        wait_ms = round(wait * _MS, 1) if heart.beats else None
        return {
            "schema": 1,
            "gpuexplorer": __version__,
            "python": platform.python_version(),
            "qt": qVersion(),
            "torch_loaded": "torch" in sys.modules,
            "platform": platform.platform(),
            "window_system": QGuiApplication.platformName(),
            "simulated": simulated,
            "source": source,
            "cards": cards,
            "screen": self._navigation.screen,
            "window": [window.width(), window.height()],
            "scale": window.devicePixelRatioF(),
            "seconds": round(seconds_since_start(), 3),
            "first_reading_seconds": first,
            "frames": {"drawn": self.drawn, "cpu_ms": cpu_ms, "wall_ms": wall_ms},
            "event_loop": {"longest_wait_ms": wait_ms, "heartbeats": heart.beats},
            "beats": beats,
            "cpu_seconds": round(cpu, 3),
            "cpu_seconds_after_first_reading": cpu_since,
            "resident_bytes": {
                "start": self._resident,
                "first_reading": resident_then,
                "now": resident_bytes(),
            },
        }

    def _on_work_began(self) -> None:
        if self._depth == 0:
            self._began = time.perf_counter(), time.thread_time()
        self._depth += 1

    def _on_work_done(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            wall = time.perf_counter() - self._began[0]
            cpu = time.thread_time() - self._began[1]
            self._pulled = self._pulled[0] + wall, self._pulled[1] + cpu

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Delivers what paints itself, since only so its end is known."""
        kind, of_window = event.type(), watched is self._window
        if of_window and kind is QEvent.Type.Show:
            # The first painting, and that after being covered, is asked of this one.
            self._window.windowHandle().installEventFilter(self)
        if kind not in _PAINTING[: 1 if of_window else 3] or self._depth:
            return False
        self._on_work_began()
        try:
            QCoreApplication.sendEvent(watched, event)
        finally:
            self._on_work_done()
        self.drawn += 1
        self.wall.append(self._pulled[0])
        self.cpu.append(self._pulled[1])
        self._pulled = 0.0, 0.0
        if self._first[0] is None and self.session is not None and self.session.beats().taken:
            now = round(seconds_since_start(), 3)
            self._first = now, time.process_time(), resident_bytes()
        return True


class Heartbeat(QTimer):
    """Should come every 20 ms, and notes how much later it came.

    It wakes the processor, so it beats only while somebody wants to know.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        milliseconds, precise = round(_HEARTBEAT * _MS), Qt.TimerType.PreciseTimer
        super().__init__(parent, interval=milliseconds, timerType=precise)
        self.beats = 0
        self.longest_wait = 0.0
        self._before = 0.0
        self.timeout.connect(self._on_timeout)

    def start(self) -> None:  # type: ignore[override]  # Qt's may be told how often
        if not self.isActive():
            self._before = time.perf_counter()
            super().start()

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        self.beats += 1
        self.longest_wait = max(self.longest_wait, now - self._before - _HEARTBEAT)
        self._before = now


def seconds_since_start() -> float:
    """Since the system began this process: before Python, and before any of our own lines."""
    if sys.platform == "linux":
        # psutil's time of the beginning is built on whole seconds.
        fields = Path("/proc/self/stat").read_text("ascii", "replace").rpartition(")")[2]
        began = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    else:  # noqa: RET505 - so the checker of types sees that only one of them is reached
        return time.time() - psutil.Process().create_time()


def resident_bytes() -> int:
    return int(psutil.Process().memory_info().rss)
