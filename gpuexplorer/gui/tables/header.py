"""Header: the headings over a table's columns, and by which of them it is sorted."""

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.tables.cell_drawing import PADDING
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look

HEIGHT = 32
NARROWEST = 36
_ARROW = 14.0


class Header(QHeaderView):
    """Headings of numbers stand right; the arrow is beside the one that sorts."""

    menu_asked = Signal(QPoint)  # where on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._pointed = -1
        self.setAccessibleName(tr("Columns"))
        self.setSectionsMovable(True)
        self.setMinimumSectionSize(NARROWEST)
        self.setStretchLastSection(False)
        self.setMouseTracking(True)
        look().changed.connect(self.viewport().update)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter)
            drawing.hairline(0, self.viewport().width(), self.height() - 1)

    @guarded
    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        drawing, place = Drawing(painter), QRectF(rect)
        model, theme, letters = self.model(), drawing.theme, drawing.letters.caption
        across = Qt.Orientation.Horizontal
        title = str(model.headerData(section, across, Qt.ItemDataRole.DisplayRole) or "")
        alignment = model.headerData(section, across, Qt.ItemDataRole.TextAlignmentRole)
        sorts = self.isSortIndicatorShown() and section == self.sortIndicatorSection()
        strong = sorts or section == self._pointed
        room = place.width() - 2 * PADDING - (_ARROW + 2 if sorts else 0)
        run = Run(
            letters.elided(title, max(room, 0.0)),
            letters,
            theme.text if strong else theme.quiet,
        )
        baseline = place.center().y() + letters.cap_height / 2
        if alignment is not None and alignment & Qt.AlignmentFlag.AlignRight:
            start = place.right() - PADDING - run.width
            drawing.text(start, baseline, run)
            arrow = start - _ARROW - 2
        else:
            arrow = drawing.text(place.left() + PADDING, baseline, run) + 2
        if sorts:
            down = self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
            top = place.center().y() - _ARROW / 2
            icon = Icon.DESCENDING if down else Icon.ASCENDING
            drawing.icon(icon, QRectF(arrow, top, _ARROW, _ARROW), theme.text)

    def _point_at(self, section: int) -> None:
        if section != self._pointed:
            self._pointed = section
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.logicalIndexAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(-1)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_asked.emit(event.globalPos())

    def sizeHint(self) -> QSize:
        return QSize(100, HEIGHT)
