"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import USUAL, Units, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import SlowedBook, holds_then
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.past import GONE, PLOTTED, Plotted, ticks_of
from gpuexplorer.gui.paint.drawing import Drawing, Run, picture_of
from gpuexplorer.gui.plots.content import PlotField, Stretch
from gpuexplorer.gui.plots.graph import ZOOM, draw_columns, page_of
from gpuexplorer.gui.plots.labels import Pill, draw_gap, draw_pills, draw_upright
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import NowTag, draw_figure_right
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.trace import TraceSource

BOARD = 8
_LABELS, _FIGURES, _AXIS = 56.0, 68.0, 22.0
_BETWEEN = 3.0  # boards
_LEAST_ROW, _MOST_ROW, _LEAST_FIELD = 3.0, 16.0, 120.0
_BROAD = 5.0  # rows of so many pixels need not be of whole ones to look alike
_SHADES = 100
_DOT, _ROUND = 3.5, (7.0, 7.0)
_LEAST_RATE = 1e9
_TURNS = 16  # beats until the past of every card was asked for
_STALE = 3.0  # columns, or seconds if that is longer: beyond it a last reading does not hold
_SILENT = (CardState.NO_ANSWER, CardState.REFUSED, CardState.NO_CONNECTION)


def boards_of(cards: Sequence[CardFace]) -> list[list[CardFace]]:
    """By eights of the driver's order: what is on a board stays on it, however it is sorted."""
    boards: dict[int, list[CardFace]] = {}
    for each in cards:
        boards.setdefault(each.index // BOARD, []).append(each)
    return list(boards.values())


def ranges(cards: Sequence[CardFace]) -> str:
    """ "0–7, 9": short for many numbers in a row."""
    runs: list[list[int]] = []
    for number in sorted(each.index for each in cards):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


class StripHistory(NamedTuple):
    """A row for each card, a column for each moment; NaN where nothing was read."""

    start: float
    end: float
    values: NDArray[np.float64]
    shown: object = None  # as long as it is the same, time only moves on
    turn: int = 0


def strip_history(
    past: TraceSource,
    cards: Sequence[CardFace],
    plotted: Plotted,
    stretch: tuple[float, float],
    columns: int,
    before: StripHistory | None = None,
) -> StripHistory:
    """What held in the middle of each column: a reading holds until the next one. With one from
    `before`, the past of a few cards is asked for, and others go on with what they say now.
    """
    seconds = (stretch[1] - stretch[0]) / columns
    end = float(np.ceil(stretch[1] / seconds - 1e-6)) * seconds
    start, rows, turn = end - columns * seconds, range(len(cards)), 0
    shown = [each.id for each in cards], columns, round(seconds, 9), plotted
    moved = round((end - before.end) / seconds) if before is not None else -1
    if before is not None and before.shown == shown and 0 <= moved < columns:
        told = [plotted.value(e) if e.answers else None for e in cards]
        now = np.array([[np.nan if value is None else value] * moved for value in told])
        values, turn = np.hstack((before.values[:, moved:], now)), before.turn + 1
        rows = rows[turn % _TURNS :: _TURNS]
    else:
        values = np.full((len(cards), columns), np.nan)
    middles = start + (np.arange(columns) + 0.5) * seconds
    for each in rows:
        trace = plotted.trace(past, cards[each].id, start, end, columns)
        at = np.searchsorted(trace.times, middles, side="right") - 1
        times, means = (np.append(e, np.nan) for e in (trace.times, trace.means))
        stale = middles - times[at] > _STALE * max(trace.column_seconds, seconds, 1.0)
        unknown = (at < 0) | (stale & (at == len(trace) - 1))
        values[each] = np.where(unknown, np.nan, means[at])
    return StripHistory(start, end, values, shown, turn)


class HeatStrip(Painted):
    """Pointing at it tells which card and when, dragging and the wheel move through time, a
    double click opens the card.
    """

    opened = Signal(str)

    def __init__(self, window: TimeWindow) -> None:
        super().__init__()
        self._window = window
        self.rows: Sequence[CardFace] = ()  # from the top down
        self.tops = np.zeros(0)  # where the shades of each end
        self._boards: Sequence[tuple[str, int, Figure]] = ()  # with how they are now
        self._plotted, self._units, self._slowed = PLOTTED[0], USUAL, SlowedBook()
        self._history: StripHistory | None = None
        self._chosen: int | None = None
        self._row: int | None = None  # that is pointed at
        self._dragged_from: float | None = None
        self._pointer: QPointF | None = None
        column(FREE, row(FREE, NowTag(window)), within=self)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("All cards over time"))
        # As high as is told, whatever the layout would give.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        window.crosshair_moved.connect(self.update)

    def show_boards(
        self,
        boards: Sequence[Sequence[CardFace]],
        plotted: Plotted,
        past: TraceSource,
        slowed: SlowedBook,
        units: Units = USUAL,
    ) -> None:
        rows = self.rows = [each for board in boards for each in board]
        self._plotted, self._slowed, self._units = plotted, slowed, units
        gaps = (len(boards) - 1) * _BETWEEN + _AXIS
        tall = min(_MOST_ROW, max(_LEAST_ROW, float(int(_LEAST_FIELD / max(1, len(rows))))))
        self.setMinimumHeight(round(len(rows) * tall + gaps))
        self.setMaximumHeight(round(len(rows) * _MOST_ROW + gaps))
        self._boards = [(ranges(e), len(e), _mean(e, plotted, units)) for e in boards]
        columns = max(8, min(720, int(self._plot().width()) // 2))  # of two pixels each
        before = self._history if self._window.following else None
        stretch = self._window.stretch()
        history = strip_history(past, rows, plotted, stretch, columns, before)
        limits = [plotted.limit(each) for each in rows]
        told = [limit for limit in limits if limit is not None]
        if not told:
            least, seen = _LEAST_RATE if len(plotted.metrics) > 1 else 1.0, history.values
            told = [float(seen.max(where=np.isfinite(seen), initial=least))]
        self._history = history
        self.tops = np.array([max(told) if limit is None else limit for limit in limits])
        words = mark("Cards {numbers}: {figure}")
        said = (tr(words, numbers=e, figure=figure.spoken) for e, _, figure in self._boards)
        self.setAccessibleDescription(". ".join(said))
        self.update()
        if self._pointer is not None and self._dragged_from is None:
            self._point()  # time moves on under it

    def show_chosen(self, card: CardFace | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        ids = [each.id for each in self.rows]
        self._chosen = ids.index(card.id) if card is not None and card.id in ids else None
        self.update()

    def said_at(self, at: float) -> str:
        """ "Card 21: 72 % at 14:05:10"."""
        row, history, moment = self._row, self._history, self._window.moment(at)
        if row is None or history is None or row >= len(history.values):
            return moment
        columns, number = history.values.shape[1], self.rows[row].number
        share = (at - history.start) / (history.end - history.start)
        value = float(history.values[row, min(columns - 1, max(0, int(share * columns)))])
        if np.isnan(value):
            return tr("Card {number}: not read at {moment}", number=number, moment=moment)
        read = quantity(METRICS[self._plotted.metrics[0]], value, self._units)
        words = mark("Card {number}: {value} at {moment}")
        return tr(words, number=number, value=read, moment=moment)

    def marks(self) -> Iterator[tuple[int, float | None, str, Tone]]:
        """What is said of rows in their place, and from when on; None: from the beginning."""
        then, asleep, history = self._window.then(), False, self._history
        for at, each in enumerate(self.rows if history is not None else ()):
            state, before = each.state, asleep
            gone, asleep = state in GONE, state is CardState.ASLEEP
            lost = self._slowed.gone_at(each.id) if gone else None
            # Of a card that was lost before it was ever read nobody knows the moment.
            since, word = then.began if gone and lost is None else lost, tr(state.word)
            if history is None or not holds_then(state, since, then):
                continue
            if lost is not None:
                moment = self._window.moment(lost)
                word = tr("{state} at {moment}", state=word, moment=moment)
            if gone:
                yield at, since, f"{each.number} {word}", Tone.BAD
            elif asleep or state in _SILENT:
                there = np.flatnonzero(np.isfinite(history.values[at]))
                seconds = (history.end - history.start) / float(history.values.shape[1])
                last = history.start + (int(there[-1]) + 1) * seconds if there.size else None
                # The words once, of those that sleep beside each other.
                sleeps = "" if before else tr("asleep, not read")
                said, tone = f"{each.number} {word}", Tone.WARN
                yield at, last, *((sleeps, Tone.FAINT) if asleep else (said, tone))

    def _plot(self) -> QRectF:
        """Where rows are, with the times below."""
        labels = [self.letters.caption.width(label) + 8 for label, _, _ in self._boards]
        left = max([_LABELS, *labels])
        width = max(16.0, self.width() - left - _FIGURES)
        return QRectF(left, 0, width, max(8.0, self.height() - _AXIS))

    def _rows(self) -> list[tuple[int, int]]:
        """Where each begins and ends, in pixels: boards stand below each other."""
        rows, top = list[tuple[int, int]](), 0.0
        gaps = _BETWEEN * (len(self._boards) - 1)
        room = (self._plot().height() - gaps) / max(1, len(self.rows))
        tall = room if room >= _BROAD else float(int(room))
        tall = max(_LEAST_ROW, min(_MOST_ROW, tall))
        for _, count, _ in self._boards:
            rows += pairwise(round(top + at * tall) for at in range(count + 1))
            top += count * tall + _BETWEEN
        return rows

    def draw(self, drawing: Drawing) -> None:
        """The times stand right under the last row."""
        rows, history, window = self._rows(), self._history, self._window
        if not rows or history is None:
            return
        theme, letters, plot = drawing.theme, drawing.letters, self._plot()
        plot.setBottom(rows[-1][1])
        lowest, then = self._plotted.lowest, window.then()
        shares = (history.values - lowest) / np.maximum(self.tops - lowest, 1e-9)[:, np.newaxis]
        # What is no number has no shade.
        levels, known = np.zeros(shares.shape, np.intp), np.isfinite(shares)
        levels[known] = 1 + np.clip(shares[known], 0.0, 1.0) * _SHADES
        shades = [theme.surface, *(theme.heat(at / _SHADES) for at in range(_SHADES + 1))]
        picture, first = picture_of(shades, levels), 0
        following = not then.looking_back
        stretch = Stretch(history.start, history.end, following, 0.0, then.began)
        field = PlotField(plot, stretch)
        for label, count, figure in self._boards:
            last = first + count
            (top, _), (_, bottom) = rows[first], rows[last - 1]
            place = QRectF(plot.left(), top, plot.width(), bottom - top)
            of_board = QRectF(0, first, picture.width(), count)
            drawing.painter.drawImage(place, picture, of_board)
            first, baseline = last, place.center().y() + letters.caption.cap_height / 2
            drawing.text(0, baseline, Run(label, letters.caption, theme.quiet))
            draw_figure_right(drawing, self.width(), baseline, 58, figure, letters.body)
        if then.began > history.start:
            draw_gap(drawing, field, history.start, then.began, tr("nothing read yet"))
        for at, since, words, tone in self.marks():
            self._draw_mark(drawing, field, sum(rows[at]) / 2, since, words, tone)
        if self._chosen is not None and self._chosen < len(rows):
            dot = QRectF(plot.left() - 10, sum(rows[self._chosen]) / 2 - _DOT, *_ROUND)
            drawing.filled(dot, theme.text, _DOT)
        moment = window.playhead if window.crosshair is None else window.crosshair
        if stretch.holds(moment):
            words = "" if window.crosshair is None else self.said_at(moment)
            draw_upright(drawing, field, moment, theme.quiet)
            pill = Pill(plot.bottom(), [Run(words, letters.caption, theme.text)])
            draw_pills(drawing, field, moment, [pill] if words else [])
        ticks = ticks_of(window, history.start, history.end, history.values.shape[1] * 2.0)
        times = [(field.x(each.at), each.text) for each in ticks]
        draw_columns(drawing, plot.bottom(), times, (0, self.width()), ticks=True)

    def _draw_mark(
        self,
        drawing: Drawing,
        field: PlotField,
        middle: float,
        since: float | None,
        words: str,
        tone: Tone,
    ) -> None:
        painter, colour = drawing.painter, drawing.theme.tone(tone)
        start = max(field.stretch.start if since is None else since, field.stretch.start)
        x, right = field.x(start), field.area.right()
        if tone is Tone.BAD:
            painter.fillRect(QRectF(x, round(middle), right - x, 1), colour)
            if start == since:
                drawing.filled(QRectF(x - _DOT, middle - _DOT, *_ROUND), colour, _DOT)
        else:
            pen = QPen(colour, 1)
            pen.setDashPattern([1, 3])
            painter.setPen(pen)
            y = round(middle) + 0.5
            painter.drawLine(QPointF(x, y), QPointF(right - 4, y))
        if words:
            pill = Pill(middle, [Run(words, drawing.letters.caption, colour)])
            draw_pills(drawing, field, start, [pill])

    def _row_at(self, y: float) -> int | None:
        rows = enumerate(self._rows())
        return next((at for at, (top, end) in rows if top <= y < end), None)

    def _point(self) -> None:
        """At the row and the moment under the pointer; at none beside the rows."""
        plot, history, place = self._plot(), self._history, self._pointer
        self._row, at = None, None
        if place is not None and history is not None and plot.left() <= place.x():
            share = (place.x() - plot.left()) / plot.width()
            if share <= 1.0:
                self._row = self._row_at(place.y())
                at = history.start + share * (history.end - history.start)
        self._window.point_at(at)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._dragged_from = event.position().x()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, (start, end) = event.position().x(), self._window.stretch()
        if self._dragged_from is not None and event.buttons() & Qt.MouseButton.LeftButton:
            seconds = (x - self._dragged_from) / self._plot().width() * (end - start)
            self._window.look_at(start - seconds, end - seconds)
            self._dragged_from = x
        else:
            self._pointer = event.position()
            self._point()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        del event
        self._dragged_from = None

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, plot = self._row_at(event.position().y()), self._plot()
        if row is not None and plot.left() <= event.position().x() <= plot.right():
            self.opened.emit(self.rows[row].id)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Where the page has something to scroll the wheel is the page's, but for Ctrl."""
        at, notches, plot = event.position(), event.angleDelta().y() / 120, self._plot()
        page, plain = page_of(self), event.modifiers() == Qt.KeyboardModifier.NoModifier
        pages = plain and page is not None and page.verticalScrollBar().maximum() > 0
        event.setAccepted(bool(notches) and plot.contains(at) and not pages)
        if event.isAccepted():
            self._window.zoom(ZOOM**-notches, (at.x() - plot.left()) / plot.width())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        del event
        self._pointer = None
        self._point()


def _mean(board: Sequence[CardFace], plotted: Plotted, units: Units) -> Figure:
    values = [plotted.value(each) for each in board if each.answers]
    told, title = [value for value in values if value is not None], tr(plotted.title)
    if not told:
        return Figure(title, absent=("–",), hint=tr("None of these cards reports it."))
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    hint = tr("{metric} now, mean of these cards", metric=title)
    return Figure(title, number=read.number, unit=read.unit, hint=hint)
