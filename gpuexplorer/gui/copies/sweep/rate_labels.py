"""What is written over the curves of rate over size, and the lines that lead to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.axes import spread
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.copies.sweep.model import SweepRow
from gpuexplorer.gui.copies.sweep.words import figures_at, fine_rate, floor_words
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.theme.palette import Theme, faded, mixed

CHOSEN_PEN = 2.0
_APART, _PILL, _SAMPLE = 15.0, 20.0, 11.0
_BACKING, _LEADER = 0.88, 0.6
_NOT_HERE = mark("not measured")
_NOTHING = (
    mark("Nothing has been measured yet."),
    mark("Measure copies 29 sizes, from 4 B to 1 GiB, over each of these ways."),
)
_NO_WAY = (
    mark("There is no way to compare."),
    mark("Choose from where, to where and how, and add it."),
)


@dataclass(frozen=True, slots=True)
class PlottedRates:
    """The curves as they lie in the scene, whose unit is the pixel."""

    rows: Sequence[SweepRow]
    area: QRectF
    right: float  # of all there is room for
    place: Callable[[float, float], QPointF]  # of bytes and their seconds


def ink_of(theme: Theme, row: SweepRow) -> QColor:
    """The card's whose data it is; the host has none."""
    if row.colour is not None:
        return theme.card(row.colour)
    return theme.quiet if row.way.source == "cpu" else theme.level


def draw_limits(drawing: Drawing, plotted: PlottedRates) -> None:
    """Each name once, above its line."""
    letters, area = drawing.letters.caption, plotted.area
    limits = list(dict.fromkeys(row.limit for row in plotted.rows if row.limit is not None))
    wanted = [plotted.place(limit.rate, 1.0).y() - 10 for limit in limits]
    heights = spread(wanted, _APART, area.top() - 12, area.bottom())
    for limit, y in zip(limits, heights, strict=True):
        shown = letters.elided(limit.words, area.width() - 6)
        place = QRectF(area.left() + 3, y - 7, letters.width(shown), 14)
        _draw_backed(drawing, place, Run(shown, letters, drawing.theme.quiet))
        drawing.hint(place, limit.words)


def draw_half(drawing: Drawing, plotted: PlottedRates, row: SweepRow, *, named: bool) -> None:
    """About the ring at the size that reaches half of the rate."""
    half = row.half_rate_bytes
    if row.curve is None or half is None:
        return
    at = plotted.place(half, half / (row.curve.top / 2))
    words = tr("half rate at {size}", size=memory(half))
    said = tr("{way}: {figures}", way=row.words, figures=words)
    drawing.hint(QRectF(at.x() - 8, at.y() - 8, 16, 16), said)
    if named:
        run = Run(words, drawing.letters.caption, drawing.theme.text)
        place = QRectF(at.x() - 12 - run.width, at.y() - 12, run.width, 16)
        _draw_backed(drawing, place, run)


def hint_points(drawing: Drawing, plotted: PlottedRates) -> None:
    for row in plotted.rows:
        for size, seconds in row.times:
            at = plotted.place(size, seconds)
            said = tr(
                "{way}, {size}: {figures}",
                way=row.words,
                size=size_words(size),
                figures=figures_at(size, seconds),
            )
            drawing.hint(QRectF(at.x() - 5, at.y() - 5, 10, 10), said)


def draw_floor(drawing: Drawing, plotted: PlottedRates, row: SweepRow) -> None:
    """The sentence about small copies, below all curves, led to where they end."""
    words, curve, area = floor_words(row), row.curve, plotted.area
    if not words or curve is None or curve.floor_bytes is None:
        return
    size = curve.floor_bytes
    seconds = row.seconds(size)
    if seconds is None:
        return
    at = plotted.place(size, seconds)
    others = [each.seconds(size) for each in plotted.rows]
    below = max([plotted.place(size, each).y() for each in others if each], default=at.y())
    letters, line = drawing.letters.caption, drawing.theme.line
    runs = [Run(each, letters, drawing.theme.quiet) for each in words]
    left = min(at.x() + 18, area.right() - max(run.width for run in runs) - 8)
    top = min(below + 46, area.bottom() - 34)
    corners = [QPointF(at.x(), at.y() + 5), QPointF(at.x(), top), QPointF(left - 6, top)]
    _draw_leader(drawing, corners, line)
    for number, run in enumerate(runs):
        drawing.text(left, round(top + letters.cap_height / 2) + number * 15, run)


def draw_nothing(drawing: Drawing, plotted: PlottedRates) -> None:
    """What to do, where there is no curve."""
    theme, letters, area = drawing.theme, drawing.letters, plotted.area
    first, second = (tr(words) for words in (_NOTHING if plotted.rows else _NO_WAY))
    middle = area.center()
    for run, baseline in (
        (Run(first, letters.title, theme.text), middle.y()),
        (Run(second, letters.body, theme.quiet), middle.y() + 26),
    ):
        wide = min(run.width, area.width())
        drawing.elided(middle.x() - wide / 2, round(baseline), run, wide)


