"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.graph import Axis, Graph, PageWheel
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.line import draw_figure_right

_LABELS, _BESIDE_LABELS, _FIGURES, _AXIS = 48.0, 8.0, 68.0, 22.0
_BETWEEN = 3.0
_LEAST_ROW, _MOST_ROW = 3.0, 16.0
_LEAST_FIELD = 120.0
_BROAD = 5.0
_MOST_SHADE = 254
_DOT = 3.5
_TAG_HEIGHT = 16.0


@dataclass(frozen=True, slots=True)
class StripBoard:
    """Eight rows of the strip: what they are called, and how they are now."""

    label: str
    count: int
    figure: Figure


@dataclass(frozen=True, slots=True)
class StripMark:
    """What is said of a row in its place: when it was lost, or that it sleeps."""

    row: int
    at: float | None  # None: from the beginning
    words: str
    tone: Tone


@dataclass(frozen=True, slots=True, eq=False)
class StripContent:
    """`shares` has a row for each card, from 0 to 1; NaN where nothing was read."""

    shares: NDArray[np.float64]
    start: float
    end: float
    cards: tuple[CardId, ...]
    boards: tuple[StripBoard, ...]
    marks: tuple[StripMark, ...]
    ticks: tuple[TimeTick, ...]
    said: str
    began: float = -math.inf  # nothing is known of the time before
    following: bool = True  # it ends now; else the figures are of another time than the shades


