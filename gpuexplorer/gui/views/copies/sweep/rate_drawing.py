"""How rate over size is drawn: curves with a dot per size, limits, half rates, the floor."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPen, QPolygonF

from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.curve import lines_into
from gpuexplorer.gui.paint.dashes import cuts_of, marked
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.spread import spread
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.views.copies.sweep.rate_axes import RateAxes
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.rows import LimitLine, SweepRow, floor_words

PEN, CHOSEN_PEN = 1.5, 2.0
_DOT, _RING = 2.0, 4.5
_LABEL_APART, _PILL = 15.0, 20.0
_BACKING = 0.88
_FAINTER = 0.45  # of a curve while another one is chosen
_NOT_HERE = mark("not measured")


def ink_of(theme: Theme, row: SweepRow) -> QColor:
    """The card's whose data it is; the host has none."""
    if row.colour is not None:
        return theme.card(row.colour)
    return theme.quiet if row.way.source == "cpu" else theme.level


def draw_axes(drawing: Drawing, axes: RateAxes, labels: float) -> None:
    """`labels` is where the rates' figures begin, at the left."""
    theme, letters, area = drawing.theme, drawing.letters.caption, axes.area
    for rate, words in axes.rate_lines():
        y = round(axes.y(rate))
        drawing.hairline(labels, area.right(), y)
        drawing.text(labels, y - 5, Run(words, letters, theme.faint))
    bottom = round(area.bottom())
    drawing.painter.fillRect(QRectF(labels, bottom, area.right() - labels, 1), theme.faint)
    for size, words in axes.size_ticks():
        x = axes.x(size)
        drawing.painter.fillRect(QRectF(round(x), bottom - 4, 1, 4), theme.faint)
        run = Run(words, letters, theme.faint)
        left = min(max(x - run.width / 2, area.left() - 8), area.right() - run.width)
        drawing.text(left, bottom + 18, run)


