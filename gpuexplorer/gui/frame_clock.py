"""FrameClock: the tick at which visible views pull what is new."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.guard import guarded

# Looking whether something new came is cheap; drawing follows only where something did.
LONGEST_PERIOD = 0.25
SHORTEST_PERIOD = 0.1


class FrameClock(QObject):
    """Ticks only while the window is on screen: hidden or minimised, it costs nothing."""

    ticked = Signal()
    # Around every tick and every other pull: who measures frames listens.
    work_began = Signal()
    work_done = Signal()
    paused = Signal(bool)  # True: nobody sees the window; False: somebody does again

    def __init__(self, window: QWidget, seconds: float = LONGEST_PERIOD) -> None:
        super().__init__(window)
        self._window = window
        self._stopped = False
        self._timer = QTimer(self)
        self._timer.setInterval(round(seconds * 1000))
        self._timer.timeout.connect(self._on_timeout)
        window.installEventFilter(self)
        self._follow()

    @property
    def running(self) -> bool:
        return self._timer.isActive()

    def keep_up_with(self, interval: float) -> None:
        """Readings come every `interval` seconds; tick as often, or a little more often."""
        seconds = min(max(interval, SHORTEST_PERIOD), LONGEST_PERIOD)
        self._timer.setInterval(round(seconds * 1000))

    def stop(self) -> None:
        """For good."""
        self._stopped = True
        self._timer.stop()

    def _follow(self) -> None:
        seen = self._window.isVisible() and not self._window.isMinimized()
        if seen and not self._stopped:
            if not self._timer.isActive():
                self._timer.start()
                self.paused.emit(False)  # noqa: FBT003 - Qt's signals have no keywords
        elif self._timer.isActive():
            self._timer.stop()
            self.paused.emit(True)  # noqa: FBT003 - Qt's signals have no keywords

    def _on_timeout(self) -> None:
        self.work_began.emit()
        self.ticked.emit()
        self.work_done.emit()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (
            QEvent.Type.Show,
            QEvent.Type.Hide,
            QEvent.Type.WindowStateChange,
        ):
            self._follow()
        return False
