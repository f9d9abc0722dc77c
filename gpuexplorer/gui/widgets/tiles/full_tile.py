"""The tile of one card where there is room: plots with a scale, figures with captions."""

from dataclasses import dataclass
from functools import partial
from math import ceil

from PySide6.QtCore import QRectF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.tiles.figure_drawing import draw_labelled
from gpuexplorer.gui.widgets.tiles.tile_curve import PlacedCurve, card_wear
from gpuexplorer.gui.widgets.tiles.tile_header import HEADER, draw_header
from gpuexplorer.gui.widgets.tiles.tile_parts import (
    DIMMED,
    INSTANCE_HEIGHT,
    PROGRAM_HEIGHT,
    SILENT,
    draw_instances,
    draw_sentence,
    program_lines,
    sentence_height,
)
from gpuexplorer.gui.widgets.tiles.tile_past import TilePast
from gpuexplorer.gui.widgets.tiles.tile_stamps import (
    stamp_figure,
    stamp_memory_bar,
    stamp_programs,
)
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.processes.programs import ProgramFace

MARGIN = 16.0
LINK_ROOM = 34.0
_GAP = 14.0
_RULE = 23.0  # a hairline with what is above and below it
_NUMBERS, _BESIDE_NUMBERS = 132.0, 16.0
_PLOT, _BAR, _LEGEND, _TRACE = 108.0, 10.0, 22.0, 44.0
_FIGURES, _COLUMN = 44.0, 116.0
MORE_FIGURES = _FIGURES
# Without curves: how busy it is, and beside it the bar of its memory.
_ROW, _BUSY_WIDTH, _BEFORE_BAR = 42.0, 84.0, 76.0
_MOST_PROGRAMS = 4
_CAPTION = 20.0
_BESIDE_TRACE = 6.0
_SIDE_BY_SIDE_FROM = 960.0
_BETWEEN_SIDES = 40.0
_PLOT_SHARE = 0.62  # of height that is left over; the memory's trace gets the rest


@dataclass(frozen=True, slots=True)
class FullPlan:
    """Where everything goes."""

    busy: QRectF | None  # plot with its scale, where it is not drawn elsewhere
    busy_right: float  # where its numbers end
    memory: QRectF | None  # trace, where there is room
    bar: QRectF
    memory_right: float
    figure_rows: int
    figures_top: float
    programs: QRectF | None
    instances_top: float
    sentence: QRectF


def full_tile_height(look: Look, width: float, face: CardFace, *, curve: bool) -> float:
    """What it takes at least."""
    inner = width - 2 * MARGIN
    if face.sentence:
        past = _PLOT + _GAP + LINK_ROOM if curve else 0.0
        words = 2 * MARGIN + HEADER + _GAP + sentence_height(look, inner, face)
        # No less than figures take: these may come the next moment.
        return max(_least_height(inner, face, curve=curve), words + past)
    return _least_height(inner, face, curve=curve)


