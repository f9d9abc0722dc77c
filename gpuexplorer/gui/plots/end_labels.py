"""What stands at the right end of lines: who they are, and their figures in columns."""

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.axes import spread
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.facts import explained
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.content import Limit, Line
from gpuexplorer.gui.plots.crosshair import name_of
from gpuexplorer.gui.plots.layout import CHIP, NOW, Layout, PlotPlace
from gpuexplorer.gui.plots.summary import Summary
from gpuexplorer.gui.plots.words import reason_fits
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, faded, mixed

_APART = 19.0
_CLOSEST = 14.0
_NOTHING = "–"
_REASON_SHARE = 0.4  # of the plot, at most
_BACKING = 0.86
UNSEEN = mark("no reading in this stretch")


@dataclass(frozen=True, slots=True, eq=False)
class _Label:
    """One row of the gutter."""

    wanted: float
    ink: QColor  # of its leader
    line: Line | None = None
    summary: Summary | None = None
    limit: Limit | None = None


def draw_end_labels(drawing: Drawing, layout: Layout, units: Units) -> None:
    _draw_headings(drawing, layout)
    for plot in layout.plots:
        _draw_ends(drawing, layout, plot, units)


def _draw_ends(drawing: Drawing, layout: Layout, plot: PlotPlace, units: Units) -> None:
    labels = _labels(drawing, plot)
    lowest, highest = plot.top + 6, plot.area.bottom() - 1
    if not layout.compact:
        # Beside the title there is room as well, and below, up to the next one.
        # The lowest touches no flag.
        above_flags = layout.flagged and plot is layout.plots[-1]
        lowest, highest = plot.top - 8, plot.area.bottom() + (-2 if above_flags else 6)
    rows = max(1, int((highest - lowest) / _CLOSEST) + 1)
    left_out = labels[rows - 1 :] if len(labels) > rows else []
    shown = labels[: rows - 1] if left_out else labels
    wanted = [label.wanted for label in shown]
    if left_out:
        wanted.append(max(highest, *wanted))
    places = spread(wanted, _APART, lowest, highest)
    for label, y in zip(shown, places, strict=False):
        _draw_leader(drawing, layout, plot, label, y)
        if label.limit is not None:
            _draw_limit(drawing, layout, plot, label.limit, y)
        elif label.line is not None and label.summary is not None:
            if layout.compact:
                _draw_chip_and_figure(drawing, layout, label.line, label.summary, y, units)
                if label.summary.now is None and label.line.reason:
                    _draw_reason(drawing, plot, label.line.reason, y)
            else:
                _draw_columns(drawing, layout, plot, label.line, label.summary, y)
    if left_out:
        _draw_left_out(drawing, layout, left_out, places[-1])


def in_words(layout: Layout, units: Units) -> str:
    """Every line with its newest value, or why it has none."""
    said = []
    for plot in layout.plots:
        for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
            if summary.now is not None:
                figure = str(quantity(line.metric, summary.now, units))
            else:
                figure = line.reason or tr(UNSEEN)
            said.append(f"{name_of(plot, line)}: {figure}")
    return ". ".join(said)


def _draw_headings(drawing: Drawing, layout: Layout) -> None:
    letters, faint = drawing.letters.caption, drawing.theme.faint
    for heading, right in layout.columns:
        # Looking back, the last figure is not what is so now.
        word = mark("last") if heading == NOW and not layout.stretch.following else heading
        drawing.runs_right(right, layout.heads, [Run(tr(word), letters, faint)])


def _labels(drawing: Drawing, plot: PlotPlace) -> list[_Label]:
    theme = drawing.theme
    labels = []
    for limit in plot.content.limits:
        if plot.scale.holds(limit.value):
            wanted = plot.y(limit.value) - 2
            labels.append(_Label(wanted, faded(theme.warn, 0.7), limit=limit))
    for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
        ends = summary.now if summary.now is not None else summary.last
        wanted = plot.area.bottom() - 4 if ends is None else plot.y(ends)
        labels.append(_Label(wanted, theme.card(line.colour), line, summary))
    return labels


def _draw_leader(
    drawing: Drawing, layout: Layout, plot: PlotPlace, label: _Label, y: float
) -> None:
    """From the line's end to its label; none from a line that is not there."""
    seen = label.summary is None or label.summary.now is not None
    if not seen or (layout.compact and abs(y - label.wanted) < 3):
        return
    left, right = plot.area.right() + 3, layout.labels.left() - 5
    start = plot.y(label.limit.value) if label.limit is not None else label.wanted
    bend = (right - left) / 3
    # In one colour all through: where pieces meet, a part of it would be drawn twice.
    ink = mixed(drawing.theme.surface, label.ink, 0.75)
    pen = QPen(ink, 1)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    corners = [QPointF(left, start), QPointF(left + bend, start)]
    corners += [QPointF(right - bend, y), QPointF(right, y)]
    # One line with corners takes ten times as long as its pieces.
    drawing.painter.drawLines([QLineF(*ends) for ends in pairwise(corners)])


