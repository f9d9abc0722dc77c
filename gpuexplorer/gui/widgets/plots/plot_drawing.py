"""How one plot is drawn: bands, grid lines, limits, lines, and what is missing in words."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.curve import lines_into
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.kept_curves import Curve, Curves, KeptCurves
from gpuexplorer.gui.plots.content import Band, Line
from gpuexplorer.gui.plots.summary import gaps
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.plots.layout import HEADROOM, Layout, PlotPlace, Stretch

_BAND_TOP, _BAND_FILL = 2.0, 0.13
_DOT, _DOT_GAP = 1.5, 2.5
_UNREAD = mark("not read")
_ROW = 18.0
_TELLING = 8  # letters
_BACKING = 0.86


def draw_plot(
    drawing: Drawing,
    layout: Layout,
    plot: PlotPlace,
    said: set[tuple[float, str]],
    kept: KeptCurves | None = None,
) -> None:
    """`said` are the bands whose word stands on another plot already; `kept` is how its curves
    were drawn before.
    """
    stretch = layout.stretch
    bands = [band for band in plot.content.bands if _in_view(band, stretch)]
    for band in bands:
        _draw_band(drawing, plot, band, stretch)
    _draw_grid(drawing, layout, plot)
    for limit in plot.content.limits:
        if plot.scale.lowest <= limit.value <= plot.scale.highest:
            _draw_dots(drawing, plot.area, plot.y(limit.value), drawing.theme.faint)
    lines = plot.content.lines
    filled = len(lines) == 1 and plot.scale.lowest == 0
    curves = Curves(
        plot.area,
        (stretch.start, stretch.end),
        (plot.scale.lowest, plot.scale.highest),
        # The first line is the one the plot is about: it lies on top.
        [
            Curve(line.trace, drawing.theme.card(line.colour), filled, line.dash)
            for line in reversed(lines)
        ],
        [(band.start, band.end) for band in bands] if filled else (),
    )
    if kept is None:
        curves.draw(drawing.painter)
    else:
        kept.draw(drawing.painter, curves)
    for band in bands:
        if (band.start, band.word) not in said:
            said.add((band.start, band.word))
            _draw_band_word(drawing, plot, band, stretch)
    if lines and not any(line.chip for line in lines):
        _draw_unread(drawing, plot, lines[0], stretch)
    if not layout.compact:
        _draw_reasons(drawing, layout, plot)


def ended_at(plot: PlotPlace, line: Line, stretch: Stretch) -> QPointF | None:
    """Where a line stops before its plot does; None where it was not seen at all."""
    trace = line.trace
    read = np.flatnonzero((trace.counts > 0) & (trace.times <= stretch.end))
    if read.size == 0 or trace.times[read[-1]] + trace.column_seconds < stretch.start:
        return None
    last = int(read[-1])
    at = float(trace.times[last]) + trace.column_seconds / 2
    return QPointF(plot.x(at, stretch), plot.y(float(trace.means[last])))


def _in_view(band: Band, stretch: Stretch) -> bool:
    return band.end > stretch.start and band.start < stretch.end


def _band_place(plot: PlotPlace, band: Band, stretch: Stretch) -> QRectF:
    left = max(plot.area.left(), plot.x(band.start, stretch))
    right = min(plot.area.right(), plot.x(band.end, stretch))
    left = float(int(left))
    return QRectF(left, plot.top, max(1.0, float(int(right)) - left), plot.area.height())


def _draw_band(drawing: Drawing, plot: PlotPlace, band: Band, stretch: Stretch) -> None:
    place = _band_place(plot, band, stretch)
    place.setBottom(plot.area.bottom())
    ink = drawing.theme.tone(band.tone)
    drawing.painter.fillRect(place, faded(ink, _BAND_FILL))
    top = QRectF(place.left(), place.top(), place.width(), _BAND_TOP)
    drawing.painter.fillRect(top, ink)
    drawing.hint(QRectF(place.left(), place.top(), place.width(), HEADROOM), band.word)


def _draw_band_word(drawing: Drawing, plot: PlotPlace, band: Band, stretch: Stretch) -> None:
    place = _band_place(plot, band, stretch)
    letters = drawing.letters.caption
    word = letters.elided(band.word, place.width() - 8)
    # A stump of a word says less than the band by itself.
    if len(word) < min(_TELLING, len(band.word)):
        return
    baseline = place.top() + _BAND_TOP + letters.ascent
    ink = drawing.theme.tone(band.tone)
    drawing.text(place.left() + 4, baseline, Run(word, letters, ink))


def _draw_grid(drawing: Drawing, layout: Layout, plot: PlotPlace) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    area = plot.area
    if plot.empty:
        # A scale without a line would look as if everything were zero.
        _draw_dots(drawing, area, area.bottom(), theme.faint, layout.left)
        return
    for tick in plot.scale.ticks:
        y = float(int(plot.y(tick.value)))
        drawing.hairline(layout.left, area.right(), y)
        drawing.text(layout.left, y - 4, Run(tick.text, letters, theme.faint))
    drawing.hairline(layout.left, area.right(), area.bottom())
    if plot.scale.lowest != 0:
        floor = Run(plot.scale.number(plot.scale.lowest), letters, theme.faint)
        drawing.text(layout.left, area.bottom() - 4, floor)


def _draw_dots(
    drawing: Drawing,
    area: QRectF,
    y: float,
    colour: QColor,
    left: float | None = None,
    right: float | None = None,
) -> None:
    first = area.left() if left is None else left
    last = area.right() if right is None else right
    x = np.arange(first, last - _DOT, _DOT + _DOT_GAP)
    level = np.full(x.size, float(int(y)) + 0.5)
    pen = QPen(colour, 1)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    lines_into(drawing.painter, np.stack((x, level, x + _DOT, level), 1))


def _draw_unread(drawing: Drawing, plot: PlotPlace, line: Line, stretch: Stretch) -> None:
    """Dotted along the floor: a time that was not read looks like no healthy zero."""
    letters, faint = drawing.letters.caption, drawing.theme.faint
    for start, end in gaps(line.trace, stretch.start, stretch.end):
        left = max(plot.area.left(), plot.x(start, stretch)) + 2
        right = min(plot.area.right(), plot.x(end, stretch)) - 2
        if right - left < 6:
            continue
        _draw_dots(drawing, plot.area, plot.area.bottom() - 3, faint, left, right)
        word = Run(tr(_UNREAD), letters, faint)
        if right - left > word.width + 12:
            x = (left + right - word.width) / 2
            drawing.text(x, plot.area.bottom() - 10, word)


def _draw_reasons(drawing: Drawing, layout: Layout, plot: PlotPlace) -> None:
    """In the plot, where the line would be: beside it there is no room for a sentence."""
    told: set[str] = set()
    row = 0
    for line in plot.content.lines:
        if not line.reason or line.reason in told:
            continue
        end = ended_at(plot, line, layout.stretch)
        if end is None:
            if reason_fits(layout, drawing.letters, line):
                continue
            words = line.reason if len(plot.content.lines) == 1 else named_reason(line)
            if _draw_reason(drawing, plot, plot.area.left() + 4, row * _ROW + 12, words):
                row += 1
        elif layout.stretch.following:
            down = _beside_grid(plot, end.y()) - plot.area.top()
            if _draw_reason(drawing, plot, end.x() + 8, down, line.reason):
                # A card is lost once, and so are all its lines.
                told.add(line.reason)


def reason_fits(layout: Layout, letters: Letterings, line: Line) -> bool:
    """Whether it can stand in the columns, where the figures would."""
    if not layout.gutter.columns:
        return False
    room = layout.gutter.right - layout.gutter.labels.left()
    caption = letters.caption
    return caption.width(line.label) + 16 + caption.width(line.reason) <= room


def named_reason(line: Line) -> str:
    return tr("{label}: {reason}", label=line.label, reason=line.reason)


def _beside_grid(plot: PlotPlace, y: float) -> float:
    """Words are not crossed out by a grid line."""
    lines = [plot.y(tick.value) for tick in plot.scale.ticks]
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
