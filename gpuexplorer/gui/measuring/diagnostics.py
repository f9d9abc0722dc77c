"""Diagnostics: what the program has cost since it began, for the file and for the sheet."""

import json
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
import PySide6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer import __version__
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.whole_file import write_whole

_MS = 1000.0
# The share of the processor is that of the time between the first and the last of these looks.
_LOOKS, _LOOK_EVERY = 4, 5.0
_HINT = mark(
    "The middle of the last frames, and the processor time of the whole program, reading "
    "included. More under Diagnostics in the menu."
)
_HEARTBEAT = 0.02
_UPDATE = frozenset({QEvent.Type.UpdateRequest})
_PAINTING = frozenset({QEvent.Type.UpdateRequest, QEvent.Type.Expose, QEvent.Type.Paint})
_RECENT = 60


class Spread(deque[float]):
    """How many seconds each of the last 10 000 took."""

    def __init__(self) -> None:
        super().__init__(maxlen=10_000)

    def percentile(self, percent: float) -> float:
        """So many percent took no longer than this; 0 where there is nothing yet."""
        return float(np.percentile(self, percent, method="inverted_cdf")) if self else 0.0

    def figures(self) -> Mapping[str, float | None]:
        asked = {"median": 50, "p99": 99, "longest": 100}
        told = {what: round(self.percentile(each) * _MS, 2) for what, each in asked.items()}
        return told if self else dict.fromkeys(asked)


class Diagnostics(QObject):
    """Counts from the start, at a few microseconds a frame. The heart beats on asking.

    A frame is one painting of the window, together with the pulls since the one before, see
    decisions/0008. Pulls that change nothing belong to the next frame that is painted.
    """

    # "Drawing 1.9 ms a frame, 1.1 % of a core", for the line below, every few seconds.
    cost_changed = Signal(str, str)

    def __init__(self, window: QWidget, clock: FrameClock, navigation: Navigation) -> None:
        super().__init__(window)
        self._window, self._navigation = window, navigation
        self._session: Session | None = None
        self._resident = resident_bytes()
        self._first: tuple[float, float, int] | None = None  # seconds, of a processor; bytes
        self._first_is_coming = False
        self._looks = deque([(time.perf_counter(), time.process_time())], maxlen=_LOOKS)
        self._depth = 0
        self._began = self._pulled = (0.0, 0.0)  # seconds by the clock and of the processor
        self.drawn = 0  # frames
        self.wall, self.cpu = Spread(), Spread()  # of each
        self.heartbeat = Heartbeat(self)
        clock.work_began.connect(self._on_work_began)
        clock.work_done.connect(self._on_work_done)
        clock.ticked.connect(self._on_ticked)
        window.installEventFilter(self)

    def watch(self, session: Session | None) -> None:
        """From now on the beats of this one are told."""
        self._session = session

    def write(self, place: str) -> None:
        """To this file, or to the output where it is a dash."""
        text = json.dumps(self.figures(), indent=2) + "\n"
        if place == "-":
            sys.stdout.write(text)
        else:
            write_whole(Path(place), [text.encode("utf-8")])

    def figures(self) -> Mapping[str, Any]:  # of every kind, ready for JSON
        """What was not measured is None."""
        session, window, heart = self._session, self._window, self.heartbeat
        beats: Mapping[str, float] | None = None
        if session is not None:
            taken, missed = session.beats().taken, session.beats().missed
            beats = {"interval_seconds": session.interval, "taken": taken, "missed": missed}
        first, first_cpu, first_resident = self._first or (None, None, None)
        cpu = time.process_time()
        # A frame is timed exactly, and the heart only from beat to beat.
        wait = max(heart.longest_wait, self.wall.percentile(100))
        return {
            "schema": 1,
            "gpuexplorer": __version__,
            "python": platform.python_version(),
            "qt": qVersion(),
            "pyside6": PySide6.__version__,
            "numpy": np.__version__,
            "torch_loaded": "torch" in sys.modules,
            "platform": platform.platform(),
            "window_system": QGuiApplication.platformName(),
            "simulated": None if session is None else session.simulated,
            "source": None if session is None else session.source.label,
            "cards": None if session is None else len(session.cards()),
            "screen": self._navigation.screen,
            "window": [window.width(), window.height()],
            "scale": window.devicePixelRatioF(),
            "seconds": round(seconds_since_start(), 3),
            "first_reading_seconds": None if first is None else round(first, 3),
            "frames": {
                "drawn": self.drawn,
                "cpu_ms": self.cpu.figures(),
                "wall_ms": self.wall.figures(),
            },
            "event_loop": {
                "longest_wait_ms": round(wait * _MS, 1) if heart.beats else None,
                "heartbeat_ms": round(_HEARTBEAT * _MS),
                "heartbeats": heart.beats,
            },
            "beats": beats,
            "cpu_seconds": round(cpu, 3),
            "cpu_seconds_after_first_reading": None
            if first_cpu is None
            else round(cpu - first_cpu, 3),
            "resident_bytes": {
                "start": self._resident,
                "first_reading": first_resident,
                "now": resident_bytes(),
            },
        }

    def _reading_known(self) -> bool:
        session = self._session
        return session is not None and any(
            session.reading(card.id) is not None for card in session.cards()
        )

    def _on_ticked(self) -> None:
        now, (before, _) = time.perf_counter(), self._looks[-1]
        if now - before < _LOOK_EVERY:
            return
        self._looks.append((now, time.process_time()))
        if self.cpu:
            (then, before), (_, used) = self._looks[0], self._looks[-1]
            text = tr(
                "Drawing {time:.1f} ms a frame, {share:.1f} % of a core",
                time=float(np.median(list(self.cpu)[-_RECENT:])) * _MS,
                share=(used - before) / (now - then) * 100,
            )
            self.cost_changed.emit(text, tr(_HINT))

    def _on_work_began(self) -> None:
        if self._depth == 0:
            if self._first is None:
                self._first_is_coming = self._reading_known()
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
        kind, ours = event.type(), _PAINTING
        if watched is self._window:
            handle, ours = self._window.windowHandle(), _UPDATE
            if kind is QEvent.Type.Show and handle is not None:
                # The first painting, and that after being covered, is asked of this one.
                handle.installEventFilter(self)
        if kind not in ours or self._depth:
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
        if self._first_is_coming and self._first is None:
            self._first = seconds_since_start(), time.process_time(), resident_bytes()
        return True


class Heartbeat(QObject):
    """A timer that should come every 20 ms, and notes how much later it came.

    It wakes the processor, so it beats only while somebody wants to know.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.beats = 0
        self.longest_wait = 0.0
        self._before = 0.0
        self._timer = QTimer(self, interval=round(_HEARTBEAT * _MS))
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def beating(self) -> bool:
        return self._timer.isActive()

    def start(self) -> None:
        if not self.beating:
            self._before = time.perf_counter()
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

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