def _draw_limit(
    drawing: Drawing, layout: Layout, plot: PlotPlace, limit: Limit, y: float
) -> None:
    theme, letters = drawing.theme, drawing.letters
    labels = layout.labels
    if layout.compact:
        word = letters.caption.elided(limit.label, labels.width())
        drawing.text(labels.left(), _baseline(letters.caption, y), _quiet(drawing, word))
        return
    word = letters.caption.elided(limit.label, labels.width() - 6)
    drawing.text(labels.left(), _baseline(letters.caption, y), _quiet(drawing, word))
    number = Run(plot.scale.number(limit.value), letters.body, theme.faint)
    drawing.runs_right(layout.columns[0][1], _baseline(letters.body, y), [number])
    drawing.hint(QRectF(labels.left(), y - 9, labels.width(), 18), limit.label)


def _draw_chip_and_figure(
    drawing: Drawing,
    layout: Layout,
    line: Line,
    summary: Summary,
    y: float,
    units: Units,
) -> None:
    theme, letters = drawing.theme, drawing.letters
    labels = layout.labels
    height = min(CHIP, _CLOSEST)
    place = QRectF(labels.left(), round(y) - height / 2, CHIP, height)
    _draw_chip(drawing, place, line)
    baseline = _baseline(letters.body, y)
    if summary.now is None:
        runs = [Run(_NOTHING, letters.body, theme.faint)]
    else:
        now = quantity(line.metric, summary.now, units)
        runs = [Run(now.number, letters.body, theme.tone(line.tone))]
        if now.unit:
            runs.append(Run(f"{THIN_SPACE}{now.unit}", letters.caption, theme.quiet))
    drawing.runs_right(labels.right(), baseline, runs)
    hint = QRectF(labels.left(), y - 8, labels.width(), 16)
    who = line.label or tr("Card {number}", number=line.chip)
    drawing.hint(hint, f"{who}: {line.reason or explained(line.metric)}")


def _draw_columns(
    drawing: Drawing, layout: Layout, plot: PlotPlace, line: Line, summary: Summary, y: float
) -> None:
    theme, letters = drawing.theme, drawing.letters
    labels, columns = layout.labels, layout.columns
    left = labels.left()
    if line.chip:
        _draw_chip(drawing, QRectF(left, round(y) - _CLOSEST / 2, CHIP, _CLOSEST), line)
        left += CHIP + 6
    word = letters.caption.elided(line.label, labels.right() - left - 6)
    drawing.text(left, _baseline(letters.caption, y), _quiet(drawing, word))
    hint = QRectF(labels.left(), y - 9, labels.width(), 18)
    drawing.hint(hint, f"{tr(line.metric.label)}\n{explained(line.metric)}")
    baseline = _baseline(letters.body, y)
    reason = line.reason or tr(UNSEEN)
    if summary.mean is None and (not line.reason or reason_fits(layout, letters, line)):
        room = layout.right - left - letters.caption.width(word) - 10
        words = Run(letters.caption.elided(reason, room), letters.caption, theme.faint)
        drawing.runs_right(layout.right, _baseline(letters.caption, y), [words])
        drawing.hint(QRectF(layout.right - words.width, y - 9, words.width, 18), reason)
        return
    figures = (summary.now, summary.least, summary.mean, summary.most)
    for at, ((_, right), value) in enumerate(zip(columns, figures, strict=False)):
        if value is None:
            drawing.runs_right(right, baseline, [Run(_NOTHING, letters.body, theme.faint)])
            drawing.hint(QRectF(right - 40, y - 9, 40, 18), line.reason)
            continue
        state = line.metric.text_of(value)
        word = plot.scale.number(value) if state is None else tr(state)
        run = (
            Run(word, letters.strong, theme.tone(line.tone))
            if at == 0
            else Run(word, letters.body, theme.quiet)
        )
        drawing.runs_right(right, baseline, [run])


def _draw_reason(drawing: Drawing, plot: PlotPlace, reason: str, y: float) -> None:
    """Beside the chip, where its line would come in."""
    letters, theme = drawing.letters.caption, drawing.theme
    words = letters.elided(reason, plot.area.width() * _REASON_SHARE)
    width = letters.width(words)
    place = QRectF(plot.area.right() - width - 8, round(y) - 8, width + 8, 16)
    drawing.painter.fillRect(place, faded(theme.surface, _BACKING))
    drawing.text(place.left() + 4, _baseline(letters, y), Run(words, letters, theme.faint))
    drawing.hint(place, reason)


def _draw_left_out(drawing: Drawing, layout: Layout, left_out: list[_Label], y: float) -> None:
    letters = drawing.letters.caption
    words = trn("and {count} more", "and {count} more", len(left_out))
    left = layout.labels.left()
    drawing.text(left, _baseline(letters, y), Run(words, letters, drawing.theme.faint))
    names = [
        label.line.label or tr("Card {number}", number=label.line.chip)
        for label in left_out
        if label.line
    ]
    drawing.hint(QRectF(left, y - 8, letters.width(words), 16), "\n".join(names))


def _draw_chip(drawing: Drawing, place: QRectF, line: Line) -> None:
    fill = None if line.colour is None else drawing.theme.card(line.colour)
    drawing.chip(place, line.chip, drawing.letters.caption, fill)


def _quiet(drawing: Drawing, text: str) -> Run:
    return Run(text, drawing.letters.caption, drawing.theme.tone(Tone.QUIET))


def _baseline(letters: Lettering, y: float) -> float:
    return round(y + letters.cap_height / 2)
