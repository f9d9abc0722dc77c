"""What is written in and beside plots, and what lies behind their curves: titles, bands,
limits, reasons, figures at the ends of lines and those of the moment that is pointed at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.axes import moment_word, spread
from gpuexplorer.core.units import quantity
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.facts import explained
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.content import (
    CHIP,
    HEADROOM,
    NOW,
    Band,
    Layout,
    Place,
    PlotLine,
    Stretch,
    Summary,
    unread,
    value_at,
)
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import faded, mixed

TENTHS_UP_TO = 120.0  # seconds
_BAND_TOP, _BAND = 2.0, 0.13
_TELLING = 8  # letters: a stump of a word says less than nothing
_BACKING = 0.86
_APART, _CLOSEST = 19.0, 14.0
_REASON_SHARE = 0.4  # of the plot, at most
_PILL, _DOT = 20.0, 3.5
_UNSEEN = mark("no reading in this stretch")


def draw_behind(drawing: Drawing, layout: Layout) -> None:
    """Titles, and between the plots nothing of what lies behind them; the bands and limits."""
    painter, theme, area = drawing.painter, drawing.theme, layout.area
    bands = dict.fromkeys(band for plot in layout.plots for band in plot.content.bands)
    for band in bands:
        place = _place_of(layout, band)
        if place.width():
            painter.fillRect(place, faded(theme.tone(band.tone), _BAND))
    before = 0.0
    for plot in layout.plots:
        if not layout.compact:
            between = QRectF(area.left(), before, area.width(), plot.top - before)
            before = plot.area.bottom() + 1
            painter.fillRect(between, theme.surface)
            title = Run(plot.content.title, drawing.letters.strong, theme.text)
            drawing.elided(layout.left, plot.top - 6, title, area.width())
        for limit in plot.limits:
            draw_dots(drawing, area.left(), area.right(), plot.y(limit.value))


def draw_words(drawing: Drawing, layout: Layout) -> None:
    """Over the curves, and at their ends."""
    said: set[tuple[float, str]] = set()
    for plot in layout.plots:
        for band in plot.content.bands:
            _draw_band(
                drawing, layout, plot, band, with_word=(band.start, band.word) not in said
            )
            said.add((band.start, band.word))
        if plot.empty:
            # A scale without a line would look as if everything were zero.
            draw_dots(drawing, layout.left, plot.area.right(), plot.area.bottom())
        _draw_unread(drawing, layout, plot)
    letters, faint = drawing.letters.caption, drawing.theme.faint
    for heading, right in layout.columns:
        # Looking back, the last figure is not what is so now.
        word = mark("last") if heading == NOW and not layout.stretch.following else heading
        if word:
            drawing.runs_right(right, layout.heads, [Run(tr(word), letters, faint)])
    for plot in layout.plots:
        _draw_ends(drawing, layout, plot)


def in_words(layout: Layout) -> str:
    """Every line with its newest value, or why it has none."""
    said = []
    for plot in layout.plots:
        for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
            if summary.now is not None:
                figure = str(quantity(line.metric, summary.now, layout.units))
            else:
                figure = line.reason or tr(_UNSEEN)
            said.append(f"{_name(plot, line)}: {figure}")
    return ". ".join(said)


def words_at(layout: Layout, at: float) -> str:
    """What stands at the crosshair, for whoever does not see it."""
    said = [moment(layout.stretch, at)]
    for plot in layout.plots:
        for line in plot.content.lines:
            value = value_at(line.trace, at)
            read = _absent(layout.stretch, at)
            if value is not None:
                read = str(quantity(line.metric, value, layout.units))
            _, compared = _compared(layout, plot, line, value, at)
            if compared:
                read = tr("{now}, compared: {other}", now=read, other=compared)
            said.append(f"{_name(plot, line)} {read}")
    return ", ".join(said)


def moment(stretch: Stretch, at: float) -> str:
    """As finely as a person can point."""
    tenths = stretch.end - stretch.start <= TENTHS_UP_TO
    return moment_word(at + stretch.offset, stretch.end + stretch.offset, tenths=tenths)


def draw_values(drawing: Drawing, layout: Layout, at: float) -> None:
    """The values of that moment on each plot."""
    for plot in layout.plots:
        marks = _marks(drawing, layout, plot, at)
        if not marks and any(len(line.trace) for line in plot.content.lines):
            # A gap has no value, which is another thing than zero. Between two grid lines.
            words, letters = _absent(layout.stretch, at), drawing.letters.caption
            said = Run(words, letters, drawing.theme.faint)
            marks = [_Mark(None, plot.area.top() + 0.375 * plot.area.height(), [said])]
        if marks:
            _draw_marks(drawing, plot, marks, layout.x(at))


def _place_of(layout: Layout, band: Band) -> QRectF:
    """As high as all plots; without width where it is out of sight."""
    area = layout.area
    left = float(round(max(area.left(), layout.x(band.start))))
    right = float(round(min(area.right(), layout.x(band.end))))
    if right < area.left() or left > area.right():
        return QRectF()
    return QRectF(left, area.top(), max(1.0, right - left), area.height())


def _draw_band(
    drawing: Drawing, layout: Layout, plot: Place, band: Band, *, with_word: bool
) -> None:
    place = _place_of(layout, band)
    if not place.width():
        return
    ink, letters = drawing.theme.tone(band.tone), drawing.letters.caption
    drawing.painter.fillRect(QRectF(place.left(), plot.top, place.width(), _BAND_TOP), ink)
    drawing.hint(QRectF(place.left(), plot.top, place.width(), HEADROOM), band.word)
    word = letters.elided(band.word, place.width() - 8)
    if with_word and len(word) >= min(_TELLING, len(band.word)):
        baseline = plot.top + _BAND_TOP + letters.ascent
        drawing.text(place.left() + 4, baseline, Run(word, letters, ink))


def draw_dots(drawing: Drawing, left: float, right: float, y: float) -> None:
    pen = QPen(drawing.theme.faint, 1)
    pen.setDashPattern([1.5, 2.5])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    drawing.painter.drawLine(QPointF(left, int(y) + 0.5), QPointF(right, int(y) + 0.5))


def _draw_unread(drawing: Drawing, layout: Layout, plot: Place) -> None:
    """Dotted along the floor: a time that was not read looks like no healthy zero."""
    letters, area = drawing.letters.caption, plot.area
    for start, end in unread(plot.content.lines, layout.stretch):
        left, right = layout.x(start) + 2, layout.x(end) - 2
        if right - left < 6:
            continue
        draw_dots(drawing, left, right, area.bottom() - 3)
        word = Run(_absent(layout.stretch, end - 1e-6), letters, drawing.theme.faint)
        if right - left > word.width + 12:
            drawing.text((left + right - word.width) / 2, area.bottom() - 7, word)
        else:
            place = QRectF(left, plot.top, right - left, area.bottom() - plot.top)
            drawing.hint(place, word.text)


def _absent(stretch: Stretch, at: float) -> str:
    return tr("nothing read yet") if at < stretch.began else tr("not read")


@dataclass(frozen=True, slots=True, eq=False)
class _EndRow:
    """What stands at the end of a line or a limit."""

    y: float  # where that is
    ink: QColor
    there: bool  # it goes on to the end of the plot
    words: str
    figures: Sequence[Sequence[Run]]  # one for each column
    hint: str
    line: PlotLine | None = None
    reason: str = ""  # why there are no figures, or none now
    unseen: bool = False  # it has none at all


def _draw_ends(drawing: Drawing, layout: Layout, plot: Place) -> None:
    theme, letters = drawing.theme, drawing.letters
    rows = []
    for limit in plot.limits:
        number = Run(plot.scale.number(limit.value), letters.body, theme.faint)
        figures, ink = [] if layout.compact else [[number]], faded(theme.warn, 0.7)
        y = plot.y(limit.value)
        rows.append(_EndRow(y, ink, True, limit.label, figures, limit.label))  # noqa: FBT003
    for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
        rows.append(_row(drawing, layout, plot, line, summary))
    lowest, highest = plot.top + 6, plot.area.bottom() - 1
    if not layout.compact:
        # Beside the title there is room as well, and below, up to the next one. The lowest
        # touches no flag.
        above_flags = bool(layout.flags) and plot is layout.plots[-1]
        lowest, highest = plot.top - 8, plot.area.bottom() + (-2 if above_flags else 6)
    most = max(1, int((highest - lowest) / _CLOSEST) + 1)
    left_out = rows[most - 1 :] if len(rows) > most else []
    shown = rows[: most - 1] if left_out else rows
    wanted = [row.y for row in shown]
    if left_out:
        words = trn("and {count} more", "and {count} more", len(left_out))
        hint = "\n".join(row.line.who if row.line else row.words for row in left_out)
        wanted.append(max(highest, *wanted))
        shown = [*shown, _EndRow(highest, theme.faint, False, words, (), hint)]  # noqa: FBT003
    told: set[str] = set()
    for row, y in zip(shown, spread(wanted, _APART, lowest, highest), strict=True):
        _draw_row(drawing, layout, plot, row, y, told)


def _row(
    drawing: Drawing, layout: Layout, plot: Place, line: PlotLine, summary: Summary
) -> _EndRow:
    theme, letters, compact = drawing.theme, drawing.letters, layout.compact
    ends = summary.last if summary.now is None else summary.now
    values = (summary.now, summary.least, summary.mean, summary.most)
    figures = []
    for at, value in enumerate(values[: len(layout.columns)]):
        if value is None:
            figures.append([Run("–", letters.body, theme.faint)])
            continue
        now = quantity(line.metric, value, layout.units)
        state = line.metric.text_of(value)
        words = plot.scale.number(value) if state is None else tr(state)
        font = letters.body if compact or at else letters.strong
        ink = theme.quiet if at else theme.tone(line.tone)
        figures.append([Run(now.number if compact else words, font, ink)])
        if compact and now.unit:
            figures[0].append(Run(f"{THIN_SPACE}{now.unit}", letters.caption, theme.quiet))
    unseen = summary.mean is None and not compact
    about = line.reason if compact and line.reason else explained(line.metric)
    return _EndRow(
        plot.area.bottom() - 4 if ends is None else plot.y(ends),
        theme.card(line.colour),
        summary.now is not None,
        "" if compact else line.label,
        figures,
        f"{line.who if compact else tr(line.metric.label)}: {about}",
        line,
        line.reason or (tr(_UNSEEN) if unseen else ""),
        unseen,
    )


def _draw_row(
    drawing: Drawing, layout: Layout, plot: Place, row: _EndRow, y: float, told: set[str]
) -> None:
    """A reason is `told` once a plot: a card is lost once, and so are all its lines."""
    caption, left, theme = drawing.letters.caption, layout.labels.left(), drawing.theme
    if row.there and not (layout.compact and abs(y - row.y) < 3):
        drawing.painter.setPen(QPen(mixed(theme.surface, row.ink, 0.75), 1))
        leader = QPointF(plot.area.right() + 3, row.y), QPointF(left - 5, y)
        drawing.painter.drawLine(*leader)
    drawing.hint(QRectF(left, y - 9, layout.labels.width(), 18), row.hint)
    if row.line is not None and row.line.chip:
        _draw_chip(drawing, QRectF(left, round(y) - _CLOSEST / 2, CHIP, _CLOSEST), row.line)
        left += CHIP + 6
    words = caption.elided(row.words, layout.labels.right() - left - 6)
    baseline = _baseline(caption, y)
    left = drawing.text(left, baseline, Run(words, caption, theme.quiet))
    reason = Run(row.reason, caption, theme.faint)
    if row.unseen and reason.width + 10 <= layout.right - left:
        # Where its figures would be.
        drawing.runs_right(layout.right, baseline, [reason])
        drawing.hint(QRectF(left, y - 9, layout.right - left, 18), row.reason)
        return
    for (_, right), figure in zip(layout.columns, row.figures, strict=False):
        drawing.runs_right(right, _baseline(drawing.letters.body, y), figure)
    if row.reason and not row.there and (layout.compact or row.reason not in told):
        told.add(row.reason)
        _draw_reason(drawing, layout, plot, row.reason, y)


def _draw_reason(drawing: Drawing, layout: Layout, plot: Place, reason: str, y: float) -> None:
    """In the plot, where its line would come in; beside a label there is no room for it."""
    letters, area = drawing.letters.caption, plot.area
    share = _REASON_SHARE if layout.compact else 0.8
    words = letters.elided(reason, area.width() * share)
    width = letters.width(words) + 8
    y = min(y, area.bottom() - 9)
    place = QRectF(area.right() - width, round(y) - 8, width, 16)
    drawing.painter.fillRect(place, faded(drawing.theme.surface, _BACKING))
    run = Run(words, letters, drawing.theme.faint)
    drawing.text(place.left() + 4, _baseline(letters, y), run)
    drawing.hint(place, reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """One line at the moment that is pointed at; without one, why there is nothing."""

    line: PlotLine | None
    y: float
    runs: list[Run]
    beside: float | None = None  # where what it is compared with is

    @property
    def width(self) -> float:
        return sum(run.width for run in self.runs) + (16 if self.line is None else 30)


def _marks(drawing: Drawing, layout: Layout, plot: Place, at: float) -> list[_Mark]:
    theme, letters = drawing.theme, drawing.letters
    marks = []
    for line in plot.content.lines:
        value = value_at(line.trace, at)
        if value is None:
            continue
        other, compared = _compared(layout, plot, line, value, at)
        read = quantity(line.metric, value, layout.units)
        runs = [Run(read.number, letters.badge, theme.text)]
        if read.unit:
            runs.append(Run(f"{THIN_SPACE}{read.unit}", letters.caption, theme.quiet))
        if compared:
            words = tr("vs {other}", other=compared)
            runs.append(Run(f"   {words}", letters.caption, theme.quiet))
        beside = None if other is None else plot.y(other)
        marks.append(_Mark(line, plot.y(value), runs, beside))
    return marks


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


def _draw_marks(drawing: Drawing, plot: Place, marks: list[_Mark], x: float) -> None:
    painter, theme, caption = drawing.painter, drawing.theme, drawing.letters.caption
    lowest, highest = plot.top + _PILL / 2, plot.area.bottom() - _PILL / 2 + 4
    places = spread([each.y for each in marks], _PILL + 1, lowest, highest)
    widest = max(each.width for each in marks)
    left = x + 9 if x + 9 + widest <= plot.area.right() else x - 9 - widest
    for each, y in zip(marks, places, strict=True):
        place = QRectF(round(left) + 0.5, round(y - _PILL / 2) + 0.5, each.width, _PILL - 1)
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.raised)
        painter.drawRoundedRect(place, 4, 4)
        middle, left_of_words = place.center().y(), place.left() + (22 if each.line else 8)
        if each.line is not None and each.line.chip:
            _draw_chip(drawing, QRectF(place.left() + 4, middle - 7, 14, 14), each.line)
        elif each.line is not None:
            dot = QRectF(place.left() + 8, middle - 3, 6, 6)
            drawing.filled(dot, theme.card(each.line.colour), 3)
        drawing.runs(left_of_words, middle + caption.cap_height / 2, each.runs)
    for each in marks:
        if each.line is not None:
            ink, at = theme.card(each.line.colour), int(x) + 0.5
            painter.setPen(QPen(theme.surface, 1.5))
            painter.setBrush(ink)
            painter.drawEllipse(QPointF(at, each.y), _DOT, _DOT)
            if each.beside is not None:
                painter.setPen(QPen(ink, 1))
                painter.setBrush(theme.surface)
                painter.drawEllipse(QPointF(at, each.beside), _DOT - 1, _DOT - 1)


def _draw_chip(drawing: Drawing, place: QRectF, line: PlotLine) -> None:
    fill = None if line.colour is None else drawing.theme.card(line.colour)
    drawing.chip(place, line.chip, drawing.letters.caption, fill)


def _name(plot: Place, line: PlotLine) -> str:
    """Which line it is, in words."""
    label = line.label or tr("card {number}", number=line.chip)
    return f"{plot.content.title} {label}".strip()


def _baseline(letters: Lettering, y: float) -> float:
    return round(y + letters.cap_height / 2)
