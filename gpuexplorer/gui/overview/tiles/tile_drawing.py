"""What is drawn on a tile: the same parts on a large one and a compact one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QLineF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure, MemoryFace
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.overview.tiles.figure_row import draw_labelled
from gpuexplorer.gui.overview.tiles.stamps import Stamps
from gpuexplorer.gui.overview.tiles.tile_curve import PlacedCurve
from gpuexplorer.gui.overview.tiles.tile_header import draw_header
from gpuexplorer.gui.overview.tiles.tile_plan import (
    BETWEEN_SENTENCES,
    FULL,
    HEADER,
    INSTANCE_HEIGHT,
    PROGRAM_HEIGHT,
    SPARK,
    WRAP,
    TilePlan,
)
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.line import (
    draw_figure_right,
    fitting,
    spell,
    wordings,
)
from gpuexplorer.gui.widgets.strip import StripShown, Wear

_DIMMED, _SILENT = 0.7, 0.6
_HATCH_STEP, _HATCH_GROUND = 5.0, 0.3
_WITH_BAR = 330.0
_WITH_WORDS = 88.0  # a plot of this height has room for "busy" beside it


@dataclass(frozen=True, slots=True, eq=False)
class TilePast:
    """None where it was not asked for, since the tile has no room for it."""

    busy: StripShown | None = None
    memory: StripShown | None = None
    average: str = ""  # "average 96 %", over the time that is shown

    @property
    def has_figures(self) -> bool:
        return self.busy is not None and bool(self.busy.trace.counts.any())


NO_PAST = TilePast()


def placed_curves(
    plan: TilePlan, face: CardFace, past: TilePast, *, raised: bool = False
) -> list[PlacedCurve]:
    if plan.busy is None or (face.sentence and face.mark is None):
        return []
    strength = _SILENT if face.sentence else _DIMMED if face.dimmed else 1.0
    wear, scaled = Wear(face.colour, strength, raised), plan.measures is FULL
    busy = QRectF(plan.busy)
    if face.sentence:
        busy.setBottom(plan.sentence.top() - plan.measures.gap)
    curves = [PlacedCurve("busy", busy, past.busy, wear, scaled)]
    if plan.memory is not None and not face.sentence:
        curves.append(PlacedCurve("memory", plan.memory, past.memory, wear, scaled))
    return curves


def numbers_place(plan: TilePlan) -> QRectF:
    """How busy it is, and was on average, at the right of the plot."""
    assert plan.busy is not None
    left = plan.busy.right() + 2
    return QRectF(left, plan.busy.top() - 2, plan.busy_right - left, plan.busy.height() + 4)


def changed_parts(plan: TilePlan, before: CardFace, face: CardFace) -> list[QRectF] | None:
    """Where a compact tile looks different, while its plan stays; None: it may be anywhere."""
    if plan.measures is FULL or _frame_of(before) != _frame_of(face):
        return None
    parts = []
    if before.busy != face.busy:
        parts.append(numbers_place(plan))
    if before.memory != face.memory:
        bar = plan.bar
        right = plan.inner.right() + 2
        parts.append(QRectF(bar.left() - 2, bar.center().y() - 16, right - bar.left(), 32))
    figures = zip(plan.figures, before.brief_figures, face.brief_figures, strict=True)
    parts += [place.adjusted(-1, -1, 1, 1) for place, was, now in figures if was != now]
    return parts


def _frame_of(face: CardFace) -> tuple[object, ...]:
    """All but the figures."""
    who = (face.number, face.colour, face.name, face.cuda, face.cuda_reason, face.badges)
    return (*who, face.mark, face.sentence, face.more, face.dimmed, face.instances)


def draw_tile(
    drawing: Drawing,
    plan: TilePlan,
    face: CardFace,
    past: TilePast,
    programs: Sequence[ProgramFace],
    stamps: Stamps,
) -> None:
    """On whatever it stands. What changes seldom, or not all at once, is kept as pictures."""
    m, inner, full = plan.measures, plan.inner, plan.measures is FULL
    theme, letters, colour = drawing.theme, drawing.letters, drawing.theme.card(face.colour)
    head = QRectF(inner.left(), inner.top(), inner.width(), HEADER)
    draw_header(drawing, head, face, stamps, roomy=full)
    if face.sentence:
        below = inner.adjusted(0, HEADER + m.gap, 0, 0)
        if face.mark is not None:
            # The link to what was read before stands below it, where there is any.
            below = plan.sentence.adjusted(0, 0, 0, -m.link if past.has_figures else 0)
        _draw_sentence(drawing, below, face)
        return
    if face.dimmed:
        drawing.painter.setOpacity(_DIMMED)
    _draw_busy(drawing, plan, face, past, stamps)
    _draw_memory(drawing, plan, face, stamps)
    drawing.hairline(inner.left(), inner.right(), plan.rule)
    figures = face.figures if full else face.brief_figures
    for at, (place, figure) in enumerate(zip(plan.figures, figures, strict=False)):
        stamps.draw(drawing, f"figure {at}", place, figure, _figure_in(place, figure, full))
    if plan.programs is not None:
        listing = plan.programs
        drawing.hairline(inner.left(), inner.right(), listing.top() - (12 if full else 6))
        if full:
            caption = Run(tr("Programs"), letters.caption, theme.quiet)
            drawing.text(listing.left(), listing.top() + 10, caption)
        listing = listing.adjusted(0, m.caption, 0, 0)
        paint = partial(_draw_programs, place=listing, programs=programs)
        stamps.draw(drawing, "programs", listing, tuple(programs), paint)
    if face.instances:
        top = plan.instances_top + m.rule - 11
        drawing.hairline(inner.left(), inner.right(), top)
        for at, instance in enumerate(face.instances):
            y = top + 7 + at * INSTANCE_HEIGHT
            line = QRectF(inner.left(), y, inner.width(), INSTANCE_HEIGHT)
            _draw_instance(drawing, line, instance, colour)


def _figure_in(place: QRectF, figure: Figure, full: bool) -> Callable[[Drawing], None]:
    if full:
        x, top, width = place.left(), place.top() + 2, place.width() - 4
        return partial(draw_labelled, x=x, top=top, width=width, figure=figure)

    def paint(drawing: Drawing) -> None:
        letters, width = drawing.letters, place.width() - 2
        label = figure.short_label
        if not figure.known:
            label = figure.brief or label or figure.label
        shown = fitting(wordings(figure, letters.body, letters.caption, label), width)
        baseline = place.top() + 1 + letters.body.ascent
        spell(drawing, shown, place.left(), baseline, place.left() + width)
        drawing.hint(QRectF(place.left(), place.top() + 1, width, 18), figure.hint)

    return paint


def _draw_busy(
    drawing: Drawing, plan: TilePlan, face: CardFace, past: TilePast, stamps: Stamps
) -> None:
    theme, letters = drawing.theme, drawing.letters
    right, plot, width = plan.busy_right, plan.busy, plan.measures.numbers
    if plot is None:
        middle, width = plan.bar.center().y(), right - plan.inner.left()
    else:
        middle = plot.top() + min(plot.height(), SPARK) / 2
    baseline = middle + letters.hero.cap_height / 2
    _stamp_right(drawing, stamps, "hero", right, baseline, width, face.busy, letters.hero)
    busy = Run(tr("busy"), letters.body, theme.text)
    if plot is None and face.busy.known:
        drawing.text(right + 8, baseline, busy)
    elif plot is not None and plot.height() >= _WITH_WORDS and face.busy.known:
        drawing.runs_right(right, baseline + 22, [busy])
        average = Run(past.average, letters.caption, theme.quiet)
        drawing.runs_right(right, baseline + 39, [average])


def _draw_memory(drawing: Drawing, plan: TilePlan, face: CardFace, stamps: Stamps) -> None:
    letters, bar, memory, full = drawing.letters, plan.bar, face.memory, plan.measures is FULL
    colour = drawing.theme.card(face.colour)
    used = None if memory.used is None else round(memory.used * bar.width() * 2)
    key = (used, round(memory.reserved * bar.width() * 2), colour.rgba(), memory.figure.hint)
    paint = partial(_draw_memory_bar, place=bar, memory=memory, colour=colour)
    stamps.draw(drawing, "bar", bar.adjusted(-1, -1, 1, 1), key, paint)
    number = letters.number if full else letters.title
    baseline = bar.center().y() + number.cap_height / 2
    if plan.beside and plan.memory is not None:
        baseline = plan.memory.top() + (SPARK + letters.hero.cap_height) / 2
    right, width = plan.memory_right, plan.measures.numbers
    _stamp_right(drawing, stamps, "used", right, baseline, width, memory.figure, number)
    if full:
        _draw_legend(drawing, bar.left(), bar.bottom() + 16, bar.width(), face)


def _stamp_right(
    drawing: Drawing,
    stamps: Stamps,
    name: str,
    right: float,
    baseline: float,
    width: float,
    figure: Figure,
    number: Lettering,
) -> None:
    place = QRectF(right - width - 2, baseline - number.ascent, width + 4, number.height)

    def paint(inner: Drawing) -> None:
        draw_figure_right(inner, right, baseline, width, figure, number)

    stamps.draw(drawing, name, place, figure, paint)


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


def _draw_sentence(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    """In the place of the figures, for a card that has none to show. What does not fit of it
    is told on asking.
    """
    theme, letters = drawing.theme, drawing.letters
    painter = drawing.painter
    painter.setFont(letters.body.font)
    painter.setPen(theme.text)
    drawn = painter.drawText(place, WRAP, face.sentence)
    if face.more:
        rest = QRectF(place)
        rest.setTop(drawn.bottom() + BETWEEN_SENTENCES)
        room = QRectF(0, 0, rest.width(), 10_000)
        needed = letters.body.metrics.boundingRect(room, WRAP, face.more)
        if needed.height() <= rest.height():
            painter.setPen(theme.quiet)
            painter.drawText(rest, WRAP, face.more)
    drawing.hint(place, f"{face.sentence} {face.more}".strip())


def _draw_memory_bar(
    drawing: Drawing, place: QRectF, memory: MemoryFace, colour: QColor
) -> None:
    """What programs hold is hatched: it is theirs, and not this window's."""
    if memory.used is None:
        drawing.no_bar(place)
    else:
        ground = faded(colour, _HATCH_GROUND)
        drawing.bar(place, ((memory.used, ground), (memory.reserved, drawing.theme.faint)))
        width = min(place.width(), max(2.0, memory.used * place.width()))
        if memory.used > 0:
            _hatch(
                drawing.painter, QRectF(place.topLeft(), QSizeF(width, place.height())), colour
            )
    drawing.hint(place.adjusted(0, -6, 0, 6), memory.figure.hint)


