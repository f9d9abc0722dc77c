"""Table: the one view of rows, flat or with rows under rows; one height, no lines, no zebra."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import (
    QByteArray,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QMenu,
    QStyle,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index
from gpuexplorer.gui.tables.cell import PADDING, Column, draw_cell
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.theme.look import look

T = TypeVar("T")
ROW_HEIGHT, _HEADINGS, _NARROWEST, _INDENT = 28, 32, 36, 20
# Whoever reads with the pointer or the arrow keys needs rows that stand still.
_AT_REST_AFTER = 4.0
_ORDER, _MODE, _PICK = Qt.SortOrder, QHeaderView.ResizeMode, QItemSelectionModel.SelectionFlag


class Memory(Protocol):
    """Where columns are kept from one start to the next."""

    def remembered(self, key: str) -> str | None: ...
    def remember(self, key: str, text: str) -> None: ...


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
        self.high = row_height
        self.listed = model
        self._clock = clock or SystemClock()
        self._touched_at = float("-inf")
        self._pointed: Hashable | None = None
        self.setModel(model)
        self.columns = Columns(self, model)
        self.setItemDelegate(_CellDelegate(self, model))
        self.setProperty("kind", "table")
        self.setAccessibleName(name)
        self.setFrameShape(self.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)  # rows light up as a whole
        self.show_branches(None)
        look().changed.connect(self.viewport().update)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.selectionModel().selectionChanged.connect(self.picked_changed)
        # The ring of the current row is around all of it.
        self.selectionModel().currentRowChanged.connect(self.viewport().update)

    def show_branches(self, column: int | None) -> None:
        """Rows may have rows under them, and fold by an arrow in this column."""
        self.setRootIsDecorated(column is not None)
        self.setIndentation(_INDENT if column is not None else 0)
        self.setTreePosition(0 if column is None else column)

    def show_rows(self, things: Sequence[T], *, in_order: bool = True) -> None:
        """`in_order`: sorted now, even where somebody reads along."""
        still, branches = not in_order and not self.may_move(), self.listed.branches()
        current = self.currentIndex().row()
        bar, seen = self.verticalScrollBar(), QPersistentModelIndex(self.indexAt(QPoint()))
        place = self.visualRect(seen).top()
        self.listed.show(things, still=still)
        for key in self.listed.branches() - branches:
            self.expand(self.listed.index_of(key))
        if current >= 0 and not self.currentIndex().isValid():
            beside = self.listed.index(min(current, self.listed.rowCount() - 1), 0)
            self.selectionModel().setCurrentIndex(beside, _PICK.NoUpdate)
        # Whoever has scrolled down goes on reading at the same place.
        if bar.value() and seen.isValid() and (still or self.listed.sorted_by is None):
            bar.setValue(bar.value() + self.visualRect(seen).top() - place)

    def show_all_rows(self, most: int = 1000) -> None:
        """As high as its rows, at most so many."""
        shown = min(self.listed.rowCount(), most)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(shown * self.high + (0 if self.isHeaderHidden() else _HEADINGS))

    def may_move(self) -> bool:
        """Whether rows may change places now without being in anybody's way: neither a menu
        nor a question, which may be about one of them, is open.
        """
        asked = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        return asked is None and self._clock.now() - self._touched_at > _AT_REST_AFTER

    def picked(self) -> list[T]:
        """From the top down."""
        indexes = self.selectionModel().selectedRows()
        indexes.sort(key=lambda each: self.visualRect(each).top())
        return [thing for each in indexes if (thing := self.listed.thing(each)) is not None]

    def pick(self, key: Hashable | None, *, scroll: bool = True) -> None:
        """This row and no other, without telling: whoever asks knows already."""
        if {self.listed.key(each) for each in self.selectionModel().selectedRows()} == {key}:
            return
        index = QModelIndex() if key is None else self.listed.index_of(key)
        with QSignalBlocker(self):
            if index.isValid():
                self.selectionModel().setCurrentIndex(index, _PICK.ClearAndSelect | _PICK.Rows)
            else:
                self.selectionModel().clear()
        if scroll and index.isValid():
            self.scrollTo(index)

    def texts(self, things: Sequence[T]) -> tuple[list[str], list[list[str]]]:
        """The headings of the columns that are shown, and what they say of these."""
        shown = [column for column in self.columns.in_order() if column.copied]
        rows = [[column.cell(thing).said for column in shown] for thing in things]
        return [column.heading for column in shown], rows

    def open_column_menu(self, place: QPoint | None = None) -> None:
        """At this place of the screen, or below the headings."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.columns.fill_menu(menu)
        menu.popup(place or self.columns.mapToGlobal(self.columns.rect().bottomLeft()))

    def _on_scrolled(self, place: int) -> None:
        if place and place == self.verticalScrollBar().maximum():
            self.listed.take_more()

    @guarded
    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        drawing, first = Drawing(painter), index.sibling(index.row(), 0)
        whole = QRectF(0, options.rect.top(), self.viewport().width(), self.high)
        picked = self.selectionModel().isSelected(first)
        if picked:
            painter.fillRect(whole, drawing.theme.selection)
        elif self._pointed == self.listed.key(first) and self.viewport().underMouse():
            painter.fillRect(whole, drawing.theme.hover)
        super().drawRow(painter, options, index)
        by_keyboard = self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        ringed = self.hasFocus() and (picked or by_keyboard)
        if ringed and first == self.currentIndex().siblingAtColumn(0):
            drawing.focus_ring(whole.adjusted(1, 0, -1, 0), 5)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._touched_at = self._clock.now()
        self._pointed = self.listed.key(self.indexAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """By key for the row that has the keyboard: Qt is off by the names of columns."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        current = self.visualRect(self.currentIndex()).center()
        self.customContextMenuRequested.emit(current if by_key else event.pos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touched_at = self._clock.now()
        self.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        self.viewport().update()  # the ring, which only the keyboard brings
        super().keyPressEvent(event)

    def selectAll(self) -> None:
        self.listed.take_more(len(self.listed.things))
        super().selectAll()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.columns.fit()


class Columns(QHeaderView):
    """The headings; which are there, how wide and in which order, remembered.

    Until a person chooses, as many are shown as fit.
    """

    fitted = Signal()  # perhaps others are hidden than before

    def __init__(self, table: Table[Any], model: TableModel[Any]) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._table, self.listed = table, model
        self.fitting = True  # as many are shown as fit
        self._memory: tuple[Memory, str] | None = None
        table.setHeader(self)
        self.setProperty("kind", "table")
        self.setFont(look().letters.caption.font)
        self.setAccessibleName(tr("Columns"))
        self.setFixedHeight(_HEADINGS)
        self.setMinimumSectionSize(_NARROWEST)
        self.sectionResized.connect(self._on_section_resized)
        self.sectionMoved.connect(self._on_changed)
        self.sortIndicatorChanged.connect(self._on_changed)
        model.modelReset.connect(self._begin)
        self._begin()

    def in_order(self) -> list[Column[Any]]:
        """Those that are shown, from left to right."""
        order = map(self.logicalIndex, range(self.count()))
        return [self.listed.columns[at] for at in order if not self.isSectionHidden(at)]

    def remember_in(self, settings: Memory, key: str) -> None:
        """Take up what was left there, and keep it from now on. As they are now, they are again
        after a reset.
        """
        self._first = self.saveState()
        self._memory = settings, key
        self.setSectionsMovable(True)
        names, _, kept = (settings.remembered(key) or "").partition(":")
        if names == self._names():
            fits, _, state = kept.partition(":")
            self.fitting = fits == "fits"
            self.restoreState(QByteArray.fromBase64(state.encode()))
        self.fit()

    def show_column(self, key: str, *, shown: bool) -> None:
        self.setSectionHidden(self._at(key), not shown)
        self._show_fitting(fitting=False)

    def sort_by(self, key: str, *, falling: bool) -> None:
        order = _ORDER.DescendingOrder if falling else _ORDER.AscendingOrder
        self._table.sortByColumn(self._at(key), order)

    def set_width(self, key: str, width: int) -> None:
        self.resizeSection(self._at(key), width)

    def fill_menu(self, menu: QMenu) -> None:
        """Every column that can be hidden, shown or not; and what to sort by."""
        shown, by, falling = self.in_order(), self.listed.sorted_by, self.listed.falling
        turn = partial(self._show_fitting, fitting=not self.fitting)
        _add(menu, tr("As many as fit"), self.fitting, turn)
        menu.addSeparator()
        sorting = QMenu(tr("Sort by"), menu)
        for column in self.listed.columns:
            if column.kept:
                turn = partial(self.show_column, column.key, shown=column not in shown)
                _add(menu, column.named, column in shown, turn)
            if column.sorts is not None:
                # As by its heading: once more turns the order around.
                order = not falling if column is by else column.largest_first
                turn = partial(self.sort_by, column.key, falling=order)
                _add(sorting, column.named, column is by, turn)
        menu.addSeparator()
        if not sorting.isEmpty():
            menu.addMenu(sorting)
        menu.addAction(tr("Reset the columns")).triggered.connect(self._on_reset)

    def fit(self) -> None:
        """Hides what does not fit. Columns that stretch share what is left."""
        columns, room = self.listed.columns, self._table.viewport().width()
        if self.fitting:
            for at in range(len(columns)):
                self.showSection(at)
        wide = {
            at: max(each.width, round(room * each.share)) if each.stretches else size
            for at, each in enumerate(columns)
            if (size := self.sectionSize(at))
        }
        for at in sorted(wide, key=lambda at: columns[at].kept):
            if self.fitting and columns[at].kept and sum(wide.values()) > room:
                self.hideSection(at)
                del wide[at]
        enough = sum(wide.values()) <= room
        for at, least in wide.items():
            if columns[at].stretches:
                self.setSectionResizeMode(at, _MODE.Stretch if enough else _MODE.Fixed)
                if not enough:
                    self.resizeSection(at, least)
        self.fitted.emit()

    def _begin(self) -> None:
        """With the widths that columns ask for, and nothing sorted."""
        for at, column in enumerate(self.listed.columns):
            self.resizeSection(at, column.width)
        self.setSortIndicator(-1, _ORDER.AscendingOrder)
        self._table.setSortingEnabled(any(each.sorts for each in self.listed.columns))
        self._first = self.saveState()

    def _show_fitting(self, *, fitting: bool) -> None:
        self.fitting = fitting
        self.fit()
        self._on_changed()

    def _names(self) -> str:
        return " ".join(column.key for column in self.listed.columns)

    def _at(self, key: str) -> int:
        return [column.key for column in self.listed.columns].index(key)

    def _on_reset(self) -> None:
        self.restoreState(self._first)
        self._show_fitting(fitting=True)

    def _on_section_resized(self, at: int, before: int, width: int) -> None:
        column = self.listed.columns[at]
        words = f"↓ {column.heading}" if column.sorts else column.heading  # which is never cut
        least = round(look().letters.caption.width(words) + 2 * PADDING + 0.5)
        if 0 < width < least:
            self.resizeSection(at, least)
        elif before and width and not column.stretches:  # nor hidden or shown
            self.fit()
            self._on_changed()

    def _on_changed(self) -> None:
        if self._memory is not None:
            settings, key = self._memory
            fits, state = "fits" if self.fitting else "", self.saveState().toBase64()
            settings.remember(key, f"{self._names()}:{fits}:{bytes(state.data()).decode()}")

    @guarded
    def initStyleOptionForIndex(self, option: QStyleOptionHeader, at: int) -> None:
        """The arrow stands beside the heading that sorts, and never on it."""
        super().initStyleOptionForIndex(option, at)
        if self.isSortIndicatorShown() and at == self.sortIndicatorSection():
            falling = self.sortIndicatorOrder() is _ORDER.DescendingOrder
            option.text = f"{'↓' if falling else '↑'} {option.text}"
            option.sortIndicator = QStyleOptionHeader.SortIndicator(0)
            option.state |= QStyle.StateFlag.State_On  # brighter than the others

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._table.open_column_menu(event.globalPos())


class _CellDelegate(Delegate):
    def __init__(self, table: Table[Any], model: TableModel[Any]) -> None:
        super().__init__(table)
        self._table, self._model = table, model

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        cell, columns = self._model.cell(index), self._table.columns
        before = columns.visualIndex(index.column()) - 1
        while before >= 0 and columns.isSectionHidden(columns.logicalIndex(before)):
            before -= 1
        beside = self._model.cell(index.sibling(index.row(), columns.logicalIndex(before)))
        right = self._model.columns[index.column()].right
        draw_cell(drawing, place, cell, right=right, same=cell.absent == beside.absent)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._table.high)


def _add(menu: QMenu, words: str, checked: bool, run: Callable[[], None]) -> None:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(lambda _=False: run())
