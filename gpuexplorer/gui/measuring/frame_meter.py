"""FrameMeter: what each frame costs, from the pull of what is new to the last painted pixel."""

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.measuring.spread import Spread

_PAINTING = frozenset({QEvent.Type.UpdateRequest, QEvent.Type.Expose, QEvent.Type.Paint})
_RECENT = 60


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
        QCoreApplication.sendEvent(watched, event)
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