class HeatStrip(Graph):
    """Pointing at it tells which card and when; a double click opens that card."""

    pointed = Signal(object, object)  # the row and the moment, or None and None
    opened = Signal(str)
    dragged = Signal(float)  # seconds towards the past
    turned = Signal(float, float)  # the wheel: notches away, and the share where it zooms

    def __init__(self) -> None:
        super().__init__()
        self._content: StripContent | None = None
        self._labels = _LABELS
        self._crosshair: float | None = None
        self._words = ""
        self._chosen: int | None = None
        self._dragged_from: float | None = None
        self._pointer: QPointF | None = None
        self._page = PageWheel(self)
        self._rows: list[tuple[int, int]] = []  # where each begins and ends, in pixels
        self._image = pg.ImageItem(axisOrder="row-major")
        self._times = Axis("bottom", lines=False, inside=True)
        self._times.setHeight(_AXIS)
        # Rows are pixels from the top, and time is seconds before the end: then the view stands
        # still while time goes on.
        self._view = self.add_plot(bottom=self._times)
        self._view.invertY()
        self._line = pg.InfiniteLine()
        self._line.hide()
        for item in (self._image, self._line):
            self._view.addItem(item, ignoreBounds=True)
        self._over = self.add_sheet(self._draw_over)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName(tr("All cards over time"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.dress()

    def columns(self) -> int:
        """How many to ask the history for: two pixels each."""
        return max(8, min(720, int(self._plot().width()) // 2))

    def show_content(self, content: StripContent) -> None:
        self._content = content
        caption = self.look.letters.caption
        widest = max((caption.width(board.label) for board in content.boards), default=0.0)
        self._labels = max(_LABELS, widest + _BESIDE_LABELS)
        self._times.show_ticks([(each.at - content.end, each.text) for each in content.ticks])
        self.fill()
        self.setAccessibleDescription(content.said)
        if self._pointer is not None and self._dragged_from is None:
            self._point(content, self._pointer)  # time moves on under it

    def show_crosshair(self, at: float | None, words: str) -> None:
        if (at, words) != (self._crosshair, self._words):
            self._crosshair, self._words = at, words
            self._place_crosshair()

    def show_chosen(self, row: int | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        if row != self._chosen:
            self._chosen = row
            self._over.update()

    def dress(self) -> None:
        theme = self.look.theme
        shades = [theme.heat(at / _MOST_SHADE).getRgb() for at in range(_MOST_SHADE + 1)]
        # The first one: nothing was read.
        self._image.setLookupTable(np.array([(0, 0, 0, 0), *shades], np.uint8))
        self._line.setPen(theme.quiet)
        self._over.update()

    def fill(self) -> None:
        """Boards stand below each other, with the times right under the last of them."""
        content = self._content
        if content is None:
            return
        self._rows = self._placed_rows(content)
        height, span = self._height(), content.end - content.start
        below = max(0.0, self.height() - _AXIS - height)
        self.grid.setContentsMargins(self._labels, 0, _FIGURES, below)
        self._view.setRange(xRange=(-span, 0), yRange=(0, height), padding=0)
        self._image.setImage(self._shades(content), autoLevels=False, levels=(0, 255))
        self._image.setRect(-span, 0, span, height)
        self._over.put(QRectF(self.rect()))
        self._place_crosshair()

    def _shades(self, content: StripContent) -> NDArray[np.uint8]:
        """One row for each pixel. What is no number has no shade, nor has what is between."""
        shares = content.shares
        levels = np.zeros((shares.shape[0] + 1, shares.shape[1]), np.uint8)
        known = np.isfinite(shares)
        levels[:-1][known] = 1 + np.clip(shares[known], 0.0, 1.0) * _MOST_SHADE
        row_of = np.full(self._height(), -1)
        for row, (top, bottom) in enumerate(self._rows):
            row_of[top:bottom] = row
        shades: NDArray[np.uint8] = levels[row_of]
        return shades

    def _plot(self) -> QRectF:
        width = max(16.0, self.width() - self._labels - _FIGURES)
        return QRectF(self._labels, 0, width, max(8.0, self.height() - _AXIS))

    def _height(self) -> int:
        """Of all rows."""
        return self._rows[-1][1] if self._rows else 0

    def _placed_rows(self, content: StripContent) -> list[tuple[int, int]]:
        gaps = _BETWEEN * (len(content.boards) - 1)
        room = (self._plot().height() - gaps) / max(1, len(content.cards))
        # Thin lines have to be of whole pixels to be alike; broad ones do not.
        tall = room if room >= _BROAD else float(int(room))
        tall = max(_LEAST_ROW, min(_MOST_ROW, tall))
        rows, top = [], 0.0
        for board in content.boards:
            edges = [round(top + at * tall) for at in range(board.count + 1)]
            rows += list(pairwise(edges))
            top += board.count * tall + _BETWEEN
        return rows

    def _row_at(self, y: float) -> int | None:
        return next(
            (at for at, (top, bottom) in enumerate(self._rows) if top <= y < bottom), None
        )

    def _x(self, content: StripContent, at: float) -> float:
        plot = self._plot()
        share = (at - content.start) / (content.end - content.start)
        return plot.left() + min(1.0, max(0.0, share)) * plot.width()

    def _time_at(self, content: StripContent, x: float) -> float:
        plot = self._plot()
        share = (x - plot.left()) / plot.width()
        return content.start + min(1.0, max(0.0, share)) * (content.end - content.start)

    def _place_crosshair(self) -> None:
        content, at = self._content, self._crosshair
        seen = content is not None and at is not None and content.start <= at <= content.end
        self._line.setVisible(seen)
        if seen and content is not None and at is not None:
            self._line.setValue(at - content.end)
        self._over.update()

    def _draw_over(self, drawing: Drawing) -> None:
        """What the boards are called, how they are, and what is said of single rows."""
        content = self._content
        if content is None:
            return
        theme, letters, plot = drawing.theme, drawing.letters, self._plot()
        first = 0
        for board in content.boards:
            top, bottom = self._rows[first][0], self._rows[first + board.count - 1][1]
            first += board.count
            baseline = (top + bottom + letters.caption.cap_height) / 2
            drawing.text(0, baseline, Run(board.label, letters.caption, theme.quiet))
            draw_figure_right(
                drawing, self.width(), baseline, _FIGURES - 10, board.figure, letters.body
            )
        if not content.following:
            self._draw_now(drawing)
        if content.began > content.start:
            run = Run(tr("nothing read yet"), letters.caption, theme.faint)
            room = self._x(content, content.began) - plot.left()
            if room > run.width + 12:
                middle = (self._height() + run.letters.cap_height) / 2
                drawing.text(plot.left() + (room - run.width) / 2, middle, run)
        for mark in content.marks:
            self._draw_mark(drawing, content, plot, mark)
        if self._chosen is not None and self._chosen < len(content.cards):
            x, y = plot.left() - 3, sum(self._rows[self._chosen]) / 2
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(theme.text)
            corners = [QPointF(x - 6, y - 4), QPointF(x, y), QPointF(x - 6, y + 4)]
            drawing.painter.drawPolygon(QPolygonF(corners))
        if self._line.isVisible() and self._crosshair is not None and self._words:
            run = Run(self._words, letters.caption, theme.text)
            x = self._x(content, self._crosshair)
            left = x + 6 if x + 18 + run.width <= plot.right() else x - 18 - run.width
            bottom = self._height() - 4
            _draw_tag(drawing, left, bottom - _TAG_HEIGHT, run, theme.raised, theme.line)

    def _draw_now(self, drawing: Drawing) -> None:
        """Below the figures at the right, in the colours of what says so at the top."""
        theme, letters = drawing.theme, drawing.letters.caption
        run = Run(tr("now"), letters, theme.text)
        left, top = self.width() - run.width - 12, self._height() + 3
        _draw_tag(drawing, left, top, run, theme.selection, theme.selection)
        drawing.hint(
            QRectF(left, top, run.width + 12, _TAG_HEIGHT),
            tr("This is how it is now. The plots show an earlier time."),
        )

    def _draw_mark(
        self, drawing: Drawing, content: StripContent, plot: QRectF, mark: StripMark
    ) -> None:
        theme, painter = drawing.theme, drawing.painter
        colour = theme.tone(mark.tone)
        y = sum(self._rows[mark.row]) / 2
        x = plot.left() if mark.at is None else self._x(content, mark.at)
        if mark.tone is Tone.BAD:
            painter.fillRect(QRectF(x, round(y), plot.right() - x, 1), colour)
            if mark.at is not None and mark.at >= content.start:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(x, y), _DOT, _DOT)
        else:
            painter.setPen(colour)
            line = round(y) + 0.5
            marks = np.arange(x, plot.right() - 4, 4)
            painter.drawLines([QLineF(each, line, each + 1, line) for each in marks])
        if mark.words:
            run = Run(mark.words, drawing.letters.caption, colour)
            left = min(x + 10, plot.right() - run.width - 12)
            top = min(max(y - _TAG_HEIGHT / 2, 0.0), plot.bottom() - _TAG_HEIGHT)
            _draw_tag(drawing, left, top, run, theme.surface, theme.surface)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged_from = event.position().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        content, x = self._content, event.position().x()
        if content is None:
            return
        if self._dragged_from is not None and event.buttons() & Qt.MouseButton.LeftButton:
            span = content.end - content.start
            self.dragged.emit((x - self._dragged_from) / self._plot().width() * span)
            self._dragged_from = x
            return
        self._pointer = event.position()
        self._point(content, self._pointer)

    def _point(self, content: StripContent, at: QPointF) -> None:
        inside = self._plot().left() <= at.x() <= self._plot().right()
        row = self._row_at(at.y()) if inside else None
        self.pointed.emit(row, self._time_at(content, at.x()) if inside else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        del event
        self._dragged_from = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        content = self._content
        row = None if content is None else self._row_at(event.position().y())
        if content is not None and row is not None:
            self.opened.emit(content.cards[row])

    def wheelEvent(self, event: QWheelEvent) -> None:
        at, notches = event.position(), event.angleDelta().y() / 120
        plot = self._plot()
        if self._page.holds(event) or not plot.contains(at) or not notches:
            event.ignore()
            return
        self.turned.emit(notches, (at.x() - plot.left()) / plot.width())
        event.accept()

    def leaveEvent(self, event: object) -> None:
        del event
        self._pointer = None
        self.pointed.emit(None, None)

    def least_height(self, count: int, boards: int) -> float:
        """So that every card keeps its line."""
        row = min(_MOST_ROW, max(_LEAST_ROW, float(int(_LEAST_FIELD / max(1, count)))))
        return count * row + (boards - 1) * _BETWEEN + _AXIS

    def most_height(self, count: int, boards: int) -> float:
        return count * _MOST_ROW + (boards - 1) * _BETWEEN + _AXIS

    def sizeHint(self) -> QSize:
        return QSize(600, 200)


def _draw_tag(
    drawing: Drawing, left: float, top: float, run: Run, fill: QColor, edge: QColor
) -> None:
    tag = QRectF(left, top, run.width + 12, _TAG_HEIGHT)
    drawing.painter.setPen(QPen(edge, 1))
    drawing.painter.setBrush(fill)
    drawing.painter.drawRoundedRect(tag, 4, 4)
    drawing.text(left + 6, tag.center().y() + run.letters.cap_height / 2, run)
