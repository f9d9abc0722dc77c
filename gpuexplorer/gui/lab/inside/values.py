"""Values of a tensor: how they are written and coloured, and a table of those seen."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QBrush, QImage, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from gpuexplorer.core.units import grouped, memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.lab.events import Peeked

_DIGITS = {"float64": 15, "float16": 4, "bfloat16": 3}
_GROUPED_BELOW = 1 << 20
MOST = 100_000  # rows and columns of one table; fields lead to the others
_HEIGHT, _LEAST_WIDTH, _HEAD = 27, 44, 20  # of a cell; of the numbers above
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_TOP, _ROLE, _ACROSS = QModelIndex(), Qt.ItemDataRole, Qt.Orientation.Horizontal


def writing_of(dtype: str, least: float | None, most: float | None) -> str:
    """The form in which Python writes all values of a tensor, so that they can be compared, by
    the largest there is; empty: true or false.
    """
    if dtype == "bool" or dtype.startswith(("int", "uint")):
        return "" if dtype == "bool" else ".0f"
    reach = max(abs(least or 0.0), abs(most or 0.0))
    power = math.floor(math.log10(reach)) if reach else 0
    if not -3 <= power < 6:
        return ".1e"
    return f".{max(0, min(2, 4 - power)) if power >= 0 else max(3, 1 - power)}f"


def written(value: float | None, form: str) -> str:
    if value is None or math.isnan(value):
        return "NaN"
    if not form and math.isfinite(value):
        return str(bool(value))
    number, power, exponent = format(value, form).partition("e")
    return (f"{number}e{int(exponent)}" if power else number).replace("-", "\N{MINUS SIGN}")


def value_text(value: float | None, dtype: str, digits: int = 0) -> str:
    """By itself, with all the digits that a value of this type has, or with so many."""
    if value is None:
        return tr("none")
    form = writing_of(dtype, None, None)
    return written(value, f".{digits or _DIGITS.get(dtype, 7)}g" if form == ".2f" else form)


def shape_text(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) or tr("one number")


def bytes_text(count: int) -> str:
    """To the byte as long as people can read it."""
    return f"{grouped(count)} B" if count < _GROUPED_BELOW else str(memory(count))


class ValueScale(NamedTuple):
    """Around zero violet below and ochre above, equally far; of one sign weak to strong."""

    least: float | None
    most: float | None

    @property
    def around_zero(self) -> bool:
        return self.least is not None and self.most is not None and self.least < 0 < self.most

    def shares(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where each lies among the colours, from 0 to 1; NaN for what is not finite."""
        if self.least is None or self.most is None:
            return np.full(values.shape, np.nan)
        high = max(-self.least, self.most) if self.around_zero else self.most
        low = -high if self.around_zero else self.least
        finite = np.where(np.isfinite(values), values, np.nan)
        return (
            finite * 0 + (0.5 if low else 0.0) if low == high else (finite - low) / (high - low)
        )

    def colours(self, theme: Theme) -> NDArray[np.uint8]:
        """256 of them, red, green and blue in each row."""
        shares, heat = np.linspace(0.0, 1.0, 256), theme.heat
        # What lies farthest from zero is strongest, on either side of it.
        if self.around_zero:
            found = [theme.around_zero(2 * share - 1) for share in shares]
        else:
            falling = self.least is not None and self.least < 0
            found = [heat(share) for share in (shares[::-1] if falling else shares)]
        return np.array([(each.red(), each.green(), each.blue()) for each in found], np.uint8)


