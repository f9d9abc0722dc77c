"""The tile of one card where there is room for words: one layout with captions, one without."""

from math import ceil

from PySide6.QtCore import QRectF

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.figure_drawing import (
    draw_figure_right,
    draw_inline,
    draw_labelled,
)
from gpuexplorer.gui.widgets.tile_parts import (
    CHIP,
    INSTANCE_HEIGHT,
    draw_busy_bar,
    draw_header,
    draw_instances,
    draw_memory_bar,
    draw_sentence,
    sentence_height,
)
from gpuexplorer.gui.wording.card_face import CardFace

ROOMY_FROM = 440.0
SPACIOUS_FROM = 640.0
FIRST_FIGURES = 5
# Limits and reasons need more room than a fan's share.
_COLUMN_WEIGHTS = (1.25, 1.05, 1.0, 0.8, 1.25)
_THREE_COLUMNS_FROM = 336.0
_ROOMY, _TIGHT = 226.0, 146.0
_MORE_FIGURES, _TIGHT_LINE = 52.0, 20.0
_DIMMED = 0.7


def full_tile_height(look: Look, width: float, face: CardFace) -> float:
    if face.sentence:
        margin = _margin(width)
        return 2 * margin + CHIP + 16 + sentence_height(look, width - 2 * margin, face)
    instances = len(face.instances)
    below = instances * INSTANCE_HEIGHT + 12 if instances else 0.0
    if width < ROOMY_FROM:
        return _TIGHT + _tight_lines(width - 28) * _TIGHT_LINE + below
    return _ROOMY + below + (_MORE_FIGURES if width >= SPACIOUS_FROM else 0.0)


def draw_full_tile(drawing: Drawing, place: QRectF, face: CardFace) -> None:
    drawing.tile(place)
    roomy = place.width() >= ROOMY_FROM
    margin = _margin(place.width())
    inner = place.adjusted(margin, margin, -margin, -margin)
    draw_header(drawing, inner, face)
    below = inner.adjusted(0, CHIP + 12, 0, 0)
    if face.sentence:
        draw_sentence(drawing, below.adjusted(0, 4, 0, 0), face)
        return
    if face.dimmed:
        drawing.painter.setOpacity(_DIMMED)
    bottom = _draw_roomy(drawing, below, face) if roomy else _draw_tight(drawing, below, face)
    if face.instances:
        drawing.hairline(inner.left(), inner.right(), bottom)
        lines = QRectF(inner.left(), bottom + 7, inner.width(), 0)
        draw_instances(drawing, lines, face.instances, drawing.theme.card(face.colour))


def _margin(width: float) -> float:
    return 16.0 if width >= ROOMY_FROM else 14.0


def _draw_roomy(drawing: Drawing, place: QRectF, face: CardFace) -> float:
    theme, letters = drawing.theme, drawing.letters
    colour = theme.card(face.colour)
    left, right, top = place.left(), place.right(), place.top()
    numbers = min(220.0, place.width() * 0.36)
    track = right - left - numbers - 8
    busy = Run("Busy", letters.caption, theme.quiet)
    drawing.text(left, top + 14, busy)
    draw_busy_bar(drawing, QRectF(left, top + 24, track, 6), face, colour)
    draw_figure_right(drawing, right, top + 32, numbers, face.busy, letters.hero)

    top += 48
    drawing.text(left, top + 12, Run("Memory", letters.caption, theme.quiet))
    draw_memory_bar(drawing, QRectF(left, top + 20, track, 10), face.memory, colour)
    draw_figure_right(drawing, right, top + 31, numbers, face.memory.figure, letters.number)
    _draw_legend(drawing, left + letters.caption.width("Memory") + 16, top + 12, track, face)

    top += 48
    drawing.hairline(left, right, top)
    top += 12
    rows = 2 if place.width() >= SPACIOUS_FROM - 32 else 1
    part = place.width() / sum(_COLUMN_WEIGHTS)
    x = left
    for at, weight in enumerate(_COLUMN_WEIGHTS):
        column = face.figures[at : rows * FIRST_FIGURES : FIRST_FIGURES]
        for row, figure in enumerate(column):
            y = top + row * _MORE_FIGURES
            draw_labelled(drawing, x, y, weight * part - 10, figure)
        x += weight * part
    return top + rows * _MORE_FIGURES


def _draw_legend(
    drawing: Drawing, x: float, baseline: float, track: float, face: CardFace
) -> None:
    """Which colour is what, as far as there is room."""
    theme, letters = drawing.theme, drawing.letters.caption
    colours = (theme.card(face.colour), theme.faint)
    right = x - 16 - letters.width("Memory") + track
    for part, colour in zip(face.memory.parts, colours, strict=False):
        amount = Run(f"{part.number} {part.unit}", letters, theme.text)
        name = Run(f"{part.label} ", letters, theme.quiet)
        if x + 14 + name.width + amount.width > right:
            return
        drawing.painter.fillRect(QRectF(x, baseline - 8, 8, 8), colour)
        begin = x
        x = drawing.runs(x + 14, baseline, [name, amount])
        drawing.hint(QRectF(begin, baseline - 12, x - begin, 16), part.hint)
        x += 16


def _draw_tight(drawing: Drawing, place: QRectF, face: CardFace) -> float:
    theme, letters = drawing.theme, drawing.letters
    colour = theme.card(face.colour)
    left, right, top = place.left(), place.right(), place.top()
    numbers = place.width() * 0.44
    track = right - left - numbers - 8
    draw_busy_bar(drawing, QRectF(left, top + 15, track, 6), face, colour)
    draw_figure_right(drawing, right, top + 30, numbers, face.busy, letters.hero)
    top += 44
    draw_memory_bar(drawing, QRectF(left, top + 4, track, 8), face.memory, colour)
    draw_figure_right(drawing, right, top + 14, numbers, face.memory.figure, letters.title)
    top += 26
    drawing.hairline(left, right, top)
    top += 8
    lines = _tight_lines(place.width())
    columns = ceil(FIRST_FIGURES / lines)
    column = place.width() / columns
    for position, figure in enumerate(face.figures[:FIRST_FIGURES]):
        row, at = divmod(position, columns)
        baseline = top + row * _TIGHT_LINE + letters.body.ascent
        draw_inline(drawing, left + at * column, baseline, column - 6, figure)
    return top + lines * _TIGHT_LINE + 6


def _tight_lines(inner: float) -> int:
    return 2 if inner >= _THREE_COLUMNS_FROM else 3
