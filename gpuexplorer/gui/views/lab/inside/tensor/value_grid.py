"""ValueGrid: the values of a tensor as coloured cells; only those that are seen are there."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.paint.value_scale import ValueScale
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.inside.tensor.cell_window import CellWindow
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.inside.values import exact_text, place_text, writing_of
from gpuexplorer.lab.events import Peeked

_HEIGHT, _MOST_HEIGHT, _LEAST_WIDTH, _MOST_WIDTH = 27.0, 40.0, 44.0, 96.0
_HEAD, _GAP, _PADDING, _RADIUS = 20.0, 1.0, 5.0, 3.0
_WHEEL, _ROWS_A_TURN = 120, 3
_MOST_SHOWN = 64  # rows and columns that are looked at together


class ValueGrid(Painted):
    """Arrows, page keys, Home and End move the chosen cell; with Ctrl to the very ends."""

    window_wanted = Signal(int, int, int, int)  # row, column, rows, columns
    cell_chosen = Signal()
    scrolled = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._peeked: Peeked | None = None
        self._stamps = Stamps()
        self._window = CellWindow()
        self._writing = writing_of("float32", None, None)
        self._scale = ValueScale(None, None)
        self._width = _LEAST_WIDTH
        self._widest = 0.0  # of the texts
        self._chosen = (0, 0)
        self._first = (0, 0)
        self._turned = 0  # of the wheel, as long as it was less than a row
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Values"))

    @property
    def size_of_plane(self) -> tuple[int, int]:
        return self._window.size

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
        return self._window.value(*self._chosen)

    def chosen_words(self) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        peeked = self._peeked
        if peeked is None or not all(self._window.size):
            return "", ""
        indices = (*peeked.at[:-2], *self._chosen)
        place = place_text(peeked.what, indices, len(peeked.shape))
        if not self._window.knows(*self._chosen):
            return place, "…"
        return place, exact_text(self.chosen_value, peeked.dtype)

    def fitting(self) -> tuple[int, int]:
        """How many rows and columns there is room for."""
        rows = math.ceil((self.height() - _HEAD) / _HEIGHT)
        columns = math.ceil((self.width() - self._margin()) / self._width)
        return min(_MOST_SHOWN, max(1, rows)), min(_MOST_SHOWN, max(1, columns))

    def whole(self) -> tuple[int, int]:
        """The same, without those that are cut off."""
        rows = int((self.height() - _HEAD) / _HEIGHT)
        columns = int((self.width() - self._margin()) / self._width)
        return min(_MOST_SHOWN, max(1, rows)), min(_MOST_SHOWN, max(1, columns))

    def most_height(self) -> int:
        """More room than this stays empty."""
        return round(_HEAD + max(1, self._window.size[0]) * _MOST_HEIGHT)

    def begin(self) -> None:
        """Something else will be shown: from its beginning, with its own widths."""
        self._peeked = None
        self._window = CellWindow()
        self._chosen = self._first = (0, 0)
        self._width = _LEAST_WIDTH
        self.update()

    def show_values(self, peeked: Peeked) -> None:
        """All of what is shown comes from it; what is still missing is asked for."""
        self._peeked = peeked
        self._window = CellWindow.of(peeked)
        self._writing = writing_of(peeked.dtype, peeked.least, peeked.most)
        self._scale = ValueScale(peeked.least, peeked.most)
        letters = self.look.letters.body
        self._widest = max(letters.width(self._writing.text(each)) for each in self._ends())
        needed = math.ceil(self._widest) + 2 * _PADDING
        self._width = max(_LEAST_WIDTH, self._width, needed)
        self._keep_inside()
        self._tell_chosen()
        self._want()
        self.scrolled.emit()
        self.update()

    def scroll_to(self, row: int, column: int) -> None:
        rows, columns = self._window.size
        fit_rows, fit_columns = self.whole()
        first = (
            min(max(0, row), max(0, rows - fit_rows)),
            min(max(0, column), max(0, columns - fit_columns)),
        )
        if first != self._first:
            self._first = first
            self._want()
            self.scrolled.emit()
            self.update()

    def choose(self, row: int, column: int) -> None:
        rows, columns = self._window.size
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
        self.update()

    def draw(self, drawing: Drawing) -> None:
        rows, columns = self._shown()
        if self._peeked is None or not rows or not columns:
            return
        self._draw_heads(drawing, rows, columns)
        cells = QRectF(self.rect()).adjusted(self._margin(), _HEAD, 0, 0)
        key = (self._window, self._first, self._scale, self._width)
        self._stamps.draw(drawing, "cells", cells, key, self._draw_cells, at_once=True)
        self._draw_chosen(drawing)

    def _draw_cells(self, drawing: Drawing) -> None:
        """Ground by ground and then figure by figure, which is faster than cell by cell."""
        rows, columns = self._shown()
        painter, theme, letters = drawing.painter, drawing.theme, drawing.letters.body
        nothing = faded(theme.text, 0.035)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # noqa: FBT003 - Qt's
        figures: list[tuple[QPointF, str, bool]] = []
        lefts = [round(self._place(rows[0], column).left()) for column in columns]
        width, height = int(self._cell_width() - _GAP), int(self._cell_height() - _GAP)
        to_right = width / 2 + self._widest / 2
        for row in rows:
            top = round(self._place(row, columns[0]).top())
            baseline = top + height / 2 + letters.cap_height / 2
            for column, left in zip(columns, lefts, strict=True):
                value = self._window.value(row, column)
                fill = self._scale.colour(theme, value)
                painter.fillRect(left, top, width, height, nothing if fill is None else fill)
                if self._window.knows(row, column):
                    text = self._writing.text(value)
                    point = QPointF(left + to_right - letters.width(text), baseline)
                    figures.append((point, text, fill is not None))
        painter.setFont(letters.font)
        for has_colour, ink in ((True, theme.text), (False, theme.quiet)):
            painter.setPen(ink)
            for point, text, coloured in figures:
                if coloured is has_colour:
                    painter.drawText(point, text)

    def _draw_heads(self, drawing: Drawing, rows: range, columns: range) -> None:
        theme, letters = drawing.theme, drawing.letters
        margin = self._margin()
        for column in columns:
            chosen = column == self._chosen[1]
            run = Run(
                str(column),
                letters.badge if chosen else letters.caption,
                theme.text if chosen else theme.faint,
            )
            place = self._place(rows[0], column)
            drawing.text(place.center().x() - run.width / 2, _HEAD - 7, run)
        for row in rows:
            chosen = row == self._chosen[0]
            run = Run(
                str(row),
                letters.badge if chosen else letters.caption,
                theme.text if chosen else theme.faint,
            )
            middle = self._place(row, columns[0]).center().y()
            baseline = middle + letters.caption.cap_height / 2
            drawing.text(margin - 8 - run.width, baseline, run)

    def _draw_chosen(self, drawing: Drawing) -> None:
        rows, columns = self._shown()
        row, column = self._chosen
        if row not in rows or column not in columns:
            return
        place = self._place(row, column).adjusted(-0.5, -0.5, 0.5, 0.5)
        colour = drawing.theme.accent if self.hasFocus() else drawing.theme.text
        drawing.painter.setPen(QPen(colour, 2.0))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)

    def _shown(self) -> tuple[range, range]:
        rows, columns = self._window.size
        fit_rows, fit_columns = self.fitting()
        first_row, first_column = self._first
        return (
            range(first_row, min(rows, first_row + fit_rows)),
            range(first_column, min(columns, first_column + fit_columns)),
        )

    def _place(self, row: int, column: int) -> QRectF:
        width = self._cell_width()
        left = self._margin() + (column - self._first[1]) * width
        height = self._cell_height()
        top = _HEAD + (row - self._first[0]) * height
        return QRectF(left, top, width - _GAP, height - _GAP)

    def _cell_width(self) -> float:
        """Few columns may be wider than they need."""
        columns = self._window.size[1]
        if not columns:
            return self._width
        room = (self.width() - self._margin()) / columns
        return math.floor(max(self._width, min(room, max(self._width, _MOST_WIDTH))))

    def _cell_height(self) -> float:
        rows = self._window.size[0]
        room = (self.height() - _HEAD) / rows if rows else _HEIGHT
        return math.floor(max(_HEIGHT, min(room, _MOST_HEIGHT)))

    def _margin(self) -> float:
        """For the row numbers."""
        last = max(0, self._window.size[0] - 1)
        return math.ceil(self.look.letters.badge.width(str(last))) + 16

    def _ends(self) -> list[float | None]:
        """The widest text is one of these: values seen, and the ends of all."""
        peeked = self._peeked
        assert peeked is not None
        seen = [each for row in peeked.rows for each in row]
        return [*seen, peeked.least, peeked.most]

    def _keep_inside(self) -> None:
        rows, columns = self._window.size
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
        if self._peeked is None or not rows or not columns:
            return
        if not self._window.holds(rows, columns):
            self.window_wanted.emit(rows[0], columns[0], *self.fitting())

    def _tell_chosen(self) -> None:
        place, value = self.chosen_words()
        chosen = tr("{place} is {value}", place=place, value=value)
        self.setAccessibleDescription(chosen if place else tr("No values"))
        self.cell_chosen.emit()

    def _at(self, point: QPointF) -> tuple[int, int] | None:
        rows, columns = self._shown()
        row = self._first[0] + math.floor((point.y() - _HEAD) / self._cell_height())
        column = self._first[1] + math.floor((point.x() - self._margin()) / self._cell_width())
        return (row, column) if row in rows and column in columns else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, column = self._chosen
        rows, columns = self._window.size
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._peeked is not None:
            self._keep_inside()
            self._want()
            self.scrolled.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(480, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, round(_HEAD + 3 * _HEIGHT))
