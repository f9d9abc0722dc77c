"""Table: the one view of rows, flat or with rows under rows; one height, no lines, no zebra."""

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QMenu,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.delegate import Delegate, Index
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.cell_drawing import draw_cell
from gpuexplorer.gui.tables.column_menu import fill_column_menu
from gpuexplorer.gui.tables.columns_shown import ColumnsShown
from gpuexplorer.gui.tables.header import Header
from gpuexplorer.gui.tables.model import CELL, TableModel
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look

ROW_HEIGHT = 28
_INDENT, _ARROW = 20, 16.0
# Whoever reads with the pointer or the arrow keys needs rows that stand still.
_AT_REST_AFTER = 4.0
_TOP = QModelIndex()
_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)

T = TypeVar("T")


class Table(QTreeView, Generic[T]):
    """Rows keep their places while somebody reads along; what is picked stays picked."""

    picked_changed = Signal()  # by a person, not by rows that come and go

    def __init__(
        self,
        name: str,
        model: TableModel[T],
        clock: Clock | None = None,
        parent: QWidget | None = None,
        *,
        row_height: int = ROW_HEIGHT,
    ) -> None:
        super().__init__(parent)
        self._high = row_height
        self._rows = model
        self._clock = clock or SystemClock()
        self._touched_at = float("-inf")
        self._still = False
        self._changing = False
        self._by_keyboard = False  # a row that is not chosen has a ring only then
        self._pointed = QPersistentModelIndex()
        self._folded: set[Hashable] = set()
        self._headings = Header(self)
        self.setHeader(self._headings)
        self.setModel(model)
        self.columns = ColumnsShown(self, self._headings, model)
        self.setItemDelegate(_CellDelegate(self, model, row_height))
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        # Rows draw their own ground; Qt would fill the place of the branches once more.
        palette = QPalette()
        palette.setBrush(QPalette.ColorRole.Highlight, Qt.GlobalColor.transparent)
        self.setPalette(palette)
        self.show_branches(None)
        look().changed.connect(self.viewport().update)
        model.rowsInserted.connect(self._on_rows_inserted)
        self._headings.menu_asked.connect(self.open_column_menu)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.collapsed.connect(self._on_collapsed)
        self.expanded.connect(self._on_expanded)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def headings(self) -> Header:
        return self._headings

    def show_branches(self, column: int | None) -> None:
        """Rows may have rows under them, and fold by an arrow in this column."""
        self.setRootIsDecorated(column is not None)
        self.setIndentation(_INDENT if column is not None else 0)
        self.setTreePosition(0 if column is None else column)

    def show_rows(self, things: Sequence[T], *, in_order: bool = True) -> None:
        """`in_order`: sorted now, even where somebody reads along."""
        picked, current = self._picked_keys(), self._rows.key(self.currentIndex())
        self._changing = True
        self._rows.show(things, still=not in_order and not self.may_move())
        for index in self._rows.branches():
            if self._rows.key(index) not in self._folded and not self.isExpanded(index):
                self.expand(index)
        self._pick_again(picked, current)
        self._changing = False

    def show_all_rows(self) -> None:
        """As high as its rows, without scroll bars."""
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows = self._rows.rowCount() * self._high
        self.setFixedHeight(self._headings.sizeHint().height() + rows)

    def stand_still(self, *, still: bool) -> None:
        """While a menu or a question about a row is open, rows keep their places."""
        self._still = still

    def hold_while_open(self, menu: QMenu) -> None:
        self.stand_still(still=True)
        menu.aboutToHide.connect(self._on_menu_closed)

    def may_move(self) -> bool:
        """Whether rows may change places now without being in anybody's way."""
        return not self._still and self._clock.now() - self._touched_at > _AT_REST_AFTER

    def picked(self) -> list[T]:
        """From the top down."""
        indexes = [each for each in self.selectionModel().selectedRows() if each.isValid()]
        indexes.sort(key=_path)
        things = [self._rows.thing(each) for each in indexes]
        return [each for each in things if each is not None]

    def pick(self, key: Hashable | None, *, scroll: bool = True) -> None:
        """This row and no other, without telling: whoever asks knows already."""
        if self._picked_keys() == {key}:
            return
        index = QModelIndex() if key is None else self._rows.index_of(key)
        flag, model = QItemSelectionModel.SelectionFlag, self.selectionModel()
        self._changing = True
        if index.isValid():
            model.setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        else:
            model.clear()
        self._changing = False
        if scroll and index.isValid():
            self.scrollTo(index)

    def texts(self, things: Sequence[T]) -> tuple[list[str], list[list[str]]]:
        """The headings of the columns that are shown, and what they say of these."""
        shown = [column for column in self.columns.in_order() if column.copied]
        rows = [[_in_words(column.cell(thing)) for column in shown] for thing in things]
        return [column.heading for column in shown], rows

    def open_column_menu(self, place: QPoint | None = None) -> None:
        """Which columns are shown, and by which of them rows are sorted."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        fill_column_menu(menu, self.columns)
        self.hold_while_open(menu)
        below = self._headings.mapToGlobal(self._headings.rect().bottomLeft())
        menu.popup(place if place is not None else below)

    def _picked_keys(self) -> set[Hashable]:
        return {self._rows.key(each) for each in self.selectionModel().selectedRows()}

    def _pick_again(self, picked: set[Hashable], current: Hashable | None) -> None:
        """Qt follows rows that stay; one that came under another or out of it is a new one."""
        flag, selection = QItemSelectionModel.SelectionFlag, QItemSelection()
        for key in picked - self._picked_keys():
            index = self._rows.index_of(key)
            if index.isValid():
                selection.select(index, index)
        if not selection.isEmpty():
            self.selectionModel().select(selection, flag.Select | flag.Rows)
        if current is not None and self._rows.key(self.currentIndex()) != current:
            index = self._rows.index_of(current)
            if index.isValid():
                self.selectionModel().setCurrentIndex(index, flag.NoUpdate)

    def _touch(self) -> None:
        self._touched_at = self._clock.now()

    def _point_at(self, index: Index) -> None:
        if self._pointed == index:
            return
        before, self._pointed = self._pointed, QPersistentModelIndex(index)
        self._draw_again(before)
        self._draw_again(self._pointed)

    def _draw_again(self, index: Index) -> None:
        """The whole row: Qt draws the cell anew, where the pointer or the keyboard is."""
        if index.isValid():
            top = self.visualRect(index).top()
            self.viewport().update(0, top, self.viewport().width(), self._high)

    def _on_scrolled(self, place: int) -> None:
        if place and place == self.verticalScrollBar().maximum() and self._rows.more:
            self._rows.take_more()

    def _on_menu_closed(self) -> None:
        self.stand_still(still=False)

    def _on_selection_changed(self) -> None:
        if not self._changing:
            self.picked_changed.emit()

    def _on_collapsed(self, index: QModelIndex) -> None:
        self._folded.add(self._rows.key(index))

    def _on_expanded(self, index: QModelIndex) -> None:
        self._folded.discard(self._rows.key(index))

    def _on_rows_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        """Whoever has scrolled down goes on reading at the same place."""
        bar = self.verticalScrollBar()
        if not parent.isValid() and bar.value() and first * self._high <= bar.value():
            self.executeDelayedItemsLayout()
            bar.setValue(bar.value() + (last - first + 1) * self._high)

    @guarded
    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        drawing = Drawing(painter)
        whole = QRectF(0, options.rect.top(), self.viewport().width(), self._high)
        first = index.sibling(index.row(), 0)
        if self.selectionModel().isSelected(first):
            painter.fillRect(whole, drawing.theme.selection)
        elif self._pointed == first:
            painter.fillRect(whole, drawing.theme.hover)
        super().drawRow(painter, options, index)
        chosen = self._by_keyboard or self.selectionModel().isSelected(first)
        if self.hasFocus() and chosen and first == self.currentIndex().siblingAtColumn(0):
            drawing.focus_ring(whole.adjusted(1, 0, -1, 0), 5)

    @guarded
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if rect.width() and self._rows.hasChildren(index):
            icon = Icon.OPEN if self.isExpanded(index) else Icon.CLOSED
            place = QRectF(rect.right() - _ARROW, 0, _ARROW, _ARROW)
            place.moveTop(QRectF(rect).center().y() - _ARROW / 2)
            drawing = Drawing(painter)
            drawing.icon(icon, place, drawing.theme.quiet)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._touch()
        at = self.indexAt(event.position().toPoint())
        self._point_at(at.siblingAtColumn(0) if at.isValid() else at)
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touch()
        self._by_keyboard = False
        super().mousePressEvent(event)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self._draw_again(current)
        self._draw_again(previous)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touch()
        self._by_keyboard = True
        super().keyPressEvent(event)

    def selectAll(self) -> None:
        while self._rows.more:
            self._rows.take_more()
        super().selectAll()

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(_TOP)
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.columns.fit()


class _CellDelegate(Delegate):
    """Draws the cell that the model has in the role CELL."""

    def __init__(self, table: QTreeView, model: TableModel[Any], row_height: int) -> None:
        super().__init__(table)
        self._high = row_height
        self._model = model
        self._header = table.header()

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        cell = index.data(CELL)
        if isinstance(cell, Cell):
            right = self._model.columns[index.column()].right
            same = bool(cell.absent) and self._absent_before(index) == cell.absent
            draw_cell(drawing, place, cell, right=right, same=same)

    def _absent_before(self, index: Index) -> tuple[str, ...]:
        """The reason that stands in the column at the left of this one."""
        visual = self._header.visualIndex(index.column()) - 1
        while visual >= 0 and self._header.isSectionHidden(self._header.logicalIndex(visual)):
            visual -= 1
        before = index.sibling(index.row(), self._header.logicalIndex(visual)).data(CELL)
        return before.absent if isinstance(before, Cell) else ()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._high)


def _in_words(cell: Cell) -> str:
    """An icon alone says what it means."""
    return cell.said or (cell.hint if cell.icon is not None else "")


def _path(index: QModelIndex) -> tuple[int, ...]:
    above = _path(index.parent()) if index.parent().isValid() else ()
    return (*above, index.row())