def _hatch(painter: QPainter, place: QRectF, colour: QColor) -> None:
    painter.save()
    painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(colour, 1.2))
    height = place.height()
    count = int((place.width() + height) / _HATCH_STEP) + 1
    steps = [place.left() - height + at * _HATCH_STEP for at in range(count)]
    painter.drawLines([QLineF(x, place.bottom(), x + height, place.top()) for x in steps])
    painter.restore()


def _draw_programs(drawing: Drawing, place: QRectF, programs: Sequence[ProgramFace]) -> None:
    """Who uses the card most: as many lines as fit, the rest as a number."""
    theme, letters = drawing.theme, drawing.letters
    fitting = int((place.height() + 1) // PROGRAM_HEIGHT)
    shown = programs if len(programs) <= fitting else programs[: max(0, fitting - 1)]
    y = place.top()
    for program in shown:
        baseline = y + PROGRAM_HEIGHT / 2 + letters.body.cap_height / 2
        right = _draw_program_figures(drawing, place.right(), baseline, program)
        name = Run(program.command, letters.mono, theme.text if program.known else theme.quiet)
        drawing.elided(place.left(), baseline, name, right - place.left() - 12, program.hint)
        y += PROGRAM_HEIGHT
    if len(shown) < len(programs) and fitting:
        rest = len(programs) - len(shown)
        more = trn("and {count} more", "and {count} more", rest)
        baseline = y + PROGRAM_HEIGHT / 2 + letters.caption.cap_height / 2
        drawing.text(place.left(), baseline, Run(more, letters.caption, theme.quiet))
    if not programs and fitting:
        baseline = y + PROGRAM_HEIGHT / 2 + letters.body.cap_height / 2
        nobody = Run(tr("No program uses it"), letters.body, theme.faint)
        drawing.elided(place.left(), baseline, nobody, place.width())


def _draw_program_figures(
    drawing: Drawing, right: float, baseline: float, program: ProgramFace
) -> float:
    """How busy it keeps the card, and how much of its memory it holds."""
    body = drawing.letters.body
    for figure, unit, width in (
        (program.memory, program.unit, 88.0),
        (program.busy, "%", 52.0),
    ):
        if figure.known:
            shown = replace(figure, unit=unit)
            draw_figure_right(drawing, right, baseline, width, shown, body)
            right -= width
    return right


def _draw_instance(drawing: Drawing, line: QRectF, instance: CardFace, colour: QColor) -> None:
    theme, letters = drawing.theme, drawing.letters
    middle = line.center().y()
    baseline = middle + letters.body.cap_height / 2
    wide = letters.caption.width(instance.number) + 12
    chip = QRectF(line.left(), middle - 9, wide, 18)
    drawing.chip(chip, instance.number, letters.caption, None)
    figures = min(150.0, line.width() * 0.33)
    # The name goes before the bar: two instances may differ in nothing else.
    bar = min(180.0, line.width() * 0.2) if line.width() >= _WITH_BAR else 0.0
    names = line.right() - figures - bar - 20
    x = chip.right() + 8
    name = Run(instance.name, letters.body, theme.text)
    end = min(drawing.elided(x, baseline, name, names - x), names)
    said = (instance.cuda, tr("no CUDA")) if instance.cuda_reason else (instance.cuda,)
    cuda = next((each for each in said if letters.caption.width(each) <= names - end - 8), "")
    if cuda:
        run = Run(cuda, letters.caption, theme.tone(Tone.QUIET))
        drawing.elided(end + 8, baseline, run, names - end - 8, instance.cuda_reason)
    else:
        drawing.hint(chip, f"{instance.name}, {instance.cuda_reason or instance.cuda}")
    if instance.sentence:
        sentence = Run(instance.sentence, letters.caption, theme.faint)
        drawing.elided(names + 8, baseline, sentence, line.right() - names - 8)
        return
    if bar:
        track = QRectF(names + 8, middle - 3, bar, 6)
        _draw_memory_bar(drawing, track, instance.memory, colour)
    draw_figure_right(
        drawing, line.right(), baseline, figures, instance.memory.figure, letters.body
    )
