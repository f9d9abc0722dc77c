"""The tile of one card among eight: no captions, and units that say what a figure is."""

from dataclasses import dataclass
from functools import partial
from math import ceil

from PySide6.QtCore import QRectF

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.stamps import Stamps
from gpuexplorer.gui.widgets.tiles.figure_drawing import draw_inline
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
LINK_ROOM = 28.0
_SPARK, _BAR, _LINE, _RULE = 54.0, 8.0, 20.0, 17.0
_LOW_SPARK = 40.0
_GAP = 12.0
_NUMBERS = 104.0
_TRACE = 28.0
_MOST_PROGRAMS = 3
_FIGURES = 6
_SPARK_SHARE = 0.6
_WITH_WORDS = 88.0
# Where columns of small figures begin; those with a word before take more room.
_EDGES = {2: (0.0, 0.5, 1.0), 3: (0.0, 0.36, 0.68, 1.0)}


@dataclass(frozen=True, slots=True)
class CompactPlan:
    """Where everything goes."""

    busy: QRectF
    memory: QRectF | None  # its trace, where there is room
    bar: QRectF
    figures: QRectF
    each_figure: tuple[QRectF, ...]
    programs: QRectF | None
    instances_top: float
    sentence: QRectF


def compact_tile_height(width: float, face: CardFace) -> float:
    """What it takes at least. A sentence has the height of its neighbours' figures, and those
    that come in its place do not make the tile jump.
    """
    inner = width - 2 * MARGIN
    instances = len(face.instances) * INSTANCE_HEIGHT + _RULE if face.instances else 0.0
    figures = _RULE + ceil(_FIGURES / _columns(inner)) * _LINE
    spark = _least_spark(inner)
    return 2 * MARGIN + HEADER + spark + _BAR + 2 * _GAP + figures + instances


def compact_plan(place: QRectF, face: CardFace, programs: int) -> CompactPlan:
    """Height beyond what it takes goes to the memory's trace, to programs, then to traces."""
    inner = place.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    columns = _columns(inner.width())
    spare = max(0.0, place.height() - compact_tile_height(place.width(), face))
    trace = _TRACE if spare >= _TRACE + _GAP and not face.sentence else 0.0
    spare -= trace + _GAP if trace else 0.0
    lines = program_lines(programs, _MOST_PROGRAMS, spare - _RULE)
    spare -= _RULE + lines * PROGRAM_HEIGHT if lines else 0.0
    share = 1.0 if face.sentence or not trace else _SPARK_SHARE
    grown = _least_spark(inner.width()) + (0.0 if face.sentence else spare * share)
    width = inner.width() - _NUMBERS - _GAP
    busy = QRectF(inner.left(), inner.top() + HEADER + _GAP, width, grown)
    y = busy.bottom() + _GAP
    memory = None
    if trace:
        memory = QRectF(inner.left(), y, width, trace + spare * (1 - share))
        y = memory.bottom() + 6
    bar = QRectF(inner.left(), y, width, _BAR)
    y = bar.bottom() + _RULE
    figures = QRectF(inner.left(), y, inner.width(), ceil(_FIGURES / columns) * _LINE)
    y = figures.bottom()
    listing = None
    if lines:
        listing = QRectF(inner.left(), y + _RULE - 4, inner.width(), lines * PROGRAM_HEIGHT)
        y = listing.bottom()
    top = busy.bottom() + _GAP
    return CompactPlan(
        busy=busy,
        memory=memory,
        bar=bar,
        figures=figures,
        each_figure=_figure_places(figures, columns),
        programs=listing,
        instances_top=y,
        sentence=QRectF(inner.left(), top, inner.width(), inner.bottom() - top),
    )


def changed_parts(
    place: QRectF, plan: CompactPlan, before: CardFace, face: CardFace
) -> list[QRectF] | None:
    """Where a tile looks different, while its plan stays; None where it may be anywhere."""
    if _frame_of(before) != _frame_of(face):
        return None
    parts = []
    if before.busy != face.busy:
        parts.append(numbers_place(place, plan))
    if before.memory != face.memory:
        bar = plan.bar
        parts.append(QRectF(bar.left() - 2, bar.center().y() - 16, place.width(), 32))
    columns = zip(before.brief_figures, face.brief_figures, strict=True)
    for position, (was, now) in enumerate(columns):
        if was != now:
            parts.append(plan.each_figure[position].adjusted(-1, -1, 1, 1))
    return parts


def numbers_place(place: QRectF, plan: CompactPlan) -> QRectF:
    """How busy it is, and was on average, at the right of the plot."""
    left = plan.busy.right() + 2
    return QRectF(left, plan.busy.top() - 2, place.right() - left, plan.busy.height() + 4)


