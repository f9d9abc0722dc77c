"""Table: the one view of rows, flat or with rows under rows; one height, no lines, no zebra."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import (
    QByteArray,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index
from gpuexplorer.gui.tables.cell import Cell, Column, draw_cell
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look

T = TypeVar("T")
ROW_HEIGHT, _HEADINGS, _NARROWEST, _INDENT = 28, 32, 36, 20
_ICON = 16.0
# Whoever reads with the pointer or the arrow keys needs rows that stand still.
_AT_REST_AFTER = 4.0
_BY_KEYBOARD = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
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
        self._rows = model
        self._clock = clock or SystemClock()
        self._touched_at = float("-inf")
        self._still = self._changing = False
        self._by_keyboard = False  # a row that is not picked has a ring only then
        self._pointed: Hashable | None = None
        self._folded: set[Hashable] = set()
        self.setModel(model)
        self.columns = Columns(self, model)
        self.setItemDelegate(_CellDelegate(self, model))
        self.setProperty("kind", "table")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)  # rows light up as a whole
        self.show_branches(None)
        look().changed.connect(self.viewport().update)
        model.rowsInserted.connect(self._on_rows_inserted)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.collapsed.connect(self._on_collapsed)
        self.expanded.connect(self._on_expanded)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

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
        # Qt follows rows that stay; one that came under another or out of it is a new one.
        for key in picked - self._picked_keys():
            self.selectionModel().select(self._rows.index_of(key), _PICK.Select | _PICK.Rows)
        if current is not None and self._rows.key(self.currentIndex()) != current:
            index = self._rows.index_of(current)
            if index.isValid():
                self.selectionModel().setCurrentIndex(index, _PICK.NoUpdate)
        self._changing = False

    def show_all_rows(self, most: int | None = None) -> None:
        """As high as its rows, at most so many."""
        rows = self._rows.rowCount()
        shown = rows if most is None else min(rows, most)
        policy = Qt.ScrollBarPolicy
        scrolls = policy.ScrollBarAlwaysOff if shown == rows else policy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(scrolls)
        self.setHorizontalScrollBarPolicy(policy.ScrollBarAlwaysOff)
        self.setFixedHeight(shown * self.high + (0 if self.isHeaderHidden() else _HEADINGS))

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
        indexes = sorted(self.selectionModel().selectedRows(), key=_path)
        return [thing for each in indexes if (thing := self._rows.thing(each)) is not None]

    def pick(self, key: Hashable | None, *, scroll: bool = True) -> None:
        """This row and no other, without telling: whoever asks knows already."""
        if self._picked_keys() == {key}:
            return
        index = QModelIndex() if key is None else self._rows.index_of(key)
        self._changing = True
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, _PICK.ClearAndSelect | _PICK.Rows)
        else:
            self.selectionModel().clear()
        self._changing = False
        if scroll and index.isValid():
            self.scrollTo(index)

    def texts(self, things: Sequence[T]) -> tuple[list[str], list[list[str]]]:
        """The headings of the columns that are shown, and what they say of these."""
        shown = [column for column in self.columns.in_order() if column.copied]
        rows = [[_in_words(column.cell(thing)) for column in shown] for thing in things]
        return [column.heading for column in shown], rows

    def open_column_menu(self, place: QPoint | None = None) -> None:
        """At this place of the screen, or below the headings."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.columns.fill_menu(menu)
        self.hold_while_open(menu)
        below = self.columns.mapToGlobal(self.columns.rect().bottomLeft())
        menu.popup(place or below)

    def _picked_keys(self) -> set[Hashable]:
        return {self._rows.key(each) for each in self.selectionModel().selectedRows()}

    def _touch(self, *, by_keyboard: bool) -> None:
        self._touched_at, self._by_keyboard = self._clock.now(), by_keyboard

    def _on_menu_closed(self) -> None:
        self.stand_still(still=False)

    def _on_collapsed(self, index: QModelIndex) -> None:
        self._folded.add(self._rows.key(index))

    def _on_expanded(self, index: QModelIndex) -> None:
        self._folded.discard(self._rows.key(index))

    def _on_current_row_changed(self) -> None:
        self.viewport().update()  # its ring is around the whole row

    def _on_selection_changed(self) -> None:
        if not self._changing:
            self.picked_changed.emit()

    def _on_scrolled(self, place: int) -> None:
        if place and place == self.verticalScrollBar().maximum() and self._rows.more:
            self._rows.take_more()

    def _on_rows_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        """Whoever has scrolled down goes on reading at the same place."""
        bar = self.verticalScrollBar()
        if not parent.isValid() and bar.value() and first * self.high <= bar.value():
            self.executeDelayedItemsLayout()
            bar.setValue(bar.value() + (last - first + 1) * self.high)

    @guarded
    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        drawing, first = Drawing(painter), index.sibling(index.row(), 0)
        whole = QRectF(0, options.rect.top(), self.viewport().width(), self.high)
        picked = self.selectionModel().isSelected(first)
        if picked:
            painter.fillRect(whole, drawing.theme.selection)
        elif self._pointed == self._rows.key(first) and self.viewport().underMouse():
            painter.fillRect(whole, drawing.theme.hover)
        super().drawRow(painter, options, index)
        ringed = self.hasFocus() and (picked or self._by_keyboard)
        if ringed and first == self.currentIndex().siblingAtColumn(0):
            drawing.focus_ring(whole.adjusted(1, 0, -1, 0), 5)

    @guarded
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if rect.width() and self._rows.hasChildren(index):
            place = QRectF(rect.right() - _ICON, rect.center().y() - 7, _ICON, _ICON)
            drawing, opened = Drawing(painter), self.isExpanded(index)
            drawing.icon(Icon.OPEN if opened else Icon.CLOSED, place, drawing.theme.quiet)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._touch(by_keyboard=self._by_keyboard)
        self._pointed = self._rows.key(self.indexAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._touch(by_keyboard=False)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._touch(by_keyboard=True)
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)

    def selectAll(self) -> None:
        while self._rows.more:
            self._rows.take_more()
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
        self._table, self._rows = table, model
        self.fitting = True  # as many are shown as fit
        self._memory: tuple[Memory, str] | None = None
        table.setHeader(self)
        self.setProperty("kind", "table")
        self.setFont(look().letters.caption.font)
        self.setAccessibleName(tr("Columns"))
        self.setSectionsMovable(False)  # what is not remembered stays
        self.setMinimumSectionSize(_NARROWEST)
        self.setStretchLastSection(False)
        self.sectionResized.connect(self._on_section_resized)
        self.sectionMoved.connect(self._on_changed)
        self.sortIndicatorChanged.connect(self._on_changed)
        model.modelReset.connect(self._begin)
        self._begin()

    @property
    def all(self) -> Sequence[Column[Any]]:
        return self._rows.columns

    def in_order(self) -> list[Column[Any]]:
        """Those that are shown, from left to right."""
        order = map(self.logicalIndex, range(self.count()))
        return [self.all[at] for at in order if not self.isSectionHidden(at)]

    def begin_with(self, key: str, *, falling: bool) -> None:
        """Sort by this column as long as nobody chose another."""
        self.sort_by(key, falling=falling)
        self._first = self.saveState()

    def remember_in(self, memory: Memory, key: str) -> None:
        """Take up what was left there, and keep it from now on."""
        self._memory = memory, key
        self.setSectionsMovable(True)
        names, _, kept = (memory.remembered(key) or "").partition(":")
        if names == self._names():
            fits, _, state = kept.partition(":")
            self.fitting = fits == "fits"
            self.restoreState(QByteArray.fromBase64(state.encode()))
        self.fit()

    def show_fitting(self, *, fitting: bool) -> None:
        self.fitting = fitting
        self.fit()
        self._on_changed()

    def show_column(self, key: str, *, shown: bool) -> None:
        self.setSectionHidden(self._at(key), not shown)
        self.show_fitting(fitting=False)

    def sort_by(self, key: str, *, falling: bool) -> None:
        order = _ORDER.DescendingOrder if falling else _ORDER.AscendingOrder
        self._table.sortByColumn(self._at(key), order)

    def set_width(self, key: str, width: int) -> None:
        self.resizeSection(self._at(key), width)

    def begin_again(self) -> None:
        self.restoreState(self._first)
        self.show_fitting(fitting=True)

    def fill_menu(self, menu: QMenu) -> None:
        """Lists every column that can be hidden, shown or not."""
        shown, by, falling = self.in_order(), self._rows.sorted_by, self._rows.falling
        turn = partial(self.show_fitting, fitting=not self.fitting)
        _add(menu, tr("As many as fit"), self.fitting, turn)
        menu.addSeparator()
        for column in self.all:
            if column.kept:
                turn = partial(self.show_column, column.key, shown=column not in shown)
                _add(menu, column.named, column in shown, turn)
        menu.addSeparator()
        sorting = QMenu(tr("Sort by"), menu)
        columns, ways = QActionGroup(sorting), QActionGroup(sorting)
        for column in self.all:
            if column.sorts is not None:
                turn = partial(self.sort_by, column.key, falling=column.largest_first)
                columns.addAction(_add(sorting, column.named, column is by, turn))
        sorting.addSeparator()
        for words, order in ((tr("Smallest first"), False), (tr("Largest first"), True)):
            turn = partial(self.sort_by, by.key if by else "", falling=order)
            ways.addAction(_add(sorting, words, by is not None and falling is order, turn))
        ways.setEnabled(by is not None)
        if columns.actions():
            menu.addMenu(sorting)
            menu.addSeparator()
        menu.addAction(tr("Reset the columns")).triggered.connect(self.begin_again)

    def fit(self) -> None:
        """Hides what does not fit. Columns that stretch share what is left."""
        columns, room = self.all, self._table.viewport().width()
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
        for at, column in enumerate(self.all):
            self.resizeSection(at, column.width)
        self.setSortIndicator(-1, _ORDER.AscendingOrder)
        self._table.setSortingEnabled(any(each.sorts is not None for each in self.all))
        self._first = self.saveState()

    def _names(self) -> str:
        return " ".join(column.key for column in self.all)

    def _at(self, key: str) -> int:
        return [column.key for column in self.all].index(key)

    def _on_section_resized(self, at: int, before: int, width: int) -> None:
        if before and width and not self.all[at].stretches:  # nor hidden or shown
            self.fit()
            self._on_changed()

    def _on_changed(self) -> None:
        if self._memory is not None:
            memory, key = self._memory
            fits, state = "fits" if self.fitting else "", self.saveState().toBase64()
            memory.remember(key, f"{self._names()}:{fits}:{bytes(state.data()).decode()}")

    @guarded
    def initStyleOptionForIndex(self, option: QStyleOptionHeader, at: int) -> None:
        """The arrow stands beside the heading that sorts, and never on it."""
        super().initStyleOptionForIndex(option, at)
        if self.isSortIndicatorShown() and at == self.sortIndicatorSection():
            falling = self.sortIndicatorOrder() is _ORDER.DescendingOrder
            option.text = f"{'↓' if falling else '↑'} {option.text}"
            option.sortIndicator = QStyleOptionHeader.SortIndicator(0)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._table.open_column_menu(event.globalPos())

    def sizeHint(self) -> QSize:
        return QSize(100, _HEADINGS)


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


def _add(menu: QMenu, words: str, checked: bool, run: Callable[[], None]) -> QAction:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(checked)
    action.triggered.connect(lambda _=False: run())
    return action


def _in_words(cell: Cell) -> str:
    """An icon alone says what it means."""
    return cell.said or (cell.hint if cell.icon is not None else "")


def _path(index: QModelIndex) -> tuple[int, ...]:
    above = _path(index.parent()) if index.parent().isValid() else ()
    return (*above, index.row())
