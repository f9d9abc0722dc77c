"""TimeView: the view of time that lies over all plots of a stack, moved by hand."""

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtWidgets import QGraphicsSceneWheelEvent

from gpuexplorer.gui.state.time_window import LONGEST_SPAN, TimeWindow

ZOOM = 1.25  # for one notch of a wheel, or one key
_NOTCH = 120


class TimeView(pg.ViewBox):
    """Hands move what the time window shows, and every view follows that."""

    dragged = Signal(bool)  # True: it began; False: it is over

    def __init__(self, time_window: TimeWindow) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self.disableAutoRange()
        self._time_window = time_window
        self._held: tuple[float, float] | None = None

    def move(self, spans: float) -> None:
        """Forward by so many times the stretch, or back."""
        start, end = self._time_window.stretch()
        seconds = spans * (end - start)
        self._time_window.look_at(start + seconds, end + seconds)

    def to_beginning(self) -> None:
        """As far back as is kept."""
        start, end = self._time_window.stretch()
        self._time_window.look_at(start - LONGEST_SPAN, end - LONGEST_SPAN)

    def share(self, x: float) -> float:
        """Of a place within it, in pixels from its left edge."""
        return x / max(1.0, float(self.width()))

    def let_go(self) -> None:
        """A drag is over, wherever the button is released."""
        if self._held is not None:
            self._held = None
            self.dragged.emit(False)  # noqa: FBT003 - Qt's signals have no keywords

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        notches = event.delta() / _NOTCH
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if shift or event.orientation() is Qt.Orientation.Horizontal:
            self.move(-notches / 8)
        else:
            self._time_window.zoom(ZOOM**-notches, self.share(event.pos().x()))
        event.accept()

    def mouseDragEvent(
        self, event: "pg.GraphicsScene.mouseEvents.MouseDragEvent", axis: int | None = None
    ) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        if self._held is None:
            self._held = self._time_window.stretch()
            self.dragged.emit(True)  # noqa: FBT003 - Qt's signals have no keywords
        start, end = self._held
        moved: QPointF = event.scenePos() - event.buttonDownScenePos()
        seconds = self.share(moved.x()) * (end - start)
        self._time_window.look_at(start - seconds, end - seconds)
        if event.isFinish():
            self.let_go()