def draw_limits(drawing: Drawing, axes: RateAxes, rows: Sequence[SweepRow]) -> None:
    """Each once, dotted, with its name above."""
    theme, letters, area = drawing.theme, drawing.letters.caption, axes.area
    limits: dict[LimitLine, None] = {}
    for row in rows:
        if row.limit is not None:
            limits[row.limit] = None
    wanted = [axes.y(limit.rate) - 6 for limit in limits]
    places = spread(wanted, _LABEL_APART, area.top() - 8, area.bottom())
    pen = QPen(theme.quiet, 1.2, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([1.0, 2.2])
    for limit, baseline in zip(limits, places, strict=True):
        y = round(axes.y(limit.rate)) + 0.5
        drawing.painter.setPen(pen)
        drawing.painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        run = Run(letters.elided(limit.words, area.width()), letters, theme.quiet)
        middle = baseline - letters.cap_height / 2
        _draw_backed(drawing, QRectF(area.left() + 3, middle - 7, run.width, 14), run)


def draw_curve(drawing: Drawing, axes: RateAxes, row: SweepRow, *, faint: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    points = [axes.point(*each) for each in row.times]
    if not points:
        return
    ink = ink_of(theme, row)
    if faint:
        ink = mixed(theme.surface, ink, _FAINTER)
    pen = QPen(ink, PEN)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if row.dash and len(points) > 1:
        _draw_dashed(drawing, points, row.dash)
    else:
        painter.drawPolyline(QPolygonF(points))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    for point in points:
        painter.drawEllipse(point, _DOT, _DOT)


def draw_spreads(drawing: Drawing, axes: RateAxes, row: SweepRow) -> None:
    """From the slowest sample of each size to the fastest."""
    drawing.painter.setPen(
        QPen(mixed(drawing.theme.surface, ink_of(drawing.theme, row), 0.6), 1)
    )
    for size, fastest, slowest in row.spreads:
        x = axes.x(size)
        top, bottom = axes.y(size / fastest), axes.y(size / slowest)
        if bottom - top > 2 * _DOT:
            drawing.painter.drawLine(
                QPointF(x, top), QPointF(x, min(bottom, axes.area.bottom()))
            )


def draw_half(drawing: Drawing, axes: RateAxes, row: SweepRow, *, named: bool) -> None:
    """A ring at the size that reaches half of the rate."""
    curve = row.curve
    half = row.half_rate_bytes
    if curve is None or half is None:
        return
    theme, letters = drawing.theme, drawing.letters.caption
    at = QPointF(axes.x(half), axes.y(curve.top / 2))
    drawing.painter.setPen(QPen(ink_of(theme, row), 1.75))
    drawing.painter.setBrush(theme.surface)
    drawing.painter.drawEllipse(at, _RING, _RING)
    words = tr("half rate at {size}", size=memory(half))
    drawing.hint(
        QRectF(at.x() - 8, at.y() - 8, 16, 16),
        tr("{way}: {figures}", way=row.words, figures=words),
    )
    if named:
        run = Run(words, letters, theme.text)
        place = QRectF(at.x() - 12 - run.width, at.y() - 12, run.width, 16)
        _draw_backed(drawing, place, run)


def draw_floor(
    drawing: Drawing, axes: RateAxes, row: SweepRow, rows: Sequence[SweepRow]
) -> None:
    """The sentence about small copies, below all curves, led to where they end."""
    words, curve = floor_words(row), row.curve
    if not words or curve is None or curve.floor_bytes is None:
        return
    theme, letters, area = drawing.theme, drawing.letters.caption, axes.area
    x = axes.x(curve.floor_bytes)
    seconds = row.seconds(curve.floor_bytes)
    if seconds is None:
        return
    y = axes.y(curve.floor_bytes / seconds)
    others = [each.seconds(curve.floor_bytes) for each in rows]
    below = max([axes.y(curve.floor_bytes / each) for each in others if each], default=y)
    lines = [Run(each, letters, theme.quiet) for each in words]
    left = min(x + 18, area.right() - max(run.width for run in lines) - 8)
    top = min(below + 40, area.bottom() - 40)
    drawing.painter.fillRect(QRectF(round(x), y + 5, 1, top + 6 - y - 5), theme.line)
    drawing.painter.fillRect(QRectF(round(x), top + 6, left - x - 6, 1), theme.line)
    for at, run in enumerate(lines):
        drawing.text(left, top + 10 + at * 15, run)


def draw_nothing(drawing: Drawing, axes: RateAxes, words: tuple[str, str]) -> None:
    """What to do, where there is no curve."""
    theme, letters, middle = drawing.theme, drawing.letters, axes.area.center()
    first = Run(tr(words[0]), letters.title, theme.text)
    drawing.text(middle.x() - first.width / 2, middle.y(), first)
    second = Run(
        letters.body.elided(tr(words[1]), axes.area.width()), letters.body, theme.quiet
    )
    drawing.text(middle.x() - second.width / 2, middle.y() + 26, second)


def draw_leaders(
    drawing: Drawing, axes: RateAxes, rows: Sequence[SweepRow], ends: Sequence[float], to: float
) -> None:
    """From each curve's end to its row, whose heights are `ends`."""
    left = axes.area.right() + 4
    for row, y in zip(rows, ends, strict=True):
        if not row.times:
            continue
        last = axes.point(*row.times[-1])
        ink = mixed(drawing.theme.surface, ink_of(drawing.theme, row), 0.6)
        drawing.painter.setPen(QPen(ink, 1))
        corners = [QPointF(left + 4, last.y()), QPointF(to - 6, y), QPointF(to, y)]
        if last.x() < axes.area.right() - 2:
            corners.insert(0, QPointF(last.x() + 4, last.y()))
        else:
            corners.insert(0, QPointF(left, last.y()))
        drawing.painter.drawLines([QLineF(*each) for each in pairwise(corners)])


def draw_end_figures(drawing: Drawing, axes: RateAxes, rows: Sequence[SweepRow]) -> None:
    """Where there is no room for a table beside it: the rates alone, apart from each other."""
    there = [row for row in rows if row.curve is not None and row.times]
    wanted = [axes.point(*row.times[-1]).y() for row in there]
    area, letters = axes.area, drawing.letters.caption
    places = spread(wanted, _LABEL_APART, area.top(), area.bottom())
    for row, y in zip(there, places, strict=True):
        if row.curve is None:
            continue
        run = Run(gigabytes_per_second(row.curve.top), letters, drawing.theme.text)
        drawing.text(area.right() + 20, round(y + letters.cap_height / 2), run)
    draw_leaders(drawing, axes, there, places, area.right() + 18)


def draw_crosshair(
    drawing: Drawing, axes: RateAxes, rows: Sequence[SweepRow], size: int, right: float
) -> None:
    """All curves at one size: what they reach, and how long that takes."""
    theme, letters, area = drawing.theme, drawing.letters, axes.area
    x = round(axes.x(size))
    drawing.painter.fillRect(QRectF(x, area.top(), 1, area.height() + 4), theme.quiet)
    marks = []
    for row in rows:
        seconds = dict(row.times).get(size)
        if seconds is not None:
            marks.append((row, axes.y(size / seconds), figures_at(drawing, size, seconds)))
    for row, y, _ in marks:
        drawing.painter.setPen(QPen(theme.surface, 1.5))
        drawing.painter.setBrush(ink_of(theme, row))
        drawing.painter.drawEllipse(QPointF(x + 0.5, y), 3.5, 3.5)
    lowest, highest = area.top() + _PILL / 2, area.bottom() - _PILL / 2
    places = spread([y for _, y, _ in marks], _PILL + 2, lowest, highest)
    widest = max((sum(run.width for run in runs) for _, _, runs in marks), default=0.0) + 30
    left = x + 10 if x + 10 + widest <= right else x - 10 - widest
    for (row, _, runs), y in zip(marks, places, strict=True):
        place = QRectF(left, round(y - _PILL / 2), sum(r.width for r in runs) + 30, _PILL)
        _draw_pill(drawing, place)
        middle = place.center().y()
        draw_sample(drawing, row, left + 7, left + 18, middle)
        drawing.runs(left + 24, middle + letters.caption.cap_height / 2, runs)
    if not marks:
        run = Run(tr(_NOT_HERE), letters.caption, theme.faint)
        at = x + 10 if x + 10 + run.width <= right else x - 10 - run.width
        drawing.text(at, area.center().y(), run)
    _draw_size(drawing, axes, x, size)


def draw_sample(
    drawing: Drawing, row: SweepRow, left: float, right: float, middle: float
) -> None:
    """A piece of the row's curve, to know it by."""
    pen = QPen(ink_of(drawing.theme, row), CHOSEN_PEN)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    drawing.painter.setPen(pen)
    ends = [QPointF(left, middle), QPointF(right, middle)]
    if row.dash:
        _draw_dashed(drawing, ends, row.dash)
    else:
        drawing.painter.drawLine(*ends)


def figures_at(drawing: Drawing, size: int, seconds: float) -> list[Run]:
    theme, letters = drawing.theme, drawing.letters
    rate, took = Quantity(_fine(size / seconds), "GB/s"), duration(seconds)
    return [
        Run(rate.number, letters.badge, theme.text),
        Run(f"{THIN_SPACE}{rate.unit}", letters.caption, theme.quiet),
        Run(f"   {took.number}", letters.caption, theme.text),
        Run(f"{THIN_SPACE}{took.unit}", letters.caption, theme.quiet),
    ]


def said_at(rows: Sequence[SweepRow], size: int) -> str:
    """The same for anyone who does not see it."""
    told = []
    for row in rows:
        seconds = dict(row.times).get(size)
        if seconds is None:
            told.append(tr("{way} not measured", way=row.words))
        else:
            told.append(f"{row.words} {_fine(size / seconds)} GB/s, {duration(seconds)}")
    return tr("{size}: {figures}", size=size_words(size), figures="; ".join(told))


def _fine(rate: float) -> str:
    """Small copies reach thousandths of a GB/s, which are not nothing."""
    gigabytes = rate / 1e9
    if gigabytes >= 0.1:
        return gigabytes_per_second(rate)
    return f"{gigabytes:.2g}" if gigabytes >= 1e-4 else f"{gigabytes:.5f}"


def _draw_dashed(drawing: Drawing, points: Sequence[QPointF], dash: int) -> None:
    x = np.array([point.x() for point in points])
    y = np.array([point.y() for point in points])
    cuts = cuts_of(x[0], x[-1], x[0], dash)
    every = np.sort(np.concatenate((x, cuts)))
    heights = np.interp(every, x, y)
    lines = np.column_stack((every[:-1], heights[:-1], every[1:], heights[1:]))
    lines_into(drawing.painter, lines[marked((every[:-1] + every[1:]) / 2, x[0], dash)])


def _draw_backed(drawing: Drawing, place: QRectF, run: Run) -> None:
    ground = faded(drawing.theme.surface, _BACKING)
    drawing.painter.fillRect(place.adjusted(-3, 0, 3, 0), ground)
    drawing.text(place.left(), place.center().y() + run.letters.cap_height / 2, run)


def _draw_pill(drawing: Drawing, place: QRectF) -> None:
    drawing.painter.setPen(QPen(drawing.theme.line, 1))
    drawing.painter.setBrush(drawing.theme.raised)
    drawing.painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def _draw_size(drawing: Drawing, axes: RateAxes, x: float, size: int) -> None:
    letters = drawing.letters.badge
    run = Run(size_words(size), letters, drawing.theme.text)
    width = run.width + 14
    left = min(max(x - width / 2, axes.area.left() - 8), axes.area.right() + 4 - width)
    place = QRectF(round(left), axes.area.bottom() + 4, width, _PILL)
    _draw_pill(drawing, place)
    drawing.text(left + 7, place.center().y() + letters.cap_height / 2, run)
