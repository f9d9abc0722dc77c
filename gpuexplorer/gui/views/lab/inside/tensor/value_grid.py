"""ValueGrid: the values of a tensor as coloured cells; only those that are seen are there."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.inside.tensor.value_scale import ValueScale
from gpuexplorer.gui.wording.lab.inside.values import exact_text, place_text, writing_of
from gpuexplorer.lab.events import Peeked

_HEIGHT, _MOST_HEIGHT, _LEAST_WIDTH, _MOST_WIDTH = 27, 40, 44, 96
_HEAD, _PADDING, _RADIUS = 20, 5, 3.0
_WHEEL, _ROWS_A_TURN = 120, 3
_MOST_SHOWN = 64  # rows and columns that are looked at together


class ValueGrid(Graph):
    """Arrows, page keys, Home and End move the chosen cell; with Ctrl to the very ends."""

    window_wanted = Signal(int, int, int, int)  # row, column, rows, columns
    cell_chosen = Signal()
    scrolled = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows, self._columns = (
            Axis(look, "left", lines=False),
            Axis(look, "top", lines=False),
        )
        self._columns.setHeight(_HEAD)
        self._view = self.add_plot(1, left=self._rows)
        self.grid.addItem(self._columns, 0, 1)
        self._columns.linkToView(self._view)
        self._image = pg.ImageItem(axisOrder="row-major", levels=(0, 1))
        self._view.addItem(self._image)
        self._cells = self.add_sheet(self._draw_cells)
        self._peeked: Peeked | None = None
        self._scale = ValueScale(None, None)
        self._writing = writing_of("float32", None, None)
        self._width = _LEAST_WIDTH
        self._widest = 0.0  # of the texts
        self._chosen = (0, 0)
        self._first = (0, 0)
        self._turned = 0  # of the wheel, as long as it was less than a row
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Values"))

    @property
    def size_of_plane(self) -> tuple[int, int]:
        if self._peeked is None or 0 in self._peeked.shape:
            return 0, 0
        rows, columns = (1, 1, *self._peeked.shape)[-2:]
        return rows, columns

    @property
    def first(self) -> tuple[int, int]:
        """Row and column at the top and at the left."""
        return self._first

    @property
    def chosen(self) -> tuple[int, int]:
        return self._chosen

    @property
    def chosen_value(self) -> float | None:
        """None for what is no number, or is not known yet."""
        return self._value(*self._chosen) if self._knows(*self._chosen) else None

    def chosen_words(self) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        return self._words(*self._chosen)

    def fitting(self) -> tuple[int, int]:
        """How many rows and columns there is room for."""
        rows = math.ceil((self.height() - _HEAD) / _HEIGHT)
        columns = math.ceil((self.width() - self._margin()) / self._width)
        return min(_MOST_SHOWN, max(1, rows)), min(_MOST_SHOWN, max(1, columns))

    def whole(self) -> tuple[int, int]:
        """The same, without those that are cut off."""
        rows = (self.height() - _HEAD) // _HEIGHT
        columns = (self.width() - self._margin()) // self._width
        return min(_MOST_SHOWN, max(1, rows)), min(_MOST_SHOWN, max(1, columns))

    def most_height(self) -> int:
        """More room than this stays empty."""
        return _HEAD + max(1, self.size_of_plane[0]) * _MOST_HEIGHT

    def begin(self) -> None:
        """Something else will be shown: from its beginning, with its own widths."""
        self._peeked = None
        self._chosen = self._first = (0, 0)
        self._width = _LEAST_WIDTH
        self._image.clear()
        self._lay_out()

    def show_values(self, peeked: Peeked) -> None:
        """All of what is shown comes from it; what is still missing is asked for."""
        self._peeked = peeked
        self._writing = writing_of(peeked.dtype, peeked.least, peeked.most)
        self._scale = ValueScale(peeked.least, peeked.most)
        letters = self.look.letters.body
        # The widest text is one of these: values seen, and the ends of all.
        seen = [each for row in peeked.rows for each in row]
        self._widest = max(
            letters.width(self._writing.text(each))
            for each in (*seen, peeked.least, peeked.most)
        )
        self._width = max(self._width, math.ceil(self._widest) + 2 * _PADDING)
        self._show_image(peeked)
        self._keep_inside()
        self._tell_chosen()
        self._want()
        self.scrolled.emit()
        self._lay_out()

    def scroll_to(self, row: int, column: int) -> None:
        rows, columns = self.size_of_plane
        fit_rows, fit_columns = self.whole()
        first = (
            min(max(0, row), max(0, rows - fit_rows)),
            min(max(0, column), max(0, columns - fit_columns)),
        )
        if first != self._first:
            self._first = first
            self._want()
            self.scrolled.emit()
            self._lay_out()

    def choose(self, row: int, column: int) -> None:
        rows, columns = self.size_of_plane
        if not rows or not columns:
            return
        row, column = min(max(0, row), rows - 1), min(max(0, column), columns - 1)
        self._chosen = (row, column)
        fit_rows, fit_columns = self.whole()
        self.scroll_to(
            min(max(self._first[0], row - fit_rows + 1), row),
            min(max(self._first[1], column - fit_columns + 1), column),
        )
        self._tell_chosen()
        self._lay_out()

    def dress(self) -> None:
        self._image.setLookupTable(self._scale.colours(self.look.theme))

    def _show_image(self, peeked: Peeked) -> None:
        """Rows go up in a view: row 0 lies from -1 to 0."""
        values = np.array(peeked.rows, float)
        row, column = (0, 0, *peeked.at)[-2:]
        if values.size:
            down, across = values.shape
            self._image.setImage(self._scale.shares(values)[::-1], levels=(0, 1))
            self._image.setRect(QRectF(column, -row - down, across, down))
        self.dress()

    def _lay_out(self) -> None:
        """Cells of whole pixels, from the first row and column on."""
        rows, columns = self._shown()
        margin, (chosen_row, chosen_column) = self._margin(), self._chosen
        across = (self.width() - margin) / self._cell_width()
        down = (self.height() - _HEAD) / self._cell_height()
        top, left = self._first
        self._rows.setWidth(margin)
        self._rows.show_ticks([(-row - 0.5, str(row)) for row in rows], -chosen_row - 0.5)
        heads = [(column + 0.5, str(column)) for column in columns]
        self._columns.show_ticks(heads, chosen_column + 0.5)
        self._view.setRange(xRange=(left, left + across), yRange=(-top - down, -top), padding=0)
        self._cells.put(QRectF(self.rect()).adjusted(margin, _HEAD, 0, 0))

    def _draw_cells(self, drawing: Drawing) -> None:
        """Over the colours: the gaps, the figures, and what is no finite number."""
        rows, columns = self._shown()
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.body
        width, height = self._cell_width(), self._cell_height()
        odd = QBrush(faded(theme.text, 0.16), Qt.BrushStyle.BDiagPattern)
        painter.translate(self._margin(), _HEAD)
        painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
        painter.setFont(letters.font)
        for row in rows:
            top = (row - self._first[0]) * height
            baseline = top + (height - 1 + letters.cap_height) / 2
            for column in columns:
                left = (column - self._first[1]) * width
                if not self._knows(row, column):
                    painter.fillRect(left, top, width, height, faded(theme.text, 0.035))
                    continue
                value = self._value(row, column)
                finite = value is not None and math.isfinite(value)
                if not finite:
                    painter.fillRect(left, top, width, height, odd)
                text = self._writing.text(value)
                right = left + (width - 1 + self._widest) / 2
                painter.setPen(theme.text if finite else theme.quiet)
                painter.drawText(QPointF(right - letters.width(text), baseline), text)
        across, down = len(columns) * width, len(rows) * height
        for each in range(1, len(columns) + 1):
            painter.fillRect(each * width - 1, 0, 1, down, theme.surface)
        for each in range(1, len(rows) + 1):
            painter.fillRect(0, each * height - 1, across, 1, theme.surface)
        row, column = self._chosen
        if row in rows and column in columns:
            left, top = (column - self._first[1]) * width, (row - self._first[0]) * height
            place = QRectF(left + 1, top + 1, width - 3, height - 3)
            painter.setRenderHint(painter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent if self.hasFocus() else theme.text, 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, _RADIUS, _RADIUS)

    def _knows(self, row: int, column: int) -> bool:
        if self._peeked is None:
            return False
        first_row, first_column = (0, 0, *self._peeked.at)[-2:]
        down, across, rows = row - first_row, column - first_column, self._peeked.rows
        return 0 <= down < len(rows) and 0 <= across < len(rows[down])

    def _value(self, row: int, column: int) -> float | None:
        """Of a cell that is known; None for what is no number."""
        assert self._peeked is not None
        first_row, first_column = (0, 0, *self._peeked.at)[-2:]
        return self._peeked.rows[row - first_row][column - first_column]

    def _words(self, row: int, column: int) -> tuple[str, str]:
        peeked = self._peeked
        if peeked is None or not all(self.size_of_plane):
            return "", ""
        place = place_text(peeked.what, (*peeked.at[:-2], row, column), len(peeked.shape))
        if not self._knows(row, column):
            return place, "…"
        return place, exact_text(self._value(row, column), peeked.dtype)

    def _shown(self) -> tuple[range, range]:
        rows, columns = self.size_of_plane
        fit_rows, fit_columns = self.fitting()
        first_row, first_column = self._first
        return (
            range(first_row, min(rows, first_row + fit_rows)),
            range(first_column, min(columns, first_column + fit_columns)),
        )

    def _cell_width(self) -> int:
        """Few columns may be wider than they need."""
        room: int = (self.width() - self._margin()) // max(1, self.size_of_plane[1])
        return max(self._width, min(room, _MOST_WIDTH))

    def _cell_height(self) -> int:
        room: int = (self.height() - _HEAD) // max(1, self.size_of_plane[0])
        return max(_HEIGHT, min(room, _MOST_HEIGHT))

    def _margin(self) -> int:
        """For the row numbers."""
        last = max(0, self.size_of_plane[0] - 1)
        return math.ceil(self.look.letters.badge.width(str(last))) + 16

    def _keep_inside(self) -> None:
        rows, columns = self.size_of_plane
        row, column = self._chosen
        self._chosen = (min(row, max(0, rows - 1)), min(column, max(0, columns - 1)))
        fit_rows, fit_columns = self.whole()
        self._first = (
            min(self._first[0], max(0, rows - fit_rows)),
            min(self._first[1], max(0, columns - fit_columns)),
        )

    def _want(self) -> None:
        """What is seen and not known is asked for."""
        rows, columns = self._shown()
        if not rows or not columns:
            return
        if not (self._knows(rows[0], columns[0]) and self._knows(rows[-1], columns[-1])):
            self.window_wanted.emit(rows[0], columns[0], *self.fitting())

    def _tell_chosen(self) -> None:
        self.setAccessibleDescription(_said(*self.chosen_words()))
        self.cell_chosen.emit()

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        rows, columns = self._shown()
        row = self._first[0] + math.floor((point.y() - _HEAD) / self._cell_height())
        column = self._first[1] + math.floor((point.x() - self._margin()) / self._cell_width())
        return (row, column) if row in rows and column in columns else None

    def viewportEvent(self, event: QEvent) -> bool:
        """Pointing at a cell asks for all its digits."""
        if not isinstance(event, QHelpEvent) or event.type() is not QEvent.Type.ToolTip:
            return bool(super().viewportEvent(event))
        cell = self._at(QPointF(event.pos()))
        said = "" if cell is None else _said(*self._words(*cell))
        QToolTip.showText(event.globalPos(), said, self)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, column = self._chosen
        rows, columns = self.size_of_plane
        page = max(1, self.whole()[0] - 1)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Up:
                self.choose(0 if control else row - 1, column)
            case Qt.Key.Key_Down:
                self.choose(rows - 1 if control else row + 1, column)
            case Qt.Key.Key_Left:
                self.choose(row, 0 if control else column - 1)
            case Qt.Key.Key_Right:
                self.choose(row, columns - 1 if control else column + 1)
            case Qt.Key.Key_PageUp:
                self.choose(row - page, column)
            case Qt.Key.Key_PageDown:
                self.choose(row + page, column)
            case Qt.Key.Key_Home:
                self.choose(0 if control else row, 0)
            case Qt.Key.Key_End:
                self.choose(rows - 1 if control else row, columns - 1)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        if cell is not None and event.button() is Qt.MouseButton.LeftButton:
            self.choose(*cell)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or turn.y() == 0
        before = self._first
        # Fine wheels turn by less than a row at a time.
        self._turned += _ROWS_A_TURN * (turn.y() or turn.x())
        move = -int(self._turned / _WHEEL)
        self._turned += move * _WHEEL
        row, column = before
        if sideways:
            self.scroll_to(row, column + move)
        else:
            self.scroll_to(row + move, column)
        # At its end the page around it moves on.
        event.setAccepted(self._first != before)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None and self._peeked is not None:
            self._keep_inside()
            self._want()
            self.scrolled.emit()
            self._lay_out()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._cells.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._cells.update()

    def sizeHint(self) -> QSize:
        return QSize(480, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, _HEAD + 3 * _HEIGHT)


def _said(place: str, value: str) -> str:
    return tr("{place} is {value}", place=place, value=value) if place else tr("No values")
