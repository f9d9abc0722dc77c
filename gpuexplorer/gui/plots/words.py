"""Words in a plot, over its curves: why a line is missing, what was not read, bands."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.content import Band, Line, Stretch
from gpuexplorer.gui.plots.layout import HEADROOM, Layout, PlotPlace
from gpuexplorer.gui.plots.summary import unread
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import faded

_BAND_TOP = 2.0
_ROW = 18.0
_TELLING = 8  # letters
_BACKING = 0.86


def draw_titles(drawing: Drawing, layout: Layout) -> None:
    """Between the plots nothing of what lies behind them is seen."""
    before = 0.0
    for plot in layout.plots:
        if not layout.compact:
            area = plot.area
            between = QRectF(area.left(), before, area.width(), plot.top - before)
            before = plot.area.bottom() + 1
            drawing.painter.fillRect(between, drawing.theme.surface)
            title = Run(plot.content.title, drawing.letters.strong, drawing.theme.text)
            drawing.elided(layout.left, plot.top - 6, title, plot.area.width())


def draw_words(drawing: Drawing, layout: Layout) -> None:
    said: set[tuple[float, str]] = set()
    for plot in layout.plots:
        for band in plot.content.bands:
            if band.end > layout.stretch.start and band.start < layout.stretch.end:
                first = (band.start, band.word) not in said
                said.add((band.start, band.word))
                _draw_band(drawing, plot, band, layout.stretch, with_word=first)
        if plot.empty:
            # A scale without a line would look as if everything were zero.
            _draw_dots(drawing, layout.left, plot.area.right(), plot.area.bottom())
        _draw_unread(drawing, plot, layout.stretch)
        if not layout.compact:
            _draw_reasons(drawing, layout, plot)


def _draw_band(
    drawing: Drawing, plot: PlotPlace, band: Band, stretch: Stretch, *, with_word: bool
) -> None:
    left = float(round(max(plot.area.left(), plot.x(band.start, stretch))))
    right = float(round(min(plot.area.right(), plot.x(band.end, stretch))))
    place = QRectF(left, plot.top, max(1.0, right - left), HEADROOM)
    ink = drawing.theme.tone(band.tone)
    drawing.painter.fillRect(QRectF(left, plot.top, place.width(), _BAND_TOP), ink)
    drawing.hint(place, band.word)
    letters = drawing.letters.caption
    word = letters.elided(band.word, place.width() - 8)
    # A stump of a word says less than the band by itself.
    if with_word and len(word) >= min(_TELLING, len(band.word)):
        drawing.text(left + 4, plot.top + _BAND_TOP + letters.ascent, Run(word, letters, ink))


def _draw_dots(drawing: Drawing, left: float, right: float, y: float) -> None:
    pen = QPen(drawing.theme.faint, 1, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([1.5, 2.5])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    drawing.painter.drawLine(QPointF(left, int(y) + 0.5), QPointF(right, int(y) + 0.5))


def _draw_unread(drawing: Drawing, plot: PlotPlace, stretch: Stretch) -> None:
    """Dotted along the floor: a time that was not read looks like no healthy zero."""
    letters, area = drawing.letters.caption, plot.area
    for start, end in unread(plot.content.lines, stretch):
        word = Run(
            tr("nothing read yet") if end <= stretch.began else tr("not read"),
            letters,
            drawing.theme.faint,
        )
        left, right = plot.x(start, stretch) + 2, plot.x(end, stretch) - 2
        if right - left < 6:
            continue
        _draw_dots(drawing, left, right, area.bottom() - 3)
        if right - left > word.width + 12:
            drawing.text((left + right - word.width) / 2, area.bottom() - 7, word)
        else:
            drawing.hint(
                QRectF(left, plot.top, right - left, area.bottom() - plot.top), word.text
            )


def reason_fits(layout: Layout, letters: Letterings, line: Line) -> bool:
    """Whether it can stand in the columns, where the figures would."""
    if not layout.columns:
        return False
    room = layout.right - layout.labels.left()
    caption = letters.caption
    return caption.width(line.label) + 16 + caption.width(line.reason) <= room


def _draw_reasons(drawing: Drawing, layout: Layout, plot: PlotPlace) -> None:
    """In the plot, where the line would be: beside it there is no room for a sentence."""
    told: set[str] = set()
    row = 0
    for line in plot.content.lines:
        if not line.reason or line.reason in told:
            continue
        end = _ended_at(plot, line, layout.stretch)
        if end is None:
            if reason_fits(layout, drawing.letters, line):
                continue
            words = line.reason
            if len(plot.content.lines) > 1:
                words = tr("{label}: {reason}", label=line.label, reason=line.reason)
            down = row * _ROW + 12
            if _draw_reason(drawing, plot, plot.area.left() + 4, down, words):
                row += 1
        elif layout.stretch.following:
            down = _beside_grid(plot, end.y()) - plot.area.top()
            if _draw_reason(drawing, plot, end.x() + 8, down, line.reason):
                # A card is lost once, and so are all its lines.
                told.add(line.reason)


def _ended_at(plot: PlotPlace, line: Line, stretch: Stretch) -> QPointF | None:
    """Where a line stops before its plot does; None where it was not seen at all."""
    trace = line.trace
    read = np.flatnonzero((trace.counts > 0) & (trace.times <= stretch.end))
    if read.size == 0 or trace.times[read[-1]] + trace.column_seconds < stretch.start:
        return None
    last = int(read[-1])
    at = float(trace.times[last]) + trace.column_seconds / 2
    return QPointF(plot.x(at, stretch), plot.y(float(trace.means[last])))


def _beside_grid(plot: PlotPlace, y: float) -> float:
    """Words are not crossed out by a grid line."""
    lines: Sequence[float] = [plot.y(tick.value) for tick in plot.scale.ticks]
    for line in [*lines, plot.area.bottom()]:
        if abs(y - line) < _ROW / 2:
            return line - _ROW / 2 - 1 if line == plot.area.bottom() else line + _ROW / 2 + 2
    return y


def _draw_reason(
    drawing: Drawing, plot: PlotPlace, left: float, down: float, reason: str
) -> bool:
    letters, area = drawing.letters.caption, plot.area
    words = letters.elided(reason, area.right() - left - 8)
    y = area.top() + down
    # A stump of a sentence says nothing; it is told on pointing at the line's label.
    if len(words) < min(_TELLING, len(reason)) or y > area.bottom():
        return False
    place = QRectF(left, y - 8, letters.width(words) + 8, 16)
    drawing.painter.fillRect(place, faded(drawing.theme.surface, _BACKING))
    baseline = round(y + letters.cap_height / 2)
    drawing.text(left + 4, baseline, Run(words, letters, drawing.theme.faint))
    drawing.hint(place, reason)
    return True
