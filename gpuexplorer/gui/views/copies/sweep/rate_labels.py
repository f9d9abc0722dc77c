"""What is written over the curves of rate over size, and the lines that lead to it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem

from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Run
from gpuexplorer.gui.plots.label import Ground, Label
from gpuexplorer.gui.plots.pens import line_pen
from gpuexplorer.gui.plots.spread import spread
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Theme, mixed
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow, floor_words

CHOSEN_PEN = 2.0
_APART, _PILL_APART, _LEADER = 15.0, 22.0, 0.6
_NOT_HERE = mark("not measured")
_NOTHING = (
    mark("Nothing was measured yet."),
    mark("Measure copies 29 sizes, from 4 B to 1 GiB, over each of these ways."),
)
_NO_WAY = (
    mark("There is no way to compare."),
    mark("Choose from where, to where and how, and add it."),
)

# Where bytes and their seconds lie, in pixels of the scene.
Place = Callable[[float, float], QPointF]


def ink_of(theme: Theme, row: SweepRow) -> QColor:
    """The card's whose data it is; the host has none."""
    if row.colour is not None:
        return theme.card(row.colour)
    return theme.quiet if row.way.source == "cpu" else theme.level


def limit_labels(
    look: Look, area: QRectF, rows: Sequence[SweepRow], place: Place
) -> list[QGraphicsItem]:
    """Each name once, above its line."""
    letters = look.letters.caption
    limits = list(dict.fromkeys(row.limit for row in rows if row.limit is not None))
    wanted = [place(limit.rate, 1.0).y() - 10 for limit in limits]
    made: list[QGraphicsItem] = []
    for limit, y in zip(
        limits, spread(wanted, _APART, area.top() - 12, area.bottom()), strict=True
    ):
        words = letters.elided(limit.words, area.width())
        label = Label(look, [Run(words, letters, look.theme.quiet)], Ground.BACKING)
        label.put(area.left(), y)
        made.append(label)
    return made


def half_words(row: SweepRow) -> str:
    return tr("half rate at {size}", size=memory(row.half_rate_bytes or 0.0))


def half_label(look: Look, at: QPointF, row: SweepRow) -> QGraphicsItem:
    label = Label(
        look, [Run(half_words(row), look.letters.caption, look.theme.text)], Ground.BACKING
    )
    label.put(at.x() - 9 - label.width, at.y() - 4)
    return label


def floor_labels(
    look: Look, area: QRectF, row: SweepRow, rows: Sequence[SweepRow], place: Place
) -> list[QGraphicsItem]:
    """The sentence about small copies, below all curves, led to where they end."""
    words, curve = floor_words(row), row.curve
    if not words or curve is None or curve.floor_bytes is None:
        return []
    size, seconds = curve.floor_bytes, row.seconds(curve.floor_bytes)
    if seconds is None:
        return []
    at = place(size, seconds)
    others = [each.seconds(size) for each in rows]
    below = max([place(size, each).y() for each in others if each], default=at.y())
    theme, letters = look.theme, look.letters.caption
    labels = [Label(look, [Run(each, letters, theme.quiet)]) for each in words]
    left = min(at.x() + 18, area.right() - max(each.width for each in labels) - 8)
    top = min(below + 46, area.bottom() - 34)
    made: list[QGraphicsItem] = []
    for number, label in enumerate(labels):
        label.put(left, top + number * 15)
        made.append(label)
    corners = [QPointF(at.x(), at.y() + 5), QPointF(at.x(), top), QPointF(left - 6, top)]
    return [*made, _leader(corners, theme.line)]


def nothing_labels(look: Look, area: QRectF, *, ways: bool) -> list[QGraphicsItem]:
    """What to do, where there is no curve."""
    letters, theme, made = look.letters, look.theme, list[QGraphicsItem]()
    first, second = (tr(words) for words in (_NOTHING if ways else _NO_WAY))
    for number, run in enumerate(
        (
            Run(letters.title.elided(first, area.width()), letters.title, theme.text),
            Run(letters.body.elided(second, area.width()), letters.body, theme.quiet),
        )
    ):
        label = Label(look, [run])
        label.put(area.center().x() - label.width / 2, area.center().y() - 5 + 26 * number)
        made.append(label)
    return made


