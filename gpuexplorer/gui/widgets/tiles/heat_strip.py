"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Theme, Tone
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.tiles.figure_drawing import draw_figure_right
from gpuexplorer.gui.widgets.tiles.sparkline import Tick
from gpuexplorer.gui.wording.figure import Figure

_LABELS, _BESIDE_LABELS, _FIGURES, _AXIS = 48.0, 8.0, 68.0, 22.0
_BETWEEN = 3.0
_LEAST_ROW, _MOST_ROW = 3.0, 16.0
_LEAST_FIELD = 120.0
_BROAD = 5.0
_SHADES = 256
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
    ticks: tuple[Tick, ...]
    said: str


class HeatStrip(Painted):
    """Pointing at it tells which card and when; a double click opens that card."""

    pointed = Signal(object, object)  # the row and the moment, or None and None
    opened = Signal(str)
    dragged = Signal(float)  # seconds towards the past

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._content: StripContent | None = None
        self._labels = _LABELS
        self._image: QImage | None = None
        self._pixels: NDArray[np.uint32] = np.empty((0, 0), np.uint32)
        self._shades: tuple[Theme | None, NDArray[np.uint32]] = (None, np.empty(0, np.uint32))
        self._crosshair: float | None = None
        self._words = ""
        self._chosen: int | None = None
        self._dragged_from: float | None = None
        self.setMouseTracking(True)
        self.setAccessibleName(tr("All cards over time"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def columns(self) -> int:
        """How many to ask the history for: two pixels each."""
        return max(8, min(720, int(self._plot().width()) // 2))

    def show_content(self, content: StripContent) -> None:
        self._content = content
        caption = self.look.letters.caption
        widest = max((caption.width(board.label) for board in content.boards), default=0.0)
        self._labels = max(_LABELS, widest + _BESIDE_LABELS)
        self._image = None
        self.setAccessibleDescription(content.said)
        self.update()

    def show_crosshair(self, at: float | None, words: str) -> None:
        if (at, words) != (self._crosshair, self._words):
            self._crosshair, self._words = at, words
            self.update()

    def show_chosen(self, row: int | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        if row != self._chosen:
            self._chosen = row
            self.update()

    def draw(self, drawing: Drawing) -> None:
        content = self._content
        if content is None:
            return
        if self._image is None or self._shades[0] is not drawing.theme:
            self._image = self._painted(content, drawing.theme)
        plot = self._plot()
        tops = self._tops(content)
        tall = self._row_height(content)
        theme, letters = drawing.theme, drawing.letters
        first = 0
        for board, top in zip(content.boards, tops, strict=True):
            height = board.count * tall
            middle = top + height / 2
            baseline = middle + letters.caption.cap_height / 2
            drawing.text(0, baseline, Run(board.label, letters.caption, theme.quiet))
            source = QRectF(0, first, content.shares.shape[1], board.count)
            place = QRectF(plot.left(), top, plot.width(), height)
            drawing.painter.drawImage(place, self._image, source)
            draw_figure_right(
                drawing, self.width(), baseline, _FIGURES - 10, board.figure, letters.body
            )
            first += board.count
        for mark in content.marks:
            self._draw_mark(drawing, content, mark)
        if self._chosen is not None and self._chosen < len(content.cards):
            self._draw_chosen(drawing, self._row_middle(content, self._chosen))
        self._draw_axis(drawing, content, plot)
        if self._crosshair is not None:
            self._draw_crosshair(drawing, content, plot, self._crosshair)

    def _plot(self) -> QRectF:
        width = max(16.0, self.width() - self._labels - _FIGURES)
        return QRectF(self._labels, 0, width, max(8.0, self.height() - _AXIS))

    def _row_height(self, content: StripContent) -> float:
        gaps = _BETWEEN * (len(content.boards) - 1)
        room = (self._plot().height() - gaps) / max(1, len(content.cards))
        # Thin lines have to be of whole pixels to be alike; broad ones do not.
        row = room if room >= _BROAD else float(int(room))
        return max(_LEAST_ROW, min(_MOST_ROW, row))

    def _tops(self, content: StripContent) -> list[float]:
        tall, tops, top = self._row_height(content), [], 0.0
        for board in content.boards:
            tops.append(top)
            top += board.count * tall + _BETWEEN
        return tops

    def _row_middle(self, content: StripContent, row: int) -> float:
        tall = self._row_height(content)
        for board, top in zip(content.boards, self._tops(content), strict=True):
            if row < board.count:
                return top + (row + 0.5) * tall
            row -= board.count
        return 0.0

    def _row_at(self, content: StripContent, y: float) -> int | None:
        tall, first = self._row_height(content), 0
        for board, top in zip(content.boards, self._tops(content), strict=True):
            if top <= y < top + board.count * tall:
                return first + int((y - top) / tall)
            first += board.count
        return None

    def _x(self, content: StripContent, at: float) -> float:
        plot = self._plot()
        share = (at - content.start) / (content.end - content.start)
        return plot.left() + min(1.0, max(0.0, share)) * plot.width()

    def _painted(self, content: StripContent, theme: Theme) -> QImage:
        if self._shades[0] is not theme:
            shades = [theme.heat(at / (_SHADES - 1)).rgba() for at in range(_SHADES)]
            # The last one: nothing was read.
            self._shades = (theme, np.array([*shades, 0], np.uint32))
        known = np.isfinite(content.shares)
        levels = np.clip(np.nan_to_num(content.shares), 0.0, 1.0) * (_SHADES - 1)
        at = np.where(known, levels.astype(np.int32), _SHADES)
        # The image does not keep what it is made of.
        self._pixels = np.ascontiguousarray(self._shades[1][at])
        rows, columns = self._pixels.shape
        return QImage(
            self._pixels.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32
        )

    def _draw_mark(self, drawing: Drawing, content: StripContent, mark: StripMark) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        colour = theme.tone(mark.tone)
        plot = self._plot()
        y = self._row_middle(content, mark.row)
        x = plot.left() if mark.at is None else self._x(content, mark.at)
        painter = drawing.painter
        if mark.tone is Tone.BAD:
            painter.fillRect(QRectF(x, y - 0.5, plot.right() - x, 1), colour)
            if mark.at is not None and mark.at >= content.start:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(x, y), _DOT, _DOT)
        else:
            painter.setPen(QPen(colour, 1))
            count = int((plot.right() - x) / 4)
            line = round(y) + 0.5
            painter.drawLines(
                [QLineF(x + 4 * at, line, x + 4 * at + 1, line) for at in range(count)]
            )
        if not mark.words:
            return
        run = Run(mark.words, letters, colour)
        left = min(x + 10, plot.right() - run.width - 12)
        tag = QRectF(left, y - _TAG_HEIGHT / 2, run.width + 12, _TAG_HEIGHT)
        tag.moveTop(min(max(tag.top(), 0.0), plot.bottom() - _TAG_HEIGHT))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.surface)
        painter.drawRoundedRect(tag, 4, 4)
        drawing.text(left + 6, tag.center().y() + letters.cap_height / 2, run)

    def _draw_chosen(self, drawing: Drawing, y: float) -> None:
        x = self._plot().left() - 3
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(drawing.theme.text)
        corners = [QPointF(x - 6, y - 4), QPointF(x, y), QPointF(x - 6, y + 4)]
        drawing.painter.drawPolygon(QPolygonF(corners))

    def _draw_axis(self, drawing: Drawing, content: StripContent, plot: QRectF) -> None:
        letters = drawing.letters.caption
        tops = self._tops(content)
        bottom = (
            tops[-1] + content.boards[-1].count * self._row_height(content) if tops else 0.0
        )
        right = 0.0
        for tick in content.ticks:
            run = Run(tick.text, letters, drawing.theme.faint)
            x = plot.left() + tick.share * plot.width() - run.width / 2
            x = min(x, plot.right() - run.width)
            if x >= right:
                drawing.text(x, bottom + 6 + letters.ascent, run)
                right = x + run.width + 12

    def _draw_crosshair(
        self, drawing: Drawing, content: StripContent, plot: QRectF, at: float
    ) -> None:
        if not content.start <= at <= content.end:
            return
        theme, letters = drawing.theme, drawing.letters.caption
        x = self._x(content, at)
        drawing.painter.fillRect(QRectF(x, 0, 1, plot.height()), theme.quiet)
        if not self._words:
            return
        run = Run(self._words, letters, theme.text)
        left = x + 6 if x + 18 + run.width <= plot.right() else x - 18 - run.width
        tag = QRectF(left, plot.bottom() - _TAG_HEIGHT - 4, run.width + 12, _TAG_HEIGHT)
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(theme.raised)
        drawing.painter.drawRoundedRect(tag, 4, 4)
        drawing.text(left + 6, tag.center().y() + letters.cap_height / 2, run)

    def _time_at(self, content: StripContent, x: float) -> float:
        plot = self._plot()
        share = (x - plot.left()) / plot.width()
        return content.start + min(1.0, max(0.0, share)) * (content.end - content.start)

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
        inside = self._plot().left() <= x <= self._plot().right()
        row = self._row_at(content, event.position().y()) if inside else None
        self.pointed.emit(row, self._time_at(content, x) if inside else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        del event
        self._dragged_from = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        content = self._content
        row = None if content is None else self._row_at(content, event.position().y())
        if content is not None and row is not None:
            self.opened.emit(content.cards[row])

    def leaveEvent(self, event: object) -> None:
        del event
        self.pointed.emit(None, None)

    def least_height(self, count: int, boards: int) -> float:
        """So that every card keeps its line."""
        row = min(_MOST_ROW, max(_LEAST_ROW, float(int(_LEAST_FIELD / max(1, count)))))
        return count * row + (boards - 1) * _BETWEEN + _AXIS

    def most_height(self, count: int, boards: int) -> float:
        return count * _MOST_ROW + (boards - 1) * _BETWEEN + _AXIS

    def sizeHint(self) -> QSize:
        return QSize(600, 200)
