"""Cell drawing: puts one cell of a table into its place."""

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gpuexplorer.gui.paint.curve import lines_into
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.paint.wrong_mark import draw_wrong
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.wording.cell import Cell, Chip, Gauge, Spark

PADDING = 8.0
_CHIP, _CHIP_GAP = 20.0, 4.0
_SAME = "–"  # the reason stands in the cell before
_SPARK_MARGIN = 6.0
_ICON = 16.0
_FILL = 0.16
_GAP = 3.0
_ARROW = 14.0
_BAR = 4.0
_FLAG = 18.0
_DASHES = (2.0, 2.0)


def draw_cell(
    drawing: Drawing, place: QRectF, cell: Cell, *, right: bool, same: bool = False
) -> None:
    """`same`: the cell before is empty for the same reason, which need not be said twice."""
    left, end = place.left() + PADDING, place.right() - PADDING
    if end <= left:
        return
    if cell.spark is not None:
        _spark(drawing, QRectF(left, place.top(), end - left, place.height()), cell.spark)
        return
    if cell.absent:
        _reason(drawing, left, end, place, cell, right=right, same=same)
        return
    if cell.wrong:
        height = _CHIP
        draw_wrong(
            drawing,
            QRectF(left, place.center().y() - height / 2, end - left, height),
            lettered=True,
        )
        return
    if cell.chips and cell.joined:
        _joined(drawing, left, place.center().y(), cell.chips)
        return
    if cell.chips:
        _chips(drawing, left, end, place.center().y(), cell.chips)
        return
    if cell.flag:
        _flag(drawing, left, end, place.center().y(), cell)
        return
    letters = drawing.letters.mono if cell.mono else drawing.letters.body
    run = Run(cell.text, letters, drawing.theme.tone(cell.tone))
    baseline = place.center().y() + letters.cap_height / 2
    if cell.icon is not None:
        top = place.center().y() - _ICON / 2
        drawing.icon(cell.icon, QRectF(left, top, _ICON, _ICON), run.colour)
        left += _ICON + PADDING
    if right and cell.unit:
        small = drawing.letters.caption
        unit = Run(f"{THIN_SPACE}{cell.unit}", small, drawing.theme.quiet)
        if run.width + unit.width <= end - left:
            end = drawing.runs_right(end, baseline, [unit])
    if right:
        number = _right(drawing, left, end, baseline, run)
        if cell.gauge is not None:
            _gauge(drawing, left, number, end, place.center().y(), cell.gauge)
        return
    room = end - left - _mark_width(drawing, cell.mark)
    shown = letters.elided(run.text, max(room, 0.0))
    after = drawing.text(left, baseline, Run(shown, letters, run.colour))
    if cell.mark:
        _mark(drawing, after + PADDING, place.center().y(), cell.mark)


def chips_width(count: int) -> float:
    """How wide a column has to be for so many cards in one row."""
    return 2 * PADDING + count * _CHIP + max(0, count - 1) * _CHIP_GAP


def _right(drawing: Drawing, left: float, end: float, baseline: float, run: Run) -> float:
    """Returns where it begins."""
    shown = run.letters.elided(run.text, end - left)
    begin = end - run.letters.width(shown)
    drawing.text(begin, baseline, Run(shown, run.letters, run.colour))
    return begin


def _gauge(
    drawing: Drawing, left: float, number: float, end: float, middle: float, gauge: Gauge
) -> None:
    """As long in every row, however many digits the number has."""
    room = min(number, end - drawing.letters.body.width("100")) - PADDING - left
    if room < 2 * _BAR:
        return
    bar = QRectF(left, middle - _BAR / 2, room, _BAR)
    drawing.bar(bar, ((min(1.0, gauge.share), drawing.theme.card(gauge.colour)),))


def _joined(drawing: Drawing, left: float, middle: float, chips: tuple[Chip, ...]) -> None:
    letters, x = drawing.letters.caption, left
    for at, chip in enumerate(chips):
        if at:
            arrow = QRectF(x + 1, middle - _ARROW / 2, _ARROW, _ARROW)
            drawing.icon(Icon.ARROW, arrow, drawing.theme.quiet)
            x = arrow.right() + 1 + _CHIP_GAP
        fill = None if chip.colour is None else drawing.theme.card(chip.colour)
        width = _chip_width(chip, letters)
        drawing.chip(QRectF(x, middle - _CHIP / 2, width, _CHIP), chip.text, letters, fill)
        x += width + _CHIP_GAP


def _flag(drawing: Drawing, left: float, end: float, middle: float, cell: Cell) -> None:
    """The number of a line: dashed where nobody asked for what stands in the row."""
    letters, theme, painter = drawing.letters.caption, drawing.theme, drawing.painter
    width = min(end - left, max(_FLAG, letters.width(cell.text) + 8))
    place = QRectF(left, middle - _FLAG / 2, width, _FLAG).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if cell.flag == "dashed":
        pen = QPen(theme.faint, 1, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern(_DASHES)
        painter.setPen(pen)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.track)
    painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
    run = Run(cell.text, letters, theme.quiet if cell.flag == "dashed" else theme.text)
    x = place.center().x() - run.width / 2
    drawing.text(x, middle + letters.cap_height / 2, run)


