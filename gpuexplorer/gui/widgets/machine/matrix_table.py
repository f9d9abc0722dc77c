"""MatrixTable: the matrix of paths; its headings stay in sight while it is scrolled."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.cell_drawing import draw_cell, heat_place
from gpuexplorer.gui.tables.model import CELL
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.machine.matrix_model import MatrixModel, Shows
from gpuexplorer.gui.wording.machine.machine_face import MachineNow
from gpuexplorer.gui.wording.machine.machine_things import Thing

_ROW, _HEAD = 28, 30
_LEAST, _MOST = 34, 64
# Of a few cards there is room for larger cells.
_FEW, _LARGE_ROW, _LARGE_MOST = 4, 36, 88
_ROWS_IN_SIGHT = 16
_AROUND = 7  # beside the text of a cell
_CHIP, _RADIUS = 20.0, 4.0
# From here on chips would be a row of boxes and no help.
_MOST_CHIPS = 8


class MatrixTable(QTableView):
    """A cell that is clicked, or chosen with Enter, says which link is meant."""

    chosen = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrix = MatrixModel(self)
        self._look = look
        self._least = _LEAST
        self._chosen: Thing | None = None
        self.setModel(self._matrix)
        self.setHorizontalHeader(_Heads(look, self._matrix, Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(_Heads(look, self._matrix, Qt.Orientation.Vertical, self))
        self.setItemDelegate(_Cells(look, self))
        self.setAccessibleName(tr("Which card reaches which, and how"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._on_clicked)
        look.changed.connect(self._on_look_changed)

    def show_machine(self, now: MachineNow) -> None:
        if self._matrix.show_machine(now):
            self._fit_texts()

    def show_as(self, shows: Shows) -> None:
        self._matrix.show_as(shows)
        self._fit_texts()

    def show_chosen(self, thing: Thing | None) -> None:
        """Rings its cell, and scrolls there. Tells nobody."""
        if thing == self._chosen:
            return
        self._chosen = thing
        index = self._matrix.place_of(thing)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self.viewport().update()

    def is_chosen(self, index: QModelIndex | QPersistentModelIndex) -> bool:
        """Both cells of a pair are: there and back."""
        return self._chosen is not None and self._matrix.thing_at(index) == self._chosen

    def _fit(self) -> None:
        """Cells as wide as there is room for, within what is pleasant to read."""
        count = self._matrix.columnCount()
        room = self.viewport().width()
        few = self._matrix.rowCount() <= _FEW
        most, row = (_LARGE_MOST, _LARGE_ROW) if few else (_MOST, _ROW)
        width = min(most, max(self._least, room // max(1, count)))
        self.horizontalHeader().setDefaultSectionSize(width)
        self.verticalHeader().setDefaultSectionSize(row)
        rows = min(_ROWS_IN_SIGHT, max(1, self._matrix.rowCount()))
        bar = 12 if count * width > room else 0
        self.setFixedHeight(_HEAD + rows * row + bar + 2)

    def _fit_texts(self) -> None:
        width = self._look.letters.caption.width
        texts = self._matrix.texts()
        self._least = max(_LEAST, *(round(width(text)) + _AROUND for text in texts), 0)
        self._fit()

    def _on_clicked(self, index: QModelIndex) -> None:
        thing = self._matrix.thing_at(index)
        if thing is not None:
            self.show_chosen(thing)
            self.chosen.emit(thing)

    def _on_look_changed(self) -> None:
        for part in (self, self.horizontalHeader(), self.verticalHeader()):
            part.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST * 4, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST * 4, _HEAD + _ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Heads(QHeaderView):
    """Chips in the colours of the cards, or numbers where there are many."""

    def __init__(
        self, look: Look, matrix: MatrixModel, orientation: Qt.Orientation, parent: QWidget
    ) -> None:
        super().__init__(orientation, parent)
        self._look = look
        self._matrix = matrix
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(_ROW)
        self.setSectionsClickable(False)
        self.setFixedHeight(_HEAD) if self._across else self.setFixedWidth(_HEAD + 4)

    @property
    def _across(self) -> bool:
        return self.orientation() is Qt.Orientation.Horizontal

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        chip = self._matrix.chip(section, self.orientation())
        heading = str(self._matrix.headerData(section, self.orientation()) or "")
        painter.save()
        drawing = Drawing(painter, self._look)
        place, letters = QRectF(rect), drawing.letters
        many = self._matrix.rowCount() > _MOST_CHIPS
        if chip is None or (chip.colour is None and many and chip.text != "H"):
            run = Run(heading, letters.caption, drawing.theme.quiet)
            baseline = place.center().y() + letters.caption.cap_height / 2
            drawing.text(place.center().x() - run.width / 2, baseline, run)
        else:
            wide = max(_CHIP, letters.strong.width(chip.text) + 10)
            box = QRectF(0, 0, wide, _CHIP)
            box.moveCenter(place.center())
            colour = None if chip.colour is None else drawing.theme.card(chip.colour)
            drawing.chip(box, chip.text, letters.strong, colour)
        painter.restore()


class _Cells(QStyledItemDelegate):
    """The faster the path, the stronger its ground."""

    def __init__(self, look: Look, table: MatrixTable) -> None:
        super().__init__(table)
        self._look = look
        self._table = table

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        cell = index.data(CELL)
        if not isinstance(cell, Cell):
            return
        painter.save()
        drawing = Drawing(painter, self._look)
        draw_cell(drawing, QRectF(option.rect), cell, right=False)
        focused = (
            bool(option.state & QStyle.StateFlag.State_HasFocus) and self._table.hasFocus()
        )
        if focused or self._table.is_chosen(index):
            theme, place = drawing.theme, heat_place(QRectF(option.rect))
            painter.setPen(QPen(theme.accent if focused else theme.text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, _RADIUS, _RADIUS)
        painter.restore()
