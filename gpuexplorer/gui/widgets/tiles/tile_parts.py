"""The parts that tiles of every size share: memory bar, sentence, instances, programs."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.tiles.figure_drawing import draw_figure_right
from gpuexplorer.gui.wording.cards.card_face import CardFace, InstanceFace, MemoryFace
from gpuexplorer.gui.wording.processes.programs import ProgramFace

INSTANCE_HEIGHT = 30.0
PROGRAM_HEIGHT = 22.0
DIMMED, SILENT = 0.7, 0.6
_WRAP = Qt.TextFlag.TextWordWrap
_BETWEEN_SENTENCES = 6.0
_HATCH_STEP, _HATCH_GROUND = 5.0, 0.3
_WITH_BAR = 330.0


def sentence_height(look: Look, width: float, face: CardFace) -> float:
    """What `draw_sentence` needs at this width."""
    room = QRectF(0, 0, width, 10_000)
    metrics = look.letters.body.metrics
    texts = (face.sentence, face.more) if face.more else (face.sentence,)
    heights = [metrics.boundingRect(room, int(_WRAP), text).height() for text in texts]
    return sum(heights) + _BETWEEN_SENTENCES * (len(heights) - 1)


def draw_sentence(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    """In the place of the figures, for a card that has none to show. What does not fit of it
    is told on asking.
    """
    theme, letters = drawing.theme, drawing.letters
    painter = drawing.painter
    painter.setFont(letters.body.font)
    painter.setPen(theme.text)
    drawn = painter.drawText(place, int(_WRAP), face.sentence)
    if face.more:
        rest = QRectF(place)
        rest.setTop(drawn.bottom() + _BETWEEN_SENTENCES)
        needed = letters.body.metrics.boundingRect(
            QRectF(0, 0, rest.width(), 10_000), int(_WRAP), face.more
        )
        if needed.height() <= rest.height():
            painter.setPen(theme.quiet)
            painter.drawText(rest, int(_WRAP), face.more)
    drawing.hint(place, f"{face.sentence} {face.more}".strip())


def memory_parts(
    drawing: Drawing, memory: MemoryFace, colour: QColor
) -> Sequence[tuple[float, QColor]]:
    return ((memory.used or 0.0, colour), (memory.reserved, drawing.theme.faint))


def draw_memory_bar(
    drawing: Drawing, place: QRectF, memory: MemoryFace, colour: QColor
) -> None:
    """What programs hold is hatched: it is theirs, and not this window's."""
    if memory.used is None:
        drawing.no_bar(place)
    else:
        ground = faded(colour, _HATCH_GROUND)
        drawing.bar(place, memory_parts(drawing, memory, ground))
        width = min(place.width(), max(2.0, memory.used * place.width()))
        if memory.used > 0:
            draw_hatch(
                drawing, QRectF(place.left(), place.top(), width, place.height()), colour
            )
    drawing.hint(place.adjusted(0, -6, 0, 6), memory.figure.hint)


def draw_hatch(drawing: Drawing, place: QRectF, colour: QColor) -> None:
    painter = drawing.painter
    painter.save()
    painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(colour, 1.2))
    height = place.height()
    count = int((place.width() + height) / _HATCH_STEP) + 1
    begin, bottom, top = place.left() - height, place.bottom(), place.top()
    steps = [begin + at * _HATCH_STEP for at in range(count)]
    painter.drawLines([QLineF(x, bottom, x + height, top) for x in steps])
    painter.restore()


def draw_instances(
    drawing: Drawing, place: QRectF, instances: Sequence[InstanceFace], colour: QColor
) -> None:
    """One line for each: number, name, CUDA's number, memory."""
    y = place.top()
    for instance in instances:
        line = QRectF(place.left(), y, place.width(), INSTANCE_HEIGHT)
        _draw_instance(drawing, line, instance, colour)
        y += INSTANCE_HEIGHT


def program_lines(programs: int, most: int, room: float) -> int:
    """How many lines they get: all they want, or at least two, or none at all."""
    wanted = min(programs, most)
    fitting = int(room // PROGRAM_HEIGHT) if room > 0 else 0
    return min(wanted, fitting) if fitting >= min(2, most) else 0


def draw_programs(drawing: Drawing, place: QRectF, programs: Sequence[ProgramFace]) -> None:
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


def _draw_instance(
    drawing: Drawing, line: QRectF, instance: InstanceFace, colour: QColor
) -> None:
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
        draw_memory_bar(drawing, track, instance.memory, colour)
    draw_figure_right(
        drawing, line.right(), baseline, figures, instance.memory.figure, letters.body
    )
