"""DataHeader: the captions over a table's columns, and by which of them it is sorted."""

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.tables.cell_drawing import PADDING
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look

_HEIGHT = 32
_ARROW = 14.0


class DataHeader(QHeaderView):
    """Draws itself: numbers' captions stand right, the arrow beside the one that sorts."""

    menu_asked = Signal(QPoint)  # where on the screen

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._look = look
        self._pointed = -1
        self.setSectionsMovable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setMinimumSectionSize(36)
        self.setMouseTracking(True)
        look.changed.connect(self._on_look_changed)

    def make_sorting(self) -> None:
        """To be called again when a tree took it over: one that does not sort by itself takes
        away that captions can be clicked.
        """
        self.setSectionsClickable(True)
        self.setSortIndicatorShown(True)

    def _on_look_changed(self) -> None:
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            drawing = Drawing(painter, self._look)
            for visual in range(self.count()):
                section = self.logicalIndex(visual)
                left, width = self.sectionViewportPosition(section), self.sectionSize(section)
                if not self.isSectionHidden(section) and left + width >= event.rect().left():
                    self._draw(drawing, section, QRectF(left, 0, width, self.height()))
            drawing.hairline(0, self.viewport().width(), self.height() - 1)

    def _draw(self, drawing: Drawing, section: int, place: QRectF) -> None:
        model, theme, letters = self.model(), drawing.theme, drawing.letters.caption
        across = Qt.Orientation.Horizontal
        title = str(model.headerData(section, across, Qt.ItemDataRole.DisplayRole) or "")
        alignment = model.headerData(section, across, Qt.ItemDataRole.TextAlignmentRole)
        right = alignment is not None and bool(alignment & Qt.AlignmentFlag.AlignRight)
        sorts = self.isSortIndicatorShown() and section == self.sortIndicatorSection()
        strong = sorts or section == self._pointed
        room = place.width() - 2 * PADDING - (_ARROW + 2 if sorts else 0)
        run = Run(
            letters.elided(title, max(room, 0.0)),
            letters,
            theme.text if strong else theme.quiet,
        )
        middle = place.center().y()
        baseline = middle + letters.cap_height / 2
        if right:
            start = place.right() - PADDING - run.width
            drawing.text(start, baseline, run)
            arrow_left = start - _ARROW - 2
        else:
            arrow_left = drawing.text(place.left() + PADDING, baseline, run) + 2
        if sorts:
            down = self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
            icon = Icon.DESCENDING if down else Icon.ASCENDING
            drawing.icon(
                icon, QRectF(arrow_left, middle - _ARROW / 2, _ARROW, _ARROW), theme.text
            )

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
        return QSize(100, _HEIGHT)
