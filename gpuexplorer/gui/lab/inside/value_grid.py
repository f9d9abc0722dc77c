"""ValueGrid: the values of a tensor as a table of coloured cells; what is seen is asked for."""

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.lab.inside.value_model import ValueModel, said
from gpuexplorer.gui.lab.inside.value_scale import ValueScale
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index, draw_picture, picture_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded, mixed
from gpuexplorer.lab.events import Peeked

_HEIGHT, _MOST_HEIGHT, _LEAST_WIDTH, _MOST_WIDTH = 27, 40, 44, 96
_LEAST_SIDE = 6  # of a cell without its figure
_HEAD, _PADDING, _RADIUS = 20, 5, 3.0
_LEAST_APART, _BESIDE = 16, 10  # the numbers of rows, and of columns
_MOST_SEEN = 64  # rows and columns that are looked at together


class ValueGrid(QTableView):
    """Arrows, page keys, Home and End move the chosen cell; with Ctrl to the very ends."""

    window_wanted = Signal(int, int, int, int)  # row, column, rows, columns
    cell_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self.figures = True
        self._values = ValueModel(self)
        self._scale = ValueScale(None, None)
        self._shares: NDArray[np.float64] = np.empty((0, 0))
        self._colours: list[QColor] = []
        self._picture = QImage()  # of the shares, a pixel each
        self.widest = 0.0  # of the texts
        self._soon = QTimer(self, singleShot=True, interval=0)  # both bars may move at once
        self._soon.timeout.connect(self._want)
        self.setModel(self._values)
        self.setItemDelegate(_ValueCell(self))
        self.setHorizontalHeader(_Numbers(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(_Numbers(Qt.Orientation.Vertical, self))
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerItem)
        self.setProperty("panel", "clear")
        self.setAccessibleName(tr("Values"))
        for bar, name in (
            (self.verticalScrollBar(), tr("Rows")),
            (self.horizontalScrollBar(), tr("Columns")),
        ):
            bar.setAccessibleName(name)
            bar.valueChanged.connect(self._soon.start)
        look().changed.connect(self.dress)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    @property
    def chosen_words(self) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        return self._values.words(*self._chosen())

    @property
    def chosen_value(self) -> float | None:
        """None for what is no number, or is not known yet."""
        return self._values.value(*self._chosen())

    @property
    def cut_off(self) -> bool:
        """Whether there is more than is seen."""
        bars = (self.verticalScrollBar(), self.horizontalScrollBar())
        return any(each.maximum() > 0 for each in bars)

    def window_seen(self) -> tuple[int, int, int, int]:
        """Row and column at the top and at the left, in the whole plane; how many of each."""
        row, column = max(0, self.rowAt(0)), max(0, self.columnAt(0))
        width, height = self._cell()
        room, (down, across) = self.viewport().size(), self._values.origin
        return (
            row + down,
            column + across,
            min(_MOST_SEEN, 1 + math.ceil(room.height() / height)),
            min(_MOST_SEEN, 1 + math.ceil(room.width() / width)),
        )

    def show_figures(self, figures: bool) -> None:
        """Without them cells are small: up to 64 by 64 are seen together."""
        self.figures = figures
        self._lay_out()
        self.updateGeometries()
        self.scrollTo(self.currentIndex())
        self._soon.start()

    def most_height(self) -> int:
        """More room than this stays empty."""
        bar = self.horizontalScrollBar().sizeHint().height()
        return _HEAD + max(1, self._values.rowCount()) * _MOST_HEIGHT + bar

    def begin(self) -> None:
        """Something else will be shown, from its beginning."""
        self._values.show(None, (0, 0))

    def show_values(self, peeked: Peeked, origin: tuple[int, int]) -> None:
        """All of what is shown comes from it; what is still missing is asked for."""
        self._values.show(peeked, origin)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self._values.index(0, 0))
        self._scale = ValueScale(peeked.least, peeked.most)
        self._shares = self._scale.shares(np.array(peeked.rows, float, ndmin=2))
        letters, writing = self.look.letters.body, self._values.writing
        # The widest text is one of these: values seen, and the ends of all.
        seen = [each for row in peeked.rows for each in row]
        texts = (writing.text(each) for each in (*seen, peeked.least, peeked.most))
        self.widest = max(map(letters.width, texts))
        self._lay_out()
        self.dress()
        self._tell_chosen()
        self._soon.start()

    def colour(self, row: int, column: int) -> QColor | None:
        """None for what is no finite number, or is not known yet."""
        place = self._values.window_place(row, column)
        share = math.nan if place is None else self._shares[place]
        return None if math.isnan(share) else self._colours[round(share * 255)]

    def dress(self) -> None:
        theme = self.look.theme
        self._colours = [QColor(*map(int, each)) for each in self._scale.colours(theme)]
        shades = np.nan_to_num(np.round(self._shares * 255), nan=256).astype(np.intp)
        not_finite = mixed(theme.surface, theme.text, 0.5)
        self._picture = picture_of([*self._colours, not_finite], shades)
        self.viewport().update()

    def _lay_out(self) -> None:
        for header, size in zip(
            (self.horizontalHeader(), self.verticalHeader()), self._cell(), strict=True
        ):
            if header.defaultSectionSize() != size:
                header.setDefaultSectionSize(size)
        last = self._values.origin[0] + max(0, self._values.rowCount() - 1)
        margin = math.ceil(self.look.letters.badge.width(str(last))) + 16
        self.verticalHeader().setFixedWidth(margin)

    def _cell(self) -> tuple[int, int]:
        """Width and height; few cells may be larger than they need."""
        room, rows, columns = self._room(), self._values.rowCount(), self._values.columnCount()
        across, down = room.width() // max(1, columns), room.height() // max(1, rows)
        # No more are seen than are looked at together, cut ones at both ends among them.
        wide = math.ceil(room.width() / (_MOST_SEEN - 1)) if columns > _MOST_SEEN else 0
        high = math.ceil(room.height() / (_MOST_SEEN - 1)) if rows > _MOST_SEEN else 0
        if not self.figures:
            side = max(_LEAST_SIDE, min(across, down, _HEIGHT), wide, high)
            return side, side
        needed = max(_LEAST_WIDTH, math.ceil(self.widest) + 2 * _PADDING)
        width = max(needed, min(across, _MOST_WIDTH), wide)
        return width, max(_HEIGHT, min(down, _MOST_HEIGHT), high)

    def _room(self) -> QSize:
        """Without scroll bars, so that they do not come and go."""
        return self.size() - QSize(self.verticalHeader().width(), _HEAD)

    def _chosen(self) -> tuple[int, int]:
        return self.currentIndex().row(), self.currentIndex().column()

    def _want(self) -> None:
        """What is seen and not known is asked for."""
        rows, columns = self._values.rowCount(), self._values.columnCount()
        if not rows or not columns or not self.isVisible():
            return
        row, column, down, across = self.window_seen()
        first = (row - self._values.origin[0], column - self._values.origin[1])
        last = (min(rows, first[0] + down) - 1, min(columns, first[1] + across) - 1)
        if None in (self._values.window_place(*first), self._values.window_place(*last)):
            self.window_wanted.emit(row, column, down, across)

    def _tell_chosen(self) -> None:
        self.setAccessibleDescription(said(*self.chosen_words))
        self.cell_chosen.emit()

    def _on_current_changed(self) -> None:
        self._tell_chosen()
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.viewport().update()

    def _draw_map(self, painter: QPainter, peeked: Peeked) -> None:
        """What is not known yet is a ground without cells."""
        theme, side, origin = self.look.theme, self.columnWidth(0), self._values.origin
        left, top = self.columnViewportPosition(0), self.rowViewportPosition(0)
        rows, columns = self._values.rowCount(), self._values.columnCount()
        all_cells = QRect(left, top, columns * side, rows * side)
        painter.fillRect(all_cells & self.viewport().rect(), faded(theme.text, 0.035))
        row, column = (0, 0, *peeked.at)[-2:]
        known = QPoint(left + (column - origin[1]) * side, top + (row - origin[0]) * side)
        draw_picture(painter, self._picture, known, side, 1, theme.surface)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.figures or self._values.peeked is None:
            super().paintEvent(event)
            return
        with QPainter(self.viewport()) as painter:
            self._draw_map(painter, self._values.peeked)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_chosen(painter, self, QRectF(self.visualRect(self.currentIndex())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        self.scrollTo(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self._soon.start()

    def sizeHint(self) -> QSize:
        return QSize(480, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, _HEAD + 3 * _HEIGHT)


class _ValueCell(Delegate):
    def __init__(self, grid: ValueGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        grid, theme, painter = self._grid, drawing.theme, drawing.painter
        rect = place.toRect().adjusted(0, 0, -1, -1)
        colour, text = grid.colour(index.row(), index.column()), str(index.data())
        if colour is not None:
            painter.fillRect(rect, colour)
        elif not text:
            painter.fillRect(rect, faded(theme.text, 0.035))
        else:
            painter.fillRect(rect, QBrush(faded(theme.text, 0.16), Qt.BrushStyle.BDiagPattern))
        painter.setFont(grid.look.letters.body.font)
        painter.setPen(theme.text if colour is not None else theme.quiet)
        words = QRectF(rect).adjusted(0, 0, -(rect.width() - grid.widest) / 2, 0)
        middle = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(words, int(middle), text)
        if index == grid.currentIndex():
            _draw_chosen(painter, grid, place)


def _draw_chosen(painter: QPainter, grid: ValueGrid, cell: QRectF) -> None:
    theme = grid.look.theme
    painter.setPen(QPen(theme.accent if grid.hasFocus() else theme.text, 2.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(cell.adjusted(1, 1, -2, -2), _RADIUS, _RADIUS)


class _Numbers(QHeaderView):
    """As many as can be read; that of the chosen cell stands out."""

    def __init__(self, orientation: Qt.Orientation, grid: ValueGrid) -> None:
        super().__init__(orientation, grid)
        self._grid = grid
        self.setMinimumSectionSize(_LEAST_SIDE)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if orientation is Qt.Orientation.Horizontal:
            self.setFixedHeight(_HEAD)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        letters, across = look().letters, self.orientation() is Qt.Orientation.Horizontal
        origin = self._grid.model().origin[across]  # type: ignore[attr-defined]  # its own
        current = self._grid.currentIndex()
        chosen = current.column() if across else current.row()
        least = letters.badge.width(str(origin + self.count())) + _BESIDE
        needed = least if across else _LEAST_APART
        size = max(1, self.defaultSectionSize())
        apart = 2 ** max(0, math.ceil(math.log2(needed / size)))
        first = max(0, self.visualIndexAt(0))
        room = self.viewport().width() if across else self.viewport().height()
        with QPainter(self.viewport()) as painter:
            for at in range(first, min(self.count(), first + room // size + 2)):
                if at % apart and at != chosen:
                    continue
                if at != chosen and abs(at - chosen) * size < needed and apart > 1:
                    continue  # it would touch that of the chosen cell
                lettering = letters.badge if at == chosen else letters.caption
                painter.setFont(lettering.font)
                theme = look().theme
                painter.setPen(theme.text if at == chosen else theme.faint)
                middle = self.sectionViewportPosition(at) + size / 2
                if across:
                    place, side = QRectF(middle - 40, 0, 80, _HEAD - 4), _CENTRE
                else:
                    place, side = QRectF(0, middle - 10, self.width() - 8, 20), _RIGHT
                painter.drawText(place, side, str(origin + at))


_CENTRE = int(Qt.AlignmentFlag.AlignCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