def _reason(
    drawing: Drawing,
    left: float,
    end: float,
    place: QRectF,
    cell: Cell,
    *,
    right: bool,
    same: bool,
) -> None:
    letters = drawing.letters.caption
    words = next((each for each in cell.absent if letters.width(each) <= end - left), _SAME)
    run = Run(_SAME if same else words, letters, drawing.theme.tone(Tone.FAINT))
    baseline = place.center().y() + letters.cap_height / 2
    if right:
        _right(drawing, left, end, baseline, run)
    else:
        drawing.text(left, baseline, run)


def _chips(
    drawing: Drawing, left: float, end: float, middle: float, chips: tuple[Chip, ...]
) -> None:
    """As many as fit, and how many more there are."""
    letters = drawing.letters.caption
    widths = [_chip_width(chip, letters) for chip in chips]
    if sum(widths) + _CHIP_GAP * (len(chips) - 1) <= end - left + 1:
        shown = len(chips)
    else:
        room = end - left - letters.width(f"+{len(chips)}")
        shown, taken = 0, 0.0
        while shown < len(chips) and taken + widths[shown] + _CHIP_GAP <= room:
            taken += widths[shown] + _CHIP_GAP
            shown += 1
    x = left
    for chip, width in zip(chips[:shown], widths, strict=False):
        fill = None if chip.colour is None else drawing.theme.card(chip.colour)
        drawing.chip(QRectF(x, middle - _CHIP / 2, width, _CHIP), chip.text, letters, fill)
        x += width + _CHIP_GAP
    if shown < len(chips):
        rest = Run(f"+{len(chips) - shown}", letters, drawing.theme.quiet)
        drawing.text(x, middle + letters.cap_height / 2, rest)


def _chip_width(chip: Chip, letters: Lettering) -> float:
    return max(_CHIP, letters.width(chip.text) + 8)


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


def _spark(drawing: Drawing, place: QRectF, spark: Spark) -> None:
    """A line, and fill under every look; where nothing was told there is neither."""
    painter, theme = drawing.painter, drawing.theme
    foot, head = place.bottom() - _SPARK_MARGIN, place.top() + _SPARK_MARGIN
    painter.fillRect(QRectF(place.left(), foot, place.width(), 1), theme.line)
    times, values = np.asarray(spark.times, float), np.asarray(spark.values, float)
    first = int(times.searchsorted(spark.start))
    if first == len(times) or spark.end <= spark.start:
        return
    scale = place.width() / (spark.end - spark.start)
    x = place.left() + (times[first:] - spark.start) * scale
    y = foot - values[first:].clip(0.0, spark.top) * ((foot - head) / spark.top)
    colour = theme.level if spark.colour is None else theme.card(spark.colour)
    apart = x[1:] - x[:-1]
    steps = np.stack((x[:-1], y[:-1], x[1:], y[1:]), 1)
    # Looks that are further apart than usual have a gap between them, not a slope.
    usual = (x[-1] - x[0]) / max(1, len(x) - 1)
    joined = (apart <= _GAP * usual) & np.isfinite(y[1:] - y[:-1])
    if joined.any():
        _spark_fill(painter, x, y, joined, foot, colour)
    line = QPen(colour, 1.25)
    line.setCapStyle(Qt.PenCapStyle.SquareCap)
    painter.setPen(line)
    lines_into(painter, steps[joined])
    if not joined.all() or len(x) == 1:
        _spark_alone(painter, x, y, joined)


def _spark_fill(
    painter: QPainter,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    joined: NDArray[np.bool_],
    foot: float,
    colour: QColor,
) -> None:
    """A column for each pixel: smooth edges would cost more than all the rest."""
    pixels = np.arange(math.ceil(x[0]), math.floor(x[-1]) + 1) + 0.5
    piece = x.searchsorted(pixels) - 1
    np.clip(piece, 0, len(joined) - 1, out=piece)
    tops = np.interp(pixels, x, y)
    columns = np.empty((len(pixels), 4))
    columns[:, 0] = columns[:, 2] = pixels
    columns[:, 1], columns[:, 3] = tops, foot
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # noqa: FBT003 - Qt's
    pen = QPen(faded(colour, _FILL), 1)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    lines_into(painter, columns[joined[piece] & np.isfinite(tops)])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _spark_alone(
    painter: QPainter,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    joined: NDArray[np.bool_],
) -> None:
    """A look between two gaps is a short stroke."""
    beside = np.zeros(len(x), bool)
    beside[:-1] |= joined
    beside[1:] |= joined
    for at in np.flatnonzero(np.isfinite(y) & ~beside):
        painter.drawLine(QPointF(x[at] - 1, y[at]), QPointF(x[at] + 0.5, y[at]))