def end_leaders(
    look: Look,
    area: QRectF,
    rows: Sequence[SweepRow],
    heights: Sequence[float],
    to: float,
    place: Place,
) -> list[QGraphicsItem]:
    """From each curve's end to its row at the right."""
    made: list[QGraphicsItem] = []
    for row, y in zip(rows, heights, strict=True):
        if row.times:
            last = place(*row.times[-1])
            corners = [
                QPointF(last.x() + 4, last.y()),
                QPointF(area.right() + 2, last.y()),
                QPointF(to - 6, y),
                QPointF(to, y),
            ]
            ink = mixed(look.theme.surface, ink_of(look.theme, row), _LEADER)
            made.append(_leader(corners, ink))
    return made


def end_figures(
    look: Look, area: QRectF, rows: Sequence[SweepRow], place: Place
) -> list[QGraphicsItem]:
    """Where there is no room for a table beside it: the rates alone, apart from each other."""
    there = [row for row in rows if row.curve is not None and row.times]
    wanted = [place(*row.times[-1]).y() for row in there]
    heights = spread(wanted, _APART, area.top(), area.bottom())
    made: list[QGraphicsItem] = []
    for row, y in zip(there, heights, strict=True):
        top = row.curve.top if row.curve is not None else 0.0
        run = Run(gigabytes_per_second(top), look.letters.caption, look.theme.text)
        label = Label(look, [run])
        label.put(area.right() + 16, y)
        made.append(label)
    return [*made, *end_leaders(look, area, there, heights, area.right() + 14, place)]


def crosshair_labels(
    look: Look, area: QRectF, rows: Sequence[SweepRow], size: int, right: float, place: Place
) -> list[QGraphicsItem]:
    """All curves at one size: what they reach, and how long that takes."""
    letters, theme, x = look.letters, look.theme, place(size, 1.0).x()
    pills: list[Label] = []
    wanted: list[float] = []
    for row in rows:
        seconds = dict(row.times).get(size)
        if seconds is not None:
            sample = line_pen(ink_of(theme, row), CHOSEN_PEN, row.dash)
            pills.append(Label(look, _figures(look, size, seconds), Ground.PILL, sample))
            wanted.append(place(size, seconds).y())
    if not pills:
        pills.append(Label(look, [Run(tr(_NOT_HERE), letters.caption, theme.faint)]))
        wanted.append(area.center().y())
    widest = max(pill.width for pill in pills)
    left = x + 10 if x + 10 + widest <= right else max(0.0, x - 10 - widest)
    heights = spread(wanted, _PILL_APART, area.top() + 10, area.bottom() - 10)
    for pill, y in zip(pills, heights, strict=True):
        pill.put(left, y)
    below = Label(look, [Run(size_words(size), letters.badge, theme.text)], Ground.PILL)
    end = area.right() + 4 - below.width
    below.put(min(max(x - below.width / 2, area.left() - 8), end), area.bottom() + 14)
    return [*pills, below]


def said_at(rows: Sequence[SweepRow], size: int) -> str:
    """The same for anyone who does not see it."""
    told = []
    for row in rows:
        seconds = dict(row.times).get(size)
        if seconds is None:
            told.append(tr("{way} not measured", way=row.words))
        else:
            told.append(f"{row.words} {figures_said(size, seconds)}")
    return tr("{size}: {figures}", size=size_words(size), figures="; ".join(told))


def figures_said(size: int, seconds: float) -> str:
    return f"{_fine(size / seconds)} GB/s, {duration(seconds)}"


def _figures(look: Look, size: int, seconds: float) -> list[Run]:
    theme, letters = look.theme, look.letters
    rate, took = Quantity(_fine(size / seconds), "GB/s"), duration(seconds)
    return [
        Run(rate.number, letters.badge, theme.text),
        Run(f"{THIN_SPACE}{rate.unit}", letters.caption, theme.quiet),
        Run(f"   {took.number}", letters.caption, theme.text),
        Run(f"{THIN_SPACE}{took.unit}", letters.caption, theme.quiet),
    ]


def _fine(rate: float) -> str:
    """Small copies reach thousandths of a GB/s, which are not nothing."""
    gigabytes = rate / 1e9
    if gigabytes >= 0.1:
        return gigabytes_per_second(rate)
    return f"{gigabytes:.2g}" if gigabytes >= 1e-4 else f"{gigabytes:.5f}"


def _leader(corners: Sequence[QPointF], ink: QColor) -> QGraphicsItem:
    path = QPainterPath(corners[0])
    for corner in corners[1:]:
        path.lineTo(corner)
    item = QGraphicsPathItem(path)
    item.setPen(QPen(ink, 1))
    return item
