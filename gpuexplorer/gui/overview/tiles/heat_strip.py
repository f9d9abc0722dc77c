"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Run, picture_of
from gpuexplorer.gui.plots.content import PlotField, Stretch
from gpuexplorer.gui.plots.graph import draw_columns, page_of
from gpuexplorer.gui.plots.labels import Pill, draw_gap, draw_pills, draw_upright
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import Tag, draw_figure_right
from gpuexplorer.gui.widgets.painted import Painted

_LABELS, _BESIDE_LABELS, _FIGURES, _AXIS = 48.0, 8.0, 68.0, 22.0
_BETWEEN = 3.0  # boards
_LEAST_ROW, _MOST_ROW, _LEAST_FIELD = 3.0, 16.0, 120.0
_BROAD = 5.0  # rows of so many pixels need not be of whole ones to look alike
_SHADES = 100
_DOT, _ROUND = 3.5, (7.0, 7.0)


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


_NOTHING = StripContent(np.zeros((0, 1)), 0.0, 1.0, (), (), (), (), "")


class HeatStrip(Painted):
    """Pointing at it tells which card and when; a double click opens that card."""

    pointed = Signal(object, object)  # the row and the moment, or None and None
    opened = Signal(str)
    dragged = Signal(float)  # seconds towards the past
    turned = Signal(float, float)  # the wheel: notches away, and the share where it zooms

    def __init__(self) -> None:
        super().__init__()
        self._content = _NOTHING
        self._crosshair: tuple[float | None, str] = (None, "")
        self._chosen: int | None = None
        self._dragged_from: float | None = None
        self._pointer: QPointF | None = None
        self._now = Tag("now", tr("now"))
        self._now.setToolTip(tr("This is how it is now. The plots show an earlier time."))
        self._now.hide()
        column(FREE, row(FREE, self._now), within=self)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("All cards over time"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def columns(self) -> int:
        """How many to ask the history for: two pixels each."""
        return max(8, min(720, int(self._plot().width()) // 2))

    def show_content(self, content: StripContent) -> None:
        self._content = content
        self._now.setVisible(not content.following)
        self.setAccessibleDescription(content.said)
        self.update()
        if self._pointer is not None and self._dragged_from is None:
            self.pointed.emit(*self._at(self._pointer))  # time moves on under it

    def show_crosshair(self, at: float | None, words: str) -> None:
        self._crosshair = (at, words)
        self.update()

    def show_chosen(self, row: int | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        self._chosen = row
        self.update()

    def least_height(self, count: int, boards: int) -> float:
        """So that every card keeps its line."""
        row = min(_MOST_ROW, max(_LEAST_ROW, float(int(_LEAST_FIELD / max(1, count)))))
        return count * row + (boards - 1) * _BETWEEN + _AXIS

    def most_height(self, count: int, boards: int) -> float:
        return count * _MOST_ROW + (boards - 1) * _BETWEEN + _AXIS

    def _plot(self) -> QRectF:
        """Where rows are, with the times below."""
        labels = [self.letters.caption.width(board.label) for board in self._content.boards]
        widest = max(labels, default=0.0)
        left = max(_LABELS, widest + _BESIDE_LABELS)
        width = max(16.0, self.width() - left - _FIGURES)
        return QRectF(left, 0, width, max(8.0, self.height() - _AXIS))

    def _rows(self) -> list[tuple[int, int]]:
        """Where each begins and ends, in pixels: boards stand below each other."""
        boards, rows, top = self._content.boards, list[tuple[int, int]](), 0.0
        count, gaps = sum(board.count for board in boards), _BETWEEN * (len(boards) - 1)
        room = (self._plot().height() - gaps) / max(1, count)
        tall = room if room >= _BROAD else float(int(room))
        tall = max(_LEAST_ROW, min(_MOST_ROW, tall))
        for board in boards:
            rows += pairwise(round(top + at * tall) for at in range(board.count + 1))
            top += board.count * tall + _BETWEEN
        return rows

    def draw(self, drawing: Drawing) -> None:
        """The times stand right under the last row."""
        content, rows = self._content, self._rows()
        if not rows:
            return
        theme, letters, plot = drawing.theme, drawing.letters, self._plot()
        plot.setBottom(rows[-1][1])
        # What is no number has no shade.
        levels, known = np.zeros(content.shares.shape, np.intp), np.isfinite(content.shares)
        levels[known] = 1 + np.clip(content.shares[known], 0.0, 1.0) * _SHADES
        shades = [theme.surface, *(theme.heat(at / _SHADES) for at in range(_SHADES + 1))]
        picture = picture_of(shades, levels)
        stretch = Stretch(content.start, content.end, content.following, 0.0, content.began)
        field, first = PlotField(plot, stretch), 0
        for board in content.boards:
            last = first + board.count
            (top, _), (_, bottom) = rows[first], rows[last - 1]
            place = QRectF(plot.left(), top, plot.width(), bottom - top)
            of_board = QRectF(0, first, picture.width(), board.count)
            drawing.painter.drawImage(place, picture, of_board)
            first, baseline = last, place.center().y() + letters.caption.cap_height / 2
            drawing.text(0, baseline, Run(board.label, letters.caption, theme.quiet))
            draw_figure_right(drawing, self.width(), baseline, 58, board.figure, letters.body)
        if content.began > content.start:
            draw_gap(drawing, field, content.start, content.began, tr("nothing read yet"))
        for mark in content.marks:
            self._draw_mark(drawing, field, mark, sum(rows[mark.row]) / 2)
        if self._chosen is not None and self._chosen < len(rows):
            dot = QRectF(plot.left() - 10, sum(rows[self._chosen]) / 2 - _DOT, *_ROUND)
            drawing.filled(dot, theme.text, _DOT)
        moment, words = self._crosshair
        if stretch.holds(moment):
            draw_upright(drawing, field, moment, theme.quiet)
            pill = Pill(plot.bottom(), [Run(words, letters.caption, theme.text)])
            draw_pills(drawing, field, moment, [pill] if words else [])
        times = [(field.x(each.at), each.text) for each in content.ticks]
        draw_columns(drawing, plot.bottom(), times, (0, self.width()), ticks=True)

    def _draw_mark(
        self, drawing: Drawing, field: PlotField, mark: StripMark, middle: float
    ) -> None:
        painter, colour = drawing.painter, drawing.theme.tone(mark.tone)
        start = field.stretch.start if mark.at is None else max(mark.at, field.stretch.start)
        x, right = field.x(start), field.area.right()
        if mark.tone is Tone.BAD:
            painter.fillRect(QRectF(x, round(middle), right - x, 1), colour)
            if start == mark.at:
                drawing.filled(QRectF(x - _DOT, middle - _DOT, *_ROUND), colour, _DOT)
        else:
            pen = QPen(colour, 1)
            pen.setDashPattern([1, 3])
            painter.setPen(pen)
            y = round(middle) + 0.5
            painter.drawLine(QPointF(x, y), QPointF(right - 4, y))
        if mark.words:
            run = Run(mark.words, drawing.letters.caption, colour)
            draw_pills(drawing, field, start, [Pill(middle, [run])])

    def _at(self, place: QPointF) -> tuple[int | None, float | None]:
        """Which row, and which moment; none beside the rows."""
        plot, content = self._plot(), self._content
        if not plot.left() <= place.x() <= plot.right():
            return None, None
        rows = enumerate(self._rows())
        row = next((at for at, (top, end) in rows if top <= place.y() < end), None)
        share = (place.x() - plot.left()) / plot.width()
        return row, content.start + share * (content.end - content.start)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged_from = event.position().x()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        content, x = self._content, event.position().x()
        if self._dragged_from is not None and event.buttons() & Qt.MouseButton.LeftButton:
            share = (x - self._dragged_from) / self._plot().width()
            self.dragged.emit(share * (content.end - content.start))
            self._dragged_from = x
            return
        self._pointer = event.position()
        self.pointed.emit(*self._at(self._pointer))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        del event
        self._dragged_from = None

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, _ = self._at(event.position())
        if row is not None:
            self.opened.emit(self._content.cards[row])

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Where the page has something to scroll the wheel is the page's, but for Ctrl."""
        at, notches, plot = event.position(), event.angleDelta().y() / 120, self._plot()
        page, plain = page_of(self), event.modifiers() == Qt.KeyboardModifier.NoModifier
        pages = plain and page is not None and page.verticalScrollBar().maximum() > 0
        if notches and plot.contains(at) and not pages:
            self.turned.emit(notches, (at.x() - plot.left()) / plot.width())
            event.accept()
        else:
            event.ignore()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        del event
        self._pointer = None
        self.pointed.emit(None, None)