class ValueModel(QAbstractTableModel):
    """One plane of a tensor, from `origin` on; known is the window that was looked at last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.peeked: Peeked | None = None
        self.values: NDArray[np.float64] = np.empty((0, 0))
        self.first = self.origin = self._size = (0, 0)  # `first`: where the values begin
        self.form = ".2f"

    def show(self, peeked: Peeked | None, origin: tuple[int, int]) -> None:
        size = 0, 0
        if peeked is not None:
            rows, columns = (1, 1, *peeked.shape)[-2:] if all(peeked.shape) else (0, 0)
            size = min(MOST, rows - origin[0]), min(MOST, columns - origin[1])
        anew = (size, origin) != (self._size, self.origin)
        if anew:
            self.beginResetModel()
        self.peeked, self.origin, self._size = peeked, origin, size
        if peeked is not None:
            row, column = (0, 0, *peeked.at)[-2:]
            self.first = row - origin[0], column - origin[1]
            self.values = np.array(peeked.rows, float, ndmin=2)
            self.form = writing_of(peeked.dtype, peeked.least, peeked.most)
        if anew:
            self.endResetModel()

    def value(self, row: int, column: int) -> float | None:
        """None: it is not known yet."""
        down, across = row - self.first[0], column - self.first[1]
        known = 0 <= down < self.values.shape[0] and 0 <= across < self.values.shape[1]
        return float(self.values[down, across]) if known else None

    def words(self, row: int, column: int) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        if (peeked := self.peeked) is None or not all(self._size):
            return "", ""
        at = (*peeked.at[:-2], row + self.origin[0], column + self.origin[1])
        indices = ", ".join(map(str, at[-len(peeked.shape) :]))
        value = self.value(row, column)
        text = "…" if value is None else value_text(value, peeked.dtype)
        return f"{peeked.what}[{indices}]" if peeked.shape else peeked.what, text

    def said(self, row: int, column: int) -> str:
        place, value = self.words(row, column)
        return tr("{place} is {value}", place=place, value=value) if place else tr("No values")

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[0]

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[1]

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        if role in (_ROLE.AccessibleTextRole, _ROLE.ToolTipRole):
            return self.said(index.row(), index.column())
        value = self.value(index.row(), index.column()) if role == _ROLE.DisplayRole else None
        return None if value is None else written(value, self.form)

    def headerData(self, at: int, way: Qt.Orientation, role: int = _ROLE.DisplayRole) -> object:
        return str(at + self.origin[way is _ACROSS]) if role == _ROLE.DisplayRole else None


class ValueGrid(QTableView):
    """Paints all its cells at once: so many delegates would take too long."""

    window_wanted = Signal(int, int, int, int)  # row, column, rows, columns
    cell_chosen = Signal(str, str, object)  # its place, its text, its value or None

    def __init__(self) -> None:
        super().__init__()
        self.figures = True
        self._values = ValueModel(self)
        self._scale = ValueScale(None, None)
        self._shares: NDArray[np.float64] = np.empty((0, 0))
        self._picture = QImage()  # of the shares, a pixel each
        self._widest = 0.0  # of the texts
        self._soon = QTimer(self, singleShot=True, interval=0)  # both bars may move at once
        self._soon.timeout.connect(self._want)
        self.setModel(self._values)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setMinimumSectionSize(1)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            header.setProperty("kind", "values")
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerItem)
        self.setAccessibleName(tr("Values"))
        bars = self.verticalScrollBar(), self.horizontalScrollBar()
        for bar, name in zip(bars, (tr("Rows"), tr("Columns")), strict=True):
            bar.setAccessibleName(name)
            bar.valueChanged.connect(self._soon.start)
        look().changed.connect(self._dress)
        self.selectionModel().currentChanged.connect(self._tell_chosen)
        self._lay_out()

    def window_seen(self) -> tuple[int, int, int, int]:
        """Row and column at the top and at the left, in the whole plane; how many of each."""
        room, (down, across) = self.viewport(), self._values.origin
        row, column = max(0, self.rowAt(0)) + down, max(0, self.columnAt(0)) + across
        wide = self.horizontalHeader().defaultSectionSize()
        high = self.verticalHeader().defaultSectionSize()
        return row, column, 1 + -(-room.height() // high), 1 + -(-room.width() // wide)

    def show_figures(self, figures: bool) -> None:
        """Without them cells are small: up to 64 by 64 are seen together."""
        self.figures = figures
        self.horizontalHeader().setVisible(figures)
        self.verticalHeader().setVisible(figures)
        self._lay_out()
        self._dress()
        self.scrollTo(self.currentIndex())
        self._soon.start()

    def show_values(self, peeked: Peeked | None, origin: tuple[int, int] = (0, 0)) -> None:
        """All of what is shown comes from it; what is still missing is asked for."""
        values = self._values
        values.show(peeked, origin)
        if peeked is None:
            return
        if not self.currentIndex().isValid():
            self.setCurrentIndex(values.index(0, 0))
        self._scale = ValueScale(peeked.least, peeked.most)
        self._shares = self._scale.shares(values.values)
        # The widest text is one of these: values seen, and the ends of all.
        ends = [each for each in (peeked.least, peeked.most) if each is not None]
        texts = (written(each, values.form) for each in (*values.values.flat, *ends))
        self._widest = max(map(look().letters.body.width, texts), default=0.0)
        last = str(values.origin[1] + max(0, values.columnCount() - 1))
        self._widest = max(self._widest, look().letters.caption.width(last))
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setMaximumHeight(_HEAD + values.rowCount() * _HEIGHT + bar)
        self._lay_out()
        self._dress()
        self._tell_chosen()

    def _dress(self) -> None:
        theme = look().theme
        odd = theme.surface if self.figures else mixed(theme.surface, theme.text, 0.5)
        colours = [*self._scale.colours(theme), (odd.red(), odd.green(), odd.blue())]
        shades = np.nan_to_num(np.round(self._shares * 255), nan=256).astype(np.intp)
        pixels, (high, wide) = np.array(colours, np.uint8)[shades], shades.shape
        form = QImage.Format.Format_RGB888
        self._picture = QImage(pixels.tobytes(), wide, high, 3 * wide, form).copy()
        self.viewport().update()

    def _lay_out(self) -> None:
        """Without figures up to 64 by 64 cells are seen together."""
        wide, high = max(_LEAST_WIDTH, math.ceil(self._widest) + 10), _HEIGHT
        if not self.figures:
            rows, columns = (
                min(64, max(1, each))
                for each in (self._values.rowCount(), self._values.columnCount())
            )
            room = min(self.width() // columns, self.height() // rows)
            wide = high = max(1, min(room, _HEIGHT))
        self.horizontalHeader().setDefaultSectionSize(wide)
        self.verticalHeader().setDefaultSectionSize(high)

    def _want(self) -> None:
        """What is seen and not known is asked for."""
        values, (row, column, down, across) = self._values, self.window_seen()
        if not (values.rowCount() and values.columnCount() and self.isVisible()):
            return
        top, left = row - values.origin[0], column - values.origin[1]
        bottom = min(values.rowCount(), top + down) - 1
        right = min(values.columnCount(), left + across) - 1
        if None in (values.value(top, left), values.value(bottom, right)):
            self.window_wanted.emit(row, column, down, across)

    def _tell_chosen(self) -> None:
        place = self.currentIndex().row(), self.currentIndex().column()
        self.setAccessibleDescription(self._values.said(*place))
        self.cell_chosen.emit(*self._values.words(*place), self._values.value(*place))
        self._soon.start()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, values = look().theme, self._values
        wide, high, (rows, columns) = self.columnWidth(0), self.rowHeight(0), self._shares.shape
        begin = QPoint(self.columnViewportPosition(0), self.rowViewportPosition(0))
        whole = QRect(begin, QSize(values.columnCount() * wide, values.rowCount() * high))
        if values.peeked is None or whole.isEmpty():
            return
        corner = begin + QPoint(values.first[1] * wide, values.first[0] * high)
        known = QRect(corner, QSize(columns * wide, rows * high))
        with QPainter(self.viewport()) as painter:
            # What is not known yet is a ground without cells.
            painter.fillRect(whole & self.viewport().rect(), faded(theme.text, 0.035))
            painter.drawImage(known, self._picture)
            for x in range(known.left() + wide - 1, known.right() + 1, wide):
                painter.fillRect(x, known.top(), 1, known.height(), theme.surface)
            for y in range(known.top() + high - 1, known.bottom() + 1, high):
                painter.fillRect(known.left(), y, known.width(), 1, theme.surface)
            for (down, across), share in np.ndenumerate(self._shares) if self.figures else ():
                cell = QRect(corner.x() + across * wide, corner.y() + down * high, wide, high)
                if cell.intersects(event.rect()):
                    value = float(values.values[down, across])
                    self._write(painter, cell, written(value, values.form), math.isnan(share))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent if self.hasFocus() else theme.text, 2.0))
            chosen = QRectF(self.visualRect(self.currentIndex()))
            painter.drawRoundedRect(chosen.adjusted(1, 1, -2, -2), 3, 3)

    def _write(self, painter: QPainter, cell: QRect, text: str, odd: bool) -> None:
        """What is no finite number is hatched."""
        theme, beside = look().theme, round((cell.width() - self._widest) / 2)
        if odd:
            hatch = QBrush(faded(theme.text, 0.16), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(cell.adjusted(0, 0, -1, -1), hatch)
        painter.setFont(look().letters.body.font)
        painter.setPen(theme.quiet if odd else theme.text)
        painter.drawText(cell.adjusted(0, 0, -1 - beside, -1), _RIGHT, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self._soon.start()
