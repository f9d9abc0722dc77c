"""ValueGrid: the values of a tensor as coloured cells; only those that are seen are there."""

import math
from collections.abc import Callable

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
_LEAST_SIDE = 6  # of a cell without its figure
_HEAD, _PADDING, _RADIUS = 20, 5, 3.0
_LEAST_APART, _BESIDE = 16, 10  # the numbers of rows, and of columns
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
        self._known_from = (0, 0)
        self._scale = ValueScale(None, None)
        self._writing = writing_of("float32", None, None)
        self.figures = True
        self._width = _LEAST_WIDTH
        self._widest = 0.0  # of the texts
        self.chosen = (0, 0)
        self.first = (0, 0)  # row and column at the top and at the left
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
    def chosen_value(self) -> float | None:
        """None for what is no number, or is not known yet."""
        return self._value(*self.chosen) if self._knows(*self.chosen) else None

    def chosen_words(self) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        return self._words(*self.chosen)

    def fitting(self) -> tuple[int, int]:
        """How many rows and columns there is room for."""
        return self._fit(math.ceil)

    def whole(self) -> tuple[int, int]:
        """The same, without those that are cut off."""
        return self._fit(math.floor)

    def show_figures(self, figures: bool) -> None:
        """Without them cells are small: up to 64 by 64 are seen together."""
        self.figures = figures
        self._keep_inside()
        self.choose(*self.chosen)
        self._want()
        self.scrolled.emit()
        self._lay_out()

    def most_height(self) -> int:
        """More room than this stays empty."""
        return _HEAD + max(1, self.size_of_plane[0]) * _MOST_HEIGHT

    def begin(self) -> None:
        """Something else will be shown: from its beginning, with its own widths."""
        self._peeked = None
        self.chosen = self.first = (0, 0)
        self._width = _LEAST_WIDTH
        self._image.clear()
        self._lay_out()

    def show_values(self, peeked: Peeked) -> None:
        """All of what is shown comes from it; what is still missing is asked for."""
        self._peeked = peeked
        row, column = (0, 0, *peeked.at)[-2:]
        self._known_from = row, column
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
        if first != self.first:
            self.first = first
            self._want()
            self.scrolled.emit()
            self._lay_out()

    def choose(self, row: int, column: int) -> None:
        rows, columns = self.size_of_plane
        if not rows or not columns:
            return
        row, column = min(max(0, row), rows - 1), min(max(0, column), columns - 1)
        self.chosen = (row, column)
        fit_rows, fit_columns = self.whole()
        self.scroll_to(
            min(max(self.first[0], row - fit_rows + 1), row),
            min(max(self.first[1], column - fit_columns + 1), column),
        )
        self._tell_chosen()
        self._lay_out()

    def dress(self) -> None:
        self._image.setLookupTable(self._scale.colours(self.look.theme))

    def _show_image(self, peeked: Peeked) -> None:
        """Rows go up in a view: row 0 lies from -1 to 0."""
        values = np.array(peeked.rows, float)
        row, column = self._known_from
        if values.size:
            down, across = values.shape
            self._image.setImage(self._scale.shares(values)[::-1], levels=(0, 1))
            self._image.setRect(QRectF(column, -row - down, across, down))
        self.dress()

    def _lay_out(self) -> None:
        """Cells of whole pixels, from the first row and column on."""
        rows, columns = self._shown()
        margin, (chosen_row, chosen_column) = self._margin(), self.chosen
        (width, height), (across, down) = self._cell(), self._room()
        top, left = self.first
        self._rows.setWidth(margin)
        widest = self.look.letters.badge.width(str(self.size_of_plane[1]))
        for axis, shown, each, least, chosen in (
            (self._rows, rows, height, _LEAST_APART, chosen_row),
            (self._columns, columns, width, widest + _BESIDE, chosen_column),
        ):
            apart = 2 ** max(0, math.ceil(math.log2(least / each)))
            sign = -1 if axis is self._rows else 1
            ticks = [(sign * (at + 0.5), str(at)) for at in shown if at % apart == 0]
            axis.show_ticks(ticks, sign * (chosen + 0.5))
        self._view.setRange(
            xRange=(left, left + across / width),
            yRange=(-top - down / height, -top),
            padding=0,
        )
        self._cells.put(QRectF(margin, _HEAD, across, down))

    def _draw_cells(self, drawing: Drawing) -> None:
        """Over the colours: the gaps, the figures, and what is no finite number."""
        rows, columns = self._shown()
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.body
        width, height = self._cell()
        # In a small cell hatching would be one line.
        odd = QBrush(faded(theme.text, 0.5))
        if self.figures:
            odd = QBrush(faded(theme.text, 0.16), Qt.BrushStyle.BDiagPattern)
        painter.translate(self._margin(), _HEAD)
        painter.setRenderHint(painter.RenderHint.Antialiasing, on=False)
        painter.setFont(letters.font)
        for row in rows:
            top = (row - self.first[0]) * height
            baseline = top + (height - 1 + letters.cap_height) / 2
            for column in columns:
                left = (column - self.first[1]) * width
                if not self._knows(row, column):
                    painter.fillRect(left, top, width, height, faded(theme.text, 0.035))
                    continue
                value = self._value(row, column)
                finite = value is not None and math.isfinite(value)
                if not finite:
                    painter.fillRect(left, top, width, height, odd)
                if self.figures:
                    text = self._writing.text(value)
                    right = left + (width - 1 + self._widest) / 2
                    painter.setPen(theme.text if finite else theme.quiet)
                    painter.drawText(QPointF(right - letters.width(text), baseline), text)
        across, down = len(columns) * width, len(rows) * height
        for each in range(1, len(columns) + 1):
            painter.fillRect(each * width - 1, 0, 1, down, theme.surface)
        for each in range(1, len(rows) + 1):
            painter.fillRect(0, each * height - 1, across, 1, theme.surface)
        row, column = self.chosen
        if row in rows and column in columns:
            left, top = (column - self.first[1]) * width, (row - self.first[0]) * height
            place = QRectF(left + 1, top + 1, width - 3, height - 3)
            painter.setRenderHint(painter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent if self.hasFocus() else theme.text, 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, _RADIUS, _RADIUS)

    def _knows(self, row: int, column: int) -> bool:
        rows = () if self._peeked is None else self._peeked.rows
        down, across = row - self._known_from[0], column - self._known_from[1]
        return 0 <= down < len(rows) and 0 <= across < len(rows[down])

    def _value(self, row: int, column: int) -> float | None:
        """Of a cell that is known; None for what is no number."""
        assert self._peeked is not None
        return self._peeked.rows[row - self._known_from[0]][column - self._known_from[1]]

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
        first_row, first_column = self.first
        return (
            range(first_row, min(rows, first_row + fit_rows)),
            range(first_column, min(columns, first_column + fit_columns)),
        )

    def _room(self) -> tuple[int, int]:
        """Across and down, for all cells."""
        return max(0, self.width() - self._margin()), max(0, self.height() - _HEAD)

    def _cell(self) -> tuple[int, int]:
        """Width and height; few cells may be larger than they need."""
        (across, down), (rows, columns) = self._room(), self.size_of_plane
        across, down = across // max(1, columns), down // max(1, rows)
        if not self.figures:
            side = max(_LEAST_SIDE, min(across, down, _HEIGHT))
            return side, side
        if not rows or not columns:
            return self._width, _HEIGHT
        width = max(self._width, min(across, _MOST_WIDTH))
        return width, max(_HEIGHT, min(down, _MOST_HEIGHT))

    def _fit(self, whole: Callable[[float], int]) -> tuple[int, int]:
        (width, height), (across, down) = self._cell(), self._room()
        rows, columns = whole(down / height), whole(across / width)
        return min(_MOST_SHOWN, max(1, rows)), min(_MOST_SHOWN, max(1, columns))

    def _margin(self) -> int:
        """For the row numbers."""
        last = max(0, self.size_of_plane[0] - 1)
        return math.ceil(self.look.letters.badge.width(str(last))) + 16

    def _keep_inside(self) -> None:
        rows, columns = self.size_of_plane
        row, column = self.chosen
        self.chosen = (min(row, max(0, rows - 1)), min(column, max(0, columns - 1)))
        fit_rows, fit_columns = self.whole()
        self.first = (
            min(self.first[0], max(0, rows - fit_rows)),
            min(self.first[1], max(0, columns - fit_columns)),
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
        width, height = self._cell()
        row = self.first[0] + math.floor((point.y() - _HEAD) / height)
        column = self.first[1] + math.floor((point.x() - self._margin()) / width)
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
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        far, page = max(self.size_of_plane), max(1, self.whole()[0] - 1)
        one, too = (far, far) if control else (1, 0)
        steps = {
            Qt.Key.Key_Up: (-one, 0),
            Qt.Key.Key_Down: (one, 0),
            Qt.Key.Key_Left: (0, -one),
            Qt.Key.Key_Right: (0, one),
            Qt.Key.Key_PageUp: (-page, 0),
            Qt.Key.Key_PageDown: (page, 0),
            Qt.Key.Key_Home: (-too, -far),
            Qt.Key.Key_End: (too, far),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(self.chosen[0] + step[0], self.chosen[1] + step[1])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._at(event.position())
        if cell is not None and event.button() is Qt.MouseButton.LeftButton:
            self.choose(*cell)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or turn.y() == 0
        before = self.first
        # Fine wheels turn by less than a row at a time.
        self._turned += _ROWS_A_TURN * (turn.y() or turn.x())
        move = -int(self._turned / _WHEEL)
        self._turned += move * _WHEEL
        row, column = before
        self.scroll_to(row + (0 if sideways else move), column + (move if sideways else 0))
        # At its end the page around it moves on.
        event.setAccepted(self.first != before)

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