def draw_leaders(
    drawing: Drawing,
    plotted: PlottedRates,
    rows: Sequence[SweepRow],
    heights: Sequence[float],
    to: float,
) -> None:
    """From each curve's end to its row at the right."""
    for row, y in zip(rows, heights, strict=True):
        if row.times:
            last = plotted.place(*row.times[-1])
            ink = mixed(drawing.theme.surface, ink_of(drawing.theme, row), _LEADER)
            xs = (last.x() + 4, plotted.area.right() + 2, to - 6, to)
            ys = (last.y(), last.y(), y, y)
            _draw_leader(drawing, [QPointF(*each) for each in zip(xs, ys, strict=True)], ink)


def draw_end_figures(drawing: Drawing, plotted: PlottedRates) -> None:
    """Where there is no room for a table beside it: the rates alone, apart from each other."""
    area, letters = plotted.area, drawing.letters.caption
    there = [row for row in plotted.rows if row.times]
    wanted = [plotted.place(*row.times[-1]).y() for row in there]
    heights = spread(wanted, _APART, area.top(), area.bottom())
    for row, y in zip(there, heights, strict=True):
        size, seconds = row.times[-1]
        top = size / seconds if row.curve is None else row.curve.top
        run = Run(gigabytes_per_second(top), letters, drawing.theme.text)
        drawing.text(area.right() + 16, round(y + letters.cap_height / 2), run)
    draw_leaders(drawing, plotted, there, heights, area.right() + 14)


def draw_crosshair(drawing: Drawing, plotted: PlottedRates, size: int) -> None:
    """All curves at one size: what they reach, and how long that takes."""
    theme, letters, area = drawing.theme, drawing.letters, plotted.area
    x = plotted.place(size, 1.0).x()
    marks = []
    for row in plotted.rows:
        seconds = dict(row.times).get(size)
        if seconds is not None:
            y = plotted.place(size, seconds).y()
            marks.append((row, y, _figures(drawing, size, seconds)))
    heights = spread(
        [y for _, y, _ in marks], _PILL + 2, area.top() + _PILL / 2, area.bottom() - _PILL / 2
    )
    missing = Run(tr(_NOT_HERE), letters.caption, theme.faint)
    widths = [sum(run.width for run in runs) + _SAMPLE + 19 for _, _, runs in marks]
    widest = max(widths, default=missing.width)
    left = round(x + 10 if x + 10 + widest <= plotted.right else max(0.0, x - 10 - widest))
    for (row, _, runs), y, width in zip(marks, heights, widths, strict=True):
        _draw_pill(drawing, QRectF(left, round(y - _PILL / 2), width, _PILL))
        drawing.painter.setPen(line_pen(ink_of(theme, row), CHOSEN_PEN, row.dash))
        drawing.painter.drawLine(QLineF(left + 7, round(y), left + 7 + _SAMPLE, round(y)))
        drawing.runs(left + 24, round(y + letters.caption.cap_height / 2), runs)
    if not marks:
        drawing.text(left, round(area.center().y()), missing)
    run = Run(size_words(size), letters.badge, theme.text)
    width = run.width + 14
    at = min(max(x - width / 2, area.left() - 8), area.right() + 4 - width)
    place = QRectF(round(at), area.bottom() + 4, width, _PILL)
    _draw_pill(drawing, place)
    drawing.text(place.left() + 7, place.center().y() + letters.badge.cap_height / 2, run)


def _figures(drawing: Drawing, size: int, seconds: float) -> list[Run]:
    theme, letters = drawing.theme, drawing.letters
    rate, took = Quantity(fine_rate(size / seconds), "GB/s"), duration(seconds)
    return [
        Run(rate.number, letters.badge, theme.text),
        Run(f"{THIN_SPACE}{rate.unit}", letters.caption, theme.quiet),
        Run(f"   {took.number}", letters.caption, theme.text),
        Run(f"{THIN_SPACE}{took.unit}", letters.caption, theme.quiet),
    ]


def _draw_backed(drawing: Drawing, place: QRectF, run: Run) -> None:
    ground = faded(drawing.theme.surface, _BACKING)
    drawing.painter.fillRect(place.adjusted(-3, 0, 3, 0), ground)
    baseline = round(place.center().y() + run.letters.cap_height / 2)
    drawing.text(place.left(), baseline, run)


def _draw_pill(drawing: Drawing, place: QRectF) -> None:
    drawing.painter.setPen(QPen(drawing.theme.line, 1))
    drawing.painter.setBrush(drawing.theme.raised)
    drawing.painter.drawRoundedRect(
        place.adjusted(0.5, 0.5, -0.5, -0.5), CHIP_RADIUS, CHIP_RADIUS
    )


def _draw_leader(drawing: Drawing, corners: Sequence[QPointF], ink: QColor) -> None:
    drawing.painter.setPen(QPen(ink, 1))
    drawing.painter.drawLines([QLineF(*ends) for ends in pairwise(corners)])
