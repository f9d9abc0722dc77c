"""Diagnostics: what the program has cost since it began, for the file and for the dialog."""

import json
import platform
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import PySide6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer import __version__
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.measuring import own_process
from gpuexplorer.gui.measuring.durations import Spread
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.whole_file import write_whole

SCHEMA = 1
_MS = 1000.0
# The share of the processor is that of the time between the first and the last of these looks.
_LOOKS, _LOOK_EVERY = 4, 5.0
_HINT = mark(
    "The middle of the last frames, and the processor time of the whole program, reading "
    "included. More under Diagnostics in the menu."
)
PERIOD = 0.02
_PAINTING = frozenset({QEvent.Type.UpdateRequest, QEvent.Type.Expose, QEvent.Type.Paint})
_RECENT = 60


@dataclass(frozen=True, slots=True)
class _Moment:
    """What had been used up by then."""

    at: float  # seconds since the process began
    cpu: float
    resident: int


class Diagnostics(QObject):
    """Counts from the start, at a few microseconds a frame. The heart beats on asking."""

    # "Drawing 1.9 ms a frame, 1.1 % of a core", for the line below, every few seconds.
    cost_changed = Signal(str, str)

    def __init__(self, window: QWidget, clock: FrameClock, navigation: Navigation) -> None:
        super().__init__(window)
        self._window = window
        self._navigation = navigation
        self._session: Session | None = None
        self._began = _now()
        self._first: _Moment | None = None
        self._looks = deque([(time.perf_counter(), own_process.cpu_seconds())], maxlen=_LOOKS)
        self.heartbeat = Heartbeat(self)
        self.frames = FrameMeter(window, clock, self._reading_known)
        self.frames.reading_drawn.connect(self._on_reading_drawn)
        clock.ticked.connect(self._on_ticked)

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

    def figures(self) -> Mapping[str, object]:
        """All of it, ready for JSON. What was not measured is None."""
        now, session = _now(), self._session
        beats = None if session is None else session.beats()
        window = self._window
        return {
            "schema": SCHEMA,
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
            "seconds": round(now.at, 3),
            "first_reading_seconds": None if self._first is None else round(self._first.at, 3),
            "frames": {
                "drawn": self.frames.frames,
                "cpu_ms": _spread(self.frames.cpu),
                "wall_ms": _spread(self.frames.wall),
            },
            "event_loop": self._event_loop(),
            "beats": None
            if beats is None or session is None
            else {
                "interval_seconds": session.interval,
                "taken": beats.taken,
                "missed": beats.missed,
            },
            "cpu_seconds": round(now.cpu, 3),
            "cpu_seconds_after_first_reading": None
            if self._first is None
            else round(now.cpu - self._first.cpu, 3),
            "resident_bytes": {
                "start": self._began.resident,
                "first_reading": None if self._first is None else self._first.resident,
                "now": now.resident,
            },
        }

    def _event_loop(self) -> Mapping[str, object]:
        beats = self.heartbeat.beats
        # A frame is timed exactly, and the heart only from beat to beat.
        longest = max(self.heartbeat.longest_wait, self.frames.wall.longest)
        return {
            "longest_wait_ms": round(longest * _MS, 1) if beats else None,
            "heartbeat_ms": round(PERIOD * _MS),
            "heartbeats": beats,
        }

    def _reading_known(self) -> bool:
        session = self._session
        return session is not None and any(
            session.reading(card.id) is not None for card in session.cards()
        )

    def _on_ticked(self) -> None:
        now = time.perf_counter()
        if now - self._looks[-1][0] < _LOOK_EVERY:
            return
        self._looks.append((now, own_process.cpu_seconds()))
        each = self.frames.recent_cpu_seconds()
        if each is not None:
            (then, before), (_, used) = self._looks[0], self._looks[-1]
            share = (used - before) / (now - then)
            text = tr(
                "Drawing {time:.1f} ms a frame, {share:.1f} % of a core",
                time=each * _MS,
                share=share * 100,
            )
            self.cost_changed.emit(text, tr(_HINT))

    def _on_reading_drawn(self) -> None:
        self._first = _now()


def _now() -> _Moment:
    return _Moment(
        own_process.seconds_since_start(),
        own_process.cpu_seconds(),
        own_process.resident_bytes(),
    )


def _spread(times: Spread) -> Mapping[str, float | None]:
    if not times.count:
        return {"median": None, "p99": None, "longest": None}
    return {
        "median": round(times.percentile(50) * _MS, 2),
        "p99": round(times.percentile(99) * _MS, 2),
        "longest": round(times.longest * _MS, 2),
    }


class Heartbeat(QObject):
    """A timer that should come every 20 ms, and notes how much later it came.

    It wakes the processor, so it beats only while somebody wants to know.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.beats = 0
        self.longest_wait = 0.0
        self._before = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(PERIOD * 1000))
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
        self.longest_wait = max(self.longest_wait, now - self._before - PERIOD)
        self._before = now


class FrameMeter(QObject):
    """A frame is one painting of the window, together with the pulls since the one before.

    See decisions/0008. Pulls that change nothing belong to the next frame that is painted.
    """

    reading_drawn = Signal()  # once: the first frame that shows a reading

    def __init__(
        self, window: QWidget, clock: FrameClock, reading_known: Callable[[], bool]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._reading_known = reading_known
        self._to_be_drawn = False
        self._drawn = False
        self._depth = 0
        self._began = (0.0, 0.0)
        self._pulled = (0.0, 0.0)  # wall and CPU seconds not yet counted to a frame
        self.wall, self.cpu = Spread(), Spread()
        self._recent: deque[float] = deque(maxlen=_RECENT)
        clock.work_began.connect(self._on_work_began)
        clock.work_done.connect(self._on_work_done)
        window.installEventFilter(self)

    @property
    def frames(self) -> int:
        return self.cpu.count

    def recent_cpu_seconds(self) -> float | None:
        """The median of the last frames; None before the first."""
        if not self._recent:
            return None
        return sorted(self._recent)[len(self._recent) // 2]

    def _on_work_began(self) -> None:
        if self._depth == 0:
            if not self._drawn:
                self._to_be_drawn = self._reading_known()
            self._began = (time.perf_counter(), time.thread_time())
        self._depth += 1

    def _on_work_done(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            wall, cpu = self._pulled
            self._pulled = (
                wall + time.perf_counter() - self._began[0],
                cpu + time.thread_time() - self._began[1],
            )

    def _paint(self, watched: QObject, event: QEvent) -> None:
        """Delivers the event itself, since only so its end is known."""
        self._on_work_began()
        try:
            QCoreApplication.sendEvent(watched, event)
        finally:
            self._on_work_done()
        if self._depth:
            return
        wall, cpu = self._pulled
        self._pulled = (0.0, 0.0)
        self.wall.add(wall)
        self.cpu.add(cpu)
        self._recent.append(cpu)
        if self._to_be_drawn and not self._drawn:
            self._drawn = True
            self.reading_drawn.emit()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._window:
            handle = self._window.windowHandle()
            if kind is QEvent.Type.Show and handle is not None:
                # The first painting, and that after being covered, is asked of this one.
                handle.installEventFilter(self)
            ours = kind is QEvent.Type.UpdateRequest
        else:
            ours = kind in _PAINTING
        if not ours or self._depth:
            return False
        self._paint(watched, event)
        return True
