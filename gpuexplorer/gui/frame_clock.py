"""FrameClock: the tick at which visible views pull what is new."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

PERIOD = 0.25


class FrameClock(QObject):
    """Ticks only while the window is on screen: hidden or minimised, it costs nothing."""

    ticked = Signal()
    paused = Signal(bool)  # True: nobody sees the window; False: somebody does again

    def __init__(self, window: QWidget, seconds: float = PERIOD) -> None:
        super().__init__(window)
        self._window = window
        self._stopped = False
        self._timer = QTimer(self)
        self._timer.setInterval(round(seconds * 1000))
        self._timer.timeout.connect(self.ticked)
        window.installEventFilter(self)
        self._follow()

    @property
    def running(self) -> bool:
        return self._timer.isActive()

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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (
            QEvent.Type.Show,
            QEvent.Type.Hide,
            QEvent.Type.WindowStateChange,
        ):
            self._follow()
        return False