def full_plan(place: QRectF, face: CardFace, programs: int, *, curve: bool) -> FullPlan:
    """Height beyond what it takes goes to more figures, to the memory's trace, to programs,
    and what is left then makes the plots taller.
    """
    inner = place.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    wide = inner.width() >= _SIDE_BY_SIDE_FROM
    rows = _least_rows(inner.width())
    spare = place.height() - _least_height(inner.width(), face, curve=curve)
    trace = _TRACE if curve and (wide or spare >= _TRACE + _BESIDE_TRACE) else 0.0
    if trace and not wide:
        spare -= _TRACE + _BESIDE_TRACE
    most_rows = ceil(len(face.figures) / _columns(inner.width())) if not face.sentence else rows
    if rows < most_rows and spare >= _FIGURES:
        rows += 1
        spare -= _FIGURES
    lines = program_lines(programs, _MOST_PROGRAMS, spare - _RULE - _CAPTION)
    listed = _RULE + _CAPTION + lines * PROGRAM_HEIGHT if lines else 0.0
    spare -= listed
    spare = max(0.0, spare)
    top = inner.top() + HEADER + _GAP
    if not curve:
        plot, busy_right = _ROW, inner.left() + _BUSY_WIDTH
        left, right, bar_top = busy_right + _BEFORE_BAR, inner.right(), top + 8
        memory = QRectF(left, top, right - left - _NUMBERS - _BESIDE_NUMBERS, 0)
    elif wide:
        half = (inner.width() - _BETWEEN_SIDES) / 2
        plot = _PLOT + spare
        left, right = inner.left() + half + _BETWEEN_SIDES, inner.right()
        below_trace = _BESIDE_TRACE + _BAR + _LEGEND
        width = right - left - _NUMBERS - _BESIDE_NUMBERS
        memory = QRectF(left, top, width, plot - below_trace)
        bar_top, busy_right = memory.bottom() + _BESIDE_TRACE, inner.left() + half
    else:
        plot = _PLOT + spare * (_PLOT_SHARE if trace else 1.0)
        left, right, busy_right = inner.left(), inner.right(), inner.right()
        below = top + plot + _GAP
        height = trace + spare * (1 - _PLOT_SHARE) if trace else 0.0
        memory = QRectF(left, below, right - left - _NUMBERS - _BESIDE_NUMBERS, height)
        bar_top = below + (height + _BESIDE_TRACE if trace else 0.0)
    busy = QRectF(
        inner.left(), top, busy_right - inner.left() - _NUMBERS - _BESIDE_NUMBERS, plot
    )
    bar = QRectF(memory.left(), bar_top, memory.width(), _BAR)
    beside = wide or not curve
    figures_top = top + plot + _RULE if beside else bar.bottom() + _LEGEND + _RULE
    y = figures_top + rows * _FIGURES - 4
    listing = None
    if lines:
        listing = QRectF(inner.left(), y + _RULE, inner.width(), listed - _RULE)
        y += listed
    sentence_top = top + (plot if wide else _PLOT) + _GAP if curve else top
    return FullPlan(
        busy=busy if curve else None,
        busy_right=busy_right,
        memory=memory if trace else None,
        bar=bar,
        memory_right=right,
        figure_rows=rows,
        figures_top=figures_top,
        programs=listing,
        instances_top=y,
        sentence=QRectF(
            inner.left(), sentence_top, inner.width(), inner.bottom() - sentence_top
        ),
    )


def draw_full_tile(
    drawing: Drawing,
    place: QRectF,
    plan: FullPlan,
    face: CardFace,
    past: TilePast,
    programs: list[ProgramFace],
    stamps: Stamps,
) -> None:
    inner = place.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    head = QRectF(inner.left(), inner.top(), inner.width(), HEADER)
    draw_header(drawing, head, face, stamps, roomy=True)
    if face.sentence:
        below = inner.adjusted(0, HEADER + _GAP, 0, 0)
        draw_sentence(drawing, below if face.mark is None else plan.sentence, face)
        return
    if face.dimmed:
        drawing.painter.setOpacity(DIMMED)
    _draw_busy(drawing, plan, face, past, stamps)
    _draw_memory(drawing, plan, face, stamps)
    _draw_figures(drawing, inner, plan, face, stamps)
    if plan.programs is not None:
        listing = plan.programs
        drawing.hairline(inner.left(), inner.right(), listing.top() - 12)
        caption = Run(tr("Programs"), drawing.letters.caption, drawing.theme.quiet)
        drawing.text(listing.left(), listing.top() + 10, caption)
        stamp_programs(drawing, stamps, listing.adjusted(0, _CAPTION, 0, 0), programs)
    if face.instances:
        drawing.hairline(inner.left(), inner.right(), plan.instances_top + 12)
        lines = QRectF(inner.left(), plan.instances_top + 20, inner.width(), 0)
        draw_instances(drawing, lines, face.instances, drawing.theme.card(face.colour))


def full_curves(plan: FullPlan, face: CardFace, past: TilePast) -> list[PlacedCurve]:
    if plan.busy is None or (face.sentence and face.mark is None):
        return []
    strength = SILENT if face.sentence else DIMMED if face.dimmed else 1.0
    wear = card_wear(face.colour, strength)
    busy = QRectF(plan.busy)
    if face.sentence:
        busy.setBottom(plan.sentence.top() - _GAP)
    curves = [PlacedCurve("busy", busy, past.busy, wear, scaled=True)]
    if plan.memory is not None and not face.sentence:
        curves.append(PlacedCurve("memory", plan.memory, past.memory, wear, scaled=True))
    return curves


