"""Cell drawing: puts one cell of a table into its place."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.small_curve import draw_small_curve
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.tables.cell import Cell, Chip, Gauge, Spark
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, mixed

PADDING = 8.0
_CHIP, _CHIP_GAP = 20.0, 4.0
_SAME = "–"  # the reason stands in the cell before
_CUT = "…"
_SPARK_MARGIN = 6.0
_ICON = 16.0
_FILL = 0.16
_GAP = 3.0
_ARROW = 14.0
_BAR = 4.0
_NOT_FULL = 0.55  # of a colour, beside one that is full
_FLAG = 18.0
_DASHES = (2.0, 2.0)


def draw_cell(
    drawing: Drawing, place: QRectF, cell: Cell, *, right: bool, same: bool = False
) -> None:
    """`same`: the cell before is empty for the same reason, which need not be said twice."""
    inner = place.adjusted(PADDING, 0, -PADDING, 0)
    if inner.width() <= 0:
        return
    if cell.spark is not None:
        _spark(drawing, inner, cell.spark)
    elif cell.absent:
        _reason(drawing, inner, cell, right=right, same=same)
    elif cell.wrong:
        height = (place.height() - _CHIP) / 2
        draw_wrong(drawing, inner.adjusted(0, height, 0, -height), lettered=True)
    elif cell.chips:
        _chips(drawing, inner, cell.chips, joined=cell.joined)
    elif cell.flag:
        _flag(drawing, inner, cell)
    elif right:
        _figure(drawing, inner, cell)
    else:
        _words(drawing, inner, cell)


def chips_width(count: int) -> float:
    """How wide a column has to be for so many cards in one row."""
    return 2 * PADDING + count * _CHIP + max(0, count - 1) * _CHIP_GAP


def _words(drawing: Drawing, inner: QRectF, cell: Cell) -> None:
    letters = drawing.letters.mono if cell.mono and not cell.below else drawing.letters.body
    colour = drawing.theme.tone(cell.tone)
    left, middle = inner.left(), inner.center().y()
    if cell.below:
        small = drawing.letters.mono if cell.mono else drawing.letters.caption
        below = Run(cell.below, small, drawing.theme.faint)
        drawing.elided(left, middle + small.ascent + 2, below, inner.width())
        middle -= letters.height / 2
    if cell.icon is not None:
        drawing.icon(cell.icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), colour)
        left += _ICON + PADDING
    room = inner.right() - left - _mark_width(drawing, cell.mark)
    text = letters.elided(cell.short or cell.text, max(room, 0.0), end=cell.end)
    run = Run(text, letters, colour)
    after = drawing.text(left, middle + letters.cap_height / 2, run)
    if cell.mark:
        _mark(drawing, after + PADDING, middle, cell.mark)


def _figure(drawing: Drawing, inner: QRectF, cell: Cell) -> None:
    """At the right."""
    letters = drawing.letters.mono if cell.mono else drawing.letters.body
    middle, end = inner.center().y(), inner.right()
    if cell.below:
        small = drawing.letters.caption
        below = Run(cell.below, small, drawing.theme.faint)
        drawing.runs_right(end, middle + small.ascent + 2, [below])
        middle -= letters.height / 2
    baseline = middle + letters.cap_height / 2
    run = Run(
        fitting_figure(letters, cell.text, inner.width()),
        letters,
        drawing.theme.tone(cell.tone),
    )
    unit = Run(f"{THIN_SPACE}{cell.unit}", drawing.letters.caption, drawing.theme.quiet)
    if cell.unit and run.width + unit.width <= inner.width():
        end = drawing.runs_right(end, baseline, [unit])
    begin = drawing.runs_right(end, baseline, [run])
    if cell.gauge is not None:
        _gauge(drawing, inner.left(), begin, end, middle, cell.gauge)


def fitting_figure(letters: Lettering, text: str, room: float) -> str:
    """A figure is never shortened: a part of it would be another one."""
    if letters.width(text) <= room:
        return text
    return _CUT if any(each.isdigit() for each in text) else letters.elided(text, room)


def _gauge(
    drawing: Drawing, left: float, number: float, end: float, middle: float, gauge: Gauge
) -> None:
    """As long in every row, however many digits the number has."""
    room = end - left  # where it stands alone
    if number < end:
        room = min(number, end - drawing.letters.body.width("100")) - PADDING - left
    if room < 2 * _BAR:
        return
    bar = QRectF(left, middle - _BAR / 2, room, _BAR)
    theme, colour = drawing.theme, drawing.theme.card(gauge.colour)
    ink = colour if gauge.full else mixed(theme.surface, colour, _NOT_FULL)
    drawing.bar(bar, ((min(1.0, gauge.share), ink),))
    if gauge.limit is not None:
        stroke = QRectF(
            left + min(1.0, gauge.limit) * room - 1, middle - 2 * _BAR, 1.5, 4 * _BAR
        )
        drawing.painter.fillRect(stroke, drawing.theme.quiet)


def _reason(drawing: Drawing, inner: QRectF, cell: Cell, *, right: bool, same: bool) -> None:
    letters = drawing.letters.caption
    fitting = (each for each in cell.absent if letters.width(each) <= inner.width())
    run = Run(_SAME if same else next(fitting, _SAME), letters, drawing.theme.tone(Tone.FAINT))
    baseline = inner.center().y() + letters.cap_height / 2
    drawing.text(inner.right() - run.width if right else inner.left(), baseline, run)


def _chips(drawing: Drawing, inner: QRectF, chips: Sequence[Chip], *, joined: bool) -> None:
    """As many as fit, a single one in any case, and how many more there are; joined, with
    arrows between them.
    """
    letters, middle = drawing.letters.caption, inner.center().y()
    widths = [_chip_width(chip, letters) for chip in chips]
    shown = len(chips)
    if not joined and shown > 1 and sum(widths) + _CHIP_GAP * (shown - 1) > inner.width() + 1:
        room = inner.width() - letters.width(f"+{len(chips)}")
        shown, taken = 0, widths[0] + _CHIP_GAP
        while shown < len(chips) and taken <= room:
            shown += 1
            taken += widths[shown] + _CHIP_GAP if shown < len(chips) else 0.0
    x = inner.left()
    for at, (chip, width) in enumerate(zip(chips[:shown], widths, strict=False)):
        if joined and at:
            arrow = QRectF(x - _CHIP_GAP + 1, middle - _ARROW / 2, _ARROW, _ARROW)
            drawing.icon(Icon.ARROW, arrow, drawing.theme.quiet)
            x = arrow.right() + 1
        fill = None if chip.colour is None else drawing.theme.card(chip.colour)
        drawing.chip(QRectF(x, middle - _CHIP / 2, width, _CHIP), chip.text, letters, fill)
        x += width + _CHIP_GAP
    if shown < len(chips):
        rest = Run(f"+{len(chips) - shown}", letters, drawing.theme.quiet)
        drawing.text(x, middle + letters.cap_height / 2, rest)


def _chip_width(chip: Chip, letters: Lettering) -> float:
    return max(_CHIP, letters.width(chip.text) + 8)


def _flag(drawing: Drawing, inner: QRectF, cell: Cell) -> None:
    """The number of a line: dashed where nobody asked for what stands in the row."""
    letters, theme, painter = drawing.letters.caption, drawing.theme, drawing.painter
    run = Run(cell.text, letters, theme.quiet if cell.flag == "dashed" else theme.text)
    width, middle = min(inner.width(), max(_FLAG, run.width + 8)), inner.center().y()
    place = QRectF(inner.left(), middle - _FLAG / 2, width, _FLAG)
    place.adjust(0.5, 0.5, -0.5, -0.5)
    if cell.flag == "dashed":
        pen = QPen(theme.faint, 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
    else:
        drawing.filled(place, theme.track, CHIP_RADIUS)
    drawing.text(place.center().x() - run.width / 2, middle + letters.cap_height / 2, run)


def _mark_width(drawing: Drawing, mark: str) -> float:
    return drawing.letters.caption.width(mark) + 12 + PADDING if mark else 0.0


def _mark(drawing: Drawing, left: float, middle: float, mark: str) -> None:
    letters = drawing.letters.caption
    place = QRectF(left + 0.5, middle - 8.5, letters.width(mark) + 12, 17)
    drawing.painter.setPen(QPen(drawing.theme.faint, 1))
    drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
    drawing.painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
    run = Run(mark, letters, drawing.theme.quiet)
    drawing.text(left + 6, middle + letters.cap_height / 2, run)


def _spark(drawing: Drawing, inner: QRectF, spark: Spark) -> None:
    """A line, and a fill below it; where nothing was told there is neither."""
    place = inner.adjusted(0, _SPARK_MARGIN, 0, -_SPARK_MARGIN)
    drawing.hairline(place.left(), place.right(), place.bottom())
    times, values = np.array(spark.times, float), np.array(spark.values, float)
    seen = times >= spark.start
    times, values = times[seen], values[seen]
    if times.size == 0 or spark.end <= spark.start:
        return
    # Where looks are further apart than usual, there is a gap between them, and not a slope.
    usual = (times[-1] - times[0]) / max(1, times.size - 1)
    late = np.flatnonzero(np.diff(times) > _GAP * usual) + 1
    x = (np.insert(times, late, times[late]) - spark.start) / (spark.end - spark.start)
    y = np.insert(values, late, np.nan) / spark.top
    colour = drawing.theme.level if spark.colour is None else drawing.theme.card(spark.colour)
    fill = _FILL if spark.filled else 0.0
    draw_small_curve(drawing.painter, place, x, y, colour, fill)
