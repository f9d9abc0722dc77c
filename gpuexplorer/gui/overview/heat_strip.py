"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import USUAL, Units, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import holds_then
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.past import GONE, PLOTTED, Plotted, ticks_of
from gpuexplorer.gui.paint.drawing import Drawing, Run, picture_of
from gpuexplorer.gui.plots.content import PlotField, Stretch
from gpuexplorer.gui.plots.curves import steady_stretch
from gpuexplorer.gui.plots.graph import ZOOM, draw_columns, page_of
from gpuexplorer.gui.plots.labels import Pill, draw_gap, draw_pills, draw_upright
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row
from gpuexplorer.gui.widgets.line import NowTag, draw_figure_right
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.telemetry.trace import TraceSource

BOARD = 8
_LABELS, _FIGURES, _AXIS = 56, 68, 22
_BETWEEN = 3  # boards
_LEAST_ROW, _MOST_ROW, _LEAST_FIELD = 3, 16, 120  # a row is of whole pixels: all look alike
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
    numbers = enumerate(sorted(each.index for each in cards))
    found = groupby(numbers, lambda each: each[1] - each[0])
    runs = [[str(number) for _, number in run] for _, run in found]
    said = (f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)
    return ", ".join(said)


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
    (start, end), seconds = (
        steady_stretch(*stretch, columns),
        (stretch[1] - stretch[0]) / columns,
    )
    rows, turn, values = range(len(cards)), 0, np.full((len(cards), columns), np.nan)
    shown = [each.id for each in cards], columns, round(seconds, 9), plotted
    moved = round((end - before.end) / seconds) if before is not None else -1
    if before is not None and before.shown == shown and 0 <= moved < columns:
        values[:, : columns - moved] = before.values[:, moved:]
        told = [plotted.value(each) if each.answers else None for each in cards]
        values[:, columns - moved :] = np.array(told, np.float64)[:, np.newaxis]
        turn = before.turn + 1
        rows = rows[turn % _TURNS :: _TURNS]
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
        self._history = StripHistory(0.0, 1.0, np.zeros((0, 1)))
        self._chosen: CardId | None = None
        self._row: int | None = None  # that is pointed at
        self._dragged_to = 0.0
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
        least = min(_MOST_ROW, max(_LEAST_ROW, _LEAST_FIELD // max(1, len(rows))))
        self.setMinimumHeight(len(rows) * least + gaps)
        self.setMaximumHeight(len(rows) * _MOST_ROW + gaps)
        self._boards = [(ranges(e), len(e), _mean(e, plotted, units)) for e in boards]
        columns = max(8, min(720, int(self._plot().width()) // 2))  # of two pixels each
        before = self._history if self._window.following else None
        asked = past, rows, plotted, self._window.stretch(), columns
        self._history = history = strip_history(*asked, before)
        limits = [plotted.limit(each) for each in rows]
        most = max(filter(None, limits), default=0.0)
        if not most:
            lowest, seen = _LEAST_RATE if len(plotted.metrics) > 1 else 1.0, history.values
            most = float(seen.max(where=np.isfinite(seen), initial=lowest))
        self.tops = np.array([limit or most for limit in limits])
        words = mark("Cards {numbers}: {figure}")
        said = (tr(words, numbers=e, figure=figure.spoken) for e, _, figure in self._boards)
        self.setAccessibleDescription(". ".join(said))
        self._point()  # time moves on under it

    def show_chosen(self, card: CardId | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        if card != self._chosen:
            self._chosen = card
            self.update()

    def said_at(self, at: float) -> str:
        """ "Card 21: 72 % at 14:05:10"."""
        row, (start, end, values, *_), moment = (
            self._row,
            self._history,
            self._window.moment(at),
        )
        if row is None or row >= len(values):
            return moment
        share, (_, columns) = (at - start) / (end - start), values.shape
        value = float(values[row, min(columns - 1, max(0, int(share * columns)))])
        told = {"number": self.rows[row].number, "moment": moment}
        if np.isnan(value):
            return tr("Card {number}: not read at {moment}", **told)
        read = quantity(METRICS[self._plotted.metrics[0]], value, self._units)
        return tr("Card {number}: {value} at {moment}", value=read, **told)

    def marks(self) -> Iterator[tuple[int, float | None, str, Tone]]:
        """What is said of rows in their place, and from when on; None: from the beginning."""
        then, asleep, (start, end, values, *_) = self._window.then(), False, self._history
        for at, (each, read) in enumerate(zip(self.rows, np.isfinite(values), strict=True)):
            state, before = each.state, asleep
            gone, asleep = state in GONE, state is CardState.ASLEEP
            lost = self._slowed.gone_at(each.id) if gone else None
            # Of a card that was lost before it was ever read nobody knows the moment.
            since, word = then.began if gone and lost is None else lost, tr(state.word)
            if not holds_then(state, since, then):
                continue
            if lost is not None:
                moment = self._window.moment(lost)
                word = tr("{state} at {moment}", state=word, moment=moment)
            said = f"{each.number} {word}"
            if gone:
                yield at, since, said, Tone.BAD
            elif asleep or state in _SILENT:
                seconds, there = (end - start) / read.size, np.flatnonzero(read)
                last = start + (int(there[-1]) + 1) * seconds if there.size else None
                # The words once, of those that sleep beside each other.
                sleeps = "" if before else tr("asleep, not read")
                yield at, last, *((sleeps, Tone.FAINT) if asleep else (said, Tone.WARN))

    def _plot(self) -> QRectF:
        """Where rows are, with the times below."""
        wide, high = self.width() - _LABELS - _FIGURES, self.height() - _AXIS
        return QRectF(_LABELS, 0, max(16, wide), max(8, high))

    def _rows(self) -> list[tuple[int, int]]:
        """Where each begins and ends, in pixels: boards stand below each other."""
        room = self._plot().height() - _BETWEEN * (len(self._boards) - 1)
        tall = max(_LEAST_ROW, min(_MOST_ROW, int(room / max(1, len(self.rows)))))
        boards = (at for at, (_, count, _) in enumerate(self._boards) for _ in range(count))
        tops = [row * tall + board * _BETWEEN for row, board in enumerate(boards)]
        return [(top, top + tall) for top in tops]

    def draw(self, drawing: Drawing) -> None:
        """The times stand right under the last row."""
        rows, (start, end, values, *_), window = self._rows(), self._history, self._window
        if not rows:
            return
        theme, letters, plot = drawing.theme, drawing.letters, self._plot()
        plot.setBottom(rows[-1][1])
        lowest, then, first = self._plotted.lowest, window.then(), 0
        shares = (values - lowest) / np.maximum(self.tops - lowest, 1e-9)[:, np.newaxis]
        # What is no number has no shade.
        levels, known = np.zeros(shares.shape, np.intp), np.isfinite(shares)
        levels[known] = 1 + np.clip(shares[known], 0.0, 1.0) * _SHADES
        shades = [theme.surface, *(theme.heat(at / _SHADES) for at in range(_SHADES + 1))]
        picture = picture_of(shades, levels)
        stretch = Stretch(start, end, not then.looking_back, 0.0, then.began)
        field = PlotField(plot, stretch)
        for label, count, figure in self._boards:
            top, bottom = rows[first][0], rows[first + count - 1][1]
            place = QRectF(plot.left(), top, plot.width(), bottom - top)
            of_board = QRectF(0, first, picture.width(), count)
            drawing.painter.drawImage(place, picture, of_board)
            first, baseline = first + count, place.center().y() + letters.caption.cap_height / 2
            name = Run(label, letters.caption, theme.quiet)
            drawing.elided(0, baseline, name, _LABELS - 8)
            draw_figure_right(drawing, self.width(), baseline, 58, figure, letters.body)
        if then.began > start:
            draw_gap(drawing, field, start, then.began, tr("nothing read yet"))
        self._draw_marks(drawing, field, [(top + bottom) / 2 for top, bottom in rows])
        for (top, bottom), each in zip(rows, self.rows, strict=True):
            if each.id == self._chosen:
                dot = QRectF(plot.left() - 10, (top + bottom) / 2 - _DOT, *_ROUND)
                drawing.filled(dot, theme.text, _DOT)
        moment = window.playhead if window.crosshair is None else window.crosshair
        if stretch.holds(moment):
            draw_upright(drawing, field, moment, theme.quiet)
            if window.crosshair is not None:
                run = Run(self.said_at(moment), letters.caption, theme.text)
                draw_pills(drawing, field, moment, [Pill(plot.bottom(), [run])])
        times = [
            (field.x(each.at), each.text)
            for each in ticks_of(window, start, end, values.shape[1] * 2.0)
        ]
        draw_columns(drawing, plot.bottom(), times, (0, self.width()), ticks=True)

    def _draw_marks(self, drawing: Drawing, field: PlotField, middles: Sequence[float]) -> None:
        begin, right, painter = field.stretch.start, field.area.right(), drawing.painter
        for at, since, words, tone in self.marks():
            pen, y = QPen(drawing.theme.tone(tone), 1), middles[at]
            start = max(begin if since is None else since, begin)
            x, level = field.x(start), round(y) + 0.5
            if tone is not Tone.BAD:
                pen.setDashPattern([1, 3])
            elif start == since:
                drawing.filled(QRectF(x - _DOT, y - _DOT, *_ROUND), pen.color(), _DOT)
            painter.setPen(pen)
            painter.drawLine(QPointF(x, level), QPointF(right, level))
            if words:
                run = Run(words, drawing.letters.caption, pen.color())
                draw_pills(drawing, field, start, [Pill(y, [run])])

    def _row_at(self, place: QPointF) -> int | None:
        rows, across = enumerate(self._rows()), self._plot().left() <= place.x()
        across = across and place.x() <= self._plot().right()
        return next((at for at, (top, end) in rows if across and top <= place.y() < end), None)

    def _point(self) -> None:
        """At the row and the moment under the pointer; at none beside the rows."""
        plot, (start, end, *_), place = self._plot(), self._history, self._pointer
        if place is not None:
            self._row = self._row_at(place)
            share = (place.x() - plot.left()) / plot.width()
            at = start + share * (end - start) if 0 <= share <= 1 else None
            self._window.point_at(at)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragged_to = event.position().x()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer, x = event.position(), event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            start, end = self._window.stretch()
            seconds = (x - self._dragged_to) / self._plot().width() * (end - start)
            self._dragged_to = x
            self._window.look_at(start - seconds, end - seconds)
        self._point()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self._row_at(event.position())
        if row is not None:
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
        self._pointer = self._row = None
        self._window.point_at(None)


def _mean(board: Sequence[CardFace], plotted: Plotted, units: Units) -> Figure:
    values = [plotted.value(each) for each in board if each.answers]
    told, title = [value for value in values if value is not None], plotted.title
    if not told:
        return Figure(title, absent=("–",), hint=tr("None of these cards reports it."))
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    hint = tr("{metric} now, mean of these cards", metric=title)
    return Figure(title, number=read.number, unit=read.unit, hint=hint)
