"""How one strip is drawn: its head, two small plots, and the flags of the lines below them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.curve import draw_trace
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.views.lab.strips.strip_past import StripPast
from gpuexplorer.gui.widgets.tiles.figure_drawing import absent_run, fitting_runs
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.lab.bench.memory_scale import reach_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.strips.merged_flags import MergedFlag, Pole

SIDE, _TOP = 14.0, 10.0
_HEAD, _GAP = 20.0, 8.0
_FIGURES, _BUSY = 96.0, 44.0  # beside the plots
_NAME = 92.0  # before them, where there is one line
_PLOT_GAP = 6.0
_FLAGS, _TIMES, _BOTTOM = 18.0, 15.0, 8.0
_FLAG_HEIGHT = 14.0
_POLE = 0.65


@dataclass(frozen=True, slots=True)
class StripPlaces:
    """Where the parts lie."""

    head: QRectF
    plots: tuple[QRectF, ...]  # busy, and memory where there is room
    flags: QRectF
    times: QRectF  # empty where there is no room
    figures: QRectF

    @property
    def across(self) -> QRectF:
        """Over all plots."""
        first, last = self.plots[0], self.plots[-1]
        return QRectF(first.left(), first.top(), first.width(), last.bottom() - first.top())


def strip_places(size: QRectF, *, compact: bool) -> StripPlaces:
    inner = size.adjusted(SIDE, 0, -SIDE, 0)
    beside = _BUSY if compact else _FIGURES
    plots_right = inner.right() - beside - 12
    if compact:
        # One line high: the name and the figures stand beside the plot.
        left = inner.left() + _NAME
        area = QRectF(left, 8, plots_right - left, size.height() - 8 - _FLAGS - 4)
        flags = QRectF(left, area.bottom() + 2, area.width(), _FLAGS)
        head = QRectF(inner.left(), 8, _NAME - 8, _HEAD)
        figures = QRectF(plots_right + 12, 8, _BUSY, size.height() - 16)
        return StripPlaces(head, (area,), flags, QRectF(), figures)
    top = _TOP + _HEAD + _GAP
    room = size.height() - top - _FLAGS - _TIMES - _BOTTOM - _PLOT_GAP
    width = plots_right - inner.left()
    busy = QRectF(inner.left(), top, width, room / 2)
    memory = QRectF(inner.left(), busy.bottom() + _PLOT_GAP, width, room / 2)
    flags = QRectF(inner.left(), memory.bottom() + 2, width, _FLAGS)
    times = QRectF(inner.left(), flags.bottom(), width, _TIMES)
    figures = QRectF(plots_right + 12, top - 4, _FIGURES, memory.bottom() - top + 8)
    return StripPlaces(
        QRectF(inner.left(), _TOP, inner.width(), _HEAD), (busy, memory), flags, times, figures
    )


def draw_head(
    drawing: Drawing,
    places: StripPlaces,
    device: BenchDevice,
    face: CardFace,
    *,
    compact: bool,
) -> None:
    theme, letters, head = drawing.theme, drawing.letters, places.head
    fill = None if device.colour is None else theme.card(device.colour)
    wide = max(20.0, letters.badge.width(device.chip) + 10)
    drawing.chip(QRectF(head.left(), head.top(), wide, 20), device.chip, letters.badge, fill)
    baseline = head.center().y() + letters.strong.cap_height / 2
    name = Run(device.name, letters.strong, theme.text)
    right = drawing.text(head.left() + wide + 9, baseline, name)
    drawing.hint(QRectF(head.left(), head.top(), right - head.left(), 20), face.title)
    if face.sentence:
        sentence = Run(face.sentence, letters.body, theme.faint)
        if compact:
            room = places.plots[0].right() - places.plots[0].left()
            drawing.elided(places.plots[0].left(), baseline, sentence, room)
        else:
            drawing.elided(right + 16, baseline, sentence, head.right() - right - 16)
    elif not compact:
        _draw_small_figures(drawing, head, right + 16, face.figures[:3])


def draw_plots(
    drawing: Drawing,
    places: StripPlaces,
    past: StripPast | None,
    colour: QColor,
    units: Units,
) -> None:
    theme, letters = drawing.theme, drawing.letters.caption
    for place in places.plots:
        drawing.hairline(place.left(), place.right(), round(place.top()))
        drawing.hairline(place.left(), place.right(), round(place.bottom()))
    if past is None:
        return
    reaches = ((past.busy, 1.0, "100 %"), (past.memory, past.reach, ""))
    for place, (trace, reach, word) in zip(places.plots, reaches, strict=False):
        inner = place.adjusted(0, 1, 0, 0)
        stretch = (past.start, past.end, 0.0, reach)
        draw_trace(drawing.painter, inner, trace, *stretch, colour, fill=True)
        label = Run(word or reach_words(reach, units), letters, theme.faint)
        back = QRectF(place.left(), place.top() + 1, label.width + 4, letters.height - 1)
        drawing.painter.fillRect(back, faded(theme.surface, 0.7))
        drawing.text(place.left(), place.top() + letters.ascent + 1, label)


def draw_figures(
    drawing: Drawing, places: StripPlaces, face: CardFace, *, compact: bool
) -> None:
    """At the right: what the plots show, as it is now."""
    if face.sentence:
        return
    theme, letters, place = drawing.theme, drawing.letters, places.figures
    shown = (face.busy,) if compact else (face.busy, face.memory.figure)
    for figure, word, plot in zip(
        shown, (tr("Busy"), tr("Memory")), places.plots, strict=False
    ):
        top = plot.top() - 4
        caption = letters.caption
        drawing.text(place.left(), top + caption.ascent, Run(word, caption, theme.quiet))
        baseline = top + caption.height + letters.body.ascent
        _draw_value(drawing, place.left(), baseline, place.width(), figure)


def draw_flags(
    drawing: Drawing,
    places: StripPlaces,
    flags: Sequence[MergedFlag],
    chosen: int | None,
    *,
    poles: bool,
    focused: bool,
) -> None:
    """The poles over the plots, and under them the labels; the chosen one above all."""
    theme, painter = drawing.theme, drawing.painter
    across = places.across
    for flag in sorted(flags, key=lambda each: each.holds(chosen)):
        # Where many lines ran in one pixel the gravest of them is what is drawn.
        by_pixel = _by_pixel(flag, chosen) if poles else {}
        height = places.flags.top() - across.top()
        for x, pole in by_pixel.items():
            ink = _ink(pole, chosen, theme)
            painter.fillRect(QRectF(x, across.top(), 1, height), ink)
        _draw_label(drawing, places, flag, chosen, focused=focused)


def draw_times(drawing: Drawing, places: StripPlaces, past: StripPast) -> None:
    place, letters = places.times, drawing.letters.caption
    if place.isEmpty():
        return
    after = place.left()
    for tick in past.ticks:
        run = Run(tick.text, letters, drawing.theme.faint)
        x = past.x(tick.at, place.left(), place.width()) - run.width / 2
        if x >= after and x + run.width <= place.right():
            drawing.text(x, place.top() + letters.ascent, run)
            after = x + run.width + 12


def draw_crosshair(drawing: Drawing, places: StripPlaces, x: float) -> None:
    across = places.across
    if across.left() <= x <= across.right():
        line = QRectF(int(x), across.top(), 1, across.height())
        drawing.painter.fillRect(line, faded(drawing.theme.text, 0.5))


def label_place(places: StripPlaces, flag: MergedFlag) -> QRectF:
    return QRectF(flag.left, places.flags.top(), flag.width, _FLAG_HEIGHT)


def _by_pixel(flag: MergedFlag, chosen: int | None) -> Mapping[int, Pole]:
    # Hardly one of a thousand is graver than the others.
    grave = [pole for pole in flag.poles if pole.failed or pole.line == chosen]
    grave.sort(key=lambda pole: (pole.line == chosen, pole.failed))
    return {int(pole.x): pole for pole in (*flag.poles, *grave)}


def _ink(pole: Pole, chosen: int | None, theme: Theme) -> QColor:
    if pole.line == chosen:
        return theme.text
    return faded(theme.bad if pole.failed else theme.faint, _POLE)


def _draw_label(
    drawing: Drawing,
    places: StripPlaces,
    flag: MergedFlag,
    chosen: int | None,
    *,
    focused: bool,
) -> None:
    theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.badge
    place = label_place(places, flag)
    picked = flag.holds(chosen)
    ink, ground = theme.quiet, mixed(theme.surface, theme.text, 0.16)
    if flag.failed:
        ink, ground = theme.bad, mixed(theme.surface, theme.bad, 0.22)
    if picked:
        ink, ground = theme.inverse, theme.bad if flag.failed else theme.text
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(place, CHIP_RADIUS - 1, CHIP_RADIUS - 1)
    x = place.center().x() - letters.width(flag.text) / 2
    baseline = place.center().y() + letters.cap_height / 2
    drawing.text(x, baseline, Run(flag.text, letters, ink))
    if focused and picked:
        drawing.focus_ring(place.adjusted(-2, -2, 2, 2), CHIP_RADIUS)
    lines = [
        tr("Line {number}: {code}", number=pole.number, code=pole.code)
        for pole in flag.poles[:8]
    ]
    drawing.hint(place, "\n".join(lines))


def _draw_small_figures(
    drawing: Drawing, head: QRectF, left: float, figures: Sequence[Figure]
) -> None:
    """As many of them as have room, from the right."""
    letters = drawing.letters
    right = head.right()
    baseline = head.center().y() + letters.strong.cap_height / 2
    for figure in reversed(figures):
        if figure.known:
            runs = fitting_runs(drawing, figure, letters.body, letters.caption, 120)
        else:
            runs = [absent_run(drawing, figure, letters.caption, 120)]
        width = sum(run.width for run in runs)
        if right - width < left:
            break
        begin = drawing.runs_right(right, baseline, runs)
        drawing.hint(QRectF(begin, head.top(), width, head.height()), figure.hint)
        right = begin - 24


def _draw_value(
    drawing: Drawing, left: float, baseline: float, width: float, figure: Figure
) -> None:
    letters = drawing.letters
    if figure.known:
        runs = fitting_runs(drawing, figure, letters.strong, letters.caption, width)
    else:
        runs = [absent_run(drawing, figure, letters.caption, width)]
    drawing.runs(left, baseline, runs)
    height = letters.body.height
    drawing.hint(QRectF(left, baseline - letters.body.ascent, width, height), figure.hint)
