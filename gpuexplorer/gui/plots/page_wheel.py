"""PageWheel: a scroll of the page stays a scroll when a plot slides under the pointer."""

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from gpuexplorer.gui.guard import guarded

_ONE_GESTURE = 300  # milliseconds between two turns of a wheel, at most
_AIMED = 12  # pixels: a hand that turns a wheel moves the pointer by less


class PageWheel(QObject):
    """Knows when the page that a graph stands on was turned last."""

    moved = Signal()  # another part of the graph is in view

    def __init__(self, graph: QWidget) -> None:
        super().__init__(graph)
        self._graph = graph
        self._page: QScrollArea | None = None
        self._turned_at: int | None = None
        self._pointed_at = QPointF()

    def follow(self) -> None:
        """The graph is seen, and on what it stands now it stays."""
        above = self._graph.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        self.leave()
        if above is not None:
            self._page = above
            above.viewport().installEventFilter(self)
            above.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def leave(self) -> None:
        if self._page is not None:
            self._page.viewport().removeEventFilter(self)
            self._page.verticalScrollBar().valueChanged.disconnect(self._on_scrolled)
            self._page = None

    def holds(self, event: QWheelEvent) -> bool:
        """Whether it belongs to a scroll that began beside the graph.

        However slow it is: nobody has pointed at the graph before the pointer moves.
        """
        if self._turned_at is None or event.phase() is Qt.ScrollPhase.ScrollBegin:
            return False
        moved = (event.globalPosition() - self._pointed_at).manhattanLength()
        since = event.timestamp() - self._turned_at
        return moved < _AIMED or 0 <= since < _ONE_GESTURE

    def _on_scrolled(self) -> None:
        self.moved.emit()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            self._turned_at = event.timestamp()
            self._pointed_at = event.globalPosition()
        elif event.type() is QEvent.Type.Resize:
            self.moved.emit()
        return False
