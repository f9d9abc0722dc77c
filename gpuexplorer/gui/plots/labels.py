"""What is written in and beside plots, and what lies behind their curves: titles, bands,
limits, gaps, reasons, figures at the ends of lines and those of the moment pointed at.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.axes import moment_word, spread, time_ticks
from gpuexplorer.core.units import quantity
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.figure import explained
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.content import (
    AXIS,
    CHIP,
    HEADROOM,
    NOW,
    Layout,
    Place,
    PlotField,
    PlotLine,
    Stretch,
    Summary,
    unread,
    value_at,
)
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS
from gpuexplorer.gui.plots.flags import draw_flags, draw_poles
from gpuexplorer.gui.plots.graph import draw_columns, draw_rows
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import faded, mixed

TENTHS_UP_TO = 120.0  # seconds
_BAND_TOP, _BAND = 2.0, 0.13
_TELLING = 8  # letters: a stump of a word says less than nothing
_BACKING = 0.86
_APART, _CLOSEST = 19.0, 14.0
_REASON_SHARE = 0.6  # of the plot, at most
_PILL, _DOT = 20.0, 3.5
_PER_TICK = 70.0  # pixels
_UNSEEN = mark("no reading in this stretch")


def draw_under(drawing: Drawing, layout: Layout) -> None:
    """What lies behind the curves: titles and headings, scales, bands, limits and poles."""
    letters, theme = drawing.letters, drawing.theme
    for plot in layout.plots:
        scale, area = plot.scale, plot.area
        floor = (scale.lowest, scale.number(scale.lowest) if scale.lowest else "")
        ticks = [] if plot.empty else [*scale.ticks, floor]
        rows = [(plot.y(value), word) for value, word in ticks]
        draw_rows(drawing, area.left(), area.right(), rows)
        draw_bands(drawing, plot, plot.content.bands)
        for limit in plot.limits:
            _draw_dots(drawing, area.left(), area.right(), plot.y(limit.value))
        if plot.content.titled:
            title = Run(plot.content.title, letters.strong, theme.text)
            drawing.elided(layout.left, plot.top - 6, title, area.width())
    for heading, right in layout.columns if layout.titled else ():
        # Looking back, the last figure is not what is so now.
        word = mark("last") if heading == NOW and not layout.stretch.following else heading
        run = Run(tr(word), letters.caption, theme.faint)
        drawing.runs_right(right, layout.plots[0].top - 6, [run])

    draw_poles(drawing, layout)


def draw_over(drawing: Drawing, layout: Layout, window: TimeWindow, foot: QRectF) -> None:
    """What is said over the curves and at their ends, and in the foot, wherever that is."""
    said: set[Band] = set()
    for plot in layout.plots:
        draw_edges(drawing, plot, plot.content.bands, said)
        if plot.empty:
            # A scale without a line would look as if everything were zero.
            _draw_dots(drawing, layout.left, plot.area.right(), plot.area.bottom())
        for start, end in unread(plot.content.lines, plot.stretch):
            # Before the first reading all plots are empty alike: it is said once.
            told = plot is layout.plots[0] or end > plot.stretch.began
            words = _absent(plot.stretch, end - 1e-6) if told else ""
            draw_gap(drawing, plot, start, end, words)
        _draw_ends(drawing, layout, plot)
    marked = None if window.marked is None else window.marked.at
    accent, quiet, at = drawing.theme.accent, drawing.theme.quiet, window.crosshair
    for then, ink in ((window.playhead, accent), (marked, accent), (at, quiet)):
        if layout.stretch.holds(then):
            draw_upright(drawing, layout, then, ink)
    if layout.stretch.holds(at):
        for plot in layout.plots:
            _draw_values(drawing, layout, plot, at)
    if foot.top() < layout.foot.top():
        rest = foot.adjusted(0, 3, 0, layout.foot.bottom() - foot.bottom())
        drawing.painter.fillRect(rest, drawing.theme.surface)
        drawing.hairline(layout.left, layout.right, foot.top() + 3)
    draw_flags(drawing, layout, foot, window.marked)
    if layout.plots:
        _draw_times(drawing, layout, foot.bottom() - AXIS, at)


def in_words(layout: Layout, at: float | None = None) -> str:
    """Every line with its newest value, or that of a moment, or why it has none."""
    said = [] if at is None else [_moment(layout.stretch, at)]
    for plot in layout.plots:
        for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
            value, read = summary.now, line.reason or tr(_UNSEEN)
            if at is not None:
                value, read = value_at(line.trace, at), _absent(layout.stretch, at)
            if value is not None:
                read = str(quantity(line.metric, value, layout.units))
            _, compared = (None, "") if at is None else _compared(layout, plot, line, value, at)
            if compared:
                read = tr("{now}, compared: {other}", now=read, other=compared)
            label = line.label or tr("card {number}", number=line.chip)
            said.append(f"{plot.content.title} {label}: {read}")
    return ". ".join(said)


def _moment(stretch: Stretch, at: float) -> str:
    """As finely as a person can point."""
    tenths = stretch.end - stretch.start <= TENTHS_UP_TO
    return moment_word(at + stretch.offset, stretch.end + stretch.offset, tenths=tenths)


def _draw_times(drawing: Drawing, layout: Layout, top: float, at: float | None) -> None:
    """The moment pointed at, how the axis ends, and what is between, as far as it fits."""
    stretch, area = layout.stretch, layout.area
    end = stretch.end + stretch.offset
    ticks = [(at, _moment(stretch, at))] if stretch.holds(at) else []
    pointed, word = bool(ticks), tr("now") if stretch.following else moment_word(end, end)
    most = max(1, int(area.width() / _PER_TICK))
    times = time_ticks(stretch.start, stretch.end, stretch.offset, most)
    words = [(layout.x(when), said) for when, said in (*ticks, (stretch.end, word), *times)]
    draw_columns(drawing, top, words, (layout.left, layout.right), pointed=pointed, ticks=True)


def draw_upright(drawing: Drawing, field: PlotField, at: float, ink: QColor) -> None:
    """A line through a moment."""
    place = QRectF(int(field.x(at)), field.area.top(), 1, field.area.height())
    drawing.painter.fillRect(place, ink)


def draw_bands(drawing: Drawing, field: PlotField, bands: Sequence[Band]) -> None:
    """Behind the curves. The first is the gravest."""
    for band in reversed(bands):
        ink = faded(drawing.theme.tone(band.tone), _BAND)
        drawing.painter.fillRect(_place_of(field, band), ink)


def draw_edges(
    drawing: Drawing, field: PlotField, bands: Sequence[Band], said: set[Band] | None = None
) -> None:
    """Of bands, over the curves; with their words, which are `said` once."""
    letters = drawing.letters.caption
    for band in reversed(bands):
        place, ink = _place_of(field, band), drawing.theme.tone(band.tone)
        drawing.painter.fillRect(QRectF(place.topLeft(), QSizeF(place.width(), _BAND_TOP)), ink)
        if said is None or place.isEmpty():
            continue
        drawing.hint(QRectF(place.topLeft(), QSizeF(place.width(), HEADROOM)), band.word)
        word = letters.elided(band.word, place.width() - 8)
        if band not in said and len(word) >= min(_TELLING, len(band.word)):
            baseline = place.top() + _BAND_TOP + letters.ascent
            drawing.text(place.left() + 4, baseline, Run(word, letters, ink))
        said.add(band)


def _place_of(field: PlotField, band: Band) -> QRectF:
    """All columns of pixels that it reaches into; empty where it is out of sight."""
    area, stretch = field.area, field.stretch
    column = COLUMN_PIXELS * (stretch.end - stretch.start) / max(1.0, area.width())
    start, end = math.floor(band.start / column) * column, math.ceil(band.end / column) * column
    left = max(area.left(), round(field.x(start)))
    right = min(area.right(), round(field.x(end)))
    return QRectF(left, field.top, max(0.0, right - left), area.bottom() - field.top)


def draw_gap(drawing: Drawing, field: PlotField, start: float, end: float, words: str) -> None:
    """Dotted along the floor: a time that was not read looks like no healthy zero."""
    left, right, floor = field.x(start) + 2, field.x(end) - 2, field.area.bottom()
    if right - left < 6:
        return
    _draw_dots(drawing, left, right, floor - 3)
    word = drawing.letters.caption.elided(words, right - left - 4)
    if len(word) >= min(_TELLING, len(words)):
        run = Run(word, drawing.letters.caption, drawing.theme.faint)
        drawing.text((left + right - run.width) / 2, floor - 7, run)
    else:
        drawing.hint(QRectF(left, field.top, right - left, floor - field.top), words)


def _draw_dots(drawing: Drawing, left: float, right: float, y: float) -> None:
    pen = QPen(drawing.theme.faint, 1)
    pen.setDashPattern([1.5, 2.5])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    drawing.painter.drawLine(QPointF(left, int(y) + 0.5), QPointF(right, int(y) + 0.5))


def _absent(stretch: Stretch, at: float) -> str:
    return tr("nothing read yet") if at < stretch.began else tr("not read")


class _End(NamedTuple):
    """What stands at the end of a line or a limit."""

    y: float
    words: str
    hint: str
    figures: Sequence[str] = ()  # one for each column; none where nothing was read
    ink: QColor | None = None  # of its leader; None: it does not go on to the end of the plot
    line: PlotLine | None = None
    reason: str = ""  # why there are no figures, or none now


def _draw_ends(drawing: Drawing, layout: Layout, plot: Place) -> None:
    rows, ink = [], faded(drawing.theme.warn, 0.7)
    for limit in plot.limits:
        number, y = plot.scale.number(limit.value), plot.y(limit.value)
        rows.append(_End(y, limit.label, limit.label, [number], ink))
    for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
        rows.append(_end(drawing, layout, plot, line, summary))
    # Beside the title there is room as well, but for that of the first.
    lowest, highest = plot.top + (8 if plot is layout.plots[0] else -8), plot.area.bottom() - 2
    most = max(1, int((highest - lowest) / _CLOSEST) + 1)
    if len(rows) > most:
        rest = rows[most - 1 :]
        words = trn("and {count} more", "and {count} more", len(rest))
        hint = "\n".join(each.line.who if each.line else each.words for each in rest)
        rows[most - 1 :] = [_End(max(highest, *(each.y for each in rows)), words, hint)]
    told: set[tuple[str, str]] = set()
    wanted = [row.y for row in rows]
    for row, y in zip(rows, spread(wanted, _APART, lowest, highest), strict=True):
        _draw_end(drawing, layout, plot, row, y, told)


def _end(
    drawing: Drawing, layout: Layout, plot: Place, line: PlotLine, summary: Summary
) -> _End:
    ends = summary.last if summary.now is None else summary.now
    values = (summary.now, summary.least, summary.mean, summary.most)[: len(layout.columns)]
    unseen, metric = summary.mean is None and not line.chip, line.metric
    about = line.reason if line.chip and line.reason else explained(metric)
    return _End(
        plot.area.bottom() - 4 if ends is None else plot.y(ends),
        line.label,
        f"{tr(metric.label) if line.label else line.who}: {about}",
        () if unseen else [plot.scale.word(metric, each) for each in values],
        None if summary.now is None else drawing.theme.card(line.colour),
        line,
        line.reason or (tr(_UNSEEN) if unseen else ""),
    )


def _draw_end(
    drawing: Drawing,
    layout: Layout,
    plot: Place,
    row: _End,
    y: float,
    told: set[tuple[str, str]],
) -> None:
    """A reason is `told` once of a card: it is lost once, and so are all its lines."""
    caption, theme, left = drawing.letters.caption, drawing.theme, layout.labels
    baseline = round(y + drawing.letters.body.cap_height / 2)
    if row.ink is not None:
        drawing.painter.setPen(QPen(mixed(theme.surface, row.ink, 0.75), 1))
        drawing.painter.drawLine(QPointF(plot.area.right() + 3, row.y), QPointF(left - 5, y))
    right = layout.columns[0][1] if row.figures else layout.right
    for at, (figure, (_, end)) in enumerate(zip(row.figures, layout.columns, strict=False)):
        run = Run(figure, drawing.letters.body, theme.quiet)
        if row.line is not None and at == 0:
            run = Run(figure, drawing.letters.strong, theme.tone(row.line.tone))
        begin = drawing.runs_right(end, baseline, [run])
        right = min(right, begin)
    drawing.hint(QRectF(left, y - 9, right - left, 18), row.hint)
    if row.line is not None and row.line.chip:
        _draw_chip(drawing, QRectF(left, round(y) - _CLOSEST / 2, CHIP, _CLOSEST), row.line)
        left += CHIP + 6
    words = Run(caption.elided(row.words, right - left - 6), caption, theme.quiet)
    left = drawing.text(left, _baseline(caption, y), words)
    reason, room = Run(row.reason, caption, theme.faint), right - left
    who = (row.line.chip if row.line else "", row.reason)
    if not row.figures and row.reason and reason.width + 10 <= room:
        # Where its figures would be.
        x = layout.right - reason.width
        drawing.elided(x, _baseline(caption, y), reason, room, row.reason)
    elif row.reason and row.ink is None and who not in told:
        told.add(who)
        _draw_reason(drawing, plot, reason, min(y, plot.area.bottom() - 9))


def _draw_reason(drawing: Drawing, plot: Place, reason: Run, y: float) -> None:
    """In the plot, where its line would come in; beside a label there is no room for it."""
    room = _REASON_SHARE * plot.area.width()
    width = min(reason.width, room) + 8
    place = QRectF(plot.area.right() - width, round(y) - 8, width, 16)
    drawing.painter.fillRect(place, faded(drawing.theme.surface, _BACKING))
    drawing.elided(place.left() + 4, _baseline(reason.letters, y), reason, room, reason.text)


class Pill(NamedTuple):
    """What is said at the moment that is pointed at: of a line, or why there is nothing."""

    y: float
    runs: Sequence[Run]
    line: PlotLine | None = None
    beside: float | None = None  # where what it is compared with is


def draw_pills(drawing: Drawing, field: PlotField, at: float, pills: Sequence[Pill]) -> None:
    """Beside that moment, on the side where there is room."""
    painter, theme, caption = drawing.painter, drawing.theme, drawing.letters.caption
    lowest, highest = field.top + _PILL / 2, field.area.bottom() - _PILL / 2 + 4
    places = spread([each.y for each in pills], _PILL + 1, lowest, highest)
    x = field.x(at)
    for each, y in zip(pills, places, strict=True):
        width = sum(run.width for run in each.runs) + (16 if each.line is None else 30)
        left = x + 9 if x + 9 + width <= field.area.right() else x - 9 - width
        place = QRectF(round(left), round(y - _PILL / 2), width, _PILL)
        drawing.filled(place, theme.raised, CHIP_RADIUS)
        drawing.outlined(place, QPen(theme.line, 1))
        if each.line is not None:
            mark = QRectF(place.left() + 4, place.top() + 3, 14, 14)
            _draw_chip(
                drawing, mark if each.line.chip else mark.adjusted(4, 4, -4, -4), each.line
            )
        words = place.left() + (22 if each.line else 8)
        drawing.runs(words, place.center().y() + caption.cap_height / 2, each.runs)
    for each in pills:
        if each.line is not None:
            ink, middle = theme.card(each.line.colour), int(x) + 0.5
            painter.setPen(QPen(theme.surface, 1.5))
            painter.setBrush(ink)
            painter.drawEllipse(QPointF(middle, each.y), _DOT, _DOT)
            if each.beside is not None:
                painter.setPen(QPen(ink, 1))
                painter.setBrush(theme.surface)
                painter.drawEllipse(QPointF(middle, each.beside), _DOT - 1, _DOT - 1)


def _draw_values(drawing: Drawing, layout: Layout, plot: Place, at: float) -> None:
    """Those of that moment."""
    lines, letters = plot.content.lines, drawing.letters.caption
    pills = [pill for line in lines if (pill := _pill(drawing, layout, plot, line, at))]
    if not pills and any(len(line.trace) for line in lines):
        # A gap has no value, which is another thing than zero. Between two grid lines.
        run = Run(_absent(layout.stretch, at), letters, drawing.theme.faint)
        pills = [Pill(plot.area.top() + 0.375 * plot.area.height(), [run])]
    draw_pills(drawing, plot, at, pills)


def _pill(
    drawing: Drawing, layout: Layout, plot: Place, line: PlotLine, at: float
) -> Pill | None:
    value, quiet = value_at(line.trace, at), drawing.theme.quiet
    if value is None:
        return None
    other, compared = _compared(layout, plot, line, value, at)
    read, caption = quantity(line.metric, value, layout.units), drawing.letters.caption
    runs = [Run(read.number, drawing.letters.badge, drawing.theme.text)]
    runs.append(Run(f"{THIN_SPACE}{read.unit}" if read.unit else "", caption, quiet))
    if compared:
        runs.append(Run(f"   {tr('vs {other}', other=compared)}", caption, quiet))
    return Pill(plot.y(value), runs, line, None if other is None else plot.y(other))


def _compared(
    layout: Layout, plot: Place, line: PlotLine, value: float | None, at: float
) -> tuple[float | None, str]:
    """What it is compared with at that moment, and how far from that it is: "48 %, +14 %"."""
    if line.beside is None:
        return None, ""
    other = value_at(line.beside, at)
    if other is None:
        return None, tr("not read")
    words = str(quantity(line.metric, other, layout.units))
    if value is None or line.metric.text_of(value) is not None:
        return other, words
    scale = plot.scale
    apart = f"{(value - other) / scale.measure.size:+.{scale.decimals}f}"
    apart = apart.replace("-", "\N{MINUS SIGN}")
    return other, f"{words}, {apart} {scale.measure.name}".rstrip()


def _draw_chip(drawing: Drawing, place: QRectF, line: PlotLine) -> None:
    fill = None if line.colour is None else drawing.theme.card(line.colour)
    drawing.chip(place, line.chip, drawing.letters.caption, fill)


def _baseline(letters: Lettering, y: float) -> float:
    return round(y + letters.cap_height / 2)
