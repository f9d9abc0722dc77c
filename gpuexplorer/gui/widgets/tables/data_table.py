"""DataTable: the one style of tables: rows of one height, no lines but under the captions."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.tables.cell import NO_CELL, Cell
from gpuexplorer.gui.tables.cell_drawing import PADDING, draw_cell
from gpuexplorer.gui.tables.model import CELL
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.tables.data_header import DataHeader

ROW_HEIGHT = 28
_INDENT, _ARROW = 20, 16.0
# Whoever reads with the pointer or goes along with the keyboard needs rows that stand still.
_AT_REST_AFTER = 4.0

Index = QModelIndex | QPersistentModelIndex


class DataTable(QTreeView):
    """Draws the cells that its model gives in the role CELL; a list where nothing has children.

    A cell is only its drawing. What it says in words the model gives as its display role.
    """

    def __init__(
        self,
        look: Look,
        name: str,
        clock: Clock | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._clock = clock or SystemClock()
        self._touched_at = float("-inf")
        self._pointed = QPersistentModelIndex()
        self._seen: list[_Place] = []
        self._captions = DataHeader(look, self)
        self.setHeader(self._captions)
        self._captions.make_sorting()
        self.setItemDelegate(_Rows(self))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setAllColumnsShowFocus(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        look.changed.connect(self._on_look_changed)

    @property
    def captions(self) -> DataHeader:
        return self._captions

    def show_branches(self, column: int | None) -> None:
        """Rows may have rows under them, told by an arrow in this column."""
        self.setRootIsDecorated(column is not None)
        self.setIndentation(_INDENT if column is not None else 0)
        self.setTreePosition(0 if column is None else column)

    def at_rest(self) -> bool:
        """Whether nobody is reading along with the pointer or the keyboard just now."""
        return self._clock.now() - self._touched_at > _AT_REST_AFTER

    def _touch(self) -> None:
        self._touched_at = self._clock.now()

    def _point_at(self, index: Index) -> None:
        if self._pointed == index:
            return
        before, self._pointed = self._pointed, QPersistentModelIndex(index)
        for each in (before, self._pointed):
            if each.isValid():
                self.viewport().update(self._row_place(each))

    def _row_place(self, index: Index) -> QRect:
        place = self.visualRect(index)
        return QRect(0, place.top(), self.viewport().width(), ROW_HEIGHT)

    def _on_look_changed(self) -> None:
        self.viewport().update()

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        drawing = Drawing(painter, self._look)
        whole = QRectF(0, options.rect.top(), self.viewport().width(), ROW_HEIGHT)
        row, above = index.row(), index.parent()
        first = self.model().index(row, 0, above)
        if self.selectionModel().isSelected(first):
            painter.fillRect(whole, drawing.theme.selection)
        elif self._pointed == first:
            painter.fillRect(whole, drawing.theme.hover)
        before: Cell = NO_CELL
        for place in self._seen:
            at = self.model().index(row, place.column, above)
            cell = at.data(CELL)
            if not isinstance(cell, Cell):
                continue
            same = bool(cell.absent) and cell.absent == before.absent
            before = cell
            inset = 0
            if place.branches:
                inset = self._draw_branch(drawing, place.left, whole, first)
            room = QRectF(place.left + inset, whole.top(), place.width - inset, ROW_HEIGHT)
            draw_cell(drawing, room, cell, right=place.right, same=same)
        if self.hasFocus() and first == self.currentIndex().siblingAtColumn(0):
            drawing.focus_ring(whole.adjusted(1, 0, -1, 0), 5)

    def _places(self) -> list["_Place"]:
        """Where the columns lie that can be seen now."""
        captions, model, places = self._captions, self.model(), []
        tree = self.treePosition() if self.indentation() else -1
        for visual in range(captions.count()):
            column = captions.logicalIndex(visual)
            left, width = captions.sectionViewportPosition(column), captions.sectionSize(column)
            seen = left < self.viewport().width() and left + width > 0
            if seen and not captions.isSectionHidden(column):
                role = Qt.ItemDataRole.TextAlignmentRole
                alignment = model.headerData(column, Qt.Orientation.Horizontal, role)
                right = bool(alignment and alignment & Qt.AlignmentFlag.AlignRight)
                places.append(_Place(column, left, width, right, column == tree))
        return places

    def _draw_branch(self, drawing: Drawing, left: int, row: QRectF, first: QModelIndex) -> int:
        """Returns how far the cell moves in."""
        depth = 1 if first.parent().isValid() else 0
        if self.model().hasChildren(first):
            icon = Icon.OPEN if self.isExpanded(first) else Icon.CLOSED
            top = row.center().y() - _ARROW / 2
            arrow = QRectF(left + depth * _INDENT + PADDING / 2, top, _ARROW, _ARROW)
            drawing.icon(icon, arrow, drawing.theme.quiet)
        return (depth + 1) * _INDENT - int(PADDING / 2)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """The arrow is drawn with its row."""

    def paintEvent(self, event: QPaintEvent) -> None:
        self._seen = self._places()
        super().paintEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._touch()
        at = self.indexAt(event.position().toPoint())
        self._point_at(at.siblingAtColumn(0) if at.isValid() else at)
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touch()
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touch()
        super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(QModelIndex())
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._captions.viewport().update()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a column lies, and how its cells stand in it."""

    column: int
    left: int
    width: int
    right: bool
    branches: bool


class _Rows(QStyledItemDelegate):
    """Only tells how high a row is: rows are drawn whole."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(36, ROW_HEIGHT)