def _least_height(inner: float, face: CardFace, *, curve: bool) -> float:
    """With figures, and without what only stands there where there is height to spare."""
    instances = len(face.instances) * INSTANCE_HEIGHT + _RULE if face.instances else 0.0
    figures = _RULE + _least_rows(inner) * _FIGURES - 4
    blocks = _blocks_height(inner) if curve else _ROW
    return 2 * MARGIN + HEADER + _GAP + blocks + figures + instances


def _least_rows(inner: float) -> int:
    return 1 if _columns(inner) >= 5 else 2


def _columns(inner: float) -> int:
    return max(2, min(10, int(inner // _COLUMN)))


def _blocks_height(inner: float) -> float:
    if inner >= _SIDE_BY_SIDE_FROM:
        return _PLOT
    return _PLOT + _GAP + _BAR + _LEGEND


def _draw_busy(
    drawing: Drawing, plan: FullPlan, face: CardFace, past: TilePast, stamps: Stamps
) -> None:
    theme, letters = drawing.theme, drawing.letters
    right = plan.busy_right
    busy = Run(tr("busy"), letters.body, theme.text)
    if plan.busy is None:
        baseline = plan.bar.center().y() + letters.hero.cap_height / 2
        stamp_figure(
            drawing, stamps, "hero", right, baseline, _BUSY_WIDTH, face.busy, letters.hero
        )
        if face.busy.known:
            drawing.text(right + 8, baseline, busy)
        return
    baseline = plan.busy.top() + letters.hero.cap_height + 16
    stamp_figure(drawing, stamps, "hero", right, baseline, _NUMBERS, face.busy, letters.hero)
    if face.busy.known:
        drawing.runs_right(right, baseline + 24, [busy])
        average = Run(past.average, letters.caption, theme.quiet)
        drawing.runs_right(right, baseline + 42, [average])


def _draw_memory(drawing: Drawing, plan: FullPlan, face: CardFace, stamps: Stamps) -> None:
    letters = drawing.letters
    colour = drawing.theme.card(face.colour)
    bar = plan.bar
    stamp_memory_bar(drawing, stamps, bar, face.memory, colour)
    baseline = bar.center().y() + letters.number.cap_height / 2
    if (
        plan.busy is not None
        and plan.memory is not None
        and plan.memory.top() == plan.busy.top()
    ):
        baseline = plan.memory.top() + letters.hero.cap_height + 16
    right, used = plan.memory_right, face.memory.figure
    stamp_figure(drawing, stamps, "used", right, baseline, _NUMBERS, used, letters.number)
    _draw_legend(drawing, bar.left(), bar.bottom() + 16, bar.width(), face)


def _draw_figures(
    drawing: Drawing, inner: QRectF, plan: FullPlan, face: CardFace, stamps: Stamps
) -> None:
    drawing.hairline(inner.left(), inner.right(), plan.figures_top - 12)
    columns = _columns(inner.width())
    if plan.figure_rows * columns > len(face.figures):
        columns = ceil(len(face.figures) / plan.figure_rows)
    width = inner.width() / columns
    for position, figure in enumerate(face.figures[: plan.figure_rows * columns]):
        row, at = divmod(position, columns)
        x, y = inner.left() + at * width, plan.figures_top + row * _FIGURES
        paint = partial(draw_labelled, x=x, top=y, width=width - 10, figure=figure)
        place = QRectF(x, y - 2, width - 6, _FIGURES)
        stamps.draw(drawing, f"figure {position}", place, figure, paint)


def _draw_legend(
    drawing: Drawing, x: float, baseline: float, width: float, face: CardFace
) -> None:
    """Which colour is what, as far as there is room."""
    theme, letters = drawing.theme, drawing.letters.caption
    colours = (theme.card(face.colour), theme.faint)
    right = x + width
    for part, colour in zip(face.memory.parts, colours, strict=False):
        name = Run(f"{part.label} ", letters, theme.quiet)
        amount = Run(part.number, letters, theme.text)
        unit = Run(f" {part.unit}", letters, theme.quiet)
        runs = (name, amount, unit)
        if x + 14 + sum(run.width for run in runs) > right:
            return
        drawing.painter.fillRect(QRectF(x, baseline - 8, 8, 8), colour)
        begin = x
        x = drawing.runs(x + 14, baseline, runs)
        drawing.hint(QRectF(begin, baseline - 12, x - begin, 16), part.hint)
        x += 16
