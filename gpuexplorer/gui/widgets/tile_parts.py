"""The parts that tiles of every size share: header, memory bar, sentence, instances."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.figure_drawing import draw_figure_right
from gpuexplorer.gui.wording.card_face import CardFace, InstanceFace, MemoryFace

CHIP = 32.0
INSTANCE_HEIGHT = 30.0
_ICON = 16.0
_WRAP = Qt.TextFlag.TextWordWrap
_BETWEEN_SENTENCES = 6.0


def draw_header(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    """Chip, name, how it is; under the name its number in CUDA."""
    theme, letters = drawing.theme, drawing.letters
    fill = theme.card(face.colour) if face.colour is not None and not face.sentence else None
    wide = max(CHIP, letters.title.width(face.number) + 14)
    chip = QRectF(place.left(), place.top(), wide, CHIP)
    drawing.chip(chip, face.number, letters.title, fill)
    x = chip.right() + 12
    right = place.right()
    baseline = place.top() + letters.title.ascent - 1
    mark = face.mark
    if mark is not None:
        room = (place.right() - x) * 0.62
        colour = theme.tone(mark.tone)
        fits = letters.body.width(mark.word) <= room - 22
        said = mark.word if fits else mark.brief or mark.word
        word = Run(letters.body.elided(said, room - 22), letters.body, colour)
        right = drawing.runs_right(place.right(), baseline, [word])
        if mark.icon is not None:
            right -= _ICON + 6
            drawing.icon(mark.icon, QRectF(right, baseline - 13, _ICON, _ICON), colour)
        hint = mark.word if word.text != mark.word else ""
        drawing.hint(QRectF(right, place.top(), place.right() - right, 20), hint)
        right -= 12
    strong = theme.quiet if face.sentence else theme.text
    full = face.name or f"Card {face.number}"
    name = full
    if letters.title.width(name) > right - x:
        # The model says more than the maker, who made them all.
        name = name.removeprefix("NVIDIA ")
    hint = full if name != full else ""
    drawing.elided(x, baseline, Run(name, letters.title, strong), right - x, hint)
    second = place.top() + CHIP - letters.caption.metrics.descent() + 2
    cuda = Run(face.cuda, letters.caption, theme.faint if face.cuda_reason else theme.quiet)
    drawing.elided(x, second, cuda, place.right() - x, face.cuda_reason)


def sentence_height(look: Look, width: float, face: CardFace) -> float:
    """What `draw_sentence` needs at this width."""
    room = QRectF(0, 0, width, 10_000)
    metrics = look.letters.body.metrics
    texts = (face.sentence, face.more) if face.more else (face.sentence,)
    heights = [metrics.boundingRect(room, int(_WRAP), text).height() for text in texts]
    return sum(heights) + _BETWEEN_SENTENCES * (len(heights) - 1)


def draw_sentence(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    """In the place of the figures, for a card that has none to show."""
    theme, letters = drawing.theme, drawing.letters
    drawing.painter.setFont(letters.body.font)
    drawing.painter.setPen(theme.text)
    drawn = drawing.painter.drawText(place, int(_WRAP), face.sentence)
    if face.more:
        rest = QRectF(place)
        rest.setTop(drawn.bottom() + _BETWEEN_SENTENCES)
        drawing.painter.setPen(theme.quiet)
        drawing.painter.drawText(rest, int(_WRAP), face.more)
    drawing.hint(place, f"{face.sentence} {face.more}".strip())


def memory_parts(
    drawing: Drawing, memory: MemoryFace, colour: QColor
) -> Sequence[tuple[float, QColor]]:
    return ((memory.used or 0.0, colour), (memory.reserved, drawing.theme.faint))


def draw_memory_bar(
    drawing: Drawing, place: QRectF, memory: MemoryFace, colour: QColor
) -> None:
    if memory.used is None:
        drawing.no_bar(place)
    else:
        drawing.bar(place, memory_parts(drawing, memory, colour))
    drawing.hint(place.adjusted(0, -6, 0, 6), memory.figure.hint)


def draw_busy_bar(drawing: Drawing, place: QRectF, face: CardFace, colour: QColor) -> None:
    if face.busy_share is None:
        drawing.no_bar(place)
    else:
        drawing.bar(place, ((face.busy_share, colour),))
    drawing.hint(place.adjusted(0, -8, 0, 8), face.busy.hint)


def draw_instances(
    drawing: Drawing, place: QRectF, instances: Sequence[InstanceFace], colour: QColor
) -> None:
    """One line for each: number, name, CUDA's number, memory."""
    y = place.top()
    for instance in instances:
        line = QRectF(place.left(), y, place.width(), INSTANCE_HEIGHT)
        _draw_instance(drawing, line, instance, colour)
        y += INSTANCE_HEIGHT


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
    bar = min(180.0, line.width() * 0.2)
    names = line.right() - figures - bar - 20
    x = chip.right() + 8
    name = Run(instance.name, letters.body, theme.text)
    end = min(drawing.elided(x, baseline, name, names - x), names)
    cuda = Run(instance.cuda, letters.caption, theme.tone(Tone.QUIET))
    if names - end > 48:
        drawing.elided(end + 8, baseline, cuda, names - end - 8, instance.cuda_reason)
    else:
        drawing.hint(chip, f"{instance.name}, {instance.cuda_reason or instance.cuda}")
    if instance.sentence:
        sentence = Run(instance.sentence, letters.caption, theme.faint)
        drawing.elided(names + 8, baseline, sentence, line.right() - names - 8)
        return
    track = QRectF(names + 8, middle - 3, bar, 6)
    draw_memory_bar(drawing, track, instance.memory, colour)
    draw_figure_right(
        drawing, line.right(), baseline, figures, instance.memory.figure, letters.body
    )