def _frame_of(face: CardFace) -> tuple[object, ...]:
    """All but the figures."""
    who = (face.number, face.colour, face.name, face.cuda, face.cuda_reason, face.badges)
    return (*who, face.mark, face.sentence, face.more, face.dimmed, face.instances)


def draw_compact_tile(
    drawing: Drawing,
    place: QRectF,
    plan: CompactPlan,
    face: CardFace,
    past: TilePast,
    programs: list[ProgramFace],
    stamps: Stamps,
) -> None:
    """On whatever it stands: the ground is drawn by who asks for it."""
    theme, letters = drawing.theme, drawing.letters
    colour = theme.card(face.colour)
    inner = place.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    draw_header(drawing, QRectF(inner.left(), inner.top(), inner.width(), HEADER), face, stamps)
    if face.sentence:
        place = inner.adjusted(0, HEADER + _GAP, 0, 0)
        if face.mark is not None:
            # The link to what was read before stands below it, where there is any.
            room = LINK_ROOM if past.has_figures else 0
            place = plan.sentence.adjusted(0, 0, 0, -room)
        draw_sentence(drawing, place, face)
        return
    if face.dimmed:
        drawing.painter.setOpacity(DIMMED)
    right = inner.right()
    middle = plan.busy.top() + min(plan.busy.height(), _SPARK) / 2
    baseline = middle + letters.hero.cap_height / 2
    stamp_figure(drawing, stamps, "hero", right, baseline, _NUMBERS, face.busy, letters.hero)
    if plan.busy.height() >= _WITH_WORDS and face.busy.known:
        busy = Run(tr("busy"), letters.body, theme.text)
        drawing.runs_right(right, baseline + 22, [busy])
        average = Run(past.average, letters.caption, theme.quiet)
        drawing.runs_right(right, baseline + 39, [average])
    stamp_memory_bar(drawing, stamps, plan.bar, face.memory, colour)
    baseline = plan.bar.center().y() + letters.title.cap_height / 2
    used = face.memory.figure
    stamp_figure(drawing, stamps, "used", right, baseline, _NUMBERS, used, letters.title)
    _draw_figures(drawing, plan, face, stamps)
    if plan.programs is not None:
        drawing.hairline(inner.left(), right, plan.programs.top() - 6)
        stamp_programs(drawing, stamps, plan.programs, programs)
    if face.instances:
        drawing.hairline(inner.left(), right, plan.instances_top + 6)
        lines = QRectF(inner.left(), plan.instances_top + 12, inner.width(), 0)
        draw_instances(drawing, lines, face.instances, colour)


def compact_curves(
    plan: CompactPlan, face: CardFace, past: TilePast, *, raised: bool = False
) -> list[PlacedCurve]:
    strength = SILENT if face.sentence else DIMMED if face.dimmed else 1.0
    wear = card_wear(face.colour, strength, raised=raised)
    curves = [PlacedCurve("busy", plan.busy, past.busy, wear)]
    if plan.memory is not None and not face.sentence:
        curves.append(PlacedCurve("memory", plan.memory, past.memory, wear))
    return curves if face.mark is not None or not face.sentence else []


def _columns(inner: float) -> int:
    return 3 if inner >= 264 else 2


def _least_spark(inner: float) -> float:
    """Lower beside the third line of figures that a narrow tile has."""
    return _SPARK if _columns(inner) == 3 else _LOW_SPARK


def _draw_figures(drawing: Drawing, plan: CompactPlan, face: CardFace, stamps: Stamps) -> None:
    figures = plan.figures
    drawing.hairline(figures.left(), figures.right(), figures.top() - 7)
    named = zip(plan.each_figure, face.brief_figures, strict=True)
    for position, (place, figure) in enumerate(named):
        paint = partial(
            draw_inline,
            x=place.left(),
            baseline=place.top() + 1 + drawing.letters.body.ascent,
            width=place.width() - 2,
            figure=figure,
        )
        stamps.draw(drawing, f"figure {position}", place, figure, paint)


def _figure_places(figures: QRectF, columns: int) -> tuple[QRectF, ...]:
    places, edges = [], _EDGES[columns]
    for position in range(_FIGURES):
        row, at = divmod(position, columns)
        left = figures.left() + edges[at] * figures.width()
        width = (edges[at + 1] - edges[at]) * figures.width()
        places.append(QRectF(left, figures.top() + row * _LINE - 1, width - 4, _LINE))
    return tuple(places)
