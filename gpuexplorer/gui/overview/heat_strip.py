"""HeatStrip: what very many cards did over time, a thin line each, by how dark it is."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import SlowedBook, holds_then
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.overview.past import GONE, Plotted, ticks_of
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
Faces = Sequence[CardFace]
_LABELS, _FIGURES, _AXIS = 56, 68, 22
_BETWEEN = 3  # boards
_LEAST_ROW, _MOST_ROW, _LEAST_FIELD = 3, 16, 120  # a row is of whole pixels: all look alike
_SHADES = 100
_DOT, _ROUND = 3.5, (7.0, 7.0)
_LEAST_RATE = 1e9
_TURNS = 16  # beats until the past of every card was asked for
_STALE = 3.0  # columns, or seconds if that is longer: beyond it a last reading does not hold
_SILENT = (CardState.NO_ANSWER, CardState.REFUSED, CardState.NO_CONNECTION)


def boards_of(cards: Faces) -> list[list[CardFace]]:
    """By eights of the driver's order: what is on a board stays on it, however it is sorted."""
    boards: dict[int, list[CardFace]] = {}
    for each in cards:
        boards.setdefault(each.index // BOARD, []).append(each)
    return list(boards.values())


def ranges(cards: Faces) -> str:
    """ "0–7, 9": short for many numbers in a row."""
    numbers = enumerate(sorted(each.index for each in cards))
    found = groupby(numbers, lambda each: each[1] - each[0])
    runs = [[str(number) for _, number in run] for _, run in found]
    said = (f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)
    return ", ".join(said)


class HeatStrip(Painted):
    """Pointing at it tells which card and when, dragging and the wheel move through time, a
    double click opens the card.
    """

    opened = Signal(str)

    def __init__(self, window: TimeWindow) -> None:
        super().__init__()
        self._window = window
        self.rows: Faces = ()  # from the top down
        self.tops = np.zeros(0)  # where the shades of each end
        self._boards: Sequence[tuple[str, int, Figure]] = ()  # with how they are now
        # A row for each card, a column for each moment; NaN where nothing was read.
        self.values, self._stretch = np.zeros((0, 1)), (0.0, 1.0)
        self._shown: object = None  # as long as it is the same, time only moves on
        self._turn = 0
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
        boards: Sequence[Faces],
        plotted: Plotted,
        past: TraceSource,
        slowed: SlowedBook,
        units: Units,
    ) -> None:
        rows = self.rows = [each for board in boards for each in board]
        self._plotted, self._slowed, self._units = plotted, slowed, units
        gaps = (len(boards) - 1) * _BETWEEN + _AXIS
        least = min(_MOST_ROW, max(_LEAST_ROW, _LEAST_FIELD // max(1, len(rows))))
        self.setMinimumHeight(len(rows) * least + gaps)
        self.setMaximumHeight(len(rows) * _MOST_ROW + gaps)
        self._boards = [(ranges(e), len(e), _mean(e, plotted, units)) for e in boards]
        self._read(past)
        limits = [plotted.limit(each) for each in rows]
        most = max(filter(None, limits), default=0.0)
        if not most:
            lowest, seen = _LEAST_RATE if len(plotted.metrics) > 1 else 1.0, self.values
            most = float(seen.max(where=np.isfinite(seen), initial=lowest))
        self.tops = np.array([limit or most for limit in limits])
        words = mark("Cards {numbers}: {figure}")
        said = (tr(words, numbers=e, figure=figure.spoken) for e, _, figure in self._boards)
        self.setAccessibleDescription(". ".join(said))
        self._point()  # time moves on under it

    def show_chosen(self, card: CardId | None) -> None:
        """A mark at the left: it is told about elsewhere."""
        self._chosen = card
        self.update()

    def said_at(self, at: float) -> str:
        """ "Card 21: 72 % at 14:05:10"."""
        row, moment, (start, end) = self._row, self._window.moment(at), self._stretch
        if row is None or row >= len(self.rows):
            return moment
        columns = self.values.shape[1]
        column = int((at - start) / (end - start) * columns)
        value = float(self.values[row, min(columns - 1, max(0, column))])
        told = {"number": self.rows[row].number, "moment": moment}
        if np.isnan(value):
            return tr("Card {number}: not read at {moment}", **told)
        read = quantity(METRICS[self._plotted.metrics[0]], value, self._units)
        return tr("Card {number}: {value} at {moment}", value=read, **told)

    def marks(self) -> Iterator[tuple[int, float, str, Tone]]:
        """What is said of rows in their place, and from when on."""
        then, asleep, (start, end) = self._window.then(), False, self._stretch
        for at, (each, read) in enumerate(
            zip(self.rows, np.isfinite(self.values), strict=True)
        ):
            state, before, word = each.state, asleep, tr(each.state.word)
            asleep = state is CardState.ASLEEP
            if state in GONE:
                # Of a card that was lost before it was ever read nobody knows the moment.
                lost = self._slowed.gone_at(each.id)
                since = then.began if lost is None else lost
                if lost is not None:
                    moment = self._window.moment(lost)
                    word = tr("{state} at {moment}", state=word, moment=moment)
                if holds_then(state, since, then):
                    yield at, since, f"{each.number} {word}", Tone.BAD
            elif then.following and (asleep or state in _SILENT):
                seen = np.flatnonzero(read)[-1:] + 1
                since = start + float(seen.sum()) * (end - start) / read.size
                # The words once, of those that sleep beside each other.
                sleeps, said = tr("asleep, not read"), f"{each.number} {word}"
                word = said if not asleep else "" if before else sleeps
                yield at, since, word, Tone.FAINT if asleep else Tone.WARN

    def _read(self, past: TraceSource) -> None:
        """What held in the middle of each column: a reading holds until the next one. While
        time only moves on, the past of a few cards is asked for, and others go on with what
        they say now.
        """
        plotted, rows, window = self._plotted, self.rows, self._window
        columns = min(720, int(self._plot().width()) // 2)  # of two pixels each
        start, end = steady_stretch(*window.stretch(), columns)
        seconds, asked = (end - start) / columns, range(len(rows))
        shown = [each.id for each in rows], columns, round(seconds, 9), plotted
        moved, values = (
            round((end - self._stretch[1]) / seconds),
            np.full((len(rows), columns), np.nan),
        )
        if window.following and shown == self._shown and 0 <= moved < columns:
            values[:, : columns - moved] = self.values[:, moved:]
            told = [plotted.value(each) if each.answers else None for each in rows]
            values[:, columns - moved :] = np.array(told, np.float64)[:, np.newaxis]
            self._turn += 1
            asked = asked[self._turn % _TURNS :: _TURNS]
        middles = start + (np.arange(columns) + 0.5) * seconds
        for each in asked:
            trace = plotted.trace(past, rows[each].id, start, end, columns)
            at = np.searchsorted(trace.times, middles, side="right") - 1
            times, means = (np.append(e, np.nan) for e in (trace.times, trace.means))
            stale = middles - times[at] > _STALE * max(trace.column_seconds, seconds, 1.0)
            unknown = (at < 0) | (stale & (at == len(trace) - 1))
            values[each] = np.where(unknown, np.nan, means[at])
        self.values, self._stretch, self._shown = values, (start, end), shown

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
        rows, (start, end), window = self._rows(), self._stretch, self._window
        if not rows:
            return
        theme, letters, plot = drawing.theme, drawing.letters, self._plot()
        plot.setBottom(rows[-1][1])
        lowest, then, first = self._plotted.lowest, window.then(), 0
        shares = (self.values - lowest) / np.maximum(self.tops - lowest, 1e-9)[:, np.newaxis]
        # What is no number has no shade.
        levels = np.nan_to_num(1 + np.clip(shares, 0.0, 1.0) * _SHADES).astype(np.intp)
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
            for each in ticks_of(window, start, end, self.values.shape[1] * 2.0)
        ]
        draw_columns(drawing, plot.bottom(), times, (0, self.width()), ticks=True)

    def _draw_marks(self, drawing: Drawing, field: PlotField, middles: Sequence[float]) -> None:
        begin, right, painter = field.stretch.start, field.area.right(), drawing.painter
        for at, since, words, tone in self.marks():
            pen, y = QPen(drawing.theme.tone(tone), 1), middles[at]
            start = max(since, begin)
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

    def _under(self, place: QPointF) -> tuple[int | None, float | None]:
        """The row and the moment there."""
        plot, (start, end), rows = self._plot(), self._stretch, enumerate(self._rows())
        share = (place.x() - plot.left()) / plot.width()
        if not 0 <= share <= 1:
            return None, None
        row = next((at for at, (top, low) in rows if top <= place.y() < low), None)
        return row, start + share * (end - start)

    def _point(self) -> None:
        if self._pointer is not None:
            self._row, at = self._under(self._pointer)
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
        row, _ = self._under(event.position())
        if row is not None:
            self.opened.emit(self.rows[row].id)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Where the page has something to scroll the wheel is the page's, but for Ctrl."""
        at, notches, plot = event.position(), event.angleDelta().y() / 120, self._plot()
        page, plain = page_of(self), event.modifiers() == Qt.KeyboardModifier.NoModifier
        pages = plain and page is not None and page.verticalScrollBar().maximum() > 0
        if notches and plot.contains(at) and not pages:
            self._window.zoom(ZOOM**-notches, (at.x() - plot.left()) / plot.width())
        else:
            event.ignore()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        del event
        self._pointer = self._row = None
        self._window.point_at(None)


def _mean(board: Faces, plotted: Plotted, units: Units) -> Figure:
    values = [plotted.value(each) for each in board if each.answers]
    told, title = [value for value in values if value is not None], plotted.title
    if not told:
        return Figure(title, absent=("–",), hint=tr("None of these cards reports it."))
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    hint = tr("{metric} now, mean of these cards", metric=title)
    return Figure(title, number=read.number, unit=read.unit, hint=hint)
